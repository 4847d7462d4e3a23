/* SPDX-License-Identifier: Apache-2.0 */
/* Soundness on graphs of DequantizeLinear, float operators and QuantizeLinear: whatever way a
 * correct kernel computes them — in float in any order of summation, with or without FMA, or fused
 * into integers and one combined scale — its answer lies in the reference's hull. Scales are solved
 * so that answers fall next to rounding edges. With power-of-two scales everything is exact and the
 * hull must be the one code of the exact rational. Alone: <build>/tests/reference/twin/qdq_test;
 * QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

#define MAX_TERMS 40
#define FILTERS 3

struct count {
    int64_t elements, answers, not_canonical, slack;
};

/* rne(real) + zero_point in range, from a double that is the kernel's float. */
static int64_t code_of(double real, enum qd_dtype dtype, int64_t zero_point)
{
    double sum = nearbyint(real) + (double)zero_point;
    double min = (double)twin_code_min(dtype), max = (double)twin_code_max(dtype);
    return (int64_t)(sum < min ? min : sum > max ? max : sum);
}

static void admit(const struct qd_value *have, int64_t i, int64_t code, struct count *count,
                  const char *how)
{
    struct qd_observation seen = qd_value_observe(have, i);
    count->answers++;
    if (seen.unspecified)
        fail_msg("%s: element %" PRId64 " is unspecified", how, i);
    count->not_canonical += code != twin_integer_of(&have->want, i);
    if ((double)code < seen.lo || (double)code > seen.hi)
        fail_msg("%s: element %" PRId64 ": %" PRId64 " is outside [%g, %g]", how, i, code, seen.lo,
                 seen.hi);
}

static void admit_float(const struct qd_value *have, int64_t i, float answer, struct count *count,
                        const char *how)
{
    struct qd_observation seen = qd_value_observe(have, i);
    count->answers++;
    if (seen.unspecified)
        fail_msg("%s: element %" PRId64 " is unspecified", how, i);
    if (answer < seen.lo || answer > seen.hi)
        fail_msg("%s: element %" PRId64 ": %a is outside [%a, %a]", how, i, (double)answer, seen.lo,
                 seen.hi);
}

static void finish(const char *name, const struct count *count)
{
    print_message("# %s: %" PRId64 " elements, %" PRId64 " with slack, %" PRId64
                  " answers, %" PRId64 " not canonical\n",
                  name, count->elements, count->slack, count->answers, count->not_canonical);
    assert_true(count->answers > 0);
}

/* --- DequantizeLinear ×2 or ×3 → MatMul, Gemm, Conv or ConvTranspose → QuantizeLinear --- */

enum operation { MATMUL, MATMUL_ADD, GEMM, CONV, CONV_TRANSPOSE };

struct block {
    struct qd_arena arena;
    enum operation operation;
    int64_t terms, x[MAX_TERMS], w[MAX_TERMS][FILTERS], bias[FILTERS]; /* zero points subtracted */
    enum qd_dtype x_type, w_type, y_type;
    int64_t x_zero_point, w_zero_point, y_zero_point;
    float s_x, s_w[FILTERS], s_b[FILTERS], s_y;
    bool relu;
};

static void choose_codes(struct block *b, struct twin_random *random)
{
    b->operation = (enum operation)twin_random_between(random, MATMUL, CONV_TRANSPOSE);
    b->terms = twin_random_one_in(random, 3) ? 1 : twin_random_between(random, 2, MAX_TERMS);
    b->x_type = twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
    b->w_type = twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
    b->y_type = twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
    b->x_zero_point = twin_random_code(random, b->x_type);
    b->w_zero_point = twin_random_code(random, b->w_type);
    b->y_zero_point = twin_random_code(random, b->y_type);
    b->relu = twin_random_one_in(random, 3);
    for (int64_t k = 0; k < b->terms; k++) {
        b->x[k] = twin_random_code(random, b->x_type) - b->x_zero_point;
        for (int64_t n = 0; n < FILTERS; n++)
            b->w[k][n] = twin_random_code(random, b->w_type) - b->w_zero_point;
    }
    int64_t size = (int64_t)1 << twin_random_between(random, 3, 18);
    for (int64_t n = 0; n < FILTERS; n++)
        b->bias[n] = b->operation == MATMUL ? 0 : twin_random_between(random, -size, size);
}

static int64_t accumulator(const struct block *b, int64_t n, bool with_bias)
{
    int64_t acc = with_bias ? b->bias[n] : 0;
    for (int64_t k = 0; k < b->terms; k++)
        acc += b->x[k] * b->w[k][n];
    return acc;
}

/* Scales on an edge for one filter; the bias has s_x·s_w, rounded to float32 as a tool must. */
static void choose_scales(struct block *b, struct twin_random *random, bool powers_of_two)
{
    mpq_t s1, s2;
    mpq_inits(s1, s2, NULL);
    b->s_x = twin_float_of(twin_random_scale(random, -10, 3) &
                           (powers_of_two ? 0x7f800000 : 0x7fffffff));
    for (int64_t n = 0; n < FILTERS; n++) {
        b->s_w[n] = twin_float_of(twin_random_scale(random, -10, 3) &
                                  (powers_of_two ? 0x7f800000 : 0x7fffffff));
        /* The reference joins MatMul and Add knowing one exponent for all columns: exact if they
         * agree. */
        if (powers_of_two && b->operation == MATMUL_ADD)
            b->s_w[n] = b->s_w[0];
        volatile float product = b->s_x * b->s_w[n];
        b->s_b[n] = product;
    }
    int64_t n = twin_random_between(random, 0, FILTERS - 1);
    mpq_set_d(s1, (double)b->s_x);
    mpq_set_d(s2, (double)b->s_w[n]);
    b->s_y = twin_float_of(twin_solve_divisor(random, accumulator(b, n, true), s1, s2) &
                           (powers_of_two ? 0x7f800000 : 0x7fffffff));
    mpq_clears(s1, s2, NULL);
}

