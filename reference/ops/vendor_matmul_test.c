/* SPDX-License-Identifier: Apache-2.0 */
/* QGemm, MatMulIntegerToFloat, DynamicQuantizeMatMul, MatMulNBits: hand-computed products, every
 * rule of their own. Alone: <build>/tests/reference/ops/vendor_matmul_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define QGEMM "com.microsoft:QGemm", 1
#define TO_FLOAT "com.microsoft:MatMulIntegerToFloat", 1
#define DYNAMIC "com.microsoft:DynamicQuantizeMatMul", 1
#define NBITS "com.microsoft:MatMulNBits", 1

/* (3 5) − 1 = (2 4); (2 4 / 6 8) − 2 = (0 2 / 4 6): sums 16 and 28, scale ¼ */
#define A_ROW "u8[1,2] 3 5; f32[] 0.5; u8[] 1;"
#define B_22 "u8[2,2] 2 4 6 8; f32[] 0.5; u8[] 2"

static void qgemm_to_float(void **state)
{
    (void)state;
    row(QGEMM, A_ROW B_22, "", "f32[1,2] 4 7");
    row(QGEMM, A_ROW B_22 "; s32[2] 1 -4", "", "f32[1,2] 4.25 6");
    row(QGEMM, A_ROW B_22 "; s32[1,1] 4", "", "f32[1,2] 5 8");
    row(QGEMM, A_ROW B_22 "; s32[] 4", "alpha=-0.5f", "f32[1,2] -2.5 -4");
    row(QGEMM, A_ROW B_22, "alpha=3.0f", "f32[1,2] 12 21");
    row(QGEMM, "u8[2,1] 3 5; f32[] 0.5; u8[1] 1; u8[2,2] 2 6 4 8; f32[1] 0.5; u8[1] 2",
        "transA=1 transB=1", "f32[1,2] 4 7");
    /* column 1 minus 4: 0 and 4, sum 16, scale ½·1 */
    row(QGEMM, A_ROW "u8[2,2] 2 4 6 8; f32[2] 0.5 1; u8[2] 2 4", "", "f32[1,2] 4 8");
    row(QGEMM, "s8[1,0]; f32[] 1; s8[] 1; u8[0,2]; f32[] 0.5; u8[] 2; s32[1,2] 3 4", "",
        "f32[1,2] 1.5 2");
    /* 3·RN(0.1): the exact product and its rounding */
    row(QGEMM, "u8[1,1] 3; f32[] 1; u8[] 0; u8[1,1] 1; f32[] 0.1; u8[] 0", "",
        "f32[1,1] 0.30000000447034836..0.30000001192092896");
    row(QGEMM, "u8[1,1] 3; f32[] 1; u8[] 0; u8[1,1] 1; f32[] inf; u8[] 0", "", "f32[1,1] *");
}

static void qgemm_requantizes(void **state)
{
    (void)state;
#define Y_8 "f32[] 2; u8[] 10"
    /* 16/8 = 2; 28/8 = 3.5 → 4. With C: 20/8 = 2.5 → 2 */
    row(QGEMM, A_ROW B_22 "; -;" Y_8, "", "u8[1,2] 12 14");
    row(QGEMM, A_ROW B_22 "; s32[2] 4 0;" Y_8, "", "u8[1,2] 12 14");
    row_under("rounding=half-away", QGEMM, A_ROW B_22 "; s32[2] 4 0;" Y_8, "", "u8[1,2] 13 14");
    row_under("zero-points=ignored", QGEMM, A_ROW B_22 "; -; f32[] 2; s8[] 0", "",
              "s8[1,2] 4 6"); /* 36/8 = 4.5, 52/8 = 6.5 */
    row(QGEMM, A_ROW B_22 "; -; f32[] 0.001; s8[] 0", "", "s8[1,2] 127 127");
    /* alpha 3: 48/8·… = 16·¾/8 = 1.5 → 2, 28·¾/8 = 2.625 → 3 */
    row(QGEMM, A_ROW B_22 "; -; f32[] 8; u8[] 0", "alpha=3.0f", "u8[1,2] 2 3");
    row(QGEMM, A_ROW B_22 "; -; f32[] 8; u8[] 0", "alpha=-3.0f", "u8[1,2] 0 0");
    row_under("requantize=channel0-scale", QGEMM,
              A_ROW "u8[2,2] 2 4 6 8; f32[2] 0.5 1; u8[2] 2 4; -;" Y_8, "", "u8[1,2] 12 12");
}

