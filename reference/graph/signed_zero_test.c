/* SPDX-License-Identifier: Apache-2.0 */
/* The signs of zeros inside graphs: what 1/x tells of a zero that an operator gives.
 *
 * Expected values: IEEE 754-2019, 6.3 (the sign of a product is the exclusive or of the operands'
 * signs; a sum of 0 is +0 in roundTiesToEven unless all terms are -0), 7.3 (1/0 is an infinity of
 * the zero's sign), 9.2.1 (tanh is odd); max(0, -0) is either zero (9.6). Alone:
 * <build>/tests/reference/graph/signed_zero_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"

#define EITHER NAN /* both infinities, nothing else */

struct machine {
    struct qd_arena arena;
    struct qd_error error;
    struct qd_semantics semantics;
};

static struct qd_value vector(struct machine *m, enum qd_dtype dtype, unsigned rank,
                              const int64_t *dims, const double *numbers)
{
    struct qd_value v;
    assert_int_equal(qd_value_init(&v, &m->arena, dtype, rank, dims, &m->error), QD_OK);
    for (int64_t i = 0; i < v.want.count; i++)
        qd_tensor_set(&v.want, i,
                      qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, numbers[i], false)
                                               : (int64_t)numbers[i]);
    return v;
}

static struct qd_value scalar(struct machine *m, enum qd_dtype dtype, double number)
{
    return vector(m, dtype, 0, NULL, &number);
}

static struct qd_value apply(struct machine *m, const char *op, const struct qd_attr *attrs,
                             size_t attr_count, const struct qd_value *a, const struct qd_value *b,
                             const struct qd_value *c)
{
    struct qd_evaluation evaluation = {&m->semantics, &m->arena, &m->error, false, NULL};
    struct qd_node node = {.name = "",
                           .domain = "",
                           .op_type = op,
                           .opset = 13,
                           .op = qd_op_find("", op),
                           .attrs = (struct qd_attr *)(uintptr_t)attrs,
                           .attr_count = attr_count};
    const struct qd_value *in[QD_MAX_OPERANDS] = {a, b, c};
    struct qd_value out[QD_MAX_OPERANDS];
    assert_non_null(node.op);
    enum qd_status status = node.op->evaluate(&evaluation, &node, in, out);
    if (status != QD_OK)
        fail_msg("%s: %s", op, m->error.text);
    return out[0];
}

/* 1/x is the infinity `want`, or either. */
static void reciprocal(struct machine *m, const struct qd_value *x, double want)
{
    struct qd_value one = scalar(m, x->want.dtype, 1), y = apply(m, "Div", NULL, 0, &one, x, NULL);
    struct qd_observation seen = qd_value_observe(&y, 0);
    assert_false(seen.unspecified);
    assert_false(qd_observation_admits(&seen, NAN));
    assert_false(qd_observation_admits(&seen, 1));
    assert_int_equal(qd_observation_admits(&seen, INFINITY), isnan(want) || want > 0);
    assert_int_equal(qd_observation_admits(&seen, -INFINITY), isnan(want) || want < 0);
}

static void begin(struct machine *m)
{
    memset(m, 0, sizeof *m);
    qd_arena_init(&m->arena, QD_ARENA_DEFAULT_BUDGET);
}

static struct qd_value dequantized(struct machine *m, double code, double scale, double zero)
{
    struct qd_value q = scalar(m, QD_U8, code), s = scalar(m, QD_F32, scale),
                    z = scalar(m, QD_U8, zero);
    return apply(m, "DequantizeLinear", NULL, 0, &q, &s, &z);
}

static void dequantize(void **state)
{
    (void)state;
    struct machine m;
    begin(&m);
    struct qd_value minus = dequantized(&m, 7, -0.5, 7), plus = dequantized(&m, 7, 0.5, 7);
    reciprocal(&m, &minus, -INFINITY);
    reciprocal(&m, &plus, INFINITY);
    qd_arena_clear(&m.arena);
}

