/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points of observed ranges: numbers worked out by hand, and properties that hold
 * for all. Alone: <build>/tests/reference/quantize/observed_range_test */
#include "qdiff/observed_range.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct qd_observed_rule u8 = {QD_OBSERVED_ASYMMETRIC, 0, 255, QD_F32, 0};
static const struct qd_observed_rule s8 = {QD_OBSERVED_SYMMETRIC, -127, 127, QD_F32, 0};
static const struct qd_observed_rule snapped = {QD_OBSERVED_RESTRICTED, 0, 255, QD_F32, 0};

static struct qd_observed_parameters choose(double rmin, double rmax,
                                            const struct qd_observed_rule *rule)
{
    struct qd_observed_parameters p;
    struct qd_error error;
    if (qd_observed_to_parameters(rmin, rmax, rule, &p, &error) != QD_OK)
        fail_msg("%s", error.text);
    return p;
}

static void expect(double rmin, double rmax, const struct qd_observed_rule *rule, float scale,
                   int64_t zero_point)
{
    struct qd_observed_parameters p = choose(rmin, rmax, rule);
    if (!(p.scale.lo <= scale && scale <= p.scale.hi) ||
        p.scale.hi - p.scale.lo > 4 * 0x1p-24 * scale || p.zero_point_lo != zero_point ||
        p.zero_point_hi != zero_point)
        fail_msg("[%g, %g]: scale %.9g to %.9g, want %.9g; zero point %d to %d, want %d", rmin,
                 rmax, p.scale.lo, p.scale.hi, (double)scale, (int)p.zero_point_lo,
                 (int)p.zero_point_hi, (int)zero_point);
}

static void test_by_hand(void **state)
{
    (void)state;
    expect(-1, 3, &u8, 4 / 255.0F, 64); /* 1 / (4/255) = 63.75 */
    expect(2, 3, &u8, 3 / 255.0F, 0);   /* widened to 0 */
    expect(-3, -2, &u8, 3 / 255.0F, 255);
    expect(-2, 1, &s8, 2 / 127.0F, 0);
    /* onnxruntime PR #28237: [-.1, 6], [0, 6] and [-6, 0] */
    expect((double)-0.1F, 6, &snapped, 6 / 127.0F, 128);
    expect(0, 6, &snapped, 6 / 255.0F, 0);
    expect(-6, 0, &snapped, 6 / 128.0F, 128);
    static const struct qd_observed_rule full = {QD_OBSERVED_SYMMETRIC, 0, 255, QD_F32, 0};
    expect(-2, 1, &full, 4 / 255.0F, 128);
}

/* A scale is no less than the floor, and the zero point is that of the scale which is used. */
static void test_floor(void **state)
{
    (void)state;
    static const struct qd_observed_rule floored = {QD_OBSERVED_ASYMMETRIC, -128, 127, QD_F32,
                                                    0x1p-12};
    static const struct qd_observed_rule weights = {QD_OBSERVED_SYMMETRIC, -127, 127, QD_F32,
                                                    0x1p-12};
    expect(-1e-20, 2e-20, &floored, 0x1p-12F, -128); /* -128 + 4e-17 */
    expect(-0.01, 0.02, &floored, 0x1p-12F, -87);    /* .03/255 is less; -128 + 40.96 */
    expect(-0x1p-142, 0x1p-140, &floored, 0x1p-12F, -128);
    expect(-1, 3, &floored, 4 / 255.0F, -64);
    expect(-0.01, 0.005, &weights, 0x1p-12F, 0);
    expect(-2, 1, &weights, 2 / 127.0F, 0);
    assert_false(choose(-1e-41, 2e-41, &floored).tiny);
    assert_true(choose(-1e-41, 2e-41, &u8).tiny);
}

/* (qmin − rmin/s) at an exact half: either neighbour, as the scale is rounded. */
static void test_a_half_has_two_zero_points(void **state)
{
    (void)state;
    struct qd_observed_parameters p = choose(-0.5, 254.5, &u8);
    assert_true(p.scale.lo == 1 && p.scale.hi == 1);
    assert_int_equal(p.zero_point_lo, 0);         /* 0.5 to even */
    p = choose((double)-0.3F, (double)0.3F, &u8); /* 127.5 but for the rounding of the scale */
    assert_int_equal(p.zero_point_lo, 127);
    assert_int_equal(p.zero_point_hi, 128);
}

