/* SPDX-License-Identifier: Apache-2.0 */
/* The QLinear operators of com.microsoft: values by hand, ties of both parities, hulls where an
 * order rounds, every rule, and the switches that must act in them.
 * Alone: <build>/tests/reference/ops/qlinear_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "number/exponential.h"
#include "ops/row_testlib.h"

#define ADD "com.microsoft:QLinearAdd", 1
#define MUL "com.microsoft:QLinearMul", 1
#define CONCAT "com.microsoft:QLinearConcat", 1
#define WHERE "com.microsoft:QLinearWhere", 1
#define LEAKY "com.microsoft:QLinearLeakyRelu", 1
#define POOL "com.microsoft:QLinearAveragePool", 1
#define GLOBAL "com.microsoft:QLinearGlobalAveragePool", 1
#define MEAN "com.microsoft:QLinearReduceMean", 1

#define SIGMOID "com.microsoft:QLinearSigmoid", 1
#define SOFTMAX "com.microsoft:QLinearSoftmax", 1

#define BEFORE "zero-point-order=before-f32"

static void add_by_hand(void **state)
{
    (void)state;
    /* (3 − 1)·1 + (5 − 2)·0.5 = 3.5; /0.5 = 7; + 10 */
    row(ADD, "u8[1] 3; f32[] 1; u8[] 1; u8[1] 5; f32[] 0.5; u8[] 2; f32[] 0.5; u8[] 10", "",
        "u8[1] 17");
    /* sums 1, 3, 5, −1, −3 halves: 0, 2, 2, 0, −2, and an odd zero point changes nothing */
    row(ADD, "s8[5] 1 3 5 -1 -3; f32[] 1; s8[] 0; s8[] 0; f32[] 1; s8[] 0; f32[] 2; s8[] 0", "",
        "s8[5] 0 2 2 0 -2");
    row(ADD, "s8[5] 1 3 5 -1 -3; f32[] 1; s8[] 0; s8[] 0; f32[] 1; s8[] 0; f32[] 2; s8[] 7", "",
        "s8[5] 7 9 9 7 5");
    /* both saturation edges; zero points at both ends: (255 − 0) + (0 − 255) = 0 */
    row(ADD, "u8[2] 255 0; f32[] 1; u8[] 0; u8[2] 255 0; f32[] 1; u8[] 0; f32[] 1; u8[] 0", "",
        "u8[2] 255 0");
    row(ADD, "u8[2] 255 0; f32[] 1; u8[] 0; u8[2] 0 0; f32[] 1; u8[] 255; f32[] 1; u8[] 9", "",
        "u8[2] 9 0");
    row(ADD, "s8[2] -128 127; f32[] 1; s8[] 127; s8[] -128; f32[] 1; s8[] 127; f32[] 4; s8[] -1",
        "", "s8[2] -128 -65");
    /* no zero points at all; both operands broadcast */
    row(ADD, "u8[2,1] 1 2; f32[] 1; -; u8[3] 10 20 30; f32[] 1; -; f32[] 1", "",
        "u8[2,3] 11 21 31 12 22 32");
    row(ADD, "u8[] 4; f32[] 0.25; -; u8[0]; f32[] 1; -; f32[] 1", "", "u8[0]");
    /* 2^24 + 2^-127·… : the tiny term breaks the tie 0.5, exactly: 1; in float32 it is lost: 0 */
    row(ADD, "u8[1] 1; f32[] 0.5; u8[] 0; u8[1] 1; f32[] 0x1p-100; u8[] 0; f32[] 1; u8[] 0", "",
        "u8[1] 0..1..1");
    row(ADD, "u8[1] 3; f32[] 0.5; u8[] 0; u8[1] 0; f32[] 0x1p-100; u8[] 1; f32[] 1; u8[] 0", "",
        "u8[1] 1..1..2");
}