static void one_operand(void **state)
{
    (void)state;
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
    struct machine m;
    begin(&m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t one = 1;
        struct qd_value x = vector(&m, QD_F32, 1, &one, &rows[i].x),
                        y = apply(&m, rows[i].op, NULL, 0, &x, NULL, NULL);
        reciprocal(&m, &y, rows[i].want);
    }
    qd_arena_clear(&m.arena);
}

static void two_operands(void **state)
{
    (void)state;
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
    struct machine m;
    begin(&m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_value a = scalar(&m, QD_F32, rows[i].a), b = scalar(&m, QD_F32, rows[i].b),
                        y = apply(&m, rows[i].op, NULL, 0, &a, &b, NULL);
        reciprocal(&m, &y, rows[i].want);
    }
    qd_arena_clear(&m.arena);
}

/* A zero of either sign stays one where the sign is handed on, and not where it is decided. */
static void open_zeros(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        double b, want;
    } rows[] = {
        {"Add", 0.0, INFINITY}, {"Add", -0.0, EITHER}, {"Sub", -0.0, INFINITY},
        {"Sub", 0.0, EITHER},   {"Mul", 5.0, EITHER},  {"Div", 5.0, EITHER},
    };
    struct machine m;
    begin(&m);
    struct qd_value minus = scalar(&m, QD_F32, -0.0),
                    open = apply(&m, "Relu", NULL, 0, &minus, NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_value b = scalar(&m, QD_F32, rows[i].b),
                        y = apply(&m, rows[i].op, NULL, 0, &open, &b, NULL);
        reciprocal(&m, &y, rows[i].want);
    }
    struct qd_value moved = apply(&m, "Identity", NULL, 0, &open, NULL, NULL),
                    odd = apply(&m, "Tanh", NULL, 0, &moved, NULL, NULL);
    reciprocal(&m, &odd, EITHER);
    qd_arena_clear(&m.arena);
}

static void sums(void **state)
{
    (void)state;
    static const struct {
        double a[2], b[2], want;
    } rows[] = {
        {{0, 0}, {1, 1}, INFINITY},
        {{0, 0}, {-1, -1}, EITHER},
        {{0, 0}, {-1, 1}, INFINITY},
        {{2, 1}, {1, -2}, INFINITY}, /* 2 - 2 */
    };
    const int64_t row[] = {1, 2}, column[] = {2, 1};
    struct machine m;
    begin(&m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_value a = vector(&m, QD_F32, 2, row, rows[i].a),
                        b = vector(&m, QD_F32, 2, column, rows[i].b),
                        y = apply(&m, "MatMul", NULL, 0, &a, &b, NULL);
        reciprocal(&m, &y, rows[i].want);
    }
    qd_arena_clear(&m.arena);
}

/* Summed as floats 0·2 + 0·2 is +0; summed as integers it is 0 times a negative combined scale, -0. */
static void fused_sums(void **state)
{
    (void)state;
    const int64_t row[] = {1, 2}, column[] = {2, 1};
    const double codes[] = {3, 3}, ones[] = {1, 1};
    struct machine m;
    begin(&m);
    for (int sign = -1; sign <= 1; sign += 2) {
        struct qd_value q = vector(&m, QD_U8, 2, row, codes), s = scalar(&m, QD_F32, sign * 0.5),
                        z = scalar(&m, QD_U8, 3), w = vector(&m, QD_S8, 2, column, ones),
                        zw = scalar(&m, QD_S8, 0),
                        x = apply(&m, "DequantizeLinear", NULL, 0, &q, &s, &z),
                        f = apply(&m, "DequantizeLinear", NULL, 0, &w, &s, &zw),
                        y = apply(&m, "MatMul", NULL, 0, &x, &f, NULL);
        reciprocal(&m, &y, sign < 0 ? EITHER : INFINITY);
    }
    qd_arena_clear(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dequantize), cmocka_unit_test(one_operand), cmocka_unit_test(two_operands),
        cmocka_unit_test(open_zeros), cmocka_unit_test(sums),        cmocka_unit_test(fused_sums),
    };
    return cmocka_run_group_tests_name("signed zeros", tests, NULL, NULL);
}