static int dequantized(struct twin_graph *g, int codes, int scale, int zero_point, int64_t axis)
{
    return twin_graph_node(g, "DequantizeLinear", (int[]){codes, scale, zero_point},
                           zero_point == QD_NO_VALUE ? 2 : 3, axis);
}

static int dequantized_x(struct block *b, struct twin_graph *g)
{
    const int64_t flat[] = {1, b->terms, 1};
    struct qd_tensor x = twin_tensor(&b->arena, b->x_type, b->operation >= CONV ? 3 : 2, flat);
    struct qd_tensor scale = twin_float_scalar(&b->arena, b->s_x);
    struct qd_tensor zero_point = twin_scalar(&b->arena, b->x_type, (uint64_t)b->x_zero_point);
    for (int64_t k = 0; k < b->terms; k++)
        twin_put(&x, k, (uint64_t)(b->x[k] + b->x_zero_point));
    return dequantized(g, twin_graph_feed(g, &x), twin_graph_constant(g, &scale),
                       twin_graph_constant(g, &zero_point), -1);
}

/* MatMul and Gemm: [K, N]; Conv: [N, K, 1]; ConvTranspose: [K, N, 1]. One scale and zero point per
 * filter. */
static int dequantized_w(struct block *b, struct twin_graph *g)
{
    static const int64_t filters[] = {FILTERS};
    bool conv = b->operation == CONV;
    const int64_t matrix[] = {b->terms, FILTERS, 1}, kernel[] = {FILTERS, b->terms, 1};
    struct qd_tensor w =
        twin_tensor(&b->arena, b->w_type, b->operation >= CONV ? 3 : 2, conv ? kernel : matrix);
    struct qd_tensor scale = twin_tensor(&b->arena, QD_F32, 1, filters);
    struct qd_tensor zero_point = twin_tensor(&b->arena, b->w_type, 1, filters);
    for (int64_t n = 0; n < FILTERS; n++) {
        twin_put(&scale, n, twin_bits_of(b->s_w[n]));
        twin_put(&zero_point, n, (uint64_t)b->w_zero_point);
        for (int64_t k = 0; k < b->terms; k++)
            twin_put(&w, conv ? n * b->terms + k : k * FILTERS + n,
                     (uint64_t)(b->w[k][n] + b->w_zero_point));
    }
    return dequantized(g, twin_graph_constant(g, &w), twin_graph_constant(g, &scale),
                       twin_graph_constant(g, &zero_point), conv ? 0 : 1);
}

static int dequantized_bias(struct block *b, struct twin_graph *g)
{
    static const int64_t filters[] = {FILTERS};
    struct qd_tensor bias = twin_tensor(&b->arena, QD_S32, 1, filters);
    struct qd_tensor scale = twin_tensor(&b->arena, QD_F32, 1, filters);
    for (int64_t n = 0; n < FILTERS; n++) {
        twin_put(&bias, n, (uint64_t)b->bias[n]);
        twin_put(&scale, n, twin_bits_of(b->s_b[n]));
    }
    return dequantized(g, twin_graph_constant(g, &bias), twin_graph_constant(g, &scale),
                       QD_NO_VALUE, 0);
}

static int quantized(struct block *b, struct twin_graph *g, int real)
{
    struct qd_tensor scale = twin_float_scalar(&b->arena, b->s_y);
    struct qd_tensor zero_point = twin_scalar(&b->arena, b->y_type, (uint64_t)b->y_zero_point);
    return twin_graph_node(
        g, "QuantizeLinear",
        (int[]){real, twin_graph_constant(g, &scale), twin_graph_constant(g, &zero_point)}, 3, -1);
}

/* Evaluates the block: values[0] the codes, values[1] the float before QuantizeLinear, as a graph
 * output of its own graph. */
static void evaluate_block(struct block *b, struct qd_value *values)
{
    static const char *const names[] = {"MatMul", "MatMul", "Gemm", "Conv", "ConvTranspose"};
    for (int output = 0; output < 2; output++) {
        struct twin_graph g;
        twin_graph_init(&g);
        int in[3] = {dequantized_x(b, &g), dequantized_w(b, &g), QD_NO_VALUE};
        if (b->operation != MATMUL)
            in[2] = dequantized_bias(b, &g);
        bool three = b->operation >= GEMM;
        int real = twin_graph_node(&g, names[b->operation], in, three ? 3 : 2, -1);
        if (b->operation == MATMUL_ADD)
            real = twin_graph_node(&g, "Add", (int[]){real, in[2]}, 2, -1);
        if (b->relu)
            real = twin_graph_node(&g, "Relu", &real, 1, -1);
        int shown = output == 0 ? quantized(b, &g, real) : real;
        twin_graph_evaluate(&g, &shown, 1, &b->arena, &values[output]);
    }
}

/* The float path for filter n, in one random order. */
static float float_path(const struct block *b, int64_t n, struct twin_random *random)
{
    float x[MAX_TERMS], w[MAX_TERMS];
    for (int64_t k = 0; k < b->terms; k++) {
        x[k] = (float)b->x[k] * b->s_x;
        w[k] = (float)b->w[k][n] * b->s_w[n];
    }
    volatile float bias = (float)b->bias[n] * b->s_b[n];
    float sum = twin_random_sum(random, x, w, b->terms, bias);
    return b->relu && sum < 0 ? 0 : sum;
}

/* Integer product, then float: fl(acc)·fl(s_x·s_w) + bias. */
static float half_fused(const struct block *b, int64_t n, struct twin_random *random)
{
    volatile float bias = (float)b->bias[n] * b->s_b[n], scale = b->s_x * b->s_w[n];
    float acc = (float)accumulator(b, n, false);
    volatile float product = acc * scale;
    volatile float sum = product + bias;
    if (twin_random_one_in(random, 2))
        sum = fmaf(acc, scale, bias);
    return b->relu && sum < 0 ? 0 : sum;
}

