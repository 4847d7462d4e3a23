/* SPDX-License-Identifier: Apache-2.0 */
/* Means of codes against exact rationals and simulated kernels: QLinearAveragePool,
 * QLinearGlobalAveragePool, QLinearReduceMean, and AveragePool, GlobalAveragePool, ReduceMean
 * between DequantizeLinear and QuantizeLinear. Windows, paddings and axes at random, scales solved
 * so that answers fall next to rounding edges. Alone: <build>/tests/reference/twin/mean_test;
 * QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

enum { POOL, GLOBAL, REDUCE, MEANS };
static const char *const names[MEANS] = {"AveragePool", "GlobalAveragePool", "ReduceMean"};
static const char *const vendor_names[MEANS] = {"QLinearAveragePool", "QLinearGlobalAveragePool",
                                                "QLinearReduceMean"};

struct mean {
    struct qd_arena arena;
    struct twin_random *random;
    int operation;
    bool vendor, last, include_pad, keep, powers_of_two;
    struct twin_operand x; /* [N, C, ...] however the node is fed */
    float s_y;
    int64_t y_zero_point;
    struct twin_node node;
    int64_t kernel[3], strides[3], dilations[3], pads[6], axes[QD_MAX_RANK];
    unsigned axis_count;
    bool reduced[QD_MAX_RANK];
    struct twin_window windows[3];
    /* Of the output, as [N, C, ...] with reduced axes kept: */
    int64_t dims[QD_MAX_RANK];
};

static int64_t between(struct mean *m, int64_t min, int64_t max)
{
    return twin_random_between(m->random, min, max);
}

static float random_scale(struct mean *m)
{
    return twin_float_of(twin_random_scale(m->random, -8, 2) &
                         (m->powers_of_two ? 0x7f800000 : 0x7fffffff));
}

static void choose_codes(struct mean *m, unsigned rank, const int64_t *dims)
{
    enum qd_dtype dtype = twin_random_one_in(m->random, 2) ? QD_U8 : QD_S8;
    m->x.codes = twin_tensor(&m->arena, dtype, rank, dims);
    m->x.scale = random_scale(m);
    m->x.zero_point = twin_random_code(m->random, dtype);
    m->s_y = random_scale(m);
    m->y_zero_point = twin_random_code(m->random, dtype);
    for (int64_t i = 0; i < m->x.codes.count; i++)
        twin_put(&m->x.codes, i, (uint64_t)twin_random_code(m->random, dtype));
}

/* Windows that hold at least one element; ceil_mode where no window starts after the input. */
static void choose_pool(struct mean *m)
{
    static const char *const auto_pads[] = {"NOTSET", "NOTSET", "VALID", "SAME_UPPER",
                                            "SAME_LOWER"};
    const char *auto_pad = auto_pads[between(m, 0, 4)];
    unsigned spatial = (unsigned)between(m, 1, 2);
    bool ceil_mode = strcmp(auto_pad, "NOTSET") == 0 && twin_random_one_in(m->random, 3);
    int64_t dims[] = {between(m, 1, 2), between(m, 1, 3), 0, 0};
    m->include_pad = !ceil_mode && twin_random_one_in(m->random, 2);
    for (unsigned axis = 0; axis < spatial; axis++) {
        m->kernel[axis] = between(m, 1, 4);
        m->strides[axis] = between(m, 1, ceil_mode ? m->kernel[axis] : 3);
        m->dilations[axis] = m->vendor || ceil_mode ? 1 : between(m, 1, 2);
        int64_t extent = (m->kernel[axis] - 1) * m->dilations[axis] + 1;
        m->pads[axis] = between(m, 0, (m->kernel[axis] - 1) / 2);
        m->pads[axis + spatial] = ceil_mode ? 0 : between(m, 0, (m->kernel[axis] - 1) / 2);
        dims[2 + axis] = between(m, extent, extent + 4);
    }
    choose_codes(m, 2 + spatial, dims);
    twin_node_ints(&m->node, "kernel_shape", m->kernel, spatial);
    twin_node_ints(&m->node, "strides", m->strides, spatial);
    if (!m->vendor)
        twin_node_ints(&m->node, "dilations", m->dilations, spatial);
    if (strcmp(auto_pad, "NOTSET") == 0)
        twin_node_ints(&m->node, "pads", m->pads, 2 * (size_t)spatial);
    else
        twin_node_string(&m->node, "auto_pad", auto_pad);
    twin_node_int(&m->node, "ceil_mode", ceil_mode);
    twin_node_int(&m->node, "count_include_pad", m->include_pad);
    m->node.node.attrs = m->node.attrs;
    memcpy(m->dims, dims, sizeof dims);
    for (unsigned axis = 0; axis < spatial; axis++) {
        m->windows[axis] = twin_window_of(&m->node.node, axis, spatial, dims[2 + axis]);
        m->dims[2 + axis] = m->windows[axis].out;
    }
}

