/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulInteger, QLinearMatMul: hand-computed products; parameters per row and column; every rule.
 * Alone: <build>/tests/reference/ops/matmul_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define INTEGER "MatMulInteger", 10
#define A23 "u8[2,3] 1 2 3 4 5 6"
#define B32 "u8[3,2] 1 2 3 4 5 6"

static void products_have_the_shape_of_numpy(void **state)
{
    (void)state;
    row(INTEGER, A23 ";" B32, "", "s32[2,2] 22 28 49 64");
    row(INTEGER, "s8[3] -1 2 -3; u8[3] 255 1 2", "", "s32[] -259");
    row(INTEGER, "s8[3] 1 0 -1;" B32, "", "s32[2] -4 -4");
    row(INTEGER, A23 "; s8[3] 1 0 -1", "", "s32[2] -2 -2");
    row(INTEGER, "u8[2,1,2] 1 2 3 4; u8[2,1] 5 6", "", "s32[2,1,1] 17 39");
    row(INTEGER, "u8[2] 1 2; u8[2,2,1] 1 2 3 4", "", "s32[2,1] 5 11");
    /* batches [2,1] and [3] broadcast to [2,3] */
    row(INTEGER, "u8[2,1,1,1] 2 3; u8[3,1,1] 5 7 11", "", "s32[2,3,1,1] 10 14 22 15 21 33");
    row(INTEGER, "u8[2,0]; u8[0,1]", "", "s32[2,1] 0 0");
    row(INTEGER,
        "u8[0,2];"
        "u8[2,3] 1 2 3 4 5 6",
        "", "s32[0,3]");
}

static void zero_points_by_row_and_column(void **state)
{
    (void)state;
    row(INTEGER, A23 ";" B32 "; u8[] 1", "", "s32[2,2] 13 16 40 52");
    row(INTEGER, A23 ";" B32 "; -; u8[1] 2", "", "s32[2,2] 10 16 19 34");
    /* row 0 minus 1: 0 1 2; row 1 minus 4: 0 1 2 */
    row(INTEGER, A23 ";" B32 "; u8[2] 1 4", "", "s32[2,2] 13 16 13 16");
    row(INTEGER, A23 ";" B32 "; u8[2,1] 1 4", "", "s32[2,2] 13 16 13 16");
    /* column 0 minus 1: 0 2 4; column 1 minus 6: −4 −2 0 */
    row(INTEGER, A23 ";" B32 "; -; u8[2] 1 6", "", "s32[2,2] 16 -8 34 -26");
    row(INTEGER, A23 ";" B32 "; -; u8[1,2] 1 6", "", "s32[2,2] 16 -8 34 -26");
    row(INTEGER, A23 ";" B32 "; u8[2] 1 4; u8[2] 1 6", "", "s32[2,2] 10 -2 10 -2");
    /* a batch of two: one zero point for each row of each matrix; b's one batch is read twice */
    row(INTEGER, "u8[2,2,1] 10 20 30 40; s8[1,2] 1 -1; u8[2,2,1] 1 2 3 4", "",
        "s32[2,2,2] 9 -9 18 -18 27 -27 36 -36");
    row(INTEGER, "u8[1,1] 2; u8[2,1,2] 10 20 30 40; -; u8[2,1,2] 1 2 3 4", "",
        "s32[2,1,2] 18 36 54 72");
}

static void accumulators_beyond_int32_are_unspecified(void **state)
{
    (void)state;
    /* 33025 products of 255·255 make 2147450625, one more makes 2147515650 > 2^31 − 1. */
    static char in[300000], *p = in;
    for (int side = 0; side < 2; side++) {
        p += sprintf(p, "u8[33026]");
        for (int i = 0; i < 33026; i++)
            p += sprintf(p, " 255");
        p += sprintf(p, side ? "" : ";");
    }
    row(INTEGER, in, "", "s32[] *");
    row_under("accumulator=wrap32", INTEGER, in, "", "s32[] -2147451646");
    row_under("accumulator=sat32", INTEGER, in, "", "s32[] 2147483647");
}