/* All in integers with one combined scale, in the six orders. */
static void admit_fused(const struct block *b, int64_t n, const struct qd_value *codes,
                        struct count *count)
{
    static const enum qd_dtype types[] = {QD_F32, QD_F64};
    int64_t acc = accumulator(b, n, true);
    if (b->relu && acc < 0)
        acc = 0;
    mpq_t s1, s2, sy;
    mpq_inits(s1, s2, sy, NULL);
    mpq_set_d(s1, (double)b->s_x);
    mpq_set_d(s2, (double)b->s_w[n]);
    mpq_set_d(sy, (double)b->s_y);
    for (unsigned order = 0; order < TWIN_ORDERS; order++) {
        for (int type = 0; type < 2; type++) {
            int64_t code;
            assert_true(twin_requantize_nearest(order, types[type], acc, s1, s2, sy, b->y_type,
                                                b->y_zero_point, &code));
            admit(codes, n, code, count, twin_order_text(order));
        }
    }
    mpq_clears(s1, s2, sy, NULL);
}

static void check_filter(const struct block *b, int64_t n, const struct qd_value *values,
                         struct twin_random *random, struct count *count)
{
    struct qd_observation seen = qd_value_observe(&values[0], n);
    count->elements++;
    count->slack += seen.lo != seen.hi;
    admit_fused(b, n, &values[0], count);
    for (int trial = 0; trial < 6; trial++) {
        bool half = trial == 0 || trial == 1;
        float real = half ? half_fused(b, n, random) : float_path(b, n, random);
        volatile float quotient = real / b->s_y;
        const char *how = half ? "integer sum, then float" : "float path";
        admit_float(&values[1], n, real, count, how);
        admit(&values[0], n, code_of((double)quotient, b->y_type, b->y_zero_point), count, how);
    }
}

static void sums_of_products(void **state)
{
    (void)state;
    struct twin_random random = {61};
    struct count count = {0};
    for (int64_t i = 0; i < twin_rounds(4000); i++) {
        struct block b = {0};
        struct qd_value values[2];
        qd_arena_init(&b.arena, QD_ARENA_DEFAULT_BUDGET);
        choose_codes(&b, &random);
        choose_scales(&b, &random, false);
        evaluate_block(&b, values);
        for (int64_t n = 0; n < FILTERS; n++)
            check_filter(&b, n, values, &random, &count);
        qd_arena_clear(&b.arena);
    }
    finish("MatMul, Gemm, Conv, ConvTranspose between dequantize and quantize", &count);
    assert_true(count.not_canonical > 0 && count.slack < count.elements / 2);
}

/* Power-of-two scales: the one admissible code is that of the exact rational. */
static void exact_sums_of_products(void **state)
{
    (void)state;
    struct twin_random random = {62};
    struct count count = {0};
    struct twin_number s1, s2, sy;
    struct twin_result want;
    twin_number_init(&s1);
    twin_number_init(&s2);
    twin_number_init(&sy);
    twin_result_init(&want, QD_U8, 0, NULL);
    for (int64_t i = 0; i < twin_rounds(2000); i++) {
        struct block b = {0};
        struct qd_value values[2];
        qd_arena_init(&b.arena, QD_ARENA_DEFAULT_BUDGET);
        choose_codes(&b, &random);
        choose_scales(&b, &random, true);
        evaluate_block(&b, values);
        for (int64_t n = 0; n < FILTERS; n++) {
            int64_t acc = accumulator(&b, n, true);
            mpq_set_d(s1.q, (double)b.s_x);
            mpq_set_d(s2.q, (double)b.s_w[n]);
            mpq_set_d(sy.q, (double)b.s_y);
            twin_requantize(b.relu && acc < 0 ? 0 : acc, &s1, &s2, &sy, QD_F32, b.y_type,
                            b.y_zero_point, want.elements);
            struct qd_observation seen = qd_value_observe(&values[0], n);
            count.elements++;
            count.answers++;
            count.slack += seen.lo != seen.hi;
            assert_true(seen.lo == mpq_get_d(want.elements->want.q) && seen.hi == seen.lo);
        }
        qd_arena_clear(&b.arena);
    }
    twin_result_clear(&want);
    twin_number_clear(&s1);
    twin_number_clear(&s2);
    twin_number_clear(&sy);
    finish("the same with power-of-two scales", &count);
    assert_int_equal(count.slack, 0);
}

/* The check can fail: kernels known to be wrong must fall outside the hull. */
static void wrong_kernels_fall_outside(void **state)
{
    (void)state;
    enum { ADD_THEN_ROUND, TRUNCATE, HALF_AWAY, NO_BIAS, FIRST_SCALE, WRONG };
    static const char *const names[WRONG] = {"zero point before rounding", "truncation",
                                             "half away from zero", "bias forgotten",
                                             "first filter's scale for all"};
    struct twin_random random = {62};
    int64_t outside[WRONG] = {0};
    for (int64_t i = 0; i < 2000; i++) {
        struct block b = {0};
        struct qd_value values[2];
        qd_arena_init(&b.arena, QD_ARENA_DEFAULT_BUDGET);
        choose_codes(&b, &random);
        choose_scales(&b, &random, true);
        b.relu = false;
        evaluate_block(&b, values);
        for (int64_t n = 0; n < FILTERS; n++) {
            double scale = (double)b.s_x / (double)b.s_y, acc = (double)accumulator(&b, n, true);
            double real = acc * scale * (double)b.s_w[n];
            double answers[WRONG] = {
                [ADD_THEN_ROUND] =
                    nearbyint(real + (double)b.y_zero_point) - (double)b.y_zero_point,
                [TRUNCATE] = trunc(real),
                [HALF_AWAY] = round(real),
                [NO_BIAS] = (double)accumulator(&b, n, false) * scale * (double)b.s_w[n],
                [FIRST_SCALE] = acc * scale * (double)b.s_w[0],
            };
            struct qd_observation seen = qd_value_observe(&values[0], n);
            for (int w = 0; w < WRONG; w++) {
                int64_t code = code_of(answers[w], b.y_type, b.y_zero_point);
                outside[w] += (double)code < seen.lo || (double)code > seen.hi;
            }
        }
        qd_arena_clear(&b.arena);
    }
    for (int w = 0; w < WRONG; w++) {
        print_message("# %s: %" PRId64 " of %d outside\n", names[w], outside[w], 2000 * FILTERS);
        assert_true(outside[w] > 0);
    }
}