static void choose_global(struct mean *m)
{
    unsigned spatial = (unsigned)between(m, 1, 2);
    int64_t dims[] = {between(m, 1, 2), between(m, 1, 3), between(m, 1, 8), between(m, 1, 8)};
    choose_codes(m, 2 + spatial, dims);
    memcpy(m->dims, dims, sizeof dims);
    for (unsigned axis = 0; axis < spatial; axis++) {
        m->windows[axis] = (struct twin_window){dims[2 + axis], 1, 1, 0, 0, 1};
        m->dims[2 + axis] = 1;
    }
}

/* Some axes, from the front or the back, in any order; at most 64 elements in a mean. */
static void choose_reduce(struct mean *m)
{
    unsigned rank = (unsigned)between(m, 1, 3);
    int64_t dims[3];
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = between(m, 1, 4);
    choose_codes(m, rank, dims);
    memcpy(m->dims, dims, sizeof dims);
    for (unsigned axis = rank; axis-- > 0;)
        if ((axis == 0 && m->axis_count == 0) || twin_random_one_in(m->random, 2)) {
            m->reduced[axis] = true;
            m->dims[axis] = 1;
            m->axes[m->axis_count++] =
                twin_random_one_in(m->random, 2) ? axis : (int64_t)axis - rank;
        }
    m->keep = twin_random_one_in(m->random, 2);
    if (m->vendor)
        twin_node_ints(&m->node, "axes", m->axes, m->axis_count);
    twin_node_int(&m->node, "keepdims", m->keep);
}

static void choose(struct mean *m, struct twin_random *random, int operation, bool vendor)
{
    *m = (struct mean){.random = random, .operation = operation, .vendor = vendor};
    qd_arena_init(&m->arena, QD_ARENA_DEFAULT_BUDGET);
    m->powers_of_two = twin_random_one_in(random, 4);
    if (vendor)
        twin_node_init_vendor(&m->node, vendor_names[operation]);
    else
        twin_node_init(&m->node, names[operation], operation == REDUCE ? 18 : 22, 1);
    if (operation == POOL)
        choose_pool(m);
    else if (operation == GLOBAL)
        choose_global(m);
    else
        choose_reduce(m);
    m->last = vendor && operation != REDUCE && twin_random_one_in(random, 3);
    if (m->last)
        twin_node_int(&m->node, "channels_last", 1);
}

/* --- The elements of one mean --- */

/* Their flat indices in x, and by how many to divide. */
static unsigned members(const struct mean *m, const int64_t *at, int64_t *index, int64_t *divisor)
{
    const struct qd_tensor *x = &m->x.codes;
    if (m->operation != REDUCE) {
        int64_t padded;
        unsigned count = twin_window_taps(x, m->windows, at, index, &padded);
        *divisor = m->include_pad ? padded : count;
        return count;
    }
    unsigned count = 0;
    for (int64_t i = 0; i < x->count; i++) {
        int64_t rest = i;
        bool member = true;
        for (unsigned axis = x->rank; axis-- > 0; rest /= x->dims[axis])
            member = member && (m->reduced[axis] || rest % x->dims[axis] == at[axis]);
        if (member)
            index[count++] = i;
    }
    *divisor = count;
    return count;
}

static void float_answers(const struct mean *m, const int64_t *index, unsigned count, float n,
                          struct twin_answers *answers)
{
    for (int repeat = 0; repeat < 2; repeat++) {
        float term[TWIN_MAX_TAPS];
        for (unsigned k = 0; k < count; k++)
            term[k] = (float)twin_operand_shifted(&m->x, index[k]) * m->x.scale;
        float sum = twin_random_tree(m->random, term, count), reciprocal = 1 / n;
        float mean = sum / n, scaled = sum * reciprocal;
        twin_answers_add(answers, (double)(mean / m->s_y), "float sum, divided");
        twin_answers_add(answers, (double)(scaled / m->s_y), "float sum, times 1/n");
    }
}