/* Scales for which an order really rounds next to an edge. */
static void add_hulls(void **state)
{
    (void)state;
    /* 1·1 + 1·0.5 = 1.5 is exactly half of 3: rne(0.5) = 0. By ratios: RN(1/3) + RN(0.5/3) is above
     * or below. */
    row(ADD, "u8[1] 1; f32[] 1; u8[] 0; u8[1] 1; f32[] 0.5; u8[] 0; f32[] 3; u8[] 0", "",
        "u8[1] 0..0..1");
    row(ADD, "u8[1] 1; f32[] 1; u8[] 0; u8[1] 1; f32[] 0.5; u8[] 0; f32[] nan; u8[] 0", "",
        "u8[1] *");
    row(ADD, "u8[1] 1; f32[] inf; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; f32[] 1; u8[] 0", "",
        "u8[1] *");
    row(ADD, "u8[1] 1; f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; f32[] 0; u8[] 0", "", "u8[1] *");
    /* both products overflow; by ratios one operand is left: 2·2^126/2^126 + 2·2^126/2^126 = 4 */
    row(ADD, "u8[1] 4; f32[] 0x1p126; -; u8[1] 4; f32[] 0x1p126; -; f32[] 0x1p126; u8[] 0", "",
        "u8[1] 8^255");
}

static void add_switches(void **state)
{
    (void)state;
    /* 0.5 + 1 = 1.5 rounds to 2, without the zero point 1: rne(0.5) + 1 = 1 */
    row_under(BEFORE, ADD, "u8[2] 1 3; f32[] 1; -; u8[] 0; f32[] 1; -; f32[] 2; u8[] 1", "",
              "u8[2] 2 2");
    /* v = 0.5 + 11·2^-20, and v + 128 = 128.5 + 11·2^-20, of which float32 keeps 16 places: 128.5 +
     * 2^-16, up to 129, as v alone is. With 100·r folded in, 128 − (50 + 275·2^-18) has 17 places:
     * 78 − 138·2^-17 (to even), plus 50.5 + 1111·2^-20 gives 128.5 + 7·2^-20: 128.5, down to 128.
     * The zero point is even. */
    row(ADD, "u8[1] 101; f32[] 0x1.00016p-1; u8[] 100; u8[] 0; f32[] 1; u8[] 0; f32[] 1; u8[] 128",
        "", "u8[1] 129");
    row_under(BEFORE, ADD,
              "u8[1] 101; f32[] 0x1.00016p-1; u8[] 100; u8[] 0; f32[] 1; u8[] 0; f32[] 1; u8[] 128",
              "", "u8[1] 128..129..129");
    row_under("zero-point-order=before-exact", ADD,
              "u8[2] 1 3; f32[] 1; -; u8[] 0; f32[] 1; -; f32[] 2; u8[] 1", "", "u8[2] 2 2");
    row_under("rounding=truncate", ADD,
              "u8[2] 1 3; f32[] 1; -; u8[] 0; f32[] 1; -; f32[] 2; u8[] 1", "", "u8[2] 1 2");
    /* -2.5: with the zero point 1.5, cut off 1; cut off -2, of which 254 are the low bits, and 258 saturates */
#define MINUS_5_BY_2 "u8[1] 1; f32[] 1; u8[] 6; u8[] 0; f32[] 1; -; f32[] 2; u8[] 4"
    row(ADD, MINUS_5_BY_2, "", "u8[1] 2");
    row_under("rounding=truncate,zero-point-order=before-exact", ADD, MINUS_5_BY_2, "", "u8[1] 1");
    row_under("rounding=truncate,zero-point-order=before-f32", ADD, MINUS_5_BY_2, "", "u8[1] 1");
    row_under("rounding=truncate,range=wrap-before-zero-point", ADD, MINUS_5_BY_2, "", "u8[1] 255");
    row_under("range=wrap", ADD, "u8[1] 255; f32[] 1; -; u8[] 255; f32[] 1; -; f32[] 1; u8[] 0", "",
              "u8[1] 254");
    row_under("range=symmetric", ADD,
              "s8[1] -128; f32[] 1; -; s8[] -1; f32[] 1; -; f32[] 1; s8[] 0", "", "s8[1] -127");
    row_under("zero-points=ignored", ADD,
              "u8[1] 7; f32[] 1; u8[] 5; u8[] 1; f32[] 1; u8[] 1; f32[] 1; u8[] 0", "", "u8[1] 8");
}