/* In units of 2^-27, RN(0.1) = 13421773. Seven times it is 93952411, rounded 93952408. With a_scale
 * 3: the exact 281857233; from 7·3 281857248; from 93952408·3 = 281857224 281857216; from
 * 3·RN(0.1), rounded 40265320, times 7 281857248. */
static void orders_of_a_float_product(void **state)
{
    (void)state;
    row(QGEMM, "u8[1,1] 7; f32[] 1; u8[] 0; u8[1,1] 1; f32[] 0.1; u8[] 0", "",
        "f32[1,1] 0.699999988079071..0.7000000104308128");
    row(QGEMM, "u8[1,1] 7; f32[] 3; u8[] 0; u8[1,1] 1; f32[] 0.1; u8[] 0", "",
        "f32[1,1] 2.1000001430511475|2.0999999046325684");
}

/* The same 7·RN(0.1), exactly 93952411 and rounded 93952408, less 93952400: 11 by an fma and 8 without, nothing
 * between. With a_scale 3, less 281857184: 64 and 32 of the rounded products, and by an fma 49 of the exact one, 40 of
 * 93952408·3 and 56 of 40265320·7. */
static void orders_of_a_float_product_and_a_bias(void **state)
{
    (void)state;
#define SEVEN "u8[1,1] 7; u8[1,1] 1;"
    row(TO_FLOAT, SEVEN "f32[] 1; f32[] 0.1; -; -; f32[1] -0.6999999284744263", "",
        "f32[1,1] 8.195638656616211e-08|5.960464477539063e-08");
    row(TO_FLOAT, SEVEN "f32[] 3; f32[] 0.1; -; -; f32[1] -2.0999996662139893", "",
        "f32[1,1] 3.650784492492676e-07|4.76837158203125e-07|2.384185791015625e-07|"
        "2.980232238769531e-07|4.172325134277344e-07");
}

