/* SPDX-License-Identifier: Apache-2.0 */
/* Requantization: hand-computed codes, ties that admit one code, and orders that really differ.
 * Alone: <build>/tests/reference/quantize/requantize_test */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "quantize/requantize.h"

static struct qd_code run(const char *switches, enum qd_dtype y, int64_t z, double s1, double s2,
                          double sy, int64_t acc)
{
    struct qd_semantics semantics;
    struct qd_error error;
    assert_int_equal(qd_semantics_parse(switches, true, &semantics, &error), QD_OK);
    struct qd_requantizer r =
        qd_requantizer_make(qd_output_quantizer_make(&semantics, y, z), QD_F32, s1, s2, sy);
    return qd_requantize(&r, acc);
}

/* acc/4 with z odd: 2.5 → 2 + 1, 3.5 → 4 + 1; powers of two leave one admissible code. */
static void ties_have_one_code(void **state)
{
    (void)state;
    static const struct {
        int64_t acc, want;
    } rows[] = {{10, 3}, {14, 5}, {-2, 1}, {-6, -1}, {11, 4}, {9, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_code code = run("", QD_S8, 1, 0.5, 0.25, 0.5, rows[i].acc);
        assert_int_equal(code.want, rows[i].want);
        assert_int_equal(code.lo, rows[i].want);
        assert_int_equal(code.hi, rows[i].want);
        assert_int_equal(code.flags, 0);
    }
}

/* Whether no verdict holds it against a target. */
static bool is_accepted(const struct qd_code *code, int64_t c)
{
    bool point = code->point_count == 0;
    for (unsigned k = 0; k < code->dropped_count; k++)
        if (code->dropped[k] == c)
            return true;
    for (unsigned k = 0; k < code->point_count; k++)
        point = point || code->points[k] == c;
    return point && c >= code->lo && c <= code->hi;
}

/* x_scale·w_scale is 1.5 of the least subnormal number, y_scale, and 2 of it rounded. Of 14, of which 4 are the bias,
 * the specification's is 21, one order's is 28, and 10·1.5 + 4·2 is 23: of a bias alone, in any order. */
static void a_bias_has_a_rounded_scale_of_its_own(void **state)
{
    (void)state;
    const int64_t biases[] = {0, 4};
    for (size_t i = 0; i < 2; i++) {
        for (size_t any = 0; any < 2; any++) {
            const struct qd_semantics semantics = {.requantize =
                                                       any ? QD_ANY_ORDER : QD_REQUANTIZE_REAL};
            struct qd_requantizer r =
                qd_requantizer_make(qd_output_quantizer_make(&semantics, QD_U8, 0), QD_F32,
                                    0x1p-100, 0x1.8p-49, 0x1p-149);
            r.bias = biases[i];
            struct qd_code code = qd_requantize(&r, 14);
            assert_int_equal(code.want, 21);
            assert_true(is_accepted(&code, 28));
            assert_int_equal(is_accepted(&code, 23), any && biases[i] != 0);
            assert_false(is_accepted(&code, 24));
        }
    }
}

/* −168751·0.300166517·5.96999428e-07/0.0604800954 is −0.50000005; (x_scale·w_scale)·(1/y_scale), each step in float32,
 * makes −0.5 of it, as no listed order does: four roundings may, of scales however small that lose nothing. */
static void any_order_takes_four_roundings_of_small_scales(void **state)
{
    (void)state;
    static const int64_t biases[] = {0, 20000000, -20000000}; /* whose own scale moves the number */
    for (int i = 0; i < 6; i++) {
        bool any = i % 2;
        const struct qd_semantics semantics = {.requantize =
                                                   any ? QD_ANY_ORDER : QD_REQUANTIZE_REAL};
        struct qd_requantizer r =
            qd_requantizer_make(qd_output_quantizer_make(&semantics, QD_S8, 3), QD_F32,
                                0x1.335edap-2, 0x1.4082fap-21, 0x1.ef73f4p-5);
        r.bias = biases[i / 2];
        struct qd_code code = qd_requantize(&r, -168751);
        assert_int_equal(code.want, 2);
        assert_int_equal(is_accepted(&code, 3), any);
        assert_false(is_accepted(&code, 1));
        assert_false(is_accepted(&code, 4));
    }
}

/* The quirk is outside the admissible set on every tie with an odd zero point, and inside with an
 * even one. */
static void zero_point_before_rounding_is_caught_on_ties(void **state)
{
    (void)state;
    for (int64_t k = -100; k < 100; k++) {
        int64_t acc = 4 * k + 2; /* acc/4 = k + ½ */
        for (int64_t z = -2; z <= 2; z++) {
            struct qd_code right = run("", QD_S8, z, 0.5, 0.5, 1, acc);
            struct qd_code wrong = run("zero-point-order=before-f32", QD_S8, z, 0.5, 0.5, 1, acc);
            assert_int_equal(right.lo, right.hi);
            if (z % 2)
                assert_int_not_equal(wrong.want, right.want);
            else
                assert_int_equal(wrong.want, right.want);
        }
    }
}

/* 288·2^23 leaves int32. INT32_MIN stays the least code when the zero point is in the sum that is cast, and wraps to
 * INT32_MAX when -1 is added to it. */
static void what_leaves_int32_goes_by_the_order(void **state)
{
    (void)state;
    static const struct {
        const char *switches;
        int64_t want;
    } rows[] = {{"", 127},
                {"range=int32-indefinite", 127},
                {"range=int32-indefinite,zero-point-order=before-f32", -128},
                {"range=int32-indefinite,zero-point-order=before-exact", -128},
                {"range=int32-full", 127},
                {"range=int32-full,zero-point-order=before-f32", 127}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(run(rows[i].switches, QD_S8, -1, 1, 1, 0x1p-23, 288).want, rows[i].want);
}

/* 3 · (1/3 as float32) · 0.5 lies just above ½ exactly; fl32(acc·s1) rounds to 1: both codes are
 * admissible. */
static void orders_that_differ_widen(void **state)
{
    (void)state;
    double third = (double)(1.0f / 3.0f); /* 11184811·2^−25, above 1/3 */
    struct qd_code code = run("", QD_U8, 0, third, 0.5, 1, 3);
    assert_int_equal(code.want, 1);
    assert_int_equal(code.lo, 0);
    assert_int_equal(code.hi, 1);
}

/* A scale whose mantissa is no power of two stands in the denominator: 1/3 → 0, 2/3 → 1, 100/3 →
 * 33. */
static void divides_by_y_scale(void **state)
{
    (void)state;
    assert_int_equal(run("", QD_S8, 0, 1, 1, 3, 1).want, 0);
    assert_int_equal(run("", QD_S8, 0, 1, 1, 3, 2).want, 1);
    assert_int_equal(run("", QD_S8, 0, 1, 1, 3, 100).want, 33);
    assert_int_equal(run("", QD_S8, 0, 7, 5, 3, -2).want, -23); /* −70/3 */
}

static void saturates_both_ways(void **state)
{
    (void)state;
    assert_int_equal(run("", QD_U8, 200, 1, 1, 1, 55).want, 255);
    assert_int_equal(run("", QD_U8, 200, 1, 1, 1, 56).want, 255);
    assert_int_equal(run("", QD_U8, 200, 1, 1, 1, -201).want, 0);
    assert_int_equal(run("", QD_S8, -5, 1, 1, 1, INT32_MAX).want, 127);
    assert_int_equal(run("", QD_S8, -5, 1e30, 1, 1e-30, -1).want, -128);
    assert_int_equal(run("range=symmetric", QD_S8, 0, 1, 1, 1, -500).want, -127);
    assert_int_equal(run("range=wrap", QD_S8, 0, 1, 1, 1, -236).want, 20); /* onnx #6169 */
    assert_int_equal(run("range=wrap", QD_U8, 0, 1, 1, 1, -236).want, 20);
}

static void what_the_text_leaves_open_is_unspecified(void **state)
{
    (void)state;
    assert_true(run("", QD_U8, 0, 1, 1, 1, (int64_t)INT32_MAX + 1).flags & QD_UNSPECIFIED);
    assert_true(run("", QD_U8, 0, 1, 1, 0, 1).flags & QD_UNSPECIFIED);
    assert_true(run("", QD_U8, 0, (double)__builtin_inff(), 1, 1, 1).flags & QD_UNSPECIFIED);
    /* s1·s2 is subnormal in two associations, not in the others: counted, and still compared. */
    struct qd_code code = run("", QD_U8, 0, 0x1p-70, 0x1p-70, 0x1p-139, 1);
    assert_true(code.flags & QD_EXTREME_SCALE);
    assert_false(code.flags & QD_UNSPECIFIED);
    assert_int_equal(code.want, 0); /* exactly ½ */
}

/* -118 * 0.75 = -88.5 exactly. In float32 0.75/s_y is subnormal, and what is left is exact, s *
 * 0.75 too; a kernel that computes in double rounds 0.75/s_y to 53 bits, times s_y a little more or
 * less than 0.75. */
static void double_keeps_what_float32_loses(void **state)
{
    (void)state;
    double s = 0xbe0c60p+104;
    volatile double factor = s * (0.75 / s);
    assert_true(factor > 0.75);
    struct qd_code code = run("", QD_S8, 52, s, 0.75, s, -118);
    assert_true(code.flags & QD_EXTREME_SCALE);
    assert_int_equal(code.want, -36);
    assert_int_equal(code.lo, -37);
    assert_int_equal(code.hi, -36);
}

/* Every switch value parses, and each of the arithmetic ones changes some result. */
static void switches_change_results(void **state)
{
    (void)state;
    static const char *const words[] = {"rounding=half-away",
                                        "rounding=half-up",
                                        "rounding=truncate",
                                        "rounding=floor",
                                        "rounding=ceil",
                                        "zero-point-order=before-f32",
                                        "zero-point-order=before-exact",
                                        "requantize=fixed31-single",
                                        "requantize=fixed31-double",
                                        "requantize=fixed31-double-up",
                                        "requantize=f16",
                                        "range=wrap",
                                        "range=symmetric"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int changed = 0;
        for (int64_t acc = -2000; acc <= 2000; acc++)
            changed += run(words[i], QD_S8, 1, 0.25, 0.5, 1, acc).want !=
                       run("", QD_S8, 1, 0.25, 0.5, 1, acc).want;
        if (changed == 0)
            for (int64_t acc = -2000; acc <= 2000; acc++)
                changed +=
                    run(words[i], QD_S8, 1, (double)0.0137f, (double)0.31f, (double)0.043f, acc)
                        .want !=
                    run("", QD_S8, 1, (double)0.0137f, (double)0.31f, (double)0.043f, acc).want;
        if (changed == 0)
            print_error("# %s changes nothing\n", words[i]);
        assert_true(changed > 0);
    }
}

static void bad_switches_are_named(void **state)
{
    (void)state;
    struct qd_semantics semantics;
    struct qd_error error;
    assert_int_equal(qd_semantics_parse("rounding=up", true, &semantics, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "half-up"));
    assert_int_equal(qd_semantics_parse("roundin=half-up", true, &semantics, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "zero-point-order"));
    assert_int_equal(qd_semantics_parse("rounding", true, &semantics, &error), QD_USAGE);
    assert_int_equal(qd_semantics_parse("range=wrap", false, &semantics, &error), QD_USAGE);
    assert_int_equal(qd_semantics_parse("rounding=half-up", false, &semantics, &error), QD_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bias_has_a_rounded_scale_of_its_own),
        cmocka_unit_test(any_order_takes_four_roundings_of_small_scales),
        cmocka_unit_test(ties_have_one_code),
        cmocka_unit_test(zero_point_before_rounding_is_caught_on_ties),
        cmocka_unit_test(orders_that_differ_widen),
        cmocka_unit_test(divides_by_y_scale),
        cmocka_unit_test(saturates_both_ways),
        cmocka_unit_test(what_the_text_leaves_open_is_unspecified),
        cmocka_unit_test(double_keeps_what_float32_loses),
        cmocka_unit_test(what_leaves_int32_goes_by_the_order),
        cmocka_unit_test(switches_change_results),
        cmocka_unit_test(bad_switches_are_named),
    };
    return cmocka_run_group_tests_name("requantize", tests, NULL, NULL);
}
