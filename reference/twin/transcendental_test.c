/* SPDX-License-Identifier: Apache-2.0 */
/* Sigmoid, Tanh, Softmax, Exp, Sqrt and Erf against MPFR and simulated kernels: QLinearSigmoid, QLinearSoftmax, the
 * first three between DequantizeLinear and QuantizeLinear, and all alone in float32, float16, bfloat16. A
 * simulated kernel errs in each elementary function by whole ulps, within the bounds of
 * kernel/transcendental.h. All codes for many parameter sets. Alone:
 * <build>/tests/reference/twin/transcendental_test; QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>
#include <cmocka.h>

#include "twin/twin.h"

#define PRECISION 160
#define MAX_ROW 24

/* How far the simulated functions may be from the C library's, which are within one ulp. */
enum { EXP_ULPS = 2, TANH_ULPS = 3, DIVISION_ULPS = 2, ROOT_ULPS = 2, ERF_ULPS = 14 };

enum { SIGMOID, TANH, SOFTMAX, EXP, SQRT, ERF, FUNCTIONS };
static const char *const names[FUNCTIONS] = {"Sigmoid", "Tanh", "Softmax", "Exp", "Sqrt", "Erf"};
static const char *const vendor_names[FUNCTIONS] = {"QLinearSigmoid", NULL, "QLinearSoftmax"};

/* --- Exact --- */

static void logistic(mpfr_t x)
{
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_ui_div(x, 1, x, MPFR_RNDN);
}

/* f of each of count exact numbers: out[i], which may be x. */
static void exact_function(int function, mpq_t *x, mpq_t *out, int64_t count)
{
    mpfr_t value[MAX_ROW], sum;
    assert_true(count <= MAX_ROW);
    mpfr_init2(sum, PRECISION);
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < count; i++) {
        mpfr_init2(value[i], PRECISION);
        mpfr_set_q(value[i], x[i], MPFR_RNDN);
        if (function == SIGMOID)
            logistic(value[i]);
        else if (function == TANH)
            mpfr_tanh(value[i], value[i], MPFR_RNDN);
        else if (function == SQRT)
            mpfr_sqrt(value[i], value[i], MPFR_RNDN);
        else if (function == ERF)
            mpfr_erf(value[i], value[i], MPFR_RNDN);
        else
            mpfr_exp(value[i], value[i], MPFR_RNDN);
        mpfr_add(sum, sum, value[i], MPFR_RNDN);
    }
    for (int64_t i = 0; i < count; i++) {
        if (function == SOFTMAX)
            mpfr_div(value[i], value[i], sum, MPFR_RNDN);
        mpfr_get_q(out[i], value[i]);
        mpfr_clear(value[i]);
    }
    mpfr_clear(sum);
}

/* --- Kernels in float32 --- */

/* Each errs, but not where the answer is a simple one: e^0, a quotient without remainder. */
static float nudged(struct twin_random *random, float value, int64_t ulps)
{
    return value > 0x1p-100F && value < 0x1p100F ? twin_nudged(random, value, ulps) : value;
}

static float some_exp(struct twin_random *random, float x)
{
    return x == 0 ? 1 : nudged(random, expf(x), EXP_ULPS);
}

static float some_quotient(struct twin_random *random, float a, float b)
{
    float quotient = a / b;
    return fmaf(quotient, b, -a) == 0 ? quotient : nudged(random, quotient, DIVISION_ULPS);
}

static float some_logistic(struct twin_random *random, float x)
{
    if (x < 0 && twin_random_one_in(random, 2)) {
        float e = some_exp(random, x);
        return some_quotient(random, e, 1 + e);
    }
    return some_quotient(random, 1, 1 + some_exp(random, -x));
}

static float some_tanh(struct twin_random *random, float x)
{
    float y = nudged(random, fabsf(tanhf(x)), TANH_ULPS);
    return x < 0 ? -y : y;
}

static float some_root(struct twin_random *random, float x)
{
    float y = sqrtf(x);
    return fmaf(y, y, -x) == 0 ? y : nudged(random, y, ROOT_ULPS);
}

static float some_erf(struct twin_random *random, float x)
{
    float y = nudged(random, fabsf(erff(x)), ERF_ULPS);
    return x < 0 ? -y : y;
}