static void binary_rules(void **state)
{
    (void)state;
    row(ADD, "u16[1] 1; f32[] 1; -; u8[1] 1; f32[] 1; -; f32[] 1", "", "!a-type");
    row(ADD, "u8[1] 1; f32[] 1; -; s8[1] 1; f32[] 1; -; f32[] 1", "", "!b-type");
    row(ADD, "u8[1] 1; f16[] 1; -; u8[1] 1; f32[] 1; -; f32[] 1", "", "!a_scale-type");
    row(ADD, "u8[1] 1; f32[] 1; s8[] 1; u8[1] 1; f32[] 1; -; f32[] 1", "", "!a_zero_point-type");
    row(ADD, "u8[1] 1; f32[1] 1; -; u8[1] 1; f32[] 1; -; f32[] 1", "", "!a_scale-shape");
    row(ADD, "u8[1] 1; f32[] 1; u8[1] 1; u8[1] 1; f32[] 1; -; f32[] 1", "", "!a_zero_point-shape");
    row(ADD, "u8[1] 1; f32[] 1; -; u8[1] 1; f32[2] 1 1; -; f32[] 1", "", "!b_scale-shape");
    row(ADD, "u8[1] 1; f32[] 1; -; u8[1] 1; f32[] 1; s8[] 0; f32[] 1", "", "!b_zero_point-type");
    row(ADD, "u8[1] 1; f32[] 1; -; u8[1] 1; f32[] 1; -; f64[] 1", "", "!c_scale-type");
    row(ADD, "u8[1] 1; f32[] 1; -; u8[1] 1; f32[] 1; -; f32[] 1; s8[] 1", "", "!c_zero_point-type");
    row(ADD, "u8[2] 1 1; f32[] 1; -; u8[3] 1 1 1; f32[] 1; -; f32[] 1", "", "!broadcast");
    row(ADD, "u8[1] 1..2; f32[] 1; -; u8[1] 1; f32[] 1; -; f32[] 1", "", "?admissible");
    row(MUL, "u8[1] 1; f32[] 1; -; s8[1] 1; f32[] 1; -; f32[] 1", "", "!b-type");
    row(MUL, "u8[2] 1 1; f32[] 1; -; u8[3] 1 1 1; f32[] 1; -; f32[] 1", "", "!broadcast");
}

static void mul(void **state)
{
    (void)state;
    /* (3 − 1)·(7 − 2)·0.5·0.5/1 = 2.5 → 2; (4 − 1)·5·0.25 = 3.75 → 4 */
    row(MUL, "u8[2] 3 4; f32[] 0.5; u8[] 1; u8[] 7; f32[] 0.5; u8[] 2; f32[] 1; u8[] 10", "",
        "u8[2] 12 14");
    row(MUL,
        "s8[2] -128 127; f32[] 1; s8[] 127; s8[2] -128 127; f32[] 1; s8[] 127; f32[] 1024; s8[] 0",
        "", "s8[2] 64 0"); /* 255·255/1024 = 63.5 − 1/1024·… = 63.50098 */
    /* ties at odd and even zero points: 1·1/2, 3·1/2 */
    row(MUL, "u8[2] 1 3; f32[] 1; -; u8[] 1; f32[] 1; -; f32[] 2; u8[] 7", "", "u8[2] 7 9");
    row(MUL, "u8[2] 1 3; f32[] 1; -; u8[] 1; f32[] 1; -; f32[] 2; u8[] 8", "", "u8[2] 8 10");
    /* onnxruntime #25512: 0.5 + 7 = 7.5 → 8 and 1.5 + 7 = 8.5 → 8 */
    row_under(BEFORE, MUL, "u8[2] 1 3; f32[] 1; -; u8[] 1; f32[] 1; -; f32[] 2; u8[] 7", "",
              "u8[2] 8 8");
    row_under("range=wrap", MUL, "u8[1] 16; f32[] 1; -; u8[] 17; f32[] 1; -; f32[] 1; u8[] 0", "",
              "u8[1] 16");
    row(MUL, "u8[1] 1; f32[] nan; -; u8[] 1; f32[] 1; -; f32[] 2; u8[] 7", "", "u8[1] *");
    /* a·b/c with 3·5·RN(1/3)… : 1.5 exactly with a = 1, b = 1, s = 3/2; the product of scales
     * rounds nothing */
    row(MUL, "u8[1] 1; f32[] 3; -; u8[] 1; f32[] 0.5; -; f32[] 1; u8[] 0", "", "u8[1] 2");
}