static void integer_answers(const struct mean *m, float sum, float n, struct twin_answers *answers)
{
    float s_x = m->x.scale, s_y = m->s_y;
    float joined = s_y * n, a = s_x / joined, ratio = s_x / s_y, b = ratio / n, part = s_x / n,
          c = part / s_y, real = sum * s_x, mean = real / n;
    const float quotients[] = {sum * a, sum * b, sum * c, real / joined, mean / s_y};
    static const char *const how[] = {
        "integer sum times s_x/(s_y·n)", "integer sum times (s_x/s_y)/n",
        "integer sum times (s_x/n)/s_y", "integer sum times s_x, divided by s_y·n",
        "integer sum times s_x, divided by n, then by s_y"};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++)
        twin_answers_add(answers, (double)quotients[i], how[i]);
}

/* a, n and the scales of the elements' mean. */
static struct twin_terms mean_terms(const struct mean *m, const int64_t *index, unsigned count,
                                    int64_t n)
{
    struct twin_terms terms = {.n = n, .s1 = (double)m->x.scale, .sy = (double)m->s_y};
    for (unsigned k = 0; k < count; k++)
        terms.a += twin_operand_shifted(&m->x, index[k]);
    terms.f_lo = terms.f_hi = (double)terms.a * terms.s1;
    return terms;
}

/* What only QLinear… admit: every order in float32, in double and in a mixture. */
static void order_answers(const struct mean *m, const int64_t *index, unsigned count, int64_t n,
                          struct twin_answers *answers)
{
    struct twin_terms terms = mean_terms(m, index, count, n);
    float term[TWIN_MAX_TAPS];
    for (unsigned k = 0; k < count; k++)
        term[k] = (float)twin_operand_shifted(&m->x, index[k]) * m->x.scale;
    terms.f_lo = terms.f_hi = (double)twin_random_tree(m->random, term, count);
    twin_answers_orders(answers, TWIN_MEAN, &terms, m->random);
}

/* Returns whether the mean is exact in float32 by every order. */
static bool mean_answers(const struct mean *m, const int64_t *at, struct twin_answers *answers)
{
    int64_t index[TWIN_MAX_TAPS], n, sum = 0;
    unsigned count = members(m, at, index, &n);
    mpq_t factor;
    assert_true(count > 0);
    for (unsigned k = 0; k < count; k++)
        sum += twin_operand_shifted(&m->x, index[k]);
    mpq_init(factor);
    mpq_set_si(answers->exact, sum, (unsigned long)n);
    mpq_canonicalize(answers->exact);
    mpq_set_d(factor, (double)m->x.scale);
    mpq_mul(answers->exact, answers->exact, factor);
    mpq_set_d(factor, (double)m->s_y);
    mpq_div(answers->exact, answers->exact, factor);
    mpq_clear(factor);
    answers->count = 0;
    answers->may_be_open = false;
    twin_answers_add(answers, mpq_get_d(answers->exact), "in double");
    float_answers(m, index, count, (float)n, answers);
    integer_answers(m, (float)sum, (float)n, answers);
    if (m->vendor)
        order_answers(m, index, count, n, answers);
    return m->powers_of_two && (n & (n - 1)) == 0;
}

/* Moves the output's scale so that one element lies on or next to an edge. */
static void solve(struct mean *m)
{
    int64_t index[TWIN_MAX_TAPS], n, sum = 0, at[QD_MAX_RANK] = {0};
    unsigned count = members(m, at, index, &n);
    mpq_t scale, unit;
    for (unsigned k = 0; k < count; k++)
        sum += twin_operand_shifted(&m->x, index[k]);
    mpq_inits(scale, unit, NULL);
    mpq_set_d(scale, (double)m->x.scale);
    mpq_set_ui(unit, 1, (unsigned long)n);
    m->s_y = twin_float_of(twin_solve_divisor(m->random, sum, scale, unit));
    mpq_clears(scale, unit, NULL);
}

/* --- The reference's answer --- */

/* [N, C, ...] to [N, ..., C]. */
static struct qd_tensor channels_last(struct mean *m, const struct qd_tensor *x)
{
    int64_t dims[QD_MAX_RANK], inner = x->count / x->dims[0] / x->dims[1];
    dims[0] = x->dims[0];
    for (unsigned axis = 2; axis < x->rank; axis++)
        dims[axis - 1] = x->dims[axis];
    dims[x->rank - 1] = x->dims[1];
    struct qd_tensor moved = twin_tensor(&m->arena, x->dtype, x->rank, dims);
    for (int64_t i = 0; i < x->count; i++) {
        int64_t place = i % inner, channel = i / inner % x->dims[1], n = i / inner / x->dims[1];
        twin_put(&moved, (n * inner + place) * x->dims[1] + channel,
                 (uint64_t)twin_integer_of(x, i));
    }
    return moved;
}