static void rules_of_matmul_integer(void **state)
{
    (void)state;
    row(INTEGER, "u16[2,3] 1 2 3 4 5 6;" B32, "", "!a-type");
    row(INTEGER, A23 "; s32[3,1] 1 2 3", "", "!b-type");
    row(INTEGER, A23 ";" B32 "; s8[] 0", "", "!a_zero_point-type");
    row(INTEGER, A23 ";" B32 "; -; s8[] 0", "", "!b_zero_point-type");
    row(INTEGER, "u8[] 1;" B32, "", "!a-rank");
    row(INTEGER, A23 "; u8[] 1", "", "!b-rank");
    row(INTEGER, A23 "; u8[2,2] 1 2 3 4", "", "!k-mismatch");
    row(INTEGER, "u8[2,1,1] 1 2; u8[3,1,1] 1 2 3", "", "!batch-mismatch");
    row(INTEGER, A23 ";" B32 "; u8[3] 1 2 3", "", "!a_zero_point-shape");
    row(INTEGER, A23 ";" B32 "; u8[1,2] 1 2", "", "!a_zero_point-shape");
    row(INTEGER, A23 ";" B32 "; u8[0]", "", "!a_zero_point-shape");
    row(INTEGER, A23 ";" B32 "; -; u8[3] 1 2 3", "", "!b_zero_point-shape");
    row(INTEGER, A23 ";" B32 "; -; u8[2,1] 1 2", "", "!b_zero_point-shape");
    row(INTEGER,
        "u8[2] 1 2;"
        "u8[2] 3 4; u8[2] 1 2",
        "", "!a_zero_point-shape");
    row(INTEGER, "u8[2,2,1] 1 2 3 4; u8[1] 1; u8[2] 1 2", "", "?not describe");
    row(INTEGER, "u8[2,2,1] 1 2 3 4; u8[1] 1; u8[1,2,1] 1 2", "", "?not describe");
    row(INTEGER, A23, "", "!input-count");
    row("MatMulInteger", 9, A23 ";" B32, "", "!opset");
    row(INTEGER, "u8[1,1] 1..2; u8[1] 1", "", "?more than one");
}

#define QLINEAR "QLinearMatMul", 10

/* acc = [22 28; 49 64] of A23·B32 */
static void codes_are_rounded_half_to_even(void **state)
{
    (void)state;
    /* acc/4 = 5.5 7 12.25 16; z odd: 5.5 rounds to 6 and then gains 1 */
    row(QLINEAR, A23 "; f32[] 0.5; u8[] 0;" B32 "; f32[] 0.5; u8[] 0; f32[] 1; u8[] 1", "",
        "u8[2,2] 7 8 13 17");
    row(QLINEAR, A23 "; f32[1] 8; u8[1] 0;" B32 "; f32[] 1; u8[] 0; f32[] 1; s8[] -100", "",
        "s8[2,2] 76 124 127 127");
    /* a negative scale is a number like any other */
    row(QLINEAR, A23 "; f32[] -1; u8[] 0;" B32 "; f32[] 1; u8[] 0; f32[] 1; s8[] 0", "",
        "s8[2,2] -22 -28 -49 -64");
    row(QLINEAR, "u8[1] 3; f32[] 0; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; f32[] 1; u8[] 7", "",
        "u8[] 7");
}

static void scales_by_row_and_column(void **state)
{
    (void)state;
    /* rows ·(1, ½): 22 28 24.5 32; columns ·(1, ¼): 22 7 24.5 8 → ties to even: 24 */
    row(QLINEAR, A23 "; f32[2] 1 0.5; u8[2] 0 0;" B32 "; f32[2] 1 0.25; u8[2] 0 0; f32[] 1; u8[] 0",
        "", "u8[2,2] 22 7 24 8");
    row(QLINEAR,
        A23 "; f32[2,1] 1 0.5; u8[2,1] 1 4;" B32 "; f32[1,2] 1 2; u8[1,2] 1 6; f32[] 1; s8[] 0", "",
        "s8[2,2] 10 -4 5 -2");
    row(QLINEAR,
        "u8[2,1,1] 10 20; f32[2,1,1] 1 2; u8[2,1,1] 1 2; u8[1,2] 1 2; f32[] 1; u8[] 0; f32[] 1; "
        "u8[] "
        "0",
        "", "u8[2,1,2] 9 18 36 72");
    row_under("requantize=channel0-scale", QLINEAR,
              A23 "; f32[2] 1 0.5; u8[2] 0 0;" B32 "; f32[] 1; u8[] 0; f32[] 1; u8[] 0", "",
              "u8[2,2] 22 28 49 64");
}

static void scales_without_meaning_are_unspecified(void **state)
{
    (void)state;
    row(QLINEAR, "u8[1] 3; f32[] nan; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; f32[] 1; u8[] 7", "",
        "u8[] *");
    row(QLINEAR, "u8[1] 3; f32[] 1; u8[] 0; u8[1] 1; f32[] inf; u8[] 0; f32[] 1; u8[] 7", "",
        "u8[] *");
    row(QLINEAR, "u8[1] 3; f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; f32[] 0; u8[] 7", "",
        "u8[] *");
}

#define PRODUCT(a, sa, za, b, sb, zb, sy, zy) a ";" sa ";" za ";" b ";" sb ";" zb ";" sy ";" zy
#define U "u8[] 0"
#define F "f32[] 1"

