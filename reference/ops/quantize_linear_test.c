/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear of what overflowed before it, and block_size where it has no meaning: by hand.
 * Alone: <build>/tests/reference/ops/quantize_linear_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

static void infinities_saturate(void **state)
{
    (void)state;
    row("QuantizeLinear", 13, "f32[2] inf -inf; f32[] 2; u8[] 3", "", "u8[2] 255 0");
    row("QuantizeLinear", 13, "f32[2] inf -inf; f32[] -2; s8[] 3", "", "s8[2] -128 127");
    row("QuantizeLinear", 13, "f32[1] nan; f32[] 2; u8[] 3", "", "u8[1] *");
}

/* 16 steps of 4096 are 65536, which float16 has not: 16 without the float in between, the greatest
 * code with it. */
static void an_overflow_need_not_happen(void **state)
{
    (void)state;
    /* 1.5 steps to 1.75, no number canonical: one code, though what lies below 1.5 has another */
    row("QuantizeLinear", 13, "f32[1] 0.09375~0.109375; f32[] 0.0625; s8[] -97", "", "s8[1] -95");
    row("QuantizeLinear", 19, "f16[2] 65536..inf..inf -inf..-inf..-65536; f16[] 4096; s8[] 1", "",
        "s8[2] 17..127..127 -128..-128..-15");
    row("QuantizeLinear", 19, "f16[1] 65536..inf..inf; f16[] -4096; s8[] 1", "",
        "s8[1] -128..-128..-15");
    row("QuantizeLinear", 19, "f16[2] inf 65536..inf..inf; f16[] 1; u8[] 0", "", "u8[2] 255 255");
}

/* One scale is one for the tensor; of what block_size says then the specification is silent, and a
 * scalar has no axis to block. */
static void block_size_beside_one_scale(void **state)
{
    (void)state;
    row("QuantizeLinear", 21, "f32[2] 1 1; f32[] 1", "block_size=1", "?has no meaning");
    row("QuantizeLinear", 21, "f32[] 1; f32[] 1", "block_size=1", "?has no meaning");
    row("DequantizeLinear", 21, "u8[] 1; f32[] 1", "block_size=1", "?has no meaning");
    row("DequantizeLinear", 21, "u8[1] 3; f32[1] 2", "axis=0 block_size=1", "f32[1] 6");
}

/* Opset 23: "The type of y_scale determines the precision of the division operation": x is
 * converted to float16 first. 70000 becomes infinite there, whatever computed it; 2049 becomes
 * 2048. */
static void x_is_converted_first(void **state)
{
    (void)state;
    row("QuantizeLinear", 23, "f32[2] 70000 -70000; f16[] 100; u16[] 3", "", "u16[2] 65535 0");
    row("QuantizeLinear", 23, "f32[1] 70000..70000..70001; f16[] 100; u16[] 3", "", "u16[1] 65535");
    row("QuantizeLinear", 23, "f32[1] 2048..2049..2049; f16[] 1; u16[] 0", "", "u16[1] 2048");
    row("QuantizeLinear", 23, "f32[1] 2048..2049..2049.5; f16[] 1; u16[] 0", "",
        "u16[1] 2048..2048..2050");
}

/* s = 0.0999755859375 is float16. 2047/s = 20474.999, in float16, whose numbers are 16 apart
 * there, 20480; 1022/s = 10222.496, 8 apart, 10224: two codes each and none between. bfloat16:
 * 1000/3 = 333.33, 2 apart, 334; 16384/3 = 5461.33, 32 apart, 5472. */
static void of_one_x_points(void **state)
{
    (void)state;
    row("QuantizeLinear", 21, "f16[2] 2047 1022; f16[] 0.0999755859375; u16[] 0", "",
        "u16[2] 20475|20480 10222|10224");
    row("QuantizeLinear", 21, "bf16[1] 1000; bf16[] 3; u16[] 0", "", "u16[1] 333..333..334");
    row("QuantizeLinear", 21, "bf16[1] 16384; bf16[] 3; u16[] 0", "", "u16[1] 5461|5472");
}

/* Opset 23, precision: "The precision of the division operation between x and y_scale": its
 * quotient is what is rounded. */