static void concat(void **state)
{
    (void)state;
    row(CONCAT, "f32[] 1; u8[] 3; u8[2] 1 5; f32[] 0.5; u8[] 0; u8[1] 9; f32[1] 1; u8[1] 3",
        "axis=0", "u8[3] 3 5 9"); /* 0.5 → 0, 2.5 → 2; same parameters: a copy */
    row(CONCAT, "f32[1] 2; s8[1] -1; s8[1,2] -3 3; f32[] 1; s8[] 0; s8[1,1] 5; f32[] 4; s8[] 1",
        "axis=-1", "s8[1,3] -3 1 7"); /* −1.5 → −2, 1.5 → 2, 8 */
    row_under(BEFORE, CONCAT, "f32[] 2; u8[] 1; u8[2] 1 3; f32[] 1; u8[] 0", "axis=0", "u8[2] 2 2");
    row(CONCAT, "f32[] 3; u8[] 0; u8[1] 1; f32[] 1.5; u8[] 0", "axis=0", "u8[1] 0");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1", "axis=0", "!input-count");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; u8[1] 1", "axis=0", "!inputs-triples");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; u8[1] 1; -; u8[] 0", "axis=0",
        "!input-missing");
    row(CONCAT, "f32[] 1; u8[] 0; s8[1] 1; f32[] 1; u8[] 0", "axis=0", "!x-type");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1; s8[] 0", "axis=0", "!x_zero_point-type");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[2] 1 1; u8[] 0", "axis=0", "!x_scale-shape");
    row(CONCAT, "f32[2] 1 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0", "axis=0", "!y_scale-shape");
    row(CONCAT, "f16[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0", "axis=0", "!y_scale-type");
    row(CONCAT, "f32[] 1; u16[] 0; u8[1] 1; f32[] 1; u8[] 0", "axis=0", "!y_zero_point-type");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0", "", "!axis-missing");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0", "axis=1", "!axis-range");
    row(CONCAT, "f32[] 1; u8[] 0; u8[1] 1; f32[] 1; u8[] 0; u8[1,1] 1; f32[] 1; u8[] 0", "axis=0",
        "!inputs-shape");
}

#define BRANCHES "u8[2] 1 3; f32[] 1; u8[] 0; u8[2] 20 30; f32[] 0.5; u8[] 10"

static void where(void **state)
{
    (void)state;
    row(WHERE, "bool[2] 1 0; " BRANCHES "; f32[] 2; u8[] 7", "", "u8[2] 7 12");
    row(WHERE, "bool[2,1] 1 0; " BRANCHES "; f32[1] 2; u8[1] 7", "", "u8[2,2] 7 9 9 12");
    row_under(BEFORE, WHERE, "bool[] 1; " BRANCHES "; f32[] 2; u8[] 7", "", "u8[2] 8 8");
    row(WHERE, "u8[2] 1 0; " BRANCHES "; f32[] 2; u8[] 7", "", "!condition-type");
    row(WHERE, "bool[3] 1 0 1; " BRANCHES "; f32[] 2; u8[] 7", "", "!broadcast");
    row(WHERE, "bool[] 1; " BRANCHES "; f32[] 2; s8[] 7", "", "!z_zero_point-type");
    row(WHERE, "bool[] 1; " BRANCHES "; f32[2] 2 2; u8[] 7", "", "!z_scale-shape");
    row(WHERE, "bool[] 1; u8[1] 1; f32[] 1; u8[] 0; s8[1] 1; f32[] 1; s8[] 0; f32[] 2; u8[] 7", "",
        "!y-type");
    row(WHERE, "bool[] 1; u8[1] 1; f32[] 1; u8[] 0; u8[1] 1; f32[] 1; -; f32[] 2; u8[] 7", "",
        "!input-missing");
}

static void leaky_relu(void **state)
{
    (void)state;
    /* −4·0.25 = −1, −2·0.25 = −0.5 → 0, 0, 3, saturation */
    row(LEAKY, "s8[5] -4 -2 0 3 127; f32[] 1; s8[] 0; f32[] 1; s8[] 10", "alpha=0.25f",
        "s8[5] 9 10 10 13 127");
    row(LEAKY, "u8[3] 0 128 129; f32[] 2; u8[] 128; f32[1] 4; u8[1] 100", "alpha=0.5f",
        "u8[3] 68 100 100"); /* −256·0.5/4 = −32; 0; 0.5 → 0 */
    /* 0.01f·(−50) = −0.49999998…, which is above −0.5: 0, but RD in an order gives −0.5 → 0 too;
     * −150: −1.49999997 → −1 */
    row(LEAKY, "s8[2] -50 -100; f32[] 1; -; f32[] 1", "", "s8[2] 0 -1");
    row(LEAKY, "u8[2] 1 3; f32[] 1; u8[] 0; f32[] 2; u8[] 1", "", "u8[2] 1 3");
    row_under(BEFORE, LEAKY, "u8[2] 1 3; f32[] 1; u8[] 0; f32[] 2; u8[] 1", "", "u8[2] 2 2");
    row(LEAKY, "s8[1] -1; f32[] 1; -; f32[] 1", "alpha=-1.0f", "s8[1] 1");
    row(LEAKY, "u16[1] 1; f32[] 1; -; f32[] 1", "", "!x-type");
    row(LEAKY, "u8[1] 1; f32[] 1; s8[] 0; f32[] 1", "", "!x_zero_point-type");
    row(LEAKY, "u8[1] 1; f32[2] 1 1; -; f32[] 1", "", "!x_scale-shape");
    row(LEAKY, "u8[1] 1; f32[] 1; -; f32[] 1; s8[] 0", "", "!y_zero_point-type");
}

