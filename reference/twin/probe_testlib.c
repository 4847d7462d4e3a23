/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels may answer, against the reference's hull: exact numbers, the permitted orders in
 * float32, sums in random order. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

/* --- Operands --- */

float twin_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t twin_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

int64_t twin_operand_shifted(const struct twin_operand *operand, int64_t i)
{
    return twin_integer_of(&operand->codes, i) - operand->zero_point;
}

struct qd_tensor twin_float_scalar(struct qd_arena *arena, float value)
{
    return twin_scalar(arena, QD_F32, twin_bits_of(value));
}

void twin_node_output(struct twin_node *twin, struct qd_arena *arena, enum qd_dtype dtype,
                      float scale, int64_t zero_point)
{
    struct qd_tensor s = twin_float_scalar(arena, scale);
    struct qd_tensor z = twin_scalar(arena, dtype, (uint64_t)zero_point);
    twin_node_input(twin, &s);
    twin_node_input(twin, &z);
}

void twin_node_operand(struct twin_node *twin, struct qd_arena *arena,
                       const struct twin_operand *operand)
{
    twin_node_input(twin, &operand->codes);
    twin_node_output(twin, arena, operand->codes.dtype, operand->scale, operand->zero_point);
}

/* Inserts DequantizeLinear or QuantizeLinear with per-tensor parameters. */
static int converted(struct twin_graph *graph, struct qd_arena *arena, const char *op_type, int x,
                     enum qd_dtype dtype, float scale, int64_t zero_point)
{
    struct qd_tensor s = twin_float_scalar(arena, scale);
    struct qd_tensor z = twin_scalar(arena, dtype, (uint64_t)zero_point);
    int in[] = {x, twin_graph_constant(graph, &s), twin_graph_constant(graph, &z)};
    return twin_graph_node(graph, op_type, in, 3, -1);
}

int twin_graph_dequantized(struct twin_graph *graph, struct qd_arena *arena,
                           const struct twin_operand *operand)
{
    return converted(graph, arena, "DequantizeLinear", twin_graph_feed(graph, &operand->codes),
                     operand->codes.dtype, operand->scale, operand->zero_point);
}

int twin_graph_quantized(struct twin_graph *graph, struct qd_arena *arena, int real,
                         enum qd_dtype dtype, float scale, int64_t zero_point)
{
    return converted(graph, arena, "QuantizeLinear", real, dtype, scale, zero_point);
}

/* --- Answers --- */

void twin_answers_init(struct twin_answers *answers)
{
    mpq_init(answers->exact);
    answers->count = 0;
    answers->may_be_open = false;
}

void twin_answers_clear(struct twin_answers *answers)
{
    mpq_clear(answers->exact);
}

void twin_answers_add(struct twin_answers *answers, double real, const char *how)
{
    assert(answers->count < TWIN_MAX_ANSWERS);
    answers->real[answers->count] = real;
    answers->how[answers->count++] = how;
}

/* Combines the numbers two at a time in every order of the first count − 1 choices: all
 * associations of a product of up to four numbers, of which the last may divide. */
static void associations(struct twin_answers *answers, const float *number, const bool *divides,
                         unsigned count, float acc, float s_y)
{
    if (count == 1) {
        float product = acc * number[0], quotient = product / s_y;
        twin_answers_add(answers, (double)(s_y != 0 ? quotient : product),
                         s_y != 0 ? "dequantize, then divide" : "one combined factor");
        return;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = i + 1; j < count; j++) {
            float rest[4];
            bool rest_divides[4];
            unsigned kept = 0;
            if (divides[i])
                continue; /* only the last number divides, and it stays last */
            for (unsigned k = 0; k < count; k++)
                if (k != i) {
                    rest[kept] = number[k];
                    rest_divides[kept++] = divides[k];
                }
            rest[j - 1] = divides[j] ? number[i] / number[j] : number[i] * number[j];
            rest_divides[j - 1] = false;
            associations(answers, rest, rest_divides, count - 1, acc, s_y);
        }
}

