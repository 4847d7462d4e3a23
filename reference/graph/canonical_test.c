/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical value of chains of operators: the exact real composition, in which each rounding that a node asks for
 * is done once and no other.
 *
 * Expected values: fractions, by hand. 0.1 in float32 is 13421773·2^-27. Alone:
 * <build>/tests/reference/graph/canonical_test */
#include <math.h>

#include "graph/chain_testlib.h"

static struct qd_value two(struct chain *m, const char *op, struct qd_value a, struct qd_value b)
{
    return chain_apply(m, op, NULL, &a, &b, NULL);
}

static struct qd_value cast(struct chain *m, struct qd_value x, int64_t to)
{
    struct qd_attr attr = {.name = "to", .kind = QD_ATTR_INT, .i = to};
    return chain_apply(m, "Cast", &attr, &x, NULL, NULL);
}

static struct qd_value dequantized(struct chain *m, double code, double scale)
{
    struct qd_value q = chain_scalar(m, QD_U8, code), s = chain_scalar(m, QD_F32, scale);
    return chain_apply(m, "DequantizeLinear", NULL, &q, &s, NULL);
}

static struct qd_value quantized(struct chain *m, struct qd_value x, double scale,
                                 double zero_point)
{
    struct qd_value s = chain_scalar(m, QD_F32, scale), z = chain_scalar(m, QD_U8, zero_point);
    return chain_apply(m, "QuantizeLinear", NULL, &x, &s, &z);
}

/* The element has this canonical value, and `other` is admissible; or, with `other` NaN, nothing else is. */
static void is(const struct qd_value *y, double want, double other)
{
    struct qd_observation seen = qd_value_observe(y, 0);
    assert_true(seen.canonical);
    assert_true(qd_tensor_value(&y->want, 0) == want);
    assert_true(qd_observation_admits(&seen, want));
    assert_int_equal(seen.lo < seen.hi, !isnan(other));
    if (!isnan(other))
        assert_true(qd_observation_admits(&seen, other));
}

/* 3 · 0.1 is 40265319·2^-27, in float32 40265320·2^-27. Less the latter,
 * in steps of 2^-27: -1; the float path has 0. */
static void difference_of_what_a_kernel_rounds(void **state)
{
    struct chain *m = *state;
    struct qd_value x = dequantized(m, 3, 0.1F), c = chain_scalar(m, QD_F32, 40265320 * 0x1p-27);
    struct qd_value y = two(m, "Sub", x, c), q = quantized(m, y, 0x1p-27, 100);
    is(&y, -0x1p-27, 0);
    is(&q, 99, 100);
    assert_true(q.real[0] == -1);
}

/* (21 · 0.1)² by 0.1 is 441 · 13421773·2^-27 = 44.1000006…, whatever is rounded between: 44. And 5 · 0.1 by 2 · 0.1 is
 * a tie although the scales are no powers of two: 2.5, to even 2. */
static void ties_of_rough_scales(void **state)
{
    struct chain *m = *state;
    struct qd_value a = dequantized(m, 21, 0.1F), product = two(m, "Mul", a, a);
    struct qd_value y = quantized(m, product, 0.1F, 0);
    is(&y, 44, NAN);
    struct qd_value one = chain_scalar(m, QD_F32, 1),
                    five = two(m, "Mul", dequantized(m, 5, 0.1F), one);
    struct qd_value tie = quantized(m, five, 2 * (double)0.1F, 7);
    assert_true(qd_value_flags(&tie, 0) & QD_TIE);
    assert_int_equal(qd_tensor_get(&tie.want, 0), 9);
    assert_true(qd_value_observe(&tie, 0).canonical);
}

/* 1 + 2^-11 + 2^-30: in float32 1 + 2^-11, for float16 a tie, to even 1.
 * Rounded once it lies above the tie: 1 + 2^-10. */
static void cast_rounds_once(void **state)
{
    struct chain *m = *state;
    enum { FLOAT = 1, FLOAT16 = 10 };
    struct qd_value x =
        two(m, "Add", chain_scalar(m, QD_F32, 1 + 0x1p-11), chain_scalar(m, QD_F32, 0x1p-30));
    struct qd_value half = cast(m, x, FLOAT16), back = cast(m, half, FLOAT);
    struct qd_value y = two(m, "Sub", back, chain_scalar(m, QD_F32, 1)),
                    q = quantized(m, y, 0x1p-10, 5);
    is(&x, 1 + 0x1p-11, NAN);
    is(&half, 1 + 0x1p-10, 1);
    is(&q, 6, 5);
}

/* 1.5 to a code, to even 2, and back: 2 + 1 = 3; the pair left out, 2.5, to even 2. */
static void pair_rounds(void **state)
{
    struct chain *m = *state;
    struct qd_value q = quantized(m, dequantized(m, 3, 0.5), 1, 0),
                    one = chain_scalar(m, QD_F32, 1);
    struct qd_value s = chain_scalar(m, QD_F32, 1),
                    back = chain_apply(m, "DequantizeLinear", NULL, &q, &s, NULL);
    struct qd_value y = quantized(m, two(m, "Add", back, one), 1, 0);
    is(&q, 2, NAN);
    is(&y, 3, NAN);
}

/* 1 + 2^-24 + 2^-24: the second and third first, 1 + 2^-23; from the left
 * each is lost, 1. Then the maximum and a copy. */