static void evaluate(struct mean *m, struct qd_value *value)
{
    if (m->vendor) {
        struct twin_operand x = m->x;
        if (m->last)
            x.codes = channels_last(m, &m->x.codes);
        twin_node_operand(&m->node, &m->arena, &x);
        twin_node_output(&m->node, &m->arena, x.codes.dtype, m->s_y, m->y_zero_point);
        twin_node_answer(&m->node, &m->arena, value);
        return;
    }
    struct twin_graph g;
    struct qd_tensor axes = twin_vector(&m->arena, QD_S64, m->axis_count, m->axes);
    twin_graph_init(&g);
    int in[2] = {twin_graph_dequantized(&g, &m->arena, &m->x)};
    if (m->operation == REDUCE)
        in[1] = twin_graph_constant(&g, &axes);
    int real = twin_graph_operator(&g, &m->node, in, m->operation == REDUCE ? 2 : 1);
    int y = twin_graph_quantized(&g, &m->arena, real, m->x.codes.dtype, m->s_y, m->y_zero_point);
    twin_graph_evaluate(&g, &y, 1, &m->arena, value);
}

/* Of a tensor between dequantize and quantize the reference knows one thing for all elements,
 * whether its means are exact. */
static bool every_divisor_is_a_power_of_two(const struct mean *m)
{
    if (m->operation != POOL)
        return true;
    const struct twin_window *w = m->windows;
    int64_t rows = w[0].out, columns = m->x.codes.rank == 4 ? w[1].out : 1;
    for (int64_t i = 0; i < rows * columns; i++) {
        int64_t at[] = {0, 0, i / columns, i % columns}, index[TWIN_MAX_TAPS], n;
        members(m, at, index, &n);
        if (n & (n - 1))
            return false;
    }
    return true;
}

/* The error of a float32 sum of the dequantized elements in any order: none where all are multiples
 * of one number and Σ|terms| is at most 2^24 times it; else at most count + 2 roundings of
 * Σ|terms|, as of products. */
static double sum_error(const struct mean *m, const int64_t *index, unsigned count)
{
    int exponent;
    double odd = frexp((double)m->x.scale, &exponent) * 0x1p24, total = 0;
    uint64_t bits = 0;
    while (fmod(odd, 2) == 0)
        odd /= 2;
    for (unsigned k = 0; k < count; k++) {
        uint64_t code = (uint64_t)llabs(twin_operand_shifted(&m->x, index[k]));
        bits |= code;
        total += (double)code;
    }
    double unit = (double)(bits & -bits);
    if (total == 0 || total / unit * odd <= 0x1p24)
        return 0;
    return (count + 2) * 0x1.001p-24 * total * (double)m->x.scale;
}

/* Whole sets of means. How far a float32 sum of the elements may be off is not for the twin to say:
 * what is right with an exact one is admissible, and nothing is that is wrong with `sum_error`. */
struct sets {
    int64_t elements, slack, narrowed, between;
};

static void check_set(const struct mean *m, const int64_t *at, const struct qd_value *value,
                      int64_t i, struct sets *sets)
{
    int64_t index[TWIN_MAX_TAPS], n;
    unsigned count = members(m, at, index, &n);
    struct twin_terms terms = mean_terms(m, index, count, n);
    struct twin_result least, most;
    enum qd_dtype dtype = value->want.dtype;
    struct qd_observation seen = qd_value_observe(value, i);
    twin_result_init(&least, dtype, 0, NULL);
    twin_result_init(&most, dtype, 0, NULL);
    twin_admit(TWIN_MEAN, &terms, QD_F32, dtype, m->y_zero_point, least.elements);
    terms.f_lo -= sum_error(m, index, count);
    terms.f_hi += sum_error(m, index, count);
    twin_admit(TWIN_MEAN, &terms, QD_F32, dtype, m->y_zero_point, most.elements);
    bool differ = false;
    for (int64_t code = twin_code_min(dtype); code <= twin_code_max(dtype); code++) {
        bool must = twin_element_admits(least.elements, code);
        bool may = twin_element_admits(most.elements, code);
        bool is = qd_observation_admits(&seen, (double)code);
        if ((must && !is) || (is && !may))
            fail_msg("%d·%a/(%d·%a) + %d: code %d %s", (int)terms.a, terms.s1, (int)n, terms.sy,
                     (int)m->y_zero_point, (int)code, is ? "is no order's" : "is an order's");
        differ = differ || must != may;
    }
    sets->elements++;
    sets->slack += seen.lo != seen.hi;
    sets->narrowed += most.elements->narrowed;
    sets->between += differ;
    twin_result_clear(&least);
    twin_result_clear(&most);
}