/* --- Two dequantized codes → Add or Mul → QuantizeLinear --- */

struct pair {
    struct qd_arena arena;
    int64_t a, b, y_zero_point; /* a, b: zero points subtracted */
    float s_a, s_b, s_y;
};

static void choose_pair(struct pair *p, struct twin_random *random, bool product)
{
    *p = (struct pair){0};
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    p->a = twin_random_between(random, -255, 255);
    p->b = twin_random_between(random, -255, 255);
    p->y_zero_point = twin_random_code(random, QD_U8);
    p->s_a = twin_float_of(twin_random_scale(random, -8, 2));
    p->s_b = twin_float_of(twin_random_scale(random, -8, 2));
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_d(a, (double)p->a * (double)p->s_a);
    mpq_set_d(b, (double)p->b * (double)p->s_b);
    if (product) {
        mpq_mul(a, a, b);
    } else {
        mpq_add(a, a, b);
    }
    mpq_set_ui(b, 1, 1);
    p->s_y = twin_float_of(twin_solve_divisor(random, 1, a, b));
    mpq_clears(a, b, NULL);
}

/* Both as s16 codes with zero point 0: differences of −255 to 255. */
static void evaluate_pair(struct pair *p, const char *operation, struct qd_value *value)
{
    struct twin_graph g;
    struct qd_tensor tensors[] = {twin_scalar(&p->arena, QD_S16, (uint64_t)p->a),
                                  twin_float_scalar(&p->arena, p->s_a),
                                  twin_scalar(&p->arena, QD_S16, (uint64_t)p->b),
                                  twin_float_scalar(&p->arena, p->s_b),
                                  twin_float_scalar(&p->arena, p->s_y),
                                  twin_scalar(&p->arena, QD_U8, (uint64_t)p->y_zero_point)};
    int id[6];
    twin_graph_init(&g);
    for (int i = 0; i < 6; i++)
        id[i] = i % 2 ? twin_graph_constant(&g, &tensors[i]) : twin_graph_feed(&g, &tensors[i]);
    int in[] = {dequantized(&g, id[0], id[1], QD_NO_VALUE, -1),
                dequantized(&g, id[2], id[3], QD_NO_VALUE, -1)};
    int real = twin_graph_node(&g, operation, in, 2, -1);
    int codes = twin_graph_node(&g, "QuantizeLinear", (int[]){real, id[4], id[5]}, 3, -1);
    twin_graph_evaluate(&g, &codes, 1, &p->arena, value);
}

static void additions(void **state)
{
    (void)state;
    struct twin_random random = {63};
    struct count count = {0};
    for (int64_t i = 0; i < twin_rounds(30000); i++) {
        struct pair p;
        struct qd_value value;
        choose_pair(&p, &random, false);
        evaluate_pair(&p, "Add", &value);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        volatile float a = (float)p.a * p.s_a, b = (float)p.b * p.s_b, sum = a + b,
                       quotient = sum / p.s_y;
        admit(&value, 0, code_of((double)quotient, QD_U8, p.y_zero_point), &count,
              "dequantize, add, divide");
        quotient = fmaf((float)p.a, p.s_a, b) / p.s_y;
        admit(&value, 0, code_of((double)quotient, QD_U8, p.y_zero_point), &count,
              "dequantize and add fused");
        volatile float ratio_a = p.s_a / p.s_y, ratio_b = p.s_b / p.s_y;
        volatile float term_a = (float)p.a * ratio_a, term_b = (float)p.b * ratio_b,
                       terms = term_a + term_b;
        admit(&value, 0, code_of((double)terms, QD_U8, p.y_zero_point), &count, "ratios");
        terms = fmaf((float)p.a, ratio_a, term_b);
        admit(&value, 0, code_of((double)terms, QD_U8, p.y_zero_point), &count, "ratios with FMA");
        qd_arena_clear(&p.arena);
    }
    finish("Add between dequantize and quantize", &count);
    assert_true(count.not_canonical > 0);
}

static void products(void **state)
{
    (void)state;
    struct twin_random random = {64};
    struct count count = {0};
    mpq_t s1, s2, sy;
    mpq_inits(s1, s2, sy, NULL);
    for (int64_t i = 0; i < twin_rounds(15000); i++) {
        struct pair p;
        struct qd_value value;
        choose_pair(&p, &random, true);
        evaluate_pair(&p, "Mul", &value);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        volatile float a = (float)p.a * p.s_a, b = (float)p.b * p.s_b, product = a * b,
                       quotient = product / p.s_y;
        admit(&value, 0, code_of((double)quotient, QD_U8, p.y_zero_point), &count, "float path");
        mpq_set_d(s1, (double)p.s_a);
        mpq_set_d(s2, (double)p.s_b);
        mpq_set_d(sy, (double)p.s_y);
        for (unsigned order = 0; order < TWIN_ORDERS; order++) {
            int64_t code;
            assert_true(twin_requantize_nearest(order, QD_F32, p.a * p.b, s1, s2, sy, QD_U8,
                                                p.y_zero_point, &code));
            admit(&value, 0, code, &count, twin_order_text(order));
        }
        qd_arena_clear(&p.arena);
    }
    mpq_clears(s1, s2, sy, NULL);
    finish("Mul between dequantize and quantize", &count);
    assert_true(count.not_canonical > 0);
}

