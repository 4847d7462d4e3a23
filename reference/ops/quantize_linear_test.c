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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infinities_saturate),
        cmocka_unit_test(an_overflow_need_not_happen),
        cmocka_unit_test(block_size_beside_one_scale),
    };
    return cmocka_run_group_tests_name("QuantizeLinear", tests, NULL, NULL);
}