/* The shape that the specification gives, and every element. */
static void check(struct mean *m, const struct qd_value *value, struct twin_probe *probe,
                  struct twin_probe *exact, struct sets *sets)
{
    struct twin_answers answers;
    int64_t dims[QD_MAX_RANK], count = 1;
    unsigned rank = 0, x_rank = m->x.codes.rank;
    for (unsigned axis = 0; axis < x_rank; axis++) {
        unsigned from = !m->last || axis == 0 ? axis : axis == x_rank - 1 ? 1 : axis + 1;
        if (m->operation != REDUCE || m->keep || !m->reduced[axis])
            dims[rank++] = m->dims[from];
        count *= m->dims[axis];
    }
    assert_int_equal(value->want.rank, rank);
    assert_memory_equal(value->want.dims, dims, rank * sizeof dims[0]);
    twin_answers_init(&answers);
    bool all = m->vendor || every_divisor_is_a_power_of_two(m);
    int64_t inner = x_rank > 1 ? count / m->dims[0] / m->dims[1] : 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t at[QD_MAX_RANK], rest = i, place = i;
        for (unsigned axis = x_rank; axis-- > 0; rest /= m->dims[axis])
            at[axis] = rest % m->dims[axis];
        if (m->last)
            place = (at[0] * inner + i % inner) * m->dims[1] + at[1];
        bool tight = mean_answers(m, at, &answers) && all;
        if (m->vendor)
            check_set(m, at, value, place, sets);
        twin_probe_code(tight ? exact : probe, value, place, &answers, m->y_zero_point, tight);
    }
    twin_answers_clear(&answers);
}

static void means(bool vendor)
{
    for (int operation = 0; operation < MEANS; operation++) {
        struct twin_random random = {150 + (uint64_t)operation};
        struct twin_probe probe = {0}, exact = {0};
        struct sets sets = {0};
        for (int64_t i = 0; i < twin_rounds(3000); i++) {
            struct mean m;
            struct qd_value value;
            choose(&m, &random, operation, vendor);
            if (!m.powers_of_two && twin_random_one_in(&random, 2))
                solve(&m);
            evaluate(&m, &value);
            check(&m, &value, &probe, &exact, &sets);
            qd_arena_clear(&m.arena);
        }
        twin_probe_print(vendor ? vendor_names[operation] : names[operation], &probe);
        twin_probe_print("... exact in float32", &exact);
        if (vendor)
            print_message(
                "# ... sets: %d elements, %d with slack, %d narrowed, %d by the error of a "
                "sum\n",
                (int)sets.elements, (int)sets.slack, (int)sets.narrowed, (int)sets.between);
        assert_true(!vendor || (sets.narrowed > 0 && sets.between * 20 < sets.elements));
        assert_true(probe.not_canonical > 0 && probe.slack * 2 < probe.elements);
        assert_int_equal(exact.slack, 0);
    }
}

static void means_of_the_vendor(void **state)
{
    (void)state;
    means(true);
}

static void means_between(void **state)
{
    (void)state;
    means(false);
}

/* The comparison can fail: a pool that divides by the whole window everywhere, or by the elements
 * inside although the padding counts, must fall outside. */
static void wrong_divisors_fall_outside(void **state)
{
    (void)state;
    struct twin_random random = {160};
    int outside = 0, looked_at = 0;
    for (int64_t i = 0; i < 300; i++) {
        struct mean m;
        struct qd_value value;
        struct twin_answers answers;
        int64_t at[QD_MAX_RANK] = {0};
        choose(&m, &random, POOL, true);
        evaluate(&m, &value);
        m.include_pad = !m.include_pad;
        twin_answers_init(&answers);
        mean_answers(&m, at, &answers);
        int64_t code = twin_code(m.x.codes.dtype, answers.exact, m.y_zero_point);
        struct qd_observation seen = qd_value_observe(&value, 0);
        looked_at++;
        outside += (double)code < seen.lo || (double)code > seen.hi;
        twin_answers_clear(&answers);
        qd_arena_clear(&m.arena);
    }
    print_message("# wrong divisor: %d of %d outside\n", outside, looked_at);
    assert_true(outside > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_of_the_vendor),
        cmocka_unit_test(means_between),
        cmocka_unit_test(wrong_divisors_fall_outside),
    };
    return cmocka_run_group_tests_name("twin_mean", tests, NULL, NULL);
}