static void rules_of_qgemm(void **state)
{
    (void)state;
    row(QGEMM, "u16[1,2] 3 5; f32[] 1; u16[] 1;" B_22, "", "!a-type");
    row(QGEMM, "u8[1,2] 3 5; f16[] 1; u8[] 1;" B_22, "", "!a_scale-type");
    row(QGEMM, "u8[1,2] 3 5; f32[] 1; s8[] 1;" B_22, "", "!a_zero_point-type");
    row(QGEMM, A_ROW "s32[1,1] 1; f32[] 1; s32[] 1", "", "!b-type");
    row(QGEMM, A_ROW "u8[2,1] 1 2; f16[] 1; u8[] 1", "", "!b_scale-type");
    row(QGEMM, A_ROW "u8[2,1] 1 2; f32[] 1; s8[] 1", "", "!b_zero_point-type");
    row(QGEMM, A_ROW B_22 "; f32[2] 1 2", "", "!c-type");
    row(QGEMM, A_ROW B_22 "; -; f16[] 1; u8[] 0", "", "!y_scale-type");
    row(QGEMM, A_ROW B_22 "; -; f32[] 1; s32[] 0", "", "!y_zero_point-type");
    row(QGEMM, "u8[2] 3 5; f32[] 1; u8[] 1;" B_22, "", "!a-rank");
    row(QGEMM, A_ROW "u8[2] 3 5; f32[] 1; u8[] 1", "", "!b-rank");
    row(QGEMM, A_ROW B_22, "transA=1", "!k-mismatch");
    row(QGEMM, "u8[1,2] 3 5; f32[2] 1 1; u8[] 1;" B_22, "", "!a_scale-shape");
    row(QGEMM, "u8[1,2] 3 5; f32[] 1; u8[2] 1 1;" B_22, "", "!a_zero_point-shape");
    row(QGEMM, A_ROW "u8[2,2] 2 4 6 8; f32[3] 1 1 1; u8[3] 1 1 1", "", "!b_scale-shape");
    row(QGEMM, A_ROW "u8[2,2] 2 4 6 8; f32[2] 1 1; u8[] 1", "", "!b_zero_point-shape");
    row(QGEMM, A_ROW B_22 "; s32[3] 1 2 3", "", "!c-shape");
    row(QGEMM, A_ROW B_22 "; s32[1,1,2] 1 2", "", "!c-shape");
    row(QGEMM, A_ROW B_22 "; -; f32[2] 1 1; u8[] 0", "", "!y_scale-shape");
    row(QGEMM, A_ROW B_22 "; -; f32[] 1; u8[2] 0 0", "", "!y_zero_point-shape");
    row(QGEMM, A_ROW B_22 "; -; f32[] 1", "", "?without the other");
    row(QGEMM, A_ROW B_22, "alpha=0f", "?alpha");
    row(QGEMM, "u8[1,1] 1; f32[] 1; u8[] 1; u8[1,0]; f32[0]; u8[] 1", "", "?no channels");
    row(QGEMM, "u8[1,1] 1; f32[0]; u8[] 1; u8[1,1] 1; f32[] 1; u8[] 1", "", "!a_scale-shape");
}

#define A_12 "u8[1,2] 3 5;"
#define B_INT "u8[2,2] 2 4 6 8;"

static void matmul_integer_to_float(void **state)
{
    (void)state;
    row(TO_FLOAT, A_12 B_INT "f32[] 0.5; f32[] 0.5; u8[] 1; u8[] 2", "", "f32[1,2] 4 7");
    row(TO_FLOAT, A_12 B_INT "f32[] 0.5; f32[] 0.5; u8[] 1; u8[] 2; f32[2] 1 -1", "",
        "f32[1,2] 5 6");
    row(TO_FLOAT, A_12 B_INT "f32[1] 0.5; f32[2] 0.5 1; u8[1] 1; u8[2] 2 4", "", "f32[1,2] 4 8");
    /* absent zero points: 3·2 + 5·6 = 36, 3·4 + 5·8 = 52 */
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 0.5", "", "f32[1,2] 18 26");
    row(TO_FLOAT, "s8[2] -3 5; u8[2,2,1] 2 4 6 8; f32[] 1; f32[] 1; -; u8[1] 8", "",
        "f32[2,1] -2 6");
    row(TO_FLOAT, A_12 B_INT "f16[] 0.5; f16[] 0.5; u8[] 1; u8[] 2; f16[2] 1 -1", "",
        "f16[1,2] 5 6");
    row(TO_FLOAT, "u8[1,1] 3; u8[1,1] 1; f32[] 0.1; f32[] 1; -; -; f32[1] 1", "",
        "f32[1,1] 1.2999999523162842..1.300000011920929");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] nan", "", "f32[1,2] * *");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; -; -; f32[2] inf 0", "", "f32[1,2] * 52");
    row(TO_FLOAT, A_12 B_INT "f32[2] 1 1; f32[] 1", "", "?each column of A");
    row(TO_FLOAT, "u8[1,1] 1; u8[1,0]; f32[] 1; f32[0]", "", "?b_scale for each of no channels");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; u8[2] 1 1", "", "?each column of A");
    row(TO_FLOAT, A_12 B_INT "f32[3] 1 1 1; f32[] 1", "", "!a_scale-shape");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[3] 1 1 1", "", "!b_scale-shape");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; u8[3] 1 1 1", "", "!a_zero_point-shape");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; -; u8[3] 1 1 1", "", "!b_zero_point-shape");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; -; -; f32[1] 1", "", "!bias-shape");
    row(TO_FLOAT, A_12 B_INT "bf16[] 1; bf16[] 1", "", "!a_scale-type");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f16[] 1", "", "!b_scale-type");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; s8[] 1", "", "!a_zero_point-type");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; -; s8[] 1", "", "!b_zero_point-type");
    row(TO_FLOAT, A_12 B_INT "f32[] 1; f32[] 1; -; -; f16[2] 1 1", "", "!bias-type");
    row(TO_FLOAT, "s32[1,2] 3 5;" B_INT "f32[] 1; f32[] 1", "", "!a-type");
    row(TO_FLOAT, A_12 "s32[2,1] 3 5; f32[] 1; f32[] 1", "", "!b-type");
    row(TO_FLOAT, A_12 "u8[1,2] 3 5; f32[] 1; f32[] 1", "", "!k-mismatch");
}