/* --- One dequantized code → Relu, Clip or nothing → QuantizeLinear --- */

/* Bounds of the operator between, as multiples of s_a: Relu is [0, ∞). */
struct monotone {
    const char *name; /* NULL: nothing between */
    double low, high;
};

static void evaluate_single(struct pair *p, const struct monotone *f, struct qd_value *value)
{
    struct twin_graph g;
    struct qd_tensor code = twin_scalar(&p->arena, QD_S16, (uint64_t)p->a);
    struct qd_tensor zero_point = twin_scalar(&p->arena, QD_U8, (uint64_t)p->y_zero_point);
    struct qd_tensor s_a = twin_float_scalar(&p->arena, p->s_a),
                     s_y = twin_float_scalar(&p->arena, p->s_y);
    struct qd_tensor low = twin_float_scalar(&p->arena, (float)f->low);
    struct qd_tensor high = twin_float_scalar(&p->arena, (float)f->high);
    twin_graph_init(&g);
    int in[3] = {twin_graph_feed(&g, &code), twin_graph_constant(&g, &s_a), 0};
    int real = twin_graph_node(&g, "DequantizeLinear", in, 2, -1);
    in[0] = real;
    in[1] = twin_graph_constant(&g, &low);
    in[2] = twin_graph_constant(&g, &high);
    if (f->name)
        real = twin_graph_node(&g, f->name, in, strcmp(f->name, "Clip") == 0 ? 3 : 1, -1);
    in[0] = real;
    in[1] = twin_graph_constant(&g, &s_y);
    in[2] = twin_graph_constant(&g, &zero_point);
    int codes = twin_graph_node(&g, "QuantizeLinear", in, 3, -1);
    twin_graph_evaluate(&g, &codes, 1, &p->arena, value);
}

static double clipped(double x, const struct monotone *f)
{
    return x < f->low ? f->low : x > f->high ? f->high : x;
}

/* Float path; one ratio s_a/s_y; the exact quotient. */
static void admit_single(const struct pair *p, const struct monotone *f,
                         const struct qd_value *value, struct count *count)
{
    volatile float real = (float)p->a * p->s_a;
    volatile float quotient = (float)clipped((double)real, f) / p->s_y;
    admit(value, 0, code_of((double)quotient, QD_U8, p->y_zero_point), count, "float path");
    volatile float low = (float)f->low / p->s_y, high = (float)f->high / p->s_y;
    const struct monotone scaled = {f->name, (double)low, (double)high};
    volatile float ratio = p->s_a / p->s_y, product = (float)p->a * ratio;
    double fused = clipped((double)product, &scaled);
    admit(value, 0, code_of(fused, QD_U8, p->y_zero_point), count, "one ratio");
    double exact = clipped((double)p->a * (double)p->s_a, f) / (double)p->s_y;
    admit(value, 0, code_of(exact, QD_U8, p->y_zero_point), count, "double");
}

static void monotone_operators(void **state)
{
    (void)state;
    struct twin_random random = {66};
    struct count count = {0};
    for (int64_t i = 0; i < twin_rounds(30000); i++) {
        struct pair p;
        struct qd_value value;
        choose_pair(&p, &random, false);
        volatile float low = (float)twin_random_between(&random, -255, 0) * p.s_a;
        volatile float high = (float)twin_random_between(&random, 0, 255) * p.s_a;
        const struct monotone functions[] = {{NULL, -INFINITY, INFINITY},
                                             {"Relu", 0, INFINITY},
                                             {"Clip", (double)low, (double)high}};
        const struct monotone *f = &functions[i % 3];
        mpq_t s, one;
        mpq_inits(s, one, NULL);
        mpq_set_d(s, (double)p.s_a);
        mpq_set_ui(one, 1, 1);
        p.s_y = twin_float_of(twin_solve_divisor(&random, p.a, s, one));
        mpq_clears(s, one, NULL);
        evaluate_single(&p, f, &value);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        admit_single(&p, f, &value, &count);
        qd_arena_clear(&p.arena);
    }
    finish("Relu, Clip or nothing between dequantize and quantize", &count);
    assert_true(count.not_canonical > 0 && count.slack < count.elements);
}

/* --- Dequantized codes that are moved → QuantizeLinear --- */

#define CODES 24

/* Codes with one scale each, which put code·scale/s_y on or next to an edge. */
struct codes {
    struct qd_arena arena;
    enum qd_dtype dtype;
    int64_t code[CODES], zero_point;
    float scale[CODES], s_y;
};

static void choose_row(struct codes *c, struct twin_random *random)
{
    static const enum qd_dtype types[] = {QD_U8, QD_S16, QD_S32};
    mpq_t one, s_y;
    mpq_inits(one, s_y, NULL);
    mpq_set_ui(one, 1, 1);
    *c = (struct codes){.dtype = types[twin_random_between(random, 0, 2)]};
    qd_arena_init(&c->arena, QD_ARENA_DEFAULT_BUDGET);
    c->zero_point = twin_random_code(random, QD_U8);
    c->s_y = twin_float_of(twin_random_scale(random, -8, 2));
    mpq_set_d(s_y, (double)c->s_y);
    for (int i = 0; i < CODES; i++) {
        int64_t end = c->dtype == QD_S32 ? 1 << 28 : 0; /* a double holds the code times a scale */
        c->code[i] =
            end ? twin_random_between(random, -end, end) : twin_random_code(random, c->dtype);
        c->scale[i] = twin_float_of(twin_solve_factor(random, c->code[i], one, s_y));
    }
    mpq_clears(one, s_y, NULL);
}

