/* SPDX-License-Identifier: Apache-2.0 */
/* Resize, nearest and linear, against exact coordinates and simulated kernels: whatever permitted
 * way a kernel computes its coordinates and blends its neighbours, its answer lies in the
 * reference's hull. Alone: <build>/tests/reference/twin/resize_test; QDIFF_TWIN_FACTOR=n runs n
 * times as much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

enum mode { HALF_PIXEL, PYTORCH, ALIGN, ASYMMETRIC, SYMMETRIC, MODES };
static const char *const modes[MODES] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                         "asymmetric", "half_pixel_symmetric"};
enum nearest { PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL };
static const char *const nearest_modes[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                            "ceil"};

/* Orders of computing a coordinate, the first one exact. */
enum order { EXACT, LITERAL, DIVIDE, RECIPROCAL, RATIO, ORDERS };
static const char *const orders[ORDERS] = {
    "exact coordinates", "scale = length_resized/length_original", "divided by the scale",
    "multiplied by 1/scale", "multiplied by length_original/length_resized"};

struct resize {
    struct qd_arena arena;
    struct twin_node node;
    unsigned rank;
    bool linear, by_scales;
    enum mode mode;
    enum nearest nearest;
    int64_t in[3], out[3];
    float scales[3];
    struct qd_tensor x;
};

static int64_t between(struct twin_random *random, int64_t min, int64_t max)
{
    return twin_random_between(random, min, max);
}

/* Scales are multiples of 1/8: their products with lengths are exact, but need not be integers. */
static void choose(struct resize *r, struct twin_random *random, bool linear)
{
    *r = (struct resize){.linear = linear, .rank = (unsigned)between(random, 1, 3)};
    qd_arena_init(&r->arena, QD_ARENA_DEFAULT_BUDGET);
    r->by_scales = twin_random_one_in(random, 2);
    r->mode = (enum mode)between(random, 0, MODES - 1);
    r->nearest = (enum nearest)between(random, 0, 3);
    for (unsigned axis = 0; axis < r->rank; axis++) {
        r->in[axis] = between(random, r->mode == ALIGN ? 2 : 1, 7);
        r->out[axis] = between(random, r->mode == ALIGN ? 2 : 1, 9);
        if (twin_random_one_in(random, 4))
            r->out[axis] = r->in[axis];
        if (!r->by_scales)
            continue;
        int64_t least = r->mode == ALIGN ? 8 : (8 + r->in[axis] - 1) / r->in[axis];
        r->scales[axis] = (float)between(random, least, 24) / 8;
        r->out[axis] = (int64_t)floorf((float)r->in[axis] * r->scales[axis]);
    }
    r->x = twin_tensor(&r->arena, linear ? QD_F32 : QD_U8, r->rank, r->in);
    for (int64_t i = 0; i < r->x.count; i++)
        twin_put(&r->x, i,
                 linear ? twin_random_scale(random, -8, 4) | (uint32_t)between(random, 0, 1) << 31
                        : (uint64_t)twin_random_code(random, QD_U8));
}

static void evaluate(struct resize *r, struct qd_value *value)
{
    const int64_t rank = r->rank;
    struct qd_tensor scales = twin_tensor(&r->arena, QD_F32, 1, &rank);
    struct qd_tensor sizes = twin_vector(&r->arena, QD_S64, rank, r->out);
    memcpy(scales.data, r->scales, r->rank * sizeof r->scales[0]);
    twin_node_init(&r->node, "Resize", 19, 1);
    twin_node_string(&r->node, "mode", r->linear ? "linear" : "nearest");
    twin_node_string(&r->node, "coordinate_transformation_mode", modes[r->mode]);
    if (!r->linear)
        twin_node_string(&r->node, "nearest_mode", nearest_modes[r->nearest]);
    twin_node_input(&r->node, &r->x);
    twin_node_input(&r->node, NULL);
    twin_node_input(&r->node, r->by_scales ? &scales : NULL);
    if (!r->by_scales)
        twin_node_input(&r->node, &sizes);
    struct qd_error error = {0};
    char text[2000];
    if (twin_node_evaluate(&r->node, true, NULL, &r->arena, value, &error) != QD_OK)
        fail_msg("%s: %s", twin_node_describe(&r->node, text, sizeof text), error.text);
    assert_int_equal(value->want.rank, r->rank);
    assert_memory_equal(value->want.dims, r->out, r->rank * sizeof r->out[0]);
}

