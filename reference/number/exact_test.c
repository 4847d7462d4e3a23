/* SPDX-License-Identifier: Apache-2.0 */
/* Exact arithmetic against two other computations: 128-bit integers by definition, and the
 * machine's own directed rounding. Alone: <build>/tests/reference/number/exact_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "qdiff/exact.h"
#include "qdiff/fixed_point.h"

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A finite float32 of any exponent, or near 1 half of the time. */
static double any_float(uint64_t *state)
{
    for (;;) {
        uint32_t bits = (uint32_t)next(state);
        if (next(state) & 1)
            bits = (bits & 0x807fffffu) | (uint32_t)(117 + next(state) % 20) << 23;
        float f;
        memcpy(&f, &bits, sizeof f);
        if (isfinite(f))
            return (double)f;
    }
}

static int64_t half_even_by_definition(int64_t n, int64_t d)
{
    int64_t floor = n / d - (n % d < 0);
    int64_t twice = 2 * (n - floor * d);
    if (twice != d)
        return floor + (twice > d);
    return floor + (floor % 2 != 0);
}

static void rounds_small_rationals(void **state)
{
    (void)state;
    static const struct {
        enum qd_rounding rounding;
        int64_t want[4]; /* of −5/2, −3/2, 3/2, 5/2 */
    } rows[] = {
        {QD_ROUND_HALF_EVEN, {-2, -2, 2, 2}}, {QD_ROUND_HALF_AWAY, {-3, -2, 2, 3}},
        {QD_ROUND_HALF_UP, {-2, -1, 2, 3}},   {QD_ROUND_HALF_TO_ZERO, {-2, -1, 1, 2}},
        {QD_ROUND_TRUNCATE, {-2, -1, 1, 2}},  {QD_ROUND_FLOOR, {-3, -2, 1, 2}},
        {QD_ROUND_CEIL, {-2, -1, 2, 3}},
    };
    static const double numbers[] = {-2.5, -1.5, 1.5, 2.5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < 4; j++)
            assert_int_equal(
                qd_ratio_round(qd_ratio_of_double(numbers[j]), rows[i].rounding, false).value,
                rows[i].want[j]);
    for (int64_t n = -700; n <= 700; n++)
        for (int64_t d = 1; d <= 64; d++) {
            struct qd_ratio r = qd_ratio_divide(qd_ratio_of_integer(n), qd_ratio_of_integer(d));
            struct qd_rounded have = qd_ratio_round(r, QD_ROUND_HALF_EVEN, false);
            assert_int_equal(have.value, half_even_by_definition(n, d));
            assert_int_equal(have.tie, (2 * n) % d == 0 && (2 * n / d) % 2 != 0);
            /* rne(n/d + 7) − 7 */
            assert_int_equal(qd_ratio_round(r, QD_ROUND_HALF_EVEN, true).value,
                             half_even_by_definition(n + 7 * d, d) - 7);
        }
}

static void saturates_and_keeps_tiny_parts(void **state)
{
    (void)state;
    struct qd_ratio huge =
        qd_ratio_divide(qd_ratio_of_double(0x1p120), qd_ratio_of_double(0x1p-140));
    assert_int_equal(qd_ratio_round(huge, QD_ROUND_HALF_EVEN, false).value, QD_ROUND_LIMIT);
    huge.negative = true;
    assert_int_equal(qd_ratio_round(huge, QD_ROUND_FLOOR, false).value, -QD_ROUND_LIMIT);
    struct qd_ratio tiny =
        qd_ratio_divide(qd_ratio_of_double(0x1p-149), qd_ratio_of_double(0x1p127));
    assert_int_equal(qd_ratio_round(tiny, QD_ROUND_HALF_EVEN, false).value, 0);
    assert_int_equal(qd_ratio_round(tiny, QD_ROUND_CEIL, false).value, 1);
    assert_true(qd_ratio_to_float(tiny, QD_F32, QD_TO_PLUS_INFINITY) == 0x1p-149);
    assert_true(qd_ratio_to_float(tiny, QD_F32, QD_TO_MINUS_INFINITY) == 0);
    tiny.negative = true;
    assert_int_equal(qd_ratio_round(tiny, QD_ROUND_FLOOR, false).value, -1);
}

/* `near` must be true whenever moving the number by 2^−20 of itself changes its rounding. */
static void near_is_never_missed(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int found = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t k = (int64_t)(next(&seed) % 400) - 200;
        double x = (double)k + 0.5 + ldexp((double)(int64_t)(next(&seed) % 2001) - 1000.0, -24);
        struct qd_rounded r = qd_ratio_round(qd_ratio_of_double(x), QD_ROUND_HALF_EVEN, false);
        struct qd_rounded up =
            qd_ratio_round(qd_ratio_of_double(x + fabs(x) * 0x1p-20), QD_ROUND_HALF_EVEN, false);
        struct qd_rounded down =
            qd_ratio_round(qd_ratio_of_double(x - fabs(x) * 0x1p-20), QD_ROUND_HALF_EVEN, false);
        bool changes = up.value != r.value || down.value != r.value;
        assert_true(!changes || r.near);
        found += changes;
    }
    assert_true(found > 1000);
}