/* What comes between, and which code then is element i. */
enum movement { NOTHING, REVERSED, DOUBLED, TURNED, CLAMPED, GREATEST, MOVEMENTS };

/* The greatest of each code, twice. */
static int greatest(struct codes *c, struct twin_graph *g, int real)
{
    static const int64_t column[] = {CODES, 1}, last[] = {1};
    struct qd_tensor shape = twin_vector(&c->arena, QD_S64, 2, column),
                     axes = twin_vector(&c->arena, QD_S64, 1, last);
    int turned =
        twin_graph_node(g, "Reshape", (int[]){real, twin_graph_constant(g, &shape)}, 2, -1);
    int pairs = twin_graph_node(g, "Concat", (int[]){turned, turned}, 2, 1);
    return twin_graph_node(g, "ReduceMax", (int[]){pairs, twin_graph_constant(g, &axes)}, 2, -1);
}

static int moved(struct codes *c, struct twin_graph *g, enum movement movement, int real)
{
    static const int64_t count[] = {CODES};
    struct qd_tensor order = twin_tensor(&c->arena, QD_S64, 1, count);
    for (int i = 0; i < CODES; i++)
        twin_put(&order, i, (uint64_t)(CODES - 1 - i));
    switch (movement) {
    case REVERSED:
        return twin_graph_node(g, "Gather", (int[]){real, twin_graph_constant(g, &order)}, 2, 0);
    case DOUBLED: return twin_graph_node(g, "Concat", (int[]){real, real}, 2, 0);
    case TURNED: return twin_graph_node(g, "Transpose", &real, 1, -1);
    case CLAMPED: return twin_graph_node(g, "Relu", &real, 1, -1);
    case GREATEST: return greatest(c, g, real);
    default: return real;
    }
}

static int64_t code_at(const struct codes *c, enum movement movement, int64_t i, int64_t *from)
{
    *from = movement == REVERSED ? CODES - 1 - i : i % CODES;
    return movement == CLAMPED && c->code[*from] < 0 ? 0 : c->code[*from];
}

static void evaluate_row(struct codes *c, enum movement movement, struct qd_value *value)
{
    static const int64_t count[] = {CODES};
    struct twin_graph g;
    struct qd_tensor codes = twin_tensor(&c->arena, c->dtype, 1, count),
                     scale = twin_tensor(&c->arena, QD_F32, 1, count),
                     s_y = twin_float_scalar(&c->arena, c->s_y),
                     zero_point = twin_scalar(&c->arena, QD_U8, (uint64_t)c->zero_point);
    for (int i = 0; i < CODES; i++) {
        twin_put(&codes, i, (uint64_t)c->code[i]);
        twin_put(&scale, i, twin_bits_of(c->scale[i]));
    }
    twin_graph_init(&g);
    int real = dequantized(&g, twin_graph_feed(&g, &codes), twin_graph_constant(&g, &scale),
                           QD_NO_VALUE, 0);
    int in[] = {moved(c, &g, movement, real), twin_graph_constant(&g, &s_y),
                twin_graph_constant(&g, &zero_point)};
    int quantized = twin_graph_node(&g, "QuantizeLinear", in, 3, -1);
    twin_graph_evaluate(&g, &quantized, 1, &c->arena, value);
}

/* They have the codes of the finitely many orders of a code between two scales: each is given by
 * an evaluation of the twin's, and no other is admitted. */
static void moved_codes(void **state)
{
    (void)state;
    struct twin_random random = {70};
    struct twin_tally tally = {0};
    for (int64_t round = 0; round < twin_rounds(1500); round++) {
        struct codes c;
        struct qd_value value;
        enum movement movement = (enum movement)(round % MOVEMENTS);
        choose_row(&c, &random);
        evaluate_row(&c, movement, &value);
        for (int64_t i = 0; i < value.want.count; i++) {
            int64_t from, code = code_at(&c, movement, i, &from);
            struct twin_terms terms = {.a = code, .s1 = (double)c.scale[from], .sy = (double)c.s_y};
            twin_check_formula(TWIN_RESCALED, &terms, c.zero_point, &value, i, &tally);
        }
        qd_arena_clear(&c.arena);
    }
    twin_tally_print("Moved codes between dequantize and quantize", &tally);
    assert_true(tally.slack > 0 && tally.narrowed > 0 && tally.extreme == 0);
}

/* --- Sums in float without codes --- */

/* Float bits of any sign over 40 binades, one in four a small integer. */
static float random_float(struct twin_random *random)
{
    if (twin_random_one_in(random, 4))
        return (float)twin_random_between(random, -100, 100);
    float value = twin_float_of(twin_random_scale(random, -20, 20));
    return twin_random_one_in(random, 2) ? value : -value;
}

static void float_sums(void **state)
{
    (void)state;
    struct twin_random random = {65};
    struct count count = {0};
    for (int64_t i = 0; i < twin_rounds(20000); i++) {
        struct qd_arena arena;
        struct twin_graph g;
        struct qd_value value;
        float x[MAX_TERMS], w[MAX_TERMS];
        int64_t terms = twin_random_between(&random, 1, MAX_TERMS);
        const int64_t row[] = {1, terms}, column[] = {terms, 1};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor a = twin_tensor(&arena, QD_F32, 2, row),
                         b = twin_tensor(&arena, QD_F32, 2, column);
        bool integers = twin_random_one_in(&random, 3);
        for (int64_t k = 0; k < terms; k++) {
            x[k] =
                integers ? (float)twin_random_between(&random, -255, 255) : random_float(&random);
            w[k] =
                integers ? (float)twin_random_between(&random, -255, 255) : random_float(&random);
            if (k > 0 && twin_random_one_in(&random, 4)) { /* cancellation */
                x[k] = -x[k - 1];
                w[k] = w[k - 1];
            }
            twin_put(&a, k, twin_bits_of(x[k]));
            twin_put(&b, k, twin_bits_of(w[k]));
        }
        twin_graph_init(&g);
        int product = twin_graph_node(
            &g, "MatMul", (int[]){twin_graph_feed(&g, &a), twin_graph_feed(&g, &b)}, 2, -1);
        twin_graph_evaluate(&g, &product, 1, &arena, &value);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        assert_true(!integers || seen.lo == seen.hi);
        for (int trial = 0; trial < 8; trial++)
            admit_float(&value, 0, twin_random_sum(&random, x, w, terms, 0), &count, "float sum");
        qd_arena_clear(&arena);
    }
    finish("MatMul of floats", &count);
}