static void average_pool(void **state)
{
    (void)state;
    /* (1 + 2)/2 − 0 = 1.5 → 2; (2 + 3)/2 = 2.5 → 2 */
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; u8[] 0; f32[] 1; u8[] 7", "kernel_shape=[2]",
        "u8[1,1,2] 9 9");
    row_under(BEFORE, POOL, "u8[1,1,3] 1 2 3; f32[] 1; u8[] 0; f32[] 1; u8[] 7", "kernel_shape=[2]",
              "u8[1,1,2] 8 10");
    /* padding does not count, and counts as x_zero_point: (1 − 9)/1, (1 − 9)/2 */
    row(POOL, "s8[1,1,1] 1; f32[] 1; s8[] 9; f32[] 1; s8[] 0", "kernel_shape=[2] pads=1,0",
        "s8[1,1,1] -8");
    row(POOL, "s8[1,1,1] 1; f32[] 1; s8[] 9; f32[] 1; s8[] 0",
        "kernel_shape=[2] pads=1,0 count_include_pad=1", "s8[1,1,1] -4");
    row(POOL, "s8[1,1,1] 1; f32[] 1; s8[] 9; f32[] 1; s8[] 3", "kernel_shape=[1] pads=1,0",
        "s8[1,1,2] * -5");
    row(POOL, "s8[1,1,1] 1; f32[] 1; s8[] 9; f32[] 1; s8[] 3",
        "kernel_shape=[1] pads=1,0 count_include_pad=1", "s8[1,1,2] 3 -5");
    /* channels last: [N, D, C] */
    row(POOL, "u8[1,2,3] 1 10 100 3 20 200; f32[] 1; -; f32[] 1",
        "kernel_shape=[2] channels_last=1", "u8[1,1,3] 2 15 150");
    row(POOL, "u8[2,2,2,1] 1 2 3 4 5 6 7 8; f32[] 4; -; f32[] 1",
        "kernel_shape=1,2 channels_last=1", "u8[2,2,1,1] 6 14 22 30");
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; -; f32[] 1", "kernel_shape=[2] strides=[2] ceil_mode=1",
        "u8[1,1,2] 2 3");
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; -; f32[] 1",
        "kernel_shape=[2] strides=[2] ceil_mode=1 count_include_pad=1", "?beyond");
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; -; f32[] 1",
        "kernel_shape=[2] strides=[2] auto_pad=SAME_LOWER", "u8[1,1,2] 1 2"); /* 1, 2.5 */
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; -; f32[] 1", "kernel_shape=[2] dilations=[2]",
        "!attribute-unknown");
    row(POOL, "u8[1,3] 1 2 3; f32[] 1; -; f32[] 1", "kernel_shape=[2]", "!x-rank");
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; -; f32[] 1", "", "!kernel_shape-missing");
    row(POOL, "u8[1,1,3] 1 2 3; f32[3] 1 1 1; -; f32[] 1", "kernel_shape=[2]", "!x_scale-shape");
    row(POOL, "u8[1,1,3] 1 2 3; f32[] 1; -; f32[] 1; s8[] 1", "kernel_shape=[2]",
        "!y_zero_point-type");
}