static void sum_of_three(void **state)
{
    struct chain *m = *state;
    const int64_t row[] = {1, 3}, column[] = {3, 1};
    const double a[] = {1, 0x1p-24, 0x1p-24}, ones[] = {1, 1, 1};
    struct qd_value y = two(m, "MatMul", chain_vector(m, QD_F32, 2, row, a),
                            chain_vector(m, QD_F32, 2, column, ones));
    is(&y, 1 + 0x1p-23, 1);
    struct qd_value relu = chain_apply(m, "Relu", NULL, &y, NULL, NULL),
                    copy = chain_apply(m, "Identity", NULL, &relu, NULL, NULL),
                    most = chain_apply(m, "ReduceMax", NULL, &copy, NULL, NULL);
    is(&most, 1 + 0x1p-23, 1);
    struct qd_value less = two(m, "Sub", most, chain_scalar(m, QD_F32, 1)),
                    q = quantized(m, less, 0x1p-24, 3);
    is(&q, 5, 3);
}

/* The same through operators that choose and move: 3 · 0.1 of -3 · 0.1, 0 and 3 · 0.1. */
static void moved(void **state)
{
    struct chain *m = *state;
    const int64_t three = 3;
    const double codes[] = {125, 128, 131};
    struct qd_value q = chain_vector(m, QD_U8, 1, &three, codes), s = chain_scalar(m, QD_F32, 0.1F),
                    z = chain_scalar(m, QD_U8, 128),
                    x = chain_apply(m, "DequantizeLinear", NULL, &q, &s, &z);
    struct qd_value copy = chain_apply(m, "Transpose", NULL, &x, NULL, NULL),
                    most = chain_apply(m, "ReduceMax", NULL, &copy, NULL, NULL),
                    clipped = chain_apply(m, "Clip", NULL, &most, NULL, NULL),
                    same = chain_apply(m, "Identity", NULL, &clipped, NULL, NULL);
    struct qd_value y = two(m, "Sub", same, chain_scalar(m, QD_F32, 40265320 * 0x1p-27)),
                    code = quantized(m, y, 0x1p-27, 100);
    assert_int_equal(qd_tensor_get(&code.want, 0), 99);
    is(&y, -0x1p-27, 0);
}

/* 1/3 · 3 · ½ is a tie that two doubles around 1/3 do not show: 0 and 1 are right, and none is called canonical. */
static void not_decided(void **state)
{
    struct chain *m = *state;
    struct qd_value third = two(m, "Div", chain_scalar(m, QD_F32, 1), chain_scalar(m, QD_F32, 3));
    struct qd_value y = quantized(m, two(m, "Mul", third, chain_scalar(m, QD_F32, 3)), 2, 0);
    struct qd_observation seen = qd_value_observe(&y, 0);
    assert_false(seen.canonical);
    assert_true(qd_observation_admits(&seen, 0) && qd_observation_admits(&seen, 1));
    /* rounded to float32 it is 1/3 + 2^-25/3: 11184811·2^-25 */
    is(&third, 11184811 * 0x1p-25, NAN);
}

/* 1/3 · 3 − 1 is 0, and a kernel that rounds the third may have a number on either side of it: 1/x of that is any
 * number or infinity, and never NaN. */
static void reciprocal_around_zero(void **state)
{
    struct chain *m = *state;
    struct qd_value third = two(m, "Div", chain_scalar(m, QD_F32, 1), chain_scalar(m, QD_F32, 3)),
                    one = two(m, "Mul", third, chain_scalar(m, QD_F32, 3)),
                    x = two(m, "Sub", one, chain_scalar(m, QD_F32, 1)),
                    y = chain_apply(m, "Reciprocal", NULL, &x, NULL, NULL);
    struct qd_observation zero = qd_value_observe(&x, 0), seen = qd_value_observe(&y, 0);
    assert_true(zero.lo < 0 && zero.hi > 0);
    assert_false(seen.canonical);
    assert_false(qd_observation_admits(&seen, NAN));
    assert_true(qd_observation_admits(&seen, INFINITY) && qd_observation_admits(&seen, -INFINITY));
    assert_true(qd_observation_admits(&seen, 0x1p100) && qd_observation_admits(&seen, -0x1p100));
}

/* -33601 * 2^113 is beyond float32: a kernel that stores it has an infinity, the softmax of which is NaN. Next to a
 * finite number it is 0 either way. */
static void softmax_of_what_may_overflow(void **state)
{
    struct chain *m = *state;
    const int64_t one = 1, two = 2;
    const double codes[] = {-33601, 0};
    struct qd_value scale = chain_scalar(m, QD_F32, 0x1p113);
    struct qd_value q = chain_vector(m, QD_S32, 1, &one, codes),
                    x = chain_apply(m, "DequantizeLinear", NULL, &q, &scale, NULL),
                    y = chain_apply(m, "Softmax", NULL, &x, NULL, NULL);
    assert_true(qd_value_observe(&y, 0).unspecified);
    q = chain_vector(m, QD_S32, 1, &two, codes);
    x = chain_apply(m, "DequantizeLinear", NULL, &q, &scale, NULL);
    y = chain_apply(m, "Softmax", NULL, &x, NULL, NULL);
    struct qd_observation seen[] = {qd_value_observe(&y, 0), qd_value_observe(&y, 1)};
    assert_true(qd_observation_admits(&seen[0], 0) && !qd_observation_admits(&seen[0], 1));
    assert_true(qd_observation_admits(&seen[1], 1) && !qd_observation_admits(&seen[1], NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(difference_of_what_a_kernel_rounds, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(ties_of_rough_scales, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(cast_rounds_once, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(pair_rounds, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(sum_of_three, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(moved, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(not_decided, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(reciprocal_around_zero, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(softmax_of_what_may_overflow, chain_begin, chain_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