/* MatMul → Add in float, as two operators or fused into one sum that may start from the addend
 * (what ONNX Runtime makes of it from level basic on): the addend may be far larger than the
 * terms. */
static void sums_with_an_addend(void **state)
{
    (void)state;
    struct twin_random random = {69};
    struct count count = {0};
    for (int64_t i = 0; i < twin_rounds(20000); i++) {
        struct qd_arena arena;
        struct twin_graph g;
        struct qd_value value;
        float x[MAX_TERMS], w[MAX_TERMS],
            addend = twin_float_of(twin_random_scale(&random, -5, 15));
        int64_t terms = twin_random_between(&random, 1, MAX_TERMS);
        const int64_t row[] = {1, terms}, column[] = {terms, 1};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor a = twin_tensor(&arena, QD_F32, 2, row),
                         b = twin_tensor(&arena, QD_F32, 2, column);
        struct qd_tensor c = twin_float_scalar(&arena, addend);
        for (int64_t k = 0; k < terms; k++) {
            x[k] = twin_float_of(twin_random_scale(&random, -3, 3)) *
                   (twin_random_one_in(&random, 2) ? 1.0F : -1.0F);
            w[k] = twin_float_of(twin_random_scale(&random, -3, 3));
            twin_put(&a, k, twin_bits_of(x[k]));
            twin_put(&b, k, twin_bits_of(w[k]));
        }
        twin_graph_init(&g);
        int in[] = {twin_graph_feed(&g, &a), 0};
        in[1] = twin_graph_feed(&g, &b);
        in[0] = twin_graph_node(&g, "MatMul", in, 2, -1);
        in[1] = twin_graph_feed(&g, &c);
        int sum = twin_graph_node(&g, "Add", in, 2, -1);
        twin_graph_evaluate(&g, &sum, 1, &arena, &value);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        for (int trial = 0; trial < 8; trial++) {
            volatile float apart = twin_random_sum(&random, x, w, terms, 0) + addend;
            admit_float(&value, 0, apart, &count, "two operators");
            admit_float(&value, 0, twin_random_sum(&random, x, w, terms, addend), &count,
                        "one sum");
        }
        qd_arena_clear(&arena);
    }
    finish("MatMul and Add, fused or not", &count);
}

/* float16 and bfloat16: accumulated in float32 in any order, rounded once. */
static void half_sums(void **state)
{
    (void)state;
    struct twin_random random = {67};
    struct count count = {0};
    struct twin_number number;
    mpq_t sum;
    twin_number_init(&number);
    mpq_init(sum);
    for (int64_t i = 0; i < twin_rounds(10000); i++) {
        struct qd_arena arena;
        struct twin_graph g;
        struct qd_value value;
        float x[MAX_TERMS], w[MAX_TERMS];
        enum qd_dtype dtype = twin_random_one_in(&random, 2) ? QD_F16 : QD_BF16;
        int64_t terms = twin_random_between(&random, 1, MAX_TERMS),
                low = dtype == QD_F16 ? 0x2c00 : 0x3e00;
        const int64_t row[] = {1, terms}, column[] = {terms, 1};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor a = twin_tensor(&arena, dtype, 2, row),
                         b = twin_tensor(&arena, dtype, 2, column);
        for (int64_t k = 0; k < terms; k++) {
            int64_t sign = twin_random_between(&random, 0, 1) << 15;
            twin_put(&a, k, (uint64_t)(sign | twin_random_between(&random, low, low + 0xfff)));
            twin_put(&b, k, (uint64_t)twin_random_between(&random, low, low + 0xfff));
            twin_element_of(&a, k, &number);
            x[k] = (float)mpq_get_d(number.q);
            twin_element_of(&b, k, &number);
            w[k] = (float)mpq_get_d(number.q);
        }
        twin_graph_init(&g);
        int in[] = {twin_graph_feed(&g, &a), 0};
        in[1] = twin_graph_feed(&g, &b);
        int product = twin_graph_node(&g, "MatMul", in, 2, -1);
        twin_graph_evaluate(&g, &product, 1, &arena, &value);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        for (int trial = 0; trial < 8; trial++) {
            mpq_set_d(sum, (double)twin_random_sum(&random, x, w, terms, 0));
            assert_int_not_equal(twin_round(dtype, TWIN_NEAREST, sum, sum), TWIN_HUGE);
            admit_float(&value, 0, (float)mpq_get_d(sum), &count, "float32 sum, rounded once");
        }
        qd_arena_clear(&arena);
    }
    mpq_clear(sum);
    twin_number_clear(&number);
    finish("MatMul of float16 and bfloat16", &count);
}

/* A finite double rounded to nearest in a float type. */
static float rounded_to(enum qd_dtype dtype, double x)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, x);
    assert_int_not_equal(twin_round(dtype, TWIN_NEAREST, q, q), TWIN_HUGE);
    float y = (float)mpq_get_d(q);
    mpq_clear(q);
    return y;
}

/* One row by one column of codes whose scales, and hence all floats between, are float16 or
 * bfloat16. */
struct half_block {
    struct qd_arena arena;
    enum qd_dtype dtype;
    int64_t terms, x[MAX_TERMS], w[MAX_TERMS], zero_point;
    float s_x, s_w, s_y;
};