static void rules_of_qlinear_matmul(void **state)
{
    (void)state;
    row(QLINEAR, PRODUCT("s16[1] 1", F, U, B32, F, U, F, U), "", "!a-type");
    row(QLINEAR, PRODUCT(A23, F, U, "f32[3] 1 2 3", F, U, F, U), "", "!b-type");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, U, F, "s16[] 0"), "", "!y_zero_point-type");
    row(QLINEAR, PRODUCT(A23, F, "s8[] 0", B32, F, U, F, U), "", "!a_zero_point-type");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, "s8[] 0", F, U), "", "!b_zero_point-type");
    row(QLINEAR, PRODUCT(A23, "f16[] 1", U, B32, F, U, F, U), "", "!a_scale-type");
    row(QLINEAR, PRODUCT(A23, F, U, B32, "f64[] 1", U, F, U), "", "!b_scale-type");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, U, "f16[] 1", U), "", "!y_scale-type");
    row(QLINEAR, PRODUCT(A23, "f32[3] 1 1 1", U, B32, F, U, F, U), "", "!a_scale-shape");
    row(QLINEAR, PRODUCT(A23, F, "u8[3] 0 0 0", B32, F, U, F, U), "", "!a_zero_point-shape");
    row(QLINEAR, PRODUCT(A23, "f32[2] 1 1", U, B32, F, U, F, U), "", "!a_zero_point-shape");
    row(QLINEAR, PRODUCT(A23, F, U, B32, "f32[2,1] 1 1", U, F, U), "", "!b_scale-shape");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, "u8[2] 0 0", F, U), "", "!b_zero_point-shape");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, U, "f32[3] 1 1 1", U), "", "!y_scale-shape");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, U, F, "u8[3] 0 0 0"), "", "!y_zero_point-shape");
    row(QLINEAR, PRODUCT(A23, F, U, B32, F, U, "f32[2] 1 1", "u8[2] 0 0"), "", "?y_scale");
    row(QLINEAR, PRODUCT(A23, F, U, "u8[2,2] 1 2 3 4", F, U, F, U), "", "!k-mismatch");
    row(QLINEAR, "u8[1] 3; f32[] 1; u8[] 0; u8[1] 1", "", "!input-count");
}

static void opset_21_has_more_types(void **state)
{
    (void)state;
    row("QLinearMatMul", 21, PRODUCT(A23, F, U, B32, F, U, F, U), "", "u8[2,2] 22 28 49 64");
    row("QLinearMatMul", 21, PRODUCT("f8e4m3fn[1] 1", F, "f8e4m3fn[] 0", "u8[1] 1", F, U, F, U), "",
        "?f8e4m3fn");
    row("QLinearMatMul", 20, PRODUCT("f8e4m3fn[1] 1", F, "f8e4m3fn[] 0", "u8[1] 1", F, U, F, U), "",
        "!a-type");
    /* powers of two and |acc| ≤ 64: no order of evaluation rounds, in float16 neither */
    row("QLinearMatMul", 21, PRODUCT(A23, "f16[] 1", U, B32, "f16[] 0.5", U, "f16[] 2", U), "",
        "u8[2,2] 6 7 12 16");
    row("QLinearMatMul", 21, PRODUCT(A23, "bf16[] 1", U, B32, "bf16[] 1", U, "bf16[] 2", U), "",
        "u8[2,2] 11 14 24 32");
    row("QLinearMatMul", 20, PRODUCT(A23, "f16[] 1", U, B32, "f16[] 1", U, "f16[] 1", U), "",
        "!a_scale-type");
    row("QLinearMatMul", 21, PRODUCT(A23, "f16[] 1", U, B32, F, U, "f16[] 1", U), "",
        "!b_scale-type");
}

/* acc = 116025 is no number of float16. The real product is 254.505; with the factor formed in
 * float16 it is 254.495. */
static void a_float16_factor_meets_an_accumulator_beyond_float16(void **state)
{
    (void)state;
    row("QLinearMatMul", 21,
        PRODUCT("u8[1,2] 255 200", "f16[] 0.019561767578125", U, "u8[2,1] 255 255",
                "f16[] 0.016357421875", U, "f16[] 0.1458740234375", U),
        "", "u8[1,1] 254..255..255");
}

/* 65025 · 0.01121521 · 0.00436401367 / 0.456542969 = 6.97 for the sum of one term; 13.94 for
 * that of two, which float16 does not hold: it makes 255 of it, and s·t is subnormal there. */