void twin_answers_product(struct twin_answers *answers, int64_t acc, const float *factors,
                          unsigned count, float s_y)
{
    assert(count >= 1 && count <= 3);
    float number[4], running = (float)acc;
    bool divides[4] = {false};
    mpq_t factor;
    mpq_init(factor);
    mpq_set_si(answers->exact, acc, 1);
    for (unsigned i = 0; i < count; i++) {
        number[i] = factors[i];
        mpq_set_d(factor, (double)factors[i]);
        mpq_mul(answers->exact, answers->exact, factor);
    }
    mpq_set_d(factor, (double)s_y);
    mpq_div(answers->exact, answers->exact, factor);
    mpq_clear(factor);
    associations(answers, number, divides, count, (float)acc, s_y);
    for (unsigned first = 0; first < count; first++) {
        running = (float)acc;
        for (unsigned i = 0; i < count; i++)
            running *= factors[(first + i) % count];
        twin_answers_add(answers, (double)(running / s_y),
                         "one scale after the other, then divide");
    }
    number[count] = s_y;
    divides[count] = true;
    associations(answers, number, divides, count + 1, (float)acc, 0);
}

/* What a kernel holds after an operation. */
static double held(double result, uint64_t *narrow)
{
    bool is_float = *narrow & 1;
    *narrow >>= 1;
    return is_float ? (double)(float)result : result;
}

static double term(const struct twin_terms *terms, char letter, uint64_t *narrow)
{
    switch (letter) {
    case 'a': return held((double)terms->a, narrow);
    case 'b': return held((double)terms->b, narrow);
    case 'c': return held((double)terms->c, narrow);
    case '1': return terms->s1;
    case '2': return terms->s2;
    case 'y': return terms->sy;
    case 'n': return (double)terms->n;
    case 'i': return 1;
    default: return terms->f_lo;
    }
}

double twin_kernel(const char *order, const struct twin_terms *terms, uint64_t narrow)
{
    double stack[4] = {0};
    unsigned depth = 0;
    for (; *order; order++) {
        double right = depth > 0 ? stack[depth - 1] : 0;
        if (!strchr("x:+", *order)) {
            assert(depth < 4);
            stack[depth++] = term(terms, *order, &narrow);
            continue;
        }
        assert(depth >= 2);
        double *left = &stack[--depth - 1];
        if (*order == 'x')
            *left = held(*left * right, &narrow);
        else
            *left = held(*order == '+' ? *left + right : *left / right, &narrow);
    }
    return stack[0];
}

void twin_answers_orders(struct twin_answers *answers, enum twin_formula formula,
                         const struct twin_terms *terms, struct twin_random *random)
{
    for (unsigned i = 0; twin_order_of(formula, i); i++) {
        const char *order = twin_order_of(formula, i);
        twin_answers_add(answers, twin_kernel(order, terms, UINT64_MAX), order);
        twin_answers_add(answers, twin_kernel(order, terms, 0), order);
        twin_answers_add(answers, twin_kernel(order, terms, twin_random_bits(random)), order);
    }
}

/* --- Comparison --- */

static int64_t code_of(double real, enum qd_dtype dtype, int64_t zero_point)
{
    double sum = nearbyint(real) + (double)zero_point;
    double min = (double)twin_code_min(dtype), max = (double)twin_code_max(dtype);
    return (int64_t)(sum < min ? min : sum > max ? max : sum);
}

static void look(struct twin_probe *probe, const struct qd_value *have, int64_t i, bool tight,
                 struct qd_observation *seen)
{
    *seen = qd_value_observe(have, i);
    probe->elements++;
    probe->slack += seen->lo != seen->hi;
    if (seen->unspecified)
        fail_msg("element %" PRId64 " is unspecified", i);
    if (tight && seen->lo != seen->hi)
        fail_msg("element %" PRId64 ": [%.9g, %.9g] where one value is right", i, seen->lo,
                 seen->hi);
}

static void admit(struct twin_probe *probe, const struct qd_observation *seen, int64_t i,
                  double answer, double canonical, const char *how)
{
    probe->answers++;
    probe->not_canonical += answer != canonical;
    if (!qd_observation_admits(seen, answer))
        fail_msg("element %" PRId64 ": %s gives %.17g, outside [%.17g, %.17g]", i, how, answer,
                 seen->lo, seen->hi);
}