static void means(void **state)
{
    (void)state;
    row(GLOBAL, "u8[1,2,4] 1 2 3 4 255 255 255 253; f32[] 1; u8[] 0; f32[] 1; u8[] 1", "",
        "u8[1,2,1] 3 255"); /* 2.5 → 2; 254.5 → 254 */
    row(GLOBAL, "s8[1,2,2,2] 1 2 3 4 5 6 7 9; f32[] 1; s8[] 1; f32[] 0.5; s8[] -128",
        "channels_last=1", "s8[1,1,1,2] -122 -120"); /* (16 − 4)/4·2, (21 − 4)/4·2 = 8.5 → 8 */
    row(GLOBAL, "u8[1,1,0]; f32[] 1; u8[] 0; f32[] 1; u8[] 1", "", "u8[1,1,1] *");
    row(GLOBAL, "u8[1,2] 1 2; f32[] 1; u8[] 0; f32[] 1; u8[] 1", "", "!x-rank");
    row(GLOBAL, "u8[1,1,1] 1; f32[] 1; -; f32[] 1; u8[] 1", "", "!input-missing");
    row(GLOBAL, "u8[1,1,1] 1; f32[] 1; u8[] 1; f32[] 1; s8[] 1", "", "!y_zero_point-type");
    row_under(BEFORE, GLOBAL, "u8[1,1,2] 1 2; f32[] 1; u8[] 0; f32[] 1; u8[] 1", "",
              "u8[1,1,1] 2"); /* 1.5 + 1 = 2.5 → 2, else 3 */
    /* A third of a tie: 1/3 + 1/3 + 1/3 = 3·RN(1/3)… : sum 3, /(3·2) = 0.5 → 0; s/(y·n) rounds, so
     * 1 is possible */
    row(GLOBAL, "u8[1,1,3] 1 1 1; f32[] 1; u8[] 0; f32[] 2; u8[] 0", "", "u8[1,1,1] 0..0..1");
    /* 182/4 is 45.5. The only term but 0 rounds to above 182*s, in float32 as in any order: no order is below the tie,
     * nor one of 141*s + 38*s = 179*s, where both products are rounded up. One of 138*s + 172*s may be: 77.5. */
    row(GLOBAL, "u8[1,1,4] 0 0 182 0; f32[] 0x1.539268p-7; u8[] 0; f32[] 0x1.539268p-7; u8[] 139",
        "", "u8[1,1,1] 185");
    row(GLOBAL, "u8[1,1,2] 141 38; f32[] 0x1.8afbe8p-7; u8[] 0; f32[] 0x1.8afbe8p-7; u8[] 0", "",
        "u8[1,1,1] 90");
    row(GLOBAL, "u8[1,1,4] 0 138 0 172; f32[] 0x1.539268p-7; u8[] 0; f32[] 0x1.539268p-7; u8[] 139",
        "", "u8[1,1,1] 216..217..217");
    row(MEAN, "u8[2,2] 1 2 3 5; f32[] 1; u8[] 0; f32[] 1; u8[] 0", "axes=[1] keepdims=0",
        "u8[2] 2 4");
    row(MEAN, "u8[2,2] 1 2 3 6; f32[] 1; u8[] 0; f32[] 1", "axes=[-2] keepdims=1", "u8[1,2] 2 4");
    row(MEAN, "s8[2,2] 1 2 3 6; f32[] 1; -; f32[] 1", "axes=[] keepdims=0", "s8[] 3");
    row(MEAN, "s8[2] 1 2; f32[] 1; -; f32[] 1", "axes=[1] keepdims=0", "!axes-range");
    row(MEAN, "s8[2] 1 2; f32[] 1; -; f32[] 1", "axes=0,-1 keepdims=0", "!axes-repeated");
    row(MEAN, "s8[2] 1 2; f32[] 1; -; f32[] 1", "axes=[0]", "!keepdims-missing");
    row(MEAN, "s8[2] 1 2; f32[] 1; -; f32[] 1", "keepdims=0", "!axes-missing");
    row(MEAN, "s8[2] 1 2; f32[1] 1; -; f32[] 1", "axes=[0] keepdims=0", "!data_scale-shape");
}

/* 1/(1 + e^−1) = 0.7310585786, 1/(1 + e) = 0.2689414214, 1/(1 + e^−4) = 0.9820137900. */
static void sigmoid(void **state)
{
    (void)state;
    /* ·256: 187.15, 68.85, 251.40; ½ exactly: 128 */
    row(SIGMOID, "s8[4] 1 -1 4 0; f32[] 1; s8[] 0; f32[] 0x1p-8; s8[] -128", "",
        "s8[4] 59 -59 123 0");
    row(SIGMOID, "u8[4] 129 127 132 128; f32[1] 1; u8[] 128; f32[] 0x1p-8; -", "",
        "u8[4] 187 69 251 128");
    /* ½/1 is a tie: 0 */
    row(SIGMOID, "u8[1] 9; f32[] 1; u8[] 9; f32[] 1; u8[] 7", "", "u8[1] 7");
    row_under(BEFORE, SIGMOID, "u8[1] 9; f32[] 1; u8[] 9; f32[] 1; u8[] 7", "", "u8[1] 8");
    /* the ends of the line: e^−25500 is 0, and 1 − e^−25500 not above 1 */
    row(SIGMOID, "u8[2] 0 255; f32[] 200; u8[] 128; f32[] 0x1p-8; u8[] 1", "", "u8[2] 1 255");
    row(SIGMOID, "u8[1] 1; f32[] nan; -; f32[] 1", "", "u8[1] *");
    row(SIGMOID, "u8[1] 1; f32[] 1; -; f32[3] 1 1 1", "", "!y_scale-shape");
    row(SIGMOID, "u8[1] 1; f32[] 1; -; f32[] 1; s8[] 0", "", "!y_zero_point-type");
}