static struct qd_tensor half_scalar(struct half_block *b, float value)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, (double)value);
    struct qd_tensor tensor = twin_scalar(&b->arena, b->dtype, twin_encode(b->dtype, q));
    mpq_clear(q);
    return tensor;
}

static void choose_half_block(struct half_block *b, struct twin_random *random)
{
    *b = (struct half_block){.dtype = twin_random_one_in(random, 2) ? QD_F16 : QD_BF16};
    qd_arena_init(&b->arena, QD_ARENA_DEFAULT_BUDGET);
    b->terms = twin_random_between(random, 1, 8);
    b->zero_point = twin_random_code(random, QD_U8);
    double acc = 0;
    for (int64_t k = 0; k < b->terms; k++) {
        b->x[k] = twin_random_code(random, QD_S8);
        b->w[k] = twin_random_code(random, QD_S8);
        acc += (double)(b->x[k] * b->w[k]);
    }
    b->s_x = rounded_to(b->dtype, (double)twin_float_of(twin_random_scale(random, -6, -2)));
    b->s_w = rounded_to(b->dtype, (double)twin_float_of(twin_random_scale(random, -6, -2)));
    double edge = (double)twin_random_between(random, 1, 200) + 0.5;
    double s_y = fabs(acc) * (double)b->s_x * (double)b->s_w / edge;
    b->s_y = rounded_to(b->dtype, s_y < 0x1p-10 ? 0x1p-10 : s_y);
}

static struct qd_value evaluate_half_block(struct half_block *b)
{
    struct twin_graph g;
    struct qd_value value;
    const int64_t row[] = {1, b->terms}, column[] = {b->terms, 1};
    struct qd_tensor x = twin_tensor(&b->arena, QD_S8, 2, row);
    struct qd_tensor w = twin_tensor(&b->arena, QD_S8, 2, column);
    struct qd_tensor zero_point = twin_scalar(&b->arena, QD_U8, (uint64_t)b->zero_point);
    struct qd_tensor s_x = half_scalar(b, b->s_x), s_w = half_scalar(b, b->s_w),
                     s_y = half_scalar(b, b->s_y);
    for (int64_t k = 0; k < b->terms; k++) {
        twin_put(&x, k, (uint64_t)b->x[k]);
        twin_put(&w, k, (uint64_t)b->w[k]);
    }
    twin_graph_init(&g);
    int left =
        dequantized(&g, twin_graph_feed(&g, &x), twin_graph_constant(&g, &s_x), QD_NO_VALUE, -1);
    int right =
        dequantized(&g, twin_graph_feed(&g, &w), twin_graph_constant(&g, &s_w), QD_NO_VALUE, -1);
    int in[] = {left, right, 0};
    in[0] = twin_graph_node(&g, "MatMul", in, 2, -1);
    in[1] = twin_graph_constant(&g, &s_y);
    in[2] = twin_graph_constant(&g, &zero_point);
    int codes = twin_graph_node(&g, "QuantizeLinear", in, 3, -1);
    twin_graph_evaluate(&g, &codes, 1, &b->arena, &value);
    return value;
}

static void admit_half_block(const struct half_block *b, const struct qd_value *value,
                             struct twin_random *random, struct count *count)
{
    float x[MAX_TERMS], w[MAX_TERMS];
    int64_t acc = 0;
    for (int64_t k = 0; k < b->terms; k++) {
        x[k] = rounded_to(b->dtype, (double)b->x[k] * (double)b->s_x);
        w[k] = rounded_to(b->dtype, (double)b->w[k] * (double)b->s_w);
        acc += b->x[k] * b->w[k];
    }
    for (int trial = 0; trial < 4; trial++) {
        float sum = rounded_to(b->dtype, (double)twin_random_sum(random, x, w, b->terms, 0));
        float quotient = rounded_to(b->dtype, (double)sum / (double)b->s_y);
        admit(value, 0, code_of((double)quotient, QD_U8, b->zero_point), count, "float path");
    }
    mpq_t s1, s2, sy;
    mpq_inits(s1, s2, sy, NULL);
    mpq_set_d(s1, (double)b->s_x);
    mpq_set_d(s2, (double)b->s_w);
    mpq_set_d(sy, (double)b->s_y);
    for (unsigned order = 0; order < TWIN_ORDERS; order++) {
        int64_t code;
        assert_true(
            twin_requantize_nearest(order, QD_F32, acc, s1, s2, sy, QD_U8, b->zero_point, &code));
        admit(value, 0, code, count, twin_order_text(order));
    }
    mpq_clears(s1, s2, sy, NULL);
}

static void half_blocks(void **state)
{
    (void)state;
    struct twin_random random = {68};
    struct count count = {0};
    for (int64_t i = 0; i < twin_rounds(10000); i++) {
        struct half_block b;
        choose_half_block(&b, &random);
        struct qd_value value = evaluate_half_block(&b);
        struct qd_observation seen = qd_value_observe(&value, 0);
        count.elements++;
        count.slack += seen.lo != seen.hi;
        admit_half_block(&b, &value, &random, &count);
        qd_arena_clear(&b.arena);
    }
    finish("MatMul of float16 and bfloat16 between dequantize and quantize", &count);
    assert_true(count.not_canonical > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_products),
        cmocka_unit_test(exact_sums_of_products),
        cmocka_unit_test(wrong_kernels_fall_outside),
        cmocka_unit_test(additions),
        cmocka_unit_test(products),
        cmocka_unit_test(monotone_operators),
        cmocka_unit_test(moved_codes),
        cmocka_unit_test(float_sums),
        cmocka_unit_test(sums_with_an_addend),
        cmocka_unit_test(half_sums),
        cmocka_unit_test(half_blocks),
    };
    return cmocka_run_group_tests_name("twin_qdq", tests, NULL, NULL);
}