/* --- Coordinates --- */

/* In doubles: numerators and denominators are small, and what is asked, ⌊·⌋ and the comparison with
 * a half, is decided after multiplying by the denominator. The exact coordinate as num/den. */
static void exact_coordinate(const struct resize *r, unsigned axis, int64_t i, bool literal,
                             int64_t *num, int64_t *den)
{
    int64_t in = r->in[axis], out = r->out[axis];
    bool given = r->by_scales && (!literal || r->mode == SYMMETRIC);
    int64_t scale = given ? (int64_t)(r->scales[axis] * 8) : out; /* over `unit` */
    int64_t unit = given ? 8 : in;
    switch (r->mode) {
    case ALIGN:
        *num = i * (in - 1);
        *den = out - 1;
        return;
    case ASYMMETRIC:
        *num = i * unit;
        *den = scale;
        return;
    default: break;
    }
    /* (i + ½)·unit/scale − ½ */
    *num = (2 * i + 1) * unit - scale;
    *den = 2 * scale;
    if (r->mode == PYTORCH && out == 1)
        *num = 0;
    if (r->mode ==
        SYMMETRIC) /* + in/2·(1 − out/(in·scale/unit)) = (in·scale − out·unit)/(2·scale) */
        *num += in * scale - out * unit;
}

static float float_coordinate(const struct resize *r, unsigned axis, int64_t i, enum order order)
{
    float in = (float)r->in[axis], out = (float)r->out[axis], x = (float)i;
    float scale = r->by_scales ? r->scales[axis] : out / in, reciprocal = 1 / scale;
    float ratio = r->by_scales ? reciprocal : in / out;
    if (r->mode == ALIGN) {
        float step = (in - 1) / (out - 1);
        return order == DIVIDE ? x * (in - 1) / (out - 1) : x * step;
    }
    if (r->mode == PYTORCH && r->out[axis] == 1)
        return 0;
    float from = r->mode == ASYMMETRIC ? x : x + 0.5F;
    float at = order == DIVIDE ? from / scale : from * (order == RATIO ? ratio : reciprocal);
    if (r->mode == ASYMMETRIC)
        return at;
    if (r->mode != SYMMETRIC)
        return at - 0.5F;
    float offset = in / 2 * (1 - out / (scale * in));
    return r->by_scales ? offset + at - 0.5F : at - 0.5F;
}

static int64_t floor_of(int64_t num, int64_t den)
{
    return num >= 0 ? num / den : -((-num + den - 1) / den);
}

static int64_t clamped(int64_t i, int64_t length)
{
    return i < 0 ? 0 : i >= length ? length - 1 : i;
}

/* floor(x), ceil(x), ceil(x − ½), floor(x + ½) */
static int64_t exact_nearest(enum nearest nearest, int64_t num, int64_t den)
{
    switch (nearest) {
    case FLOOR: return floor_of(num, den);
    case CEIL: return -floor_of(-num, den);
    case PREFER_FLOOR: return -floor_of(-(2 * num - den), 2 * den);
    default: return floor_of(2 * num + den, 2 * den);
    }
}

static int64_t float_nearest(enum nearest nearest, double x)
{
    switch (nearest) {
    case FLOOR: return (int64_t)floor(x);
    case CEIL: return (int64_t)ceil(x);
    case PREFER_FLOOR: return (int64_t)ceil(x - 0.5);
    default: return (int64_t)floor(x + 0.5);
    }
}

static void place_of(const struct resize *r, int64_t i, int64_t *at)
{
    for (unsigned axis = r->rank; axis-- > 0; i /= r->out[axis])
        at[axis] = i % r->out[axis];
}

/* Every coordinate is exact in float32, in every order: scales are powers of two and lengths match
 * them. */