static void dynamic_quantize_matmul(void **state)
{
    (void)state;
    /* range 0 to 255: scale 1, zero point 0 */
    row(DYNAMIC, "f32[1,2] 0 255; u8[2,1] 7 2; f32[] 0.5", "", "f32[1,1] 255");
    row(DYNAMIC, "f32[1,2] 0 255; u8[2,1] 7 2; f32[] 0.5; u8[] 1", "", "f32[1,1] 127.5");
    /* range −128 to 127: scale 1, zero point 128 */
    row(DYNAMIC, "f32[1,2] -128 127; s8[2,2] 1 1 -1 3; f32[2] 0.5 1; s8[2] 0 1; f32[2] 1 2", "",
        "f32[1,2] -126.5 256");
    /* 0.4 of a step is code 0, 0.5 a tie: 0 */
    row(DYNAMIC, "f32[3] 255 0.4 0.5; u8[3,1] 0 1 1; f32[] 1", "", "f32[1] 0");
    row_under("rounding=half-away", DYNAMIC, "f32[3] 255 0.4 0.5; u8[3,1] 0 1 1; f32[] 1", "",
              "f32[1] 1");
    row(DYNAMIC, "f32[2] 0 0; u8[2,1] 7 2; f32[] 0.5; -; f32[1] 3", "", "f32[1] 3");
    row(DYNAMIC, "f32[2] 1 nan; u8[2,1] 7 2; f32[] 0.5", "", "f32[1] *");
    /* x/scale is above 6.5 by less than float32 can hold: code 7, or 6, and nothing between */
    row(DYNAMIC, "f32[2] 1 0.02549019828438759; u8[2,1] 0 7; f32[] 1", "",
        "f32[1] 0.19215688109397888|0.16470588743686676");
    row(DYNAMIC, "f32[0,2]; u8[2,1] 7 2; f32[] 0.5", "", "?no element");
    row(DYNAMIC, "f16[2] 1 2; u8[2,1] 7 2; f32[] 0.5", "", "!a-type");
    row(DYNAMIC, "f32[2] 1 2; u16[2,1] 7 2; f32[] 0.5", "", "!b-type");
    row(DYNAMIC, "f32[2] 1 2; u8[2,1] 7 2; f16[] 0.5", "", "!b_scale-type");
    row(DYNAMIC, "f32[2] 1 2; u8[2,1] 7 2; f32[] 0.5; s8[] 1", "", "!b_zero_point-type");
    row(DYNAMIC, "f32[2] 1 2; u8[2,1] 7 2; f32[] 0.5; -; f16[1] 1", "", "!bias-type");
    row(DYNAMIC, "f32[2] 1 2; u8[2,1] 7 2; f32[2] 1 1", "", "!b_scale-shape");
    row(DYNAMIC, "f32[2] 1 2; u8[2,1] 7 2; f32[] 1; u8[2] 1 1", "", "!b_zero_point-shape");
    row(DYNAMIC, "f32[2] 1 2; u8[2,1] 7 2; f32[] 1; -; f32[] 1", "", "!bias-shape");
    row(DYNAMIC, "f32[2] 1 2; u8[3,1] 7 2 1; f32[] 1", "", "!k-mismatch");
}

