/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear and DequantizeLinear of com.microsoft: what differs from ONNX's.
 * Alone: <build>/tests/reference/ops/vendor_linear_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define Q "com.microsoft:QuantizeLinear", 1
#define DQ "com.microsoft:DequantizeLinear", 1

static void types_before_their_opset(void **state)
{
    (void)state;
    row(Q, "f32[3] 0.5 1.5 -1; f32[] 1; u8[] 3", "", "u8[3] 3 5 2");
    row(Q, "f32[3] 0.5 1.5 -1; f32[1] 1", "", "u8[3] 0 2 0");
    row(Q, "f16[3] 0.5 40000 -1; f16[] 0.5; s16[] -2", "", "s16[3] -1 32767 -4");
    row(Q, "f32[2] 70000 3; f32[] 1; u16[] 1", "", "u16[2] 65535 4");
    row(Q, "f32[3] 9 -9 2.5; f32[] 1; s4[] 1", "", "s4[3] 7 -8 3");
    row(Q, "f32[2] 9 2.5; f32[] 0.5; u4[] 1", "", "u4[2] 15 6");
    row_under("rounding=half-away", Q, "f32[1] 0.5; f32[] 1; u8[] 3", "", "u8[1] 4");
    row(DQ, "u8[2] 3 255; f32[] 0.5; u8[] 5", "", "f32[2] -1 125");
    row(DQ, "s32[2] 3 -7; f16[] 0.5", "", "f16[2] 1.5 -3.5");
    row(DQ, "s16[1] -32768; f32[] 2; s16[] 32767", "", "f32[1] -131070");
    row(DQ, "u4[2] 15 0; f32[] 2; u4[] 7", "", "f32[2] 16 -14");
}

static void axis_has_no_default(void **state)
{
    (void)state;
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2; u8[2] 1 2", "axis=0", "u8[2,2] 2 3 4 4");
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2; u8[2] 1 2", "axis=1", "u8[2,2] 2 3 4 4");
    row(DQ, "s8[2,2] 1 2 3 4; f32[2] 1 2; s8[2] 1 2", "axis=1", "f32[2,2] 0 0 2 4");
    row(DQ, "s8[2,2] 1 2 3 4; f32[2] 1 2; s8[2] 1 2", "", "!x_scale-shape");
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2", "", "!y_scale-shape");
    row(Q, "f32[2,2] 1 2 3 4; f32[] 1", "axis=0", "!y_scale-shape");
    row(Q, "f32[2,2] 1 2 3 4; f32[3] 1 2 3", "axis=0", "!y_scale-shape");
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2; u8[] 1", "axis=0", "!y_zero_point-shape");
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2", "axis=2", "!axis-range");
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2", "axis=-3", "!axis-range");
    row(Q, "f32[2,2] 1 2 3 4; f32[2] 1 2", "axis=-1", "?negative axes");
    row(Q, "f32[2,2] 1 2 3 4; f32[2,1] 1 2", "axis=1 block_size=2", "!attribute-unknown");
    row(Q, "f32[1] 1; f32[] 1", "output_dtype=3", "!attribute-unknown");
}

static void types(void **state)
{
    (void)state;
    row(Q, "s32[1] 1; f32[] 1", "", "!x-type");
    row(Q, "bf16[1] 1; bf16[] 1", "", "!x-type");
    row(Q, "f32[1] 1; f16[] 1", "", "!y_scale-type");
    row(Q, "f32[1] 1; f32[] 1; s32[] 1", "", "!y_zero_point-type");
    row(DQ, "f8e4m3fn[1] 1; f32[] 1", "", "!x-type");
    row(DQ, "u8[1] 1; bf16[] 1", "", "!x_scale-type");
    row(DQ, "u8[1] 1; f32[] 1; s8[] 1", "", "!x_zero_point-type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_before_their_opset),
        cmocka_unit_test(axis_has_no_default),
        cmocka_unit_test(types),
    };
    return cmocka_run_group_tests_name("the vendor's QuantizeLinear", tests, NULL, NULL);
}