static bool is_exact(const struct resize *r)
{
    for (unsigned axis = 0; axis < r->rank; axis++) {
        int exponent;
        double scale = (double)r->out[axis] / (double)r->in[axis];
        bool given = r->by_scales && (double)r->scales[axis] != scale;
        if (given || frexp(scale, &exponent) != 0.5)
            return false;
    }
    return r->mode != ALIGN;
}

/* --- Nearest --- */

static int64_t nearest_code(const struct resize *r, const int64_t *at, enum order order)
{
    int64_t index = 0;
    for (unsigned axis = 0; axis < r->rank; axis++) {
        int64_t num, den, from;
        exact_coordinate(r, axis, at[axis], order == LITERAL, &num, &den);
        from = order <= LITERAL
                   ? exact_nearest(r->nearest, num, den)
                   : float_nearest(r->nearest, (double)float_coordinate(r, axis, at[axis], order));
        index = index * r->in[axis] + clamped(from, r->in[axis]);
    }
    return twin_integer_of(&r->x, index);
}

static void nearest_neighbours(void **state)
{
    (void)state;
    struct twin_random random = {280};
    struct twin_probe probe = {0}, exact_probe = {0};
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < twin_rounds(1200); i++) {
        struct resize r;
        struct qd_value value;
        choose(&r, &random, false);
        evaluate(&r, &value);
        for (int64_t k = 0; k < value.want.count; k++) {
            int64_t at[3], exact;
            place_of(&r, k, at);
            exact = nearest_code(&r, at, EXACT);
            answers.count = 0;
            for (enum order order = LITERAL; order < ORDERS; order++) {
                twin_answers_add(&answers, (double)nearest_code(&r, at, order), orders[order]);
            }
            answers.may_be_open = !is_exact(&r); /* other roundings may cross a step */
            mpq_set_si(answers.exact, exact, 1);
            twin_probe_code(is_exact(&r) ? &exact_probe : &probe, &value, k, &answers, 0,
                            is_exact(&r));
        }
        qd_arena_clear(&r.arena);
    }
    twin_answers_clear(&answers);
    twin_probe_print("Resize, nearest", &probe);
    twin_probe_print("... by powers of two", &exact_probe);
    assert_int_equal(exact_probe.slack, 0);
    assert_true(probe.slack * 4 < probe.elements);
}

/* --- Linear --- */

/* The neighbours' indices along one axis and the second one's weight, all in one order. */
static void neighbours(const struct resize *r, unsigned axis, int64_t i, enum order order,
                       int64_t *first, double *weight)
{
    int64_t num, den, last = r->in[axis] - 1;
    exact_coordinate(r, axis, i, order == LITERAL, &num, &den);
    double x = (double)num / (double)den;
    if (order > LITERAL)
        x = (double)float_coordinate(r, axis, i, order);
    x = x < 0 ? 0 : x > (double)last ? (double)last : x;
    *first = (int64_t)floor(x);
    *weight = x - (double)*first;
}

static float read(const struct resize *r, const int64_t *from)
{
    int64_t index = 0;
    for (unsigned axis = 0; axis < r->rank; axis++)
        index = index * r->in[axis] + clamped(from[axis], r->in[axis]);
    return ((const float *)r->x.data)[index];
}

/* Blends over the axes from `axis` on, in float: (1 − w)·a + w·b, or a + w·(b − a). */
static float blended(const struct resize *r, const int64_t *at, unsigned axis, int64_t *from,
                     enum order order, bool as_difference)
{
    if (axis == r->rank)
        return read(r, from);
    int64_t first;
    double weight;
    neighbours(r, axis, at[axis], order, &first, &weight);
    from[axis] = first;
    float a = blended(r, at, axis + 1, from, order, as_difference);
    from[axis] = first + 1;
    float b = blended(r, at, axis + 1, from, order, as_difference), w = (float)weight;
    return as_difference ? a + w * (b - a) : (1 - w) * a + w * b;
}