/* The greatest subtracted or not; divided or multiplied by a reciprocal. */
static void some_softmax(struct twin_random *random, const float *x, int64_t count, float *y)
{
    float greatest = x[0], least = x[0], term[MAX_ROW];
    for (int64_t i = 1; i < count; i++) {
        greatest = x[i] > greatest ? x[i] : greatest;
        least = x[i] < least ? x[i] : least;
    }
    bool direct = greatest < 40 && least > -40 && twin_random_one_in(random, 4);
    for (int64_t i = 0; i < count; i++) {
        y[i] = some_exp(random, direct ? x[i] : x[i] - greatest);
        for (int64_t k = 0; k < i; k++)
            if (x[k] == x[i])
                y[i] = y[k]; /* it is a function */
        term[i] = y[i];
    }
    float sum = twin_random_tree(random, term, count), reciprocal = 1 / sum;
    bool multiply = !direct && twin_random_one_in(random, 2);
    for (int64_t i = 0; i < count; i++)
        y[i] = multiply ? y[i] * reciprocal : some_quotient(random, y[i], sum);
}

static void some_function(int function, struct twin_random *random, const float *x, int64_t count,
                          float *y)
{
    if (function == SOFTMAX)
        some_softmax(random, x, count, y);
    for (int64_t i = 0; i < count && function != SOFTMAX; i++)
        y[i] = function == SIGMOID ? some_logistic(random, x[i])
               : function == TANH  ? some_tanh(random, x[i])
               : function == EXP   ? some_exp(random, x[i])
               : function == ERF   ? some_erf(random, x[i])
                                   : some_root(random, x[i]);
}

/* --- Codes --- */

struct coded {
    struct qd_arena arena;
    struct twin_operand x; /* [rows, count], the function runs over count */
    int64_t rows, count, y_zero_point;
    float s_y;
    int64_t opset;
};

static void choose(struct coded *c, struct twin_random *random, int function)
{
    enum qd_dtype dtype = twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
    *c = (struct coded){.rows = 16, .count = 16};
    if (function == SOFTMAX) {
        c->rows = twin_random_between(random, 1, 3);
        c->count = twin_random_between(random, 1, MAX_ROW);
    }
    const int64_t dims[] = {c->rows, c->count};
    qd_arena_init(&c->arena, QD_ARENA_DEFAULT_BUDGET);
    c->x.codes = twin_tensor(&c->arena, dtype, 2, dims);
    for (int64_t i = 0; i < c->x.codes.count; i++)
        twin_put(&c->x.codes, i,
                 (uint64_t)(function == SOFTMAX ? twin_random_code(random, dtype)
                                                : twin_code_min(dtype) + i));
    c->x.zero_point = twin_random_code(random, dtype);
    c->x.scale = twin_float_of(twin_random_scale(random, -9, 0));
    c->y_zero_point = twin_random_code(random, dtype);
    c->s_y = twin_random_one_in(random, 2) ? 1.0F / 256
                                           : twin_float_of(twin_random_scale(random, -10, -5));
    c->opset = twin_random_one_in(random, 2) ? 13 : 11;
}

/* Moves the output's scale so that one code's answer lies as near to an edge as float32 can. */
static void solve(struct coded *c, struct twin_random *random, int function)
{
    mpq_t x[MAX_ROW], unit;
    mpq_init(unit);
    mpq_set_ui(unit, 1, 1);
    for (int64_t i = 0; i < c->count; i++) {
        mpq_init(x[i]);
        mpq_set_d(x[i], (double)twin_operand_shifted(&c->x, i) * (double)c->x.scale);
    }
    exact_function(function, x, x, c->count);
    int64_t i = twin_random_between(random, 0, c->count - 1);
    if (mpq_get_d(x[i]) > 1e-6)
        c->s_y = twin_float_of(twin_solve_divisor(random, 1, x[i], unit));
    for (i = 0; i < c->count; i++)
        mpq_clear(x[i]);
    mpq_clear(unit);
}

static void evaluate(struct coded *c, int function, bool vendor, struct qd_value *value)
{
    struct twin_node node;
    if (vendor)
        twin_node_init_vendor(&node, vendor_names[function]);
    else
        twin_node_init(&node, names[function], 13, 1);
    if (function == SOFTMAX)
        twin_node_int(&node, "axis", vendor && c->opset < 13 ? 1 : -1);
    if (vendor && function == SOFTMAX)
        twin_node_int(&node, "opset", c->opset);
    if (vendor) {
        twin_node_operand(&node, &c->arena, &c->x);
        twin_node_output(&node, &c->arena, c->x.codes.dtype, c->s_y, c->y_zero_point);
        twin_node_answer(&node, &c->arena, value);
        return;
    }
    struct twin_graph g;
    twin_graph_init(&g);
    int x = twin_graph_dequantized(&g, &c->arena, &c->x);
    int real = twin_graph_operator(&g, &node, &x, 1);
    int y = twin_graph_quantized(&g, &c->arena, real, c->x.codes.dtype, c->s_y, c->y_zero_point);
    twin_graph_evaluate(&g, &y, 1, &c->arena, value);
}