/* The range 255 + 2^-15 gives the scale S = 1 + 2^-23; (1.5 + 2^-23)/S is below 1.5 by less than float32 can hold: code
 * 1, or 2. 335·S is 335 + 1.309·2^-15, 415·S is 415 + 1.621·2^-15; numbers of float32 are 2^-15 apart there. */
static void dynamic_quantize_matmul_of_an_open_code(void **state)
{
    (void)state;
#define OPEN_1 "1.50000011920928955078125 "
#define GREATEST "255.000030517578125"
    row(DYNAMIC, "f32[2] " OPEN_1 GREATEST "; u8[2,1] 80 1; f32[] 1", "",
        "f32[1] 335.000030517578125|415.00006103515625");
    row(DYNAMIC, "f32[2] " OPEN_1 GREATEST "; s8[2,1] -80 -1; f32[] 1", "",
        "f32[1] -335.000030517578125|-415.00006103515625");
    row(DYNAMIC, "f32[2] " OPEN_1 GREATEST "; u8[2,1] 80 1; f32[] 1; -; f32[1] 1", "",
        "f32[1] 336.000030517578125|416.00006103515625");
    /* two such codes, three sums: all between the ends is taken */
    row(DYNAMIC, "f32[3] " OPEN_1 OPEN_1 GREATEST "; u8[3,1] 40 40 1; f32[] 1", "",
        "f32[1] 335.000030517578125..415.00006103515625");
    /* the codes of another row do not count */
    row(DYNAMIC, "f32[2,2] " OPEN_1 GREATEST " 0 0; u8[2,1] 80 1; f32[] 1", "",
        "f32[2,1] 335.000030517578125|415.00006103515625 0");
}

#define K2 "K=2 N=1 block_size=16"
#define A_24 "f32[1,2] 2 4;"
/* codes 3 and 5, then padding that is no code of ours */
#define B_4BIT "u8[1,1,8] 83 255 255 255 255 255 255 255;"

static void matmul_nbits(void **state)
{
    (void)state;
    /* 2·(3 − 8)/2 + 4·(5 − 8)/2 */
    row(NBITS, A_24 B_4BIT "f32[1,1] 0.5", K2, "f32[1,1] -11");
    row(NBITS, A_24 B_4BIT "f32[1,1] 0.5", K2 " bits=4 accuracy_level=1", "f32[1,1] -11");
    row(NBITS, A_24 B_4BIT "f32[1,1] 0.5; u8[1,1] 241", K2, "f32[1,1] 10");
    row(NBITS, A_24 B_4BIT "f32[1,1] 0.5; f32[1,1] 1.5", K2, "f32[1,1] 8.5");
    row(NBITS, A_24 B_4BIT "f32[1,1] 0.5; u8[1,1] 1; -; f32[1] 0.25", K2, "f32[1,1] 10.25");
    row(NBITS, "f16[2] 2 4;" B_4BIT "f16[1,1] 0.5; f16[1,1] 1.5", K2, "f16[1] 8.5");
    row(NBITS, "bf16[1,1,2] 2 4;" B_4BIT "bf16[1,1] 0.5", K2, "bf16[1,1,1] -11");
    row_under("zero-points=ignored", NBITS, A_24 B_4BIT "f32[1,1] 0.5", K2, "f32[1,1] 13");
    row_under("zero-points=ignored", NBITS, A_24 B_4BIT "f32[1,1] 0.5; f32[1,1] 1.5", K2,
              "f32[1,1] 13");
    row(NBITS, A_24 "u8[1,1,16] 130 127 9 9 9 9 9 9 9 9 9 9 9 9 9 9; f32[1,1] 0.5", K2 " bits=8",
        "f32[1,1] 0");
    row(NBITS, "f32[4] 1 10 100 1000; u8[1,1,4] 228 0 0 0; f32[1,1] 1",
        "K=4 N=1 block_size=16 bits=2", "f32[1] 988");
    /* two columns, two blocks of which the last has one code: 16·(9 − 7)·1 + (10 − 2)·2; the other
     * column, packed anew,
       16·(1 − 0)·4 + (15 − 15)·8 */
    row(NBITS,
        "f32[17] 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1; u8[2,2,8] 153 153 153 153 153 153 153 153 "
        "10 0 0 0 0 0 0 0 17 17 17 17 17 17 17 17 255 0 0 0 0 0 0 0; f32[2,2] 1 2 4 8; "
        "u8[2,1] 39 240",
        "K=17 N=2 block_size=16", "f32[2] 48 64");
    row(NBITS, "f32[1,2] 2 inf;" B_4BIT "f32[1,1] 0.5", K2, "f32[1,1] *");
}