static void precision_is_asked_for(void **state)
{
    (void)state;
    row("QuantizeLinear", 23, "f16[1] 2047; f16[] 0.0999755859375; u16[] 0", "precision=10",
        "u16[1] 20480");
    row("QuantizeLinear", 23, "bf16[2] 1000 16384; bf16[] 3; u16[] 0", "precision=16",
        "u16[2] 334 5472");
    row("QuantizeLinear", 23, "bf16[2] 1000 16384; bf16[] 3; u16[] 0", "precision=1",
        "u16[2] 333 5461");
    row("QuantizeLinear", 23, "f32[1] 16384; f32[] 3; u16[] 0", "precision=16", "u16[1] 5472");
}

/* h = 0.49999991, the float32 nearest to 0.4999999, is added and the sum cut off. 0.5 + h = 0.99999991 → 0 and
 * 1.5 + h = 1.9999999 → 1; from 2 on float32 has no such number below the next integer, and ties go up: 2.5 + h = 3.
 * With z = 3 added first, 0.5 + 3 + h = 4 and −1.5 + 3 + h = 1.9999999 → 1; 3 + h is 3.5, and −1.5 + 3.5 = 2. What
 * reaches 2^31 becomes the least int32. */
static void half_is_added(void **state)
{
    (void)state;
    row_under("zero-point-order=then-half", "QuantizeLinear", 13,
              "f32[5] 0.5 1.5 2.5 -3 300; f32[] 1; u8[] 0", "", "u8[5] 0 1 3 0 255");
    row_under("zero-point-order=with-half", "QuantizeLinear", 13,
              "f32[5] 0.5 1.5 2.5 -3 300; f32[] 1; u8[] 0", "", "u8[5] 0 1 3 0 255");
    row_under("zero-point-order=then-half", "QuantizeLinear", 13,
              "f32[2] 0.5 -1.5; f32[] 1; u8[] 3", "", "u8[2] 4 1");
    row_under("zero-point-order=with-half", "QuantizeLinear", 13,
              "f32[2] 0.5 -1.5; f32[] 1; u8[] 3", "", "u8[2] 4 2");
    row_under("zero-point-order=then-half,range=int32-indefinite", "QuantizeLinear", 13,
              "f32[2] 2147483648 2147483392; f32[] 1; u8[] 3", "", "u8[2] 0 255");
}

/* 1.5006 is 1.5009765625 in float16, a third of which is above one half; a third of 1.5006 itself, 0.5002, rounds to
 * one half in float16, of whose neighbours 0 is even. */
static void the_quotient_alone_may_have_the_precision(void **state)
{
    (void)state;
    row("QuantizeLinear", 23, "f32[1] 1.5006; f16[] 3; u8[] 0", "", "u8[1] 1");
    row("QuantizeLinear", 23, "f32[1] 1.5006; f32[] 3; u8[] 0", "precision=10", "u8[1] 1");
    row_under("division=wide", "QuantizeLinear", 23, "f32[1] 1.5006; f16[] 3; u8[] 0", "",
              "u8[1] 0..1..1");
    row_under("division=wide", "QuantizeLinear", 23, "f32[1] 1.5006; f32[] 3; u8[] 0",
              "precision=10", "u8[1] 0..1..1");
}

/* 65536 is no number of float16. As it is it is 21304.4 times the scale, 21312 in float16: 21833 and 21841 with 529. */
static void without_precision_no_rounding_is_asked_for(void **state)
{
    (void)state;
    row("QuantizeLinear", 23, "bf16[1] 65536; f16[] 3.076171875; s16[] 529", "", "s16[1] 32767");
    row_under("division=wide", "QuantizeLinear", 23, "bf16[1] 65536; f16[] 3.076171875; s16[] 529",
              "", "s16[1] 32767|21833|21841");
    row_under("division=wide", "QuantizeLinear", 23, "bf16[1] 65536; f32[] 3.076171875; s16[] 529",
              "precision=10", "s16[1] 32767|21841");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infinities_saturate),
        cmocka_unit_test(an_overflow_need_not_happen),
        cmocka_unit_test(block_size_beside_one_scale),
        cmocka_unit_test(x_is_converted_first),
        cmocka_unit_test(of_one_x_points),
        cmocka_unit_test(precision_is_asked_for),
        cmocka_unit_test(half_is_added),
        cmocka_unit_test(the_quotient_alone_may_have_the_precision),
        cmocka_unit_test(without_precision_no_rounding_is_asked_for),
    };
    return cmocka_run_group_tests_name("QuantizeLinear", tests, NULL, NULL);
}