/* Σ over the corners of the product of weights, each num/den by integers. */
static void exact_blend(const struct resize *r, const int64_t *at, mpq_t out)
{
    mpq_t term, factor;
    mpq_inits(term, factor, NULL);
    mpq_set_ui(out, 0, 1);
    for (unsigned corner = 0; corner < 1U << r->rank; corner++) {
        int64_t from[3];
        mpq_set_ui(term, 1, 1);
        for (unsigned axis = 0; axis < r->rank; axis++) {
            int64_t num, den, last = r->in[axis] - 1;
            exact_coordinate(r, axis, at[axis], false, &num, &den);
            num = num < 0 ? 0 : num > last * den ? last * den : num;
            int64_t first = floor_of(num, den), rest = num - first * den;
            bool second = corner >> axis & 1;
            from[axis] = first + second;
            mpq_set_si(factor, second ? rest : den - rest, (unsigned long)den);
            mpq_canonicalize(factor);
            mpq_mul(term, term, factor);
        }
        mpq_set_d(factor, (double)read(r, from));
        mpq_mul(term, term, factor);
        mpq_add(out, out, term);
    }
    mpq_clears(term, factor, NULL);
}

/* Weighted sum of the corners, the weights multiplied first. */
static float weighted(const struct resize *r, const int64_t *at, enum order order)
{
    float sum = 0;
    for (unsigned corner = 0; corner < 1U << r->rank; corner++) {
        int64_t from[3];
        float product = 1;
        for (unsigned axis = 0; axis < r->rank; axis++) {
            int64_t first;
            double weight;
            bool second = corner >> axis & 1;
            neighbours(r, axis, at[axis], order, &first, &weight);
            from[axis] = first + second;
            product *= second ? (float)weight : 1 - (float)weight;
        }
        sum += product * read(r, from);
    }
    return sum;
}

static void linear_interpolation(void **state)
{
    (void)state;
    struct twin_random random = {281};
    struct twin_probe probe = {0};
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < twin_rounds(700); i++) {
        struct resize r;
        struct qd_value value;
        choose(&r, &random, true);
        evaluate(&r, &value);
        for (int64_t k = 0; k < value.want.count; k++) {
            int64_t at[3], from[3];
            place_of(&r, k, at);
            answers.count = 0;
            for (enum order order = EXACT; order < ORDERS; order++) {
                twin_answers_add(&answers, (double)blended(&r, at, 0, from, order, false),
                                 orders[order]);
                twin_answers_add(&answers, (double)blended(&r, at, 0, from, order, true),
                                 orders[order]);
                twin_answers_add(&answers, (double)weighted(&r, at, order), orders[order]);
            }
            exact_blend(&r, at, answers.exact);
            twin_probe_float(&probe, &value, k, &answers, false);
        }
        qd_arena_clear(&r.arena);
    }
    twin_answers_clear(&answers);
    probe.open = 0; /* the reference knows a coordinate by an enclosure, here the number is exact */
    twin_probe_print("Resize, linear", &probe);
}

/* The comparison can fail: another mode of coordinates must fall outside. */
static void other_modes_fall_outside(void **state)
{
    (void)state;
    struct twin_random random = {282};
    int outside = 0, looked_at = 0;
    for (int i = 0; i < 500; i++) {
        struct resize r;
        struct qd_value value;
        choose(&r, &random, false);
        evaluate(&r, &value);
        r.mode = r.mode == ASYMMETRIC ? HALF_PIXEL : ASYMMETRIC;
        for (int64_t k = 0; k < value.want.count; k++) {
            int64_t at[3];
            place_of(&r, k, at);
            double code = (double)nearest_code(&r, at, EXACT);
            struct qd_observation seen = qd_value_observe(&value, k);
            looked_at++;
            outside += code < seen.lo || code > seen.hi;
        }
        qd_arena_clear(&r.arena);
    }
    print_message("# another coordinate_transformation_mode: %d of %d outside\n", outside,
                  looked_at);
    assert_true(outside * 10 > looked_at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_neighbours),
        cmocka_unit_test(linear_interpolation),
        cmocka_unit_test(other_modes_fall_outside),
    };
    return cmocka_run_group_tests_name("twin_resize", tests, NULL, NULL);
}