static void rules_of_matmul_nbits(void **state)
{
    (void)state;
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", "K=2 N=1", "!attribute-missing");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", "K=0 N=1 block_size=16", "!k-positive");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", "K=2 N=0 block_size=16", "!n-positive");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", "K=2 N=1 block_size=24", "!block_size-value");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", "K=2 N=1 block_size=8", "!block_size-value");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", K2 " bits=9", "!bits-value");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", K2 " bits=3", "?3 bits");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", K2 " accuracy_level=5", "!accuracy_level-value");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", K2 " accuracy_level=4", "?accuracy_level 4");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1", K2 " weight_prepacked=1", "?packed for one device");
    row(NBITS, "f32[] 1;" B_4BIT "f32[1,1] 1", K2, "!a-rank");
    row(NBITS, "f32[3] 1 2 3;" B_4BIT "f32[1,1] 1", K2, "!k-mismatch");
    row(NBITS, "s32[2] 1 2;" B_4BIT "f32[1,1] 1", K2, "!a-type");
    row(NBITS, A_24 "s8[1,1,1] 1; f32[1,1] 1", K2, "!b-type");
    row(NBITS, A_24 "u8[1,1,1] 1; f32[1,1] 1", K2, "!b-shape");
    row(NBITS, A_24 B_4BIT "f16[1,1] 1", K2, "!scales-type");
    row(NBITS, A_24 B_4BIT "f32[1,2] 1 1", K2, "!scales-shape");
    row(NBITS, A_24 B_4BIT "f32[1] 1", K2, "?flattened");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1; f16[1,1] 1", K2, "!zero_points-type");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1; u8[1,2] 1 1", K2, "!zero_points-shape");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1; -; s32[2] 0 0", K2, "?g_idx");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1; -; -; f16[1] 1", K2, "!bias-type");
    row(NBITS, A_24 B_4BIT "f32[1,1] 1; -; -; f32[2] 1 1", K2, "!bias-shape");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qgemm_to_float),
        cmocka_unit_test(qgemm_requantizes),
        cmocka_unit_test(orders_of_a_float_product),
        cmocka_unit_test(orders_of_a_float_product_and_a_bias),
        cmocka_unit_test(rules_of_qgemm),
        cmocka_unit_test(matmul_integer_to_float),
        cmocka_unit_test(dynamic_quantize_matmul),
        cmocka_unit_test(dynamic_quantize_matmul_of_an_open_code),
        cmocka_unit_test(matmul_nbits),
        cmocka_unit_test(rules_of_matmul_nbits),
    };
    return cmocka_run_group_tests_name("the vendor's matrix products", tests, NULL, NULL);
}