/* e^−1 = 0.3678794412: 1/(1 + e^−1) and e^−1/(1 + e^−1) as above; with e^−2 = 0.1353352832 the sum
 * is 1.5032147244:
 * 0.6652409558, 0.2447284711, 0.0900305732. */
static void softmax(void **state)
{
    (void)state;
    row(SOFTMAX, "u8[2] 4 3; f32[] 1; u8[] 0; f32[] 0x1p-8; u8[] 0", "opset=13", "u8[2] 187 69");
    row(SOFTMAX, "s8[1,3] 127 126 125; f32[] 1; s8[] 0; f32[] 0x1p-8; s8[] -128", "opset=13 axis=1",
        "s8[1,3] 42 -65 -105"); /* 170.30, 62.65, 23.05 */
    /* opset 12: the axes from 1 on are one row of four, else rows of two */
    row(SOFTMAX, "u8[1,2,2] 5 5 5 5; f32[] 1; -; f32[] 0x1p-8; u8[] 1", "opset=12 axis=1",
        "u8[1,2,2] 65 65 65 65");
    row(SOFTMAX, "u8[1,2,2] 5 9 5 9; f32[] 1; -; f32[] 0x1p-8; u8[] 1", "opset=13 axis=1",
        "u8[1,2,2] 129 129 129 129");
    row(SOFTMAX, "u8[1] 5; f32[] 1; -; f32[] 0x1p-8; u8[] 0", "opset=13", "u8[1] 255");
    /* 1/2/1 is a tie */
    row(SOFTMAX, "u8[2] 5 5; f32[] 1; -; f32[] 1; u8[] 7", "opset=13", "u8[2] 7 7");
    row_under(BEFORE, SOFTMAX, "u8[2] 5 5; f32[] 1; -; f32[] 1; u8[] 7", "opset=13", "u8[2] 8 8");
    row(SOFTMAX, "u8[2] 5 9; f32[] nan; -; f32[] 1; u8[] 7", "opset=13", "u8[2] * *");
    row(SOFTMAX, "u8[2] 5 9; f32[] inf; -; f32[] 1; u8[] 7", "opset=13", "u8[2] * *");
    row(SOFTMAX, "u8[2] 5 5; f32[] 1; -; f32[] 0; u8[] 7", "opset=13", "u8[2] * *");
    row(SOFTMAX, "u8[0,2]; f32[] 1; -; f32[] 1; u8[] 7", "opset=13", "u8[0,2]");
    row(SOFTMAX, "u8[2] 5 5; f32[] 1; -; f32[] 1; u8[] 7", "", "!opset-missing");
    row(SOFTMAX, "u8[2] 5 5; f32[] 1; -; f32[] 1; u8[] 7", "opset=13 axis=1", "!axis-range");
    row(SOFTMAX, "u8[2] 5 5; f32[] 1; -; f32[] 1; s8[] 7", "opset=13", "!y_zero_point-type");
    row(SOFTMAX, "u8[2] 5 5; f64[] 1; -; f32[] 1; u8[] 7", "opset=13", "!x_scale-type");
}

/* Enclosures: of Σ 1/i! for e, of a product with its inverse, and monotone. */
static void exponential(void **state)
{
    (void)state;
    struct qd_interval e = qd_exponential(1);
    assert_true(e.lo < 2.718281828459045 && e.hi > 2.718281828459046);
    assert_true(e.hi - e.lo < 0x1p-42);
    for (double x = -690; x < 690; x += 0.37) {
        struct qd_interval a = qd_exponential(x), b = qd_exponential(-x),
                           half = qd_exponential(x / 2);
        assert_true(a.lo > 0 && a.lo < a.hi && a.hi / a.lo < 1 + 0x1p-43);
        assert_true(a.lo * b.lo < 1 && a.hi * b.hi > 1);
        assert_true(half.lo * half.lo < a.hi && half.hi * half.hi > a.lo);
    }
    assert_true(qd_exponential(-2000).lo == 0);
    assert_true(qd_exponential(NAN).lo == 0 && qd_exponential(NAN).hi > 1e308);
    assert_true(qd_logistic(2000).hi == 1 && qd_logistic(2000).lo > 0.999);
}