/* Dequantized inputs of one row: as float32; or, with `fused`, differences from the row's greatest
 * multiplied once. */
static void dequantized(const struct coded *c, int64_t row, bool fused, float *x)
{
    int64_t greatest = INT64_MIN;
    for (int64_t i = 0; i < c->count; i++) {
        int64_t shifted = twin_operand_shifted(&c->x, row * c->count + i);
        greatest = shifted > greatest ? shifted : greatest;
    }
    for (int64_t i = 0; i < c->count; i++) {
        int64_t shifted = twin_operand_shifted(&c->x, row * c->count + i);
        x[i] = (float)(fused ? shifted - greatest : shifted) * c->x.scale;
    }
}

/* Exact numbers before the output's scale. */
static void exact_row(const struct coded *c, int64_t row, int function, mpq_t *out)
{
    for (int64_t i = 0; i < c->count; i++) {
        double real = (double)twin_operand_shifted(&c->x, row * c->count + i) * (double)c->x.scale;
        mpq_set_d(out[i], real);
    }
    exact_function(function, out, out, c->count);
}

#define KERNELS 8

static void check_row(const struct coded *c, int64_t row, int function,
                      const struct qd_value *value, struct twin_random *random,
                      struct twin_probe *probe)
{
    float y[KERNELS][MAX_ROW];
    mpq_t exact[MAX_ROW], s_y;
    struct twin_answers answers;
    for (int k = 0; k < KERNELS; k++) {
        float x[MAX_ROW];
        dequantized(c, row, function == SOFTMAX && k % 2, x);
        some_function(function, random, x, c->count, y[k]);
    }
    mpq_init(s_y);
    mpq_set_d(s_y, (double)c->s_y);
    for (int64_t i = 0; i < c->count; i++)
        mpq_init(exact[i]);
    exact_row(c, row, function, exact);
    twin_answers_init(&answers);
    for (int64_t i = 0; i < c->count; i++) {
        answers.count = 0;
        answers.may_be_open = true; /* an enclosure may hold an edge */
        for (int k = 0; k < KERNELS; k++)
            twin_answers_add(&answers, (double)(y[k][i] / c->s_y), "a kernel in float32");
        mpq_div(answers.exact, exact[i], s_y);
        twin_probe_code(probe, value, row * c->count + i, &answers, c->y_zero_point, false);
        mpq_clear(exact[i]);
    }
    twin_answers_clear(&answers);
    mpq_clear(s_y);
}

static void codes(int function, bool vendor, int64_t sets)
{
    struct twin_random random = {170 + (uint64_t)function};
    struct twin_probe probe = {0};
    for (int64_t set = 0; set < twin_rounds(sets); set++) {
        struct coded c;
        struct qd_value value;
        choose(&c, &random, function);
        if (twin_random_one_in(&random, 2))
            solve(&c, &random, function);
        evaluate(&c, function, vendor, &value);
        for (int64_t row = 0; row < c.rows; row++)
            check_row(&c, row, function, &value, &random, &probe);
        qd_arena_clear(&c.arena);
    }
    twin_probe_print(vendor ? vendor_names[function] : names[function], &probe);
    assert_true(probe.slack * 10 < probe.elements);
}

static void codes_of_the_vendor(void **state)
{
    (void)state;
    codes(SIGMOID, true, 100);
    codes(SOFTMAX, true, 500);
}

static void codes_between(void **state)
{
    (void)state;
    codes(SIGMOID, false, 100);
    codes(TANH, false, 100);
    codes(SOFTMAX, false, 500);
}

/* --- Floats --- */

/* Rounded to the type and read again. */
static float in_type(enum qd_dtype dtype, float value)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, (double)value);
    twin_round(dtype, TWIN_NEAREST, q, q);
    value = (float)mpq_get_d(q);
    mpq_clear(q);
    return value;
}

/* Over ten binades below 16, either sign; some zero, some alike. */
static void random_inputs(struct twin_random *random, enum qd_dtype dtype, float *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        float value = twin_float_of(twin_random_scale(random, -6, 3));
        x[i] = in_type(dtype, twin_random_one_in(random, 2) ? value : -value);
        if (twin_random_one_in(random, 10))
            x[i] = i > 0 ? x[i - 1] : 0;
    }
}