void twin_probe_code(struct twin_probe *probe, const struct qd_value *have, int64_t i,
                     const struct twin_answers *answers, int64_t zero_point, bool tight)
{
    struct qd_observation seen;
    enum qd_dtype dtype = have->want.dtype;
    int64_t canonical = twin_code(dtype, answers->exact, zero_point);
    look(probe, have, i, tight, &seen);
    bool open = (qd_value_flags(have, i) & QD_NO_CANONICAL) != 0;
    if (open && (tight || !answers->may_be_open))
        fail_msg("element %" PRId64 " has no canonical code", i);
    if (!open && twin_integer_of(&have->want, i) != canonical)
        fail_msg("element %" PRId64 ": canonical: twin %" PRId64 ", reference %" PRId64
                 " (exact %.17g, zero point %" PRId64 ")",
                 i, canonical, twin_integer_of(&have->want, i), mpq_get_d(answers->exact),
                 zero_point);
    admit(probe, &seen, i, (double)canonical, (double)canonical, "the exact number");
    for (unsigned k = 0; k < answers->count; k++)
        admit(probe, &seen, i, (double)code_of(answers->real[k], dtype, zero_point),
              (double)canonical, answers->how[k]);
}

void twin_probe_float(struct twin_probe *probe, const struct qd_value *have, int64_t i,
                      const struct twin_answers *answers, bool tight)
{
    struct qd_observation seen;
    mpq_t nearest;
    mpq_init(nearest);
    enum twin_size size = twin_round(have->want.dtype, TWIN_NEAREST, nearest, answers->exact);
    double canonical = mpq_get_d(nearest);
    mpq_clear(nearest);
    if (size == TWIN_HUGE)
        canonical = canonical > 0 ? (double)INFINITY : -(double)INFINITY;
    look(probe, have, i, tight, &seen);
    bool open = (qd_value_flags(have, i) & QD_NO_CANONICAL) != 0;
    double want = qd_tensor_value(&have->want, i);
    probe->open += open;
    if ((open && tight) || (!open && want != canonical))
        fail_msg("element %" PRId64 ": canonical: twin %.17g, reference %s%.17g", i, canonical,
                 open ? "none, perhaps " : "", want);
    admit(probe, &seen, i, canonical, canonical, "the exact number, rounded");
    for (unsigned k = 0; k < answers->count; k++)
        admit(probe, &seen, i, answers->real[k], canonical, answers->how[k]);
}

void twin_probe_print(const char *name, const struct twin_probe *probe)
{
    print_message("# %s: %" PRId64 " elements, %" PRId64 " with slack, %" PRId64
                  " answers, %" PRId64 " not canonical\n",
                  name, probe->elements, probe->slack, probe->answers, probe->not_canonical);
    assert_true(probe->elements > 0 && probe->answers > 0);
    assert_true(probe->open * 200 <= probe->elements);
}

/* --- Float32 sums in random order --- */

float twin_nudged(struct twin_random *random, float value, int64_t ulps)
{
    int64_t steps = twin_random_between(random, -ulps, ulps);
    for (; steps > 0; steps--)
        value = nextafterf(value, INFINITY);
    for (; steps < 0; steps++)
        value = nextafterf(value, -INFINITY);
    return value;
}

float twin_random_tree(struct twin_random *random, float *term, int64_t count)
{
    while (count > 1) {
        int64_t i = twin_random_between(random, 0, count - 1);
        float first = term[i];
        term[i] = term[--count];
        int64_t j = twin_random_between(random, 0, count - 1);
        volatile float sum = term[j] + first;
        term[j] = sum;
    }
    return term[0];
}

#define MAX_LANES 64

float twin_random_sum(struct twin_random *random, const float *x, const float *w, int64_t terms,
                      float start)
{
    float partial[MAX_LANES + 1] = {0};
    int64_t most = terms < MAX_LANES ? terms : MAX_LANES;
    int64_t lanes = twin_random_one_in(random, 3) ? most : twin_random_between(random, 1, 4);
    bool fused = twin_random_one_in(random, 2), start_first = twin_random_one_in(random, 2);
    if (start_first)
        partial[0] = start;
    for (int64_t k = 0; k < terms; k++) {
        volatile float product = x[k] * w[k];
        volatile float rounded = partial[k % lanes] + product;
        partial[k % lanes] = fused ? fmaf(x[k], w[k], partial[k % lanes]) : rounded;
    }
    if (!start_first)
        partial[lanes++] = start;
    return twin_random_tree(random, partial, lanes);
}