/* "Each scale and zero-point pair must have same shape." */
static void conv_pairs(void **state)
{
    (void)state;
#define CONV(w_scale, w_zero_point) \
    "u8[1,1,1] 3; f32[] 1; u8[] 0; s8[2,1,1] 1 2; " w_scale "; " w_zero_point "; f32[] 1; u8[] 0"
    row("QLinearConv", 10, CONV("f32[2] 1 4", "s8[2] 0 1"), "", "u8[1,2,1] 3 12");
    row("QLinearConv", 10, CONV("f32[] 1", "s8[] 0"), "", "u8[1,2,1] 3 6");
    row("QLinearConv", 10, CONV("f32[2] 1 4", "s8[] 0"), "", "!w_zero_point-shape");
    row("QLinearConv", 10, CONV("f32[] 1", "s8[2] 0 1"), "", "!w_zero_point-shape");
#undef CONV
}

/* acc = (56 - 255)·(39 - -85) = -24676, s = 768·2^-149, t = 11003527·2^-33, y = 512·2^-149: exactly
 * -47.41, 80 with z = 127. s·t is subnormal, 1·2^-149 for 0.98: (acc·(s·t))/y is -48.20, 79; t/y
 * overflows: -128. Either order is dropped, and neither code is wrong. */
static void dropped_orders(void **state)
{
    (void)state;
    row("QLinearConv", 10,
        "u8[1,1,1] 56; f32[] 0x300p-149; u8[] 255; s8[1,1,1] 39; f32[] 0xa7e687p-33; s8[] -85; "
        "f32[] 0x200p-149; s8[] 127",
        "", "s8[1,1,1] 80^79^-128");
    /* the scale, 1022·2^-149, is 0 in bfloat16; the exact product is -1022·2^-118, RN -1024·2^-118, and no
     * more goes on: output_dtype asks for the rounding */
    row("DequantizeLinear", 23, "s32[1] -2147483648; f32[] 0x3fep-149", "output_dtype=16",
        "bf16[1] -0x1p-108^0");
}

/* s·t overflows, and no sentence says which code 0·∞ becomes; what is not 0 saturates. */
static void orders_that_give_nan(void **state)
{
    (void)state;
#define PRODUCT(a, scale)                                             \
    "u8[1,1] " a "; f32[] " scale "; u8[] 5; u8[1,1] 3; f32[] " scale \
    "; u8[] 0; f32[] 0x1p100; u8[] 92"
    row("QLinearMatMul", 10, PRODUCT("5", "0x1p100"), "", "u8[1,1] *");
    row("QLinearMatMul", 10, PRODUCT("6", "0x1p100"), "", "u8[1,1] 255");
    row("QLinearMatMul", 10, PRODUCT("4", "0x1p100"), "", "u8[1,1] 0");
    row("QLinearMatMul", 10, PRODUCT("5", "0x1p60"), "", "u8[1,1] 92");
#undef PRODUCT
    row("com.microsoft:QLinearMul", 1,
        "u8[1] 5; f32[] 0x1p100; u8[] 5; u8[1] 3; f32[] 0x1p100; u8[] 0; f32[] 1; u8[] 92", "",
        "u8[1] *");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_that_give_nan),
        cmocka_unit_test(dropped_orders),
        cmocka_unit_test(conv_pairs),
        cmocka_unit_test(add_by_hand),
        cmocka_unit_test(add_hulls),
        cmocka_unit_test(add_switches),
        cmocka_unit_test(binary_rules),
        cmocka_unit_test(mul),
        cmocka_unit_test(concat),
        cmocka_unit_test(where),
        cmocka_unit_test(leaky_relu),
        cmocka_unit_test(average_pool),
        cmocka_unit_test(means),
        cmocka_unit_test(sigmoid),
        cmocka_unit_test(softmax),
        cmocka_unit_test(exponential),
    };
    return cmocka_run_group_tests_name("qlinear", tests, NULL, NULL);
}
