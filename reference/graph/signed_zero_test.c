/* SPDX-License-Identifier: Apache-2.0 */
/* The signs of zeros inside graphs: what 1/x tells of a zero that an operator gives.
 *
 * Expected values: IEEE 754-2019, 6.3 (the sign of a product is the exclusive or of the operands'
 * signs; a sum of 0 is +0 in roundTiesToEven unless all terms are -0), 7.3 (1/0 is an infinity of
 * the zero's sign), 9.2.1 (tanh is odd); max(0, -0) is either zero (9.6). Alone:
 * <build>/tests/reference/graph/signed_zero_test */
#include <math.h>

#include "graph/chain_testlib.h"

#define EITHER NAN /* both infinities, nothing else */

/* 1/x is the infinity `want`, or either. */
static void reciprocal(struct chain *m, const struct qd_value *x, double want)
{
    struct qd_value one = chain_scalar(m, x->want.dtype, 1),
                    y = chain_apply(m, "Div", NULL, &one, x, NULL);
    struct qd_observation seen = qd_value_observe(&y, 0);
    assert_false(seen.unspecified);
    assert_false(qd_observation_admits(&seen, NAN));
    assert_false(qd_observation_admits(&seen, 1));
    assert_int_equal(qd_observation_admits(&seen, INFINITY), isnan(want) || want > 0);
    assert_int_equal(qd_observation_admits(&seen, -INFINITY), isnan(want) || want < 0);
}

static struct qd_value dequantized(struct chain *m, double code, double scale, double zero)
{
    struct qd_value q = chain_scalar(m, QD_U8, code), s = chain_scalar(m, QD_F32, scale),
                    z = chain_scalar(m, QD_U8, zero);
    return chain_apply(m, "DequantizeLinear", NULL, &q, &s, &z);
}

static void dequantize(void **state)
{
    struct chain *m = *state;
    struct qd_value minus = dequantized(m, 7, -0.5, 7), plus = dequantized(m, 7, 0.5, 7);
    reciprocal(m, &minus, -INFINITY);
    reciprocal(m, &plus, INFINITY);
}

static void one_operand(void **state)
{
    struct chain *m = *state;
    static const struct {
        const char *op;
        double x, want;
    } rows[] = {
        {"Identity", -0.0, -INFINITY},  {"Tanh", -0.0, -INFINITY},      {"Tanh", 0.0, INFINITY},
        {"Relu", -0.0, EITHER},         {"Relu", 0.0, INFINITY},        {"Relu", -3.0, INFINITY},
        {"LeakyRelu", -0.0, -INFINITY}, {"LeakyRelu", 0.0, INFINITY},   {"Abs", -0.0, INFINITY},
        {"ReduceMean", -0.0, EITHER}, /* begun with +0, or with the only term */
        {"ReduceMean", 0.0, INFINITY},  {"ReduceMax", -0.0, -INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t one = 1;
        struct qd_value x = chain_vector(m, QD_F32, 1, &one, &rows[i].x),
                        y = chain_apply(m, rows[i].op, NULL, &x, NULL, NULL);
        reciprocal(m, &y, rows[i].want);
    }
}

static void two_operands(void **state)
{
    struct chain *m = *state;
    static const struct {
        const char *op;
        double a, b, want;
    } rows[] = {
        {"Add", -0.0, -0.0, -INFINITY}, {"Add", -0.0, 0.0, INFINITY},
        {"Add", 3.0, -3.0, INFINITY},   {"Sub", 0.0, 0.0, INFINITY},
        {"Sub", -0.0, 0.0, -INFINITY},  {"Mul", 0.0, -2.0, -INFINITY},
        {"Mul", -0.0, -2.0, INFINITY},  {"Div", 0.0, -2.0, -INFINITY},
        {"Div", -0.0, -2.0, INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_value a = chain_scalar(m, QD_F32, rows[i].a),
                        b = chain_scalar(m, QD_F32, rows[i].b),
                        y = chain_apply(m, rows[i].op, NULL, &a, &b, NULL);
        reciprocal(m, &y, rows[i].want);
    }
}

/* A zero of either sign stays one where the sign is handed on, and not where it is decided. */
static void open_zeros(void **state)
{
    struct chain *m = *state;
    static const struct {
        const char *op;
        double b, want;
    } rows[] = {
        {"Add", 0.0, INFINITY}, {"Add", -0.0, EITHER}, {"Sub", -0.0, INFINITY},
        {"Sub", 0.0, EITHER},   {"Mul", 5.0, EITHER},  {"Div", 5.0, EITHER},
    };
    struct qd_value minus = chain_scalar(m, QD_F32, -0.0),
                    open = chain_apply(m, "Relu", NULL, &minus, NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_value b = chain_scalar(m, QD_F32, rows[i].b),
                        y = chain_apply(m, rows[i].op, NULL, &open, &b, NULL);
        reciprocal(m, &y, rows[i].want);
    }
    struct qd_value moved = chain_apply(m, "Identity", NULL, &open, NULL, NULL),
                    odd = chain_apply(m, "Tanh", NULL, &moved, NULL, NULL);
    reciprocal(m, &odd, EITHER);
}

static void sums(void **state)
{
    struct chain *m = *state;
    static const struct {
        double a[2], b[2], want;
    } rows[] = {
        {{0, 0}, {1, 1}, INFINITY},
        {{0, 0}, {-1, -1}, EITHER},
        {{0, 0}, {-1, 1}, INFINITY},
        {{2, 1}, {1, -2}, INFINITY}, /* 2 - 2 */
    };
    const int64_t row[] = {1, 2}, column[] = {2, 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_value a = chain_vector(m, QD_F32, 2, row, rows[i].a),
                        b = chain_vector(m, QD_F32, 2, column, rows[i].b),
                        y = chain_apply(m, "MatMul", NULL, &a, &b, NULL);
        reciprocal(m, &y, rows[i].want);
    }
}

/* Summed as floats 0·2 + 0·2 is +0; summed as integers it is 0 times a negative combined scale, -0. */
static void fused_sums(void **state)
{
    struct chain *m = *state;
    const int64_t row[] = {1, 2}, column[] = {2, 1};
    const double codes[] = {3, 3}, ones[] = {1, 1};
    for (int sign = -1; sign <= 1; sign += 2) {
        struct qd_value q = chain_vector(m, QD_U8, 2, row, codes),
                        s = chain_scalar(m, QD_F32, sign * 0.5), z = chain_scalar(m, QD_U8, 3),
                        w = chain_vector(m, QD_S8, 2, column, ones), zw = chain_scalar(m, QD_S8, 0),
                        x = chain_apply(m, "DequantizeLinear", NULL, &q, &s, &z),
                        f = chain_apply(m, "DequantizeLinear", NULL, &w, &s, &zw),
                        y = chain_apply(m, "MatMul", NULL, &x, &f, NULL);
        reciprocal(m, &y, sign < 0 ? EITHER : INFINITY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dequantize, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(one_operand, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(two_operands, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(open_zeros, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(sums, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(fused_sums, chain_begin, chain_end),
    };
    return cmocka_run_group_tests_name("signed zeros", tests, NULL, NULL);
}