static void float_row(int function, enum qd_dtype dtype, struct twin_random *random,
                      struct twin_probe *probe, double *widest)
{
    struct qd_arena arena;
    struct twin_node node;
    struct qd_value value;
    struct twin_answers answers;
    float x[MAX_ROW], y[KERNELS][MAX_ROW];
    mpq_t exact[MAX_ROW];
    int64_t count = twin_random_between(random, 1, MAX_ROW);
    random_inputs(random, dtype, x, count);
    for (int64_t i = 0; i < count && (function == EXP || function == SQRT); i++)
        x[i] = function == EXP ? x[i] / 2 : fabsf(x[i]); /* below float16's largest; not negative */
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_tensor input = twin_tensor(&arena, dtype, 1, &count);
    for (int64_t i = 0; i < count; i++) {
        mpq_init(exact[i]);
        mpq_set_d(exact[i], (double)x[i]);
        twin_put(&input, i, twin_encode(dtype, exact[i]));
    }
    for (int k = 0; k < KERNELS; k++)
        some_function(function, random, x, count, y[k]);
    exact_function(function, exact, exact, count);
    twin_node_init(&node, names[function], 13, 1);
    twin_node_input(&node, &input);
    twin_node_answer(&node, &arena, &value);
    twin_answers_init(&answers);
    for (int64_t i = 0; i < count; i++) {
        struct qd_observation seen = qd_value_observe(&value, i);
        answers.count = 0;
        for (int k = 0; k < KERNELS; k++)
            twin_answers_add(&answers, (double)in_type(dtype, y[k][i]), "a kernel in float32");
        mpq_set(answers.exact, exact[i]);
        twin_probe_float(probe, &value, i, &answers, false);
        double width = (seen.hi - seen.lo) / fabs(mpq_get_d(exact[i]));
        if (fabs(mpq_get_d(exact[i])) > 0x1p-13 && width > *widest) /* not subnormal in float16 */
            *widest = width;
        mpq_clear(exact[i]);
    }
    twin_answers_clear(&answers);
    qd_arena_clear(&arena);
}

/* The hull is sound, and no wider than the stated ulps: 2·(ulps + ½) units of 2^−23; Softmax adds
 * the rounding of x − max, at most 32·2^−24 each way in numerator and sum, and the sum of at most
 * 24 terms. A 16-bit type has one or two values. */
static void floats(void **state)
{
    (void)state;
    static const double bounds[FUNCTIONS] = {13, 11, 150, 7, 7, 33};
    static const struct {
        enum qd_dtype dtype;
        double ulp;
    } types[] = {{QD_F32, 0x1p-23}, {QD_F16, 0x1p-10}, {QD_BF16, 0x1p-7}};
    for (int function = 0; function < FUNCTIONS; function++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
            struct twin_random random = {180 + t};
            struct twin_probe probe = {0};
            double widest = 0;
            for (int64_t i = 0; i < twin_rounds(300); i++)
                float_row(function, types[t].dtype, &random, &probe, &widest);
            twin_probe_print(names[function], &probe);
            print_message("# widest hull: %.3g ulp of %s\n", widest / types[t].ulp,
                          qd_dtype_info(types[t].dtype)->name);
            assert_true(widest <= types[t].ulp * (t == 0 ? bounds[function] : 1.01));
        }
}

/* The comparison can fail: the usual cheap approximations must fall outside. */
static void approximations_fall_outside(void **state)
{
    (void)state;
    struct twin_random random = {190};
    int hard = 0, linear = 0;
    for (int set = 0; set < 20; set++) {
        struct coded c;
        struct qd_value value;
        choose(&c, &random, SIGMOID);
        evaluate(&c, SIGMOID, true, &value);
        for (int64_t i = 0; i < 256; i++) {
            double x = (double)twin_operand_shifted(&c.x, i) * (double)c.x.scale;
            double fast = 0.5 + 0.5 * x / (1 + fabs(x)), clamped = fmin(fmax(x / 6 + 0.5, 0), 1);
            const double answers[] = {fast, clamped};
            int *const outside[] = {&linear, &hard};
            struct qd_observation seen = qd_value_observe(&value, i);
            for (int w = 0; w < 2; w++) {
                double code = nearbyint(answers[w] / (double)c.s_y) + (double)c.y_zero_point;
                code = fmin(fmax(code, (double)twin_code_min(c.x.codes.dtype)),
                            (double)twin_code_max(c.x.codes.dtype));
                *outside[w] += code < seen.lo || code > seen.hi;
            }
        }
        qd_arena_clear(&c.arena);
    }
    print_message("# x/(1+|x|): %d, hard sigmoid: %d of 5120 outside\n", linear, hard);
    assert_true(hard > 100 && linear > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_the_vendor),
        cmocka_unit_test(codes_between),
        cmocka_unit_test(floats),
        cmocka_unit_test(approximations_fall_outside),
    };
    return cmocka_run_group_tests_name("twin_transcendental", tests, NULL, NULL);
}