static void test_what_is_no_range(void **state)
{
    (void)state;
    static const double bad[][2] = {{2, 1}, {NAN, 1}, {0, NAN}, {-INFINITY, 0}, {0, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct qd_observed_parameters p;
        struct qd_error error;
        assert_int_equal(qd_observed_to_parameters(bad[i][0], bad[i][1], &u8, &p, &error),
                         QD_INVALID);
    }
    assert_true(choose(0, 0, &u8).tiny);
}

/* Numbers that a type holds are not lost because their scale is subnormal in it; what a processor may flush is. */
static void test_small_ranges(void **state)
{
    (void)state;
    static const struct qd_observed_rule half = {QD_OBSERVED_SYMMETRIC, -127, 127, QD_F16, 0};
    static const struct qd_observed_rule half_u8 = {QD_OBSERVED_ASYMMETRIC, 0, 255, QD_F16, 0};
    struct qd_observed_parameters p = choose(-0x1p-10, 0x1p-11, &half);
    assert_false(p.tiny); /* 2^-10/127 = 129.008 * 2^-24 */
    assert_true(p.scale.lo == 129 * 0x1p-24 && p.scale.hi == 129 * 0x1p-24);
    p = choose(-0x1p-20, 0x1p-20, &half); /* 2^-20/127 = 0.126 * 2^-24: the least there is */
    assert_false(p.tiny);
    assert_true(p.scale.lo == 0x1p-24 && p.scale.hi == 0x1p-24);
    p = choose(-0x1p-20, 0x1p-20, &half_u8); /* 16 steps below 0 */
    assert_true(p.scale.lo == 0x1p-24 && p.scale.hi == 0x1p-24);
    assert_true(p.zero_point_lo == 16 && p.zero_point_hi == 16);
    p = choose(0, 255 * 0x1p-127, &u8); /* normal numbers in float32 */
    assert_false(p.tiny);
    assert_true(p.scale.lo == 0x1p-127 && p.scale.hi == 0x1p-127);
    p = choose(0, 255 * 0x1p-140, &u8);
    assert_true(p.tiny);
    assert_true(p.scale.lo == 0x1p-140 && p.scale.hi == 0x1p-140);
}

static float draw(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    float sign = *state & 0x10000 ? -1 : 1;
    return sign * ldexpf((float)(*state >> 8), (int)(*state >> 20 & 15) - 30);
}

/* Whatever float32 and float64 arithmetic of a tool gives lies inside, and no range is lost. */
static void test_random_ranges(void **state)
{
    (void)state;
    unsigned random = 1;
    for (int i = 0; i < 20000; i++) {
        float a = draw(&random), b = draw(&random);
        float rmin = fminf(fminf(a, b), 0), rmax = fmaxf(fmaxf(a, b), 0);
        struct qd_observed_parameters p = choose((double)fminf(a, b), (double)fmaxf(a, b), &u8);
        float in_f32 = (rmax - rmin) / 255.0F;
        float in_f64 = (float)(((double)rmax - (double)rmin) / 255);
        assert_true(p.scale.lo <= in_f32 && in_f32 <= p.scale.hi);
        assert_true(p.scale.lo <= in_f64 && in_f64 <= p.scale.hi);
        float z32 = nearbyintf(0 - rmin / in_f32);
        double z64 = nearbyint(0 - (double)rmin / (((double)rmax - (double)rmin) / 255));
        assert_true(p.zero_point_lo <= z32 && z32 <= p.zero_point_hi);
        assert_true(p.zero_point_lo <= z64 && z64 <= p.zero_point_hi);
        assert_true(qd_observed_is_covered(rmin, rmax, p.scale.lo, p.zero_point_lo, &u8, 0x1p-15));
        p = choose(rmin, rmax, &snapped);
        assert_true(qd_observed_is_unclipped(rmin, rmax, p.scale.lo, p.zero_point_lo, &snapped));
    }
}

static void test_coverage_sees_what_is_lost(void **state)
{
    (void)state;
    /* a range not widened to 0, a truncated zero point, a scale not made larger by snapping */
    assert_false(qd_observed_is_covered(1, 3, 2 / 255.0, 0, &u8, 0x1p-15));
    assert_true(qd_observed_is_covered(-1, 3, 4 / 255.0, 64, &u8, 0x1p-15));
    assert_false(qd_observed_is_covered(-1, 3, 4 / 255.0, 63, &u8, 0x1p-15));
    assert_false(qd_observed_is_unclipped(-0.1, 6, 6.1 / 255, 128, &snapped));
    assert_true(qd_observed_is_unclipped(-0.1, 6, 6 / 127.0, 128, &snapped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_a_half_has_two_zero_points),
        cmocka_unit_test(test_what_is_no_range),
        cmocka_unit_test(test_small_ranges),
        cmocka_unit_test(test_random_ranges),
        cmocka_unit_test(test_coverage_sees_what_is_lost),
    };
    return cmocka_run_group_tests_name("observed_range", tests, NULL, NULL);
}