static void what_mixtures_with_float16_lose_is_no_mismatch(void **state)
{
    (void)state;
    row("QLinearMatMul", 21,
        PRODUCT("u8[1,2] 255 255", "f16[] 0.0112152099609375", U, "u8[2,1] 255 255",
                "f16[] 0.0043640136718750", U, "f16[] 0.45654296875", U),
        "", "u8[1,1] 14^255");
    /* 2^-26 is 0 in float16, and so is what it is multiplied by, in float32 too; 255 · 200 + 0 is a number there */
    row("QLinearMatMul", 21,
        PRODUCT("u8[1,2] 255 0", "f16[] 0.0001220703125", U, "u8[2,1] 200 240",
                "f16[] 0.0001220703125", U, "f16[] 0.000030517578125", U),
        "", "u8[1,1] 25^0");
    /* 115 200 overflows: no sentence says which code 0·∞ becomes */
    row("QLinearMatMul", 21,
        PRODUCT("u8[1,2] 240 240", "f16[] 0.0001220703125", U, "u8[2,1] 240 240",
                "f16[] 0.0001220703125", U, "f16[] 0.000030517578125", U),
        "", "u8[1,1] *");
}

/* Three operations and a conversion round four times: by less than 2.4e-7 of a number. */
static void in_any_order_what_is_next_to_a_tie_has_two_codes(void **state)
{
    (void)state;
    row("QLinearMatMul", 10,
        PRODUCT("u8[1] 1", "f32[] 99.50000762939453", U, "u8[1] 1", F, U, F, U), "", "u8[] 100");
    row_under("requantize=any-order", "QLinearMatMul", 10,
              PRODUCT("u8[1] 1", "f32[] 99.50000762939453", U, "u8[1] 1", F, U, F, U), "",
              "u8[] 99..100..100");
    row_under("requantize=any-order", "QLinearMatMul", 10,
              PRODUCT("u8[1] 1", "f32[] 99.500030517578125", U, "u8[1] 1", F, U, F, U), "",
              "u8[] 100");
    row_under("requantize=any-order", "QLinearMatMul", 10,
              PRODUCT("u8[1] 1", "f32[] 99.5", U, "u8[1] 1", F, U, F, U), "", "u8[] 100");
}

static void integer_products(void **state)
{
    (void)state;
    row("MatMul", 9, "s32[2,3] 1 2 3 4 5 6; s32[3,2] 1 -1 0 2 3 0", "", "s32[2,2] 10 3 22 6");
    row("MatMul", 13, "s64[1] 3037000500; s64[1,2] 3037000499 1518500249", "",
        "s64[2] * 4611686015463124500");
    row("MatMul", 13, "s64[2] 9007199254740993 -1; s64[2] 1 1", "", "s64[] 9007199254740992");
    row("MatMul", 13, "s32[2] 65536 -65536; s32[2] 32768 32768", "", "s32[] *");
    row("MatMul", 13, "s32[2,1,1] 2 3; s32[1,2] 5 7", "", "s32[2,1,2] 10 14 15 21");
    row("MatMul", 13, "s32[1,0] ; s32[0,1] ", "", "s32[1,1] 0");
    row("MatMul", 13, "s32[1] 1..2; s32[1] 1", "", "?more than one");
    row("MatMul", 8, "s32[1] 1; s32[1] 1", "", "!a-type");
    row("MatMul", 13, "s8[1] 1; s8[1] 1", "", "!a-type");
    row("Gemm", 9, "s32[2,1] 1 2; s32[1,2] 3 4; s32[2] 10 20", "", "s32[2,2] 13 24 16 28");
    row("Gemm", 13, "s64[1,2] 1 2; s64[1,2] 3 4; s64[] 5", "transB=1 alpha=-2f beta=3f",
        "s64[1,1] -7");
    row("Gemm", 13, "s32[1,1] 46341; s32[1,1] 46341", "alpha=0f", "s32[1,1] *");
    row("Gemm", 13, "s32[1,1] 2; s32[1,1] 3", "alpha=0.5f", "?alpha 0.5");
    row("Gemm", 7, "s32[1,1] 2; s32[1,1] 3; s32[] 0", "", "!a-type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_float16_factor_meets_an_accumulator_beyond_float16),
        cmocka_unit_test(what_mixtures_with_float16_lose_is_no_mismatch),
        cmocka_unit_test(in_any_order_what_is_next_to_a_tie_has_two_codes),
        cmocka_unit_test(integer_products),
        cmocka_unit_test(products_have_the_shape_of_numpy),
        cmocka_unit_test(zero_points_by_row_and_column),
        cmocka_unit_test(accumulators_beyond_int32_are_unspecified),
        cmocka_unit_test(rules_of_matmul_integer),
        cmocka_unit_test(codes_are_rounded_half_to_even),
        cmocka_unit_test(scales_by_row_and_column),
        cmocka_unit_test(scales_without_meaning_are_unspecified),
        cmocka_unit_test(rules_of_qlinear_matmul),
        cmocka_unit_test(opset_21_has_more_types),
    };
    return cmocka_run_group_tests_name("matmul", tests, NULL, NULL);
}