/* Quotients of all sizes, a third of them next to a half-integer, against whole numbers. */
static void rounds_and_is_near_by_definition(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int found = 0;
    for (int i = 0; i < 300000; i++) {
        int64_t d = 1 + (int64_t)(next(&seed) % 4096);
        int64_t n = (int64_t)(next(&seed) >> (15 + next(&seed) % 49));
        if (i % 3 == 0)
            n = d * (n / d) + d / 2 + (int64_t)(next(&seed) % 5) - 2;
        int64_t rest = n % d, twice = llabs(2 * rest - d);
        if (n < 0 || n / d >= QD_ROUND_LIMIT)
            continue;
        struct qd_ratio r = qd_ratio_divide(qd_ratio_of_integer(n), qd_ratio_of_integer(d));
        struct qd_rounded have = qd_ratio_round(r, QD_ROUND_HALF_EVEN, false);
        assert_int_equal(have.value, half_even_by_definition(n, d));
        assert_int_equal(have.tie, twice == 0);
        assert_int_equal(have.near, twice <= n >> 18);
        r.negative = true;
        assert_int_equal(qd_ratio_round(r, QD_ROUND_HALF_AWAY, false).value,
                         -(n / d) - (2 * rest >= d));
        found += have.near;
    }
    assert_true(found > 10000);
}

static void agrees_with_the_machine(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD};
    static const enum qd_direction directions[] = {QD_NEAREST_EVEN, QD_TO_MINUS_INFINITY,
                                                   QD_TO_PLUS_INFINITY};
    uint64_t seed = 2;
    for (int i = 0; i < 300000; i++) {
        double a = any_float(&seed), b = any_float(&seed);
        struct qd_ratio ra = qd_ratio_of_double(a), rb = qd_ratio_of_double(b);
        for (int m = 0; m < 3; m++) {
            fesetround(modes[m]);
            volatile float fa = (float)a, fb = (float)b;
            volatile float product = fa * fb, quotient = fa / fb;
            volatile double da = a, db = b;
            volatile double dq = da / db;
            fesetround(FE_TONEAREST);
            if (b == 0)
                continue;
            assert_true(qd_float_multiply(QD_F32, directions[m], a, b) == (double)product);
            assert_true(qd_float_divide(QD_F32, directions[m], a, b) == (double)quotient);
            assert_true(qd_ratio_to_float(qd_ratio_multiply(ra, rb), QD_F32, directions[m]) ==
                        (double)product);
            assert_true(qd_ratio_to_float(qd_ratio_divide(ra, rb), QD_F32, directions[m]) ==
                        (double)quotient);
            assert_true(qd_float_divide(QD_F64, directions[m], a, b) == dq);
        }
    }
}

/* TensorFlow issue 25087: 7984 · 1583594044/2^31 / 2^9 = 11.499…: single rounding 11, double
 * rounding 12. */
static void fixed_point_as_published(void **state)
{
    (void)state;
    struct qd_multiplier m = {1583594044, -9};
    assert_int_equal(qd_multiply_double(7984, m), 12);
    assert_int_equal(qd_multiply_single(7984, m), 11);
    assert_int_equal(qd_multiplier_of(0.5).mantissa, 1 << 30);
    assert_int_equal(qd_multiplier_of(0.5).shift, 0);
    assert_int_equal(qd_multiply_single(3, qd_multiplier_of(0.5)), 2);
    assert_int_equal(qd_multiply_single(-3, qd_multiplier_of(0.5)), -1);
    assert_int_equal(qd_multiply_double(-3, qd_multiplier_of(0.5)), -1);
    assert_int_equal(qd_multiply_double(-6, qd_multiplier_of(0.25)), -2);
    assert_int_equal(qd_multiply_double_up(-6, qd_multiplier_of(0.25)), -1);
    assert_int_equal(qd_multiply_double_up(7984, m), 12);
    /* 2.5 and 4.5 go to even; 2^32 keeps no bit, a shift by 64 is none, and no scale is none. */
    assert_int_equal(qd_multiply_masked(-3, 1024), -3072);
    assert_int_equal(qd_multiply_masked(5, 0.5F), 2);
    assert_int_equal(qd_multiply_masked(3, 1.5F), 4);
    assert_int_equal(qd_multiply_masked(1, 0x1p32F), 0);
    assert_int_equal(qd_multiply_masked(7, 0x1p64F), 7);
    assert_int_equal(qd_multiply_masked(-7, 0), -7);
    assert_int_equal(qd_multiply_masked(0, 0x1p-64F), 0);
    /* In lanes 2^32 and 2^64 keep no bit. By 32 to the right: 7 - 2^31 + (0 - 1), of which the sign is left, and the
     * sign of 7. 1.5 * 2^-33 is 0, and of 1.5 * 2^33 the product is shifted by -3, which is no shift that there is. */
    assert_int_equal(qd_multiply_in_lanes(5, 0.5F), 2);
    assert_int_equal(qd_multiply_in_lanes(-3, 1.5F), -4);
    assert_int_equal(qd_multiply_in_lanes(1, 0x1p32F), 0);
    assert_int_equal(qd_multiply_in_lanes(7, 0x1p64F), 0);
    assert_int_equal(qd_multiply_in_lanes(7, 0x1p-32F), -1);
    assert_int_equal(qd_multiply_in_lanes(-7, 0x1p-32F), 1);
    assert_int_equal(qd_multiply_in_lanes(7, 0x1.8p-33F), 0);
    assert_int_equal(qd_multiply_in_lanes(7, 0x1.8p33F), 0);
    assert_int_equal(qd_multiply_in_lanes(0, 0x1.8p30F), -1);
    assert_int_equal(qd_multiply_in_lanes(0, 0x1p-32F), 0);
    assert_int_equal(qd_multiply_in_lanes(100, 0x1p-33F), 0);
    assert_int_equal(qd_multiply_double(100, qd_multiplier_of(1.5)), 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_small_rationals),
        cmocka_unit_test(saturates_and_keeps_tiny_parts),
        cmocka_unit_test(near_is_never_missed),
        cmocka_unit_test(rounds_and_is_near_by_definition),
        cmocka_unit_test(agrees_with_the_machine),
        cmocka_unit_test(fixed_point_as_published),
    };
    return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
