/* SPDX-License-Identifier: Apache-2.0 */
/* MaxPool: hand-picked maxima, shapes by every rounding and padding mode, hulls, every rule.
 * Alone: <build>/tests/reference/ops/max_pool_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define X5 "s8[1,1,5] -5 3 -1 7 -9"

static void maxima_by_hand(void **state)
{
    (void)state;
    row("MaxPool", 12, X5, "kernel_shape=[2]", "s8[1,1,4] 3 3 7 7");
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[2]", "s8[1,1,2] 3 7");
    row("MaxPool", 12, X5, "kernel_shape=[2] dilations=[3]", "s8[1,1,2] 7 3");
    row("MaxPool", 12, "u8[1,2,2,2] 1 2 3 4 8 7 6 5", "kernel_shape=2,2", "u8[1,2,1,1] 4 8");
    row("MaxPool", 12, "u8[2,1,1,2] 1 2 4 3", "kernel_shape=1,2", "u8[2,1,1,1] 2 4");
    row("MaxPool", 1, "f32[1,1,3] -1.5 -2 -inf", "kernel_shape=[2]", "f32[1,1,2] -1.5 -2");
    row("MaxPool", 22, "bf16[1,1,2] -1.5 -2", "kernel_shape=[2]", "bf16[1,1,1] -1.5");
    row("MaxPool", 12, "u8[0,1,2]", "kernel_shape=[2]", "u8[0,1,1]");
    row("MaxPool", 12, "u8[1,0,2]", "kernel_shape=[2]", "u8[1,0,1]");
}

/* Padding never wins, not even over negative codes. */
static void padding_takes_no_part(void **state)
{
    (void)state;
    row("MaxPool", 12, X5, "kernel_shape=[2] pads=1,1", "s8[1,1,6] -5 3 3 7 7 -9");
    row("MaxPool", 12, X5, "kernel_shape=[2] pads=2,0 strides=[2]", "s8[1,1,3] * 3 7");
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[2] auto_pad=SAME_UPPER", "s8[1,1,3] 3 7 -9");
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[2] auto_pad=SAME_LOWER", "s8[1,1,3] -5 3 7");
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[2] auto_pad=VALID", "s8[1,1,2] 3 7");
}

/* The size is floor((in + pads - dilation·(kernel - 1) - 1)/stride + 1): 0 is one. */
static void no_window(void **state)
{
    (void)state;
    row("MaxPool", 12, X5, "kernel_shape=[6]", "s8[1,1,0]");
    row("MaxPool", 12, X5, "kernel_shape=[7] strides=[2]", "s8[1,1,0]");
    row("MaxPool", 12, X5, "kernel_shape=[2] dilations=[5]", "s8[1,1,0]");
    row("Conv", 11, "f32[1,1,3] 1 2 3; f32[2,1,4] 1 1 1 1 1 1 1 1", "", "f32[1,2,0]");
    row("AveragePool", 19, "f32[1,1,2] 1 2", "kernel_shape=[3]", "f32[1,1,0]");
}

/* ceil_mode since opset 22: "Sliding windows that would start in the right padded region are
 * ignored", wherever the stride leads. */
static void windows_in_the_right_padding(void **state)
{
    (void)state;
    row("MaxPool", 22, X5, "kernel_shape=[1] pads=0,1 ceil_mode=1", "s8[1,1,5] -5 3 -1 7 -9");
    row("MaxPool", 22, X5, "kernel_shape=[1] pads=0,3 ceil_mode=1", "s8[1,1,5] -5 3 -1 7 -9");
    row("MaxPool", 21, X5, "kernel_shape=[1] pads=0,1 ceil_mode=1", "s8[1,1,6] -5 3 -1 7 -9 *");
    row("MaxPool", 22, X5, "kernel_shape=[1] pads=0,1", "s8[1,1,6] -5 3 -1 7 -9 *");
    row("AveragePool", 22, "f32[1,1,4] 1 3 -5 8",
        "kernel_shape=[2] strides=[2] pads=0,4 ceil_mode=1", "f32[1,1,2] 2 1.5");
}

static void ceil_mode(void **state)
{
    (void)state;
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[2] ceil_mode=1", "s8[1,1,3] 3 7 -9");
    row("MaxPool", 12, X5, "kernel_shape=[3] strides=[2] ceil_mode=1", "s8[1,1,2] 3 7");
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[2] ceil_mode=1 auto_pad=VALID",
        "s8[1,1,2] 3 7");
    /* ⌈(2 + 1 − 1)/3⌉ + 1 = 2 windows, of which the second would start at 3, after the input */
    row("MaxPool", 22, "s8[1,1,2] 1 2", "kernel_shape=[1] strides=[3] pads=0,1 ceil_mode=1",
        "s8[1,1,1] 1");
    row("MaxPool", 21, "s8[1,1,2] 1 2", "kernel_shape=[1] strides=[3] pads=0,1 ceil_mode=1",
        "?padding alone");
    row("MaxPool", 22, "s8[1,1,2] 1 2", "kernel_shape=[3] strides=[2] ceil_mode=1", "?beyond");
}

static void hulls(void **state)
{
    (void)state;
    row("MaxPool", 12, "u8[1,1,3] 1..2..5 3..4 2", "kernel_shape=[2]", "u8[1,1,2] 3..3..5 3..4");
    row("MaxPool", 12, "u8[1,1,3] 1..2 * 3", "kernel_shape=[1]", "u8[1,1,3] 1..2 * 3");
    row("MaxPool", 12, "u8[1,1,3] 1..2 * 3", "kernel_shape=[2]", "u8[1,1,2] * *");
    row("MaxPool", 12, "f32[1,1,3] 1 nan 3", "kernel_shape=[2] strides=[2]", "f32[1,1,1] *");
}

static void indices(void **state)
{
    (void)state;
    row("MaxPool", 12, "u8[1,2,3] 1 2 0 5 4 6", "kernel_shape=[2]",
        "u8[1,2,2] 2 2 5 6; s64[1,2,2] 1 1 3 5");
    row("MaxPool", 8, "f32[1,1,2,3] 1 2 3 4 0 6", "kernel_shape=2,2 storage_order=0",
        "f32[1,1,1,2] 4 6; s64[1,1,1,2] 3 5");
    /* column by column: 1 4 2 0 3 6 */
    row("MaxPool", 8, "f32[1,1,2,3] 1 2 3 4 0 6", "kernel_shape=2,2 storage_order=1",
        "f32[1,1,1,2] 4 6; s64[1,1,1,2] 1 5");
    row("MaxPool", 12, "u8[1,1,4] 3 3 4 4", "kernel_shape=[2]",
        "u8[1,1,3] 3 4 4; s64[1,1,3] * 2 *");
    row("MaxPool", 12, "u8[1,1,1] 3", "kernel_shape=[1] pads=1,0", "u8[1,1,2] * 3; s64[1,1,2] * 0");
    row("MaxPool", 12, "u8[1,2,1] 3 4", "kernel_shape=[1] storage_order=1", "2?column major");
}

static void rules(void **state)
{
    (void)state;
    row("MaxPool", 11, X5, "kernel_shape=[2]", "!x-type");
    row("MaxPool", 21, "bf16[1,1,1] 1", "kernel_shape=[1]", "!x-type");
    row("MaxPool", 12, "s8[1,5] 1 2 3 4 5", "kernel_shape=[2]", "!x-rank");
    row("MaxPool", 12, X5, "", "!kernel_shape-missing");
    row("MaxPool", 12, X5, "kernel_shape=2,2", "!kernel_shape-length");
    row("MaxPool", 12, X5, "kernel_shape=[0]", "!kernel_shape-positive");
    row("MaxPool", 12, X5, "kernel_shape=[7]", "!output-empty");
    row("MaxPool", 12, X5, "kernel_shape=[8] strides=[2]", "!output-empty");
    row("MaxPool", 12, X5, "kernel_shape=[2] strides=[0]", "!strides-positive");
    row("MaxPool", 12, X5, "kernel_shape=[2] dilations=1,1", "!dilations-length");
    row("MaxPool", 12, X5, "kernel_shape=[2] pads=[1]", "!pads-length");
    row("MaxPool", 12, X5, "kernel_shape=[2] pads=-1,0", "!pads-negative");
    row("MaxPool", 12, X5, "kernel_shape=[2] auto_pad=SAME", "!auto_pad-value");
    row("MaxPool", 12, X5, "kernel_shape=[2] auto_pad=VALID pads=0,0", "!auto_pad-with-pads");
    row("MaxPool", 8, "f32[1,1,1] 1", "kernel_shape=[1] dilations=[1]", "!attribute-unknown");
    row("MaxPool", 8, "f32[1,1,1] 1", "kernel_shape=[1] ceil_mode=1", "!attribute-unknown");
    row("MaxPool", 7, "f32[1,1,1] 1", "kernel_shape=[1] storage_order=0", "!attribute-unknown");
    row("MaxPool", 7, "f32[1,1,1] 1", "kernel_shape=[1]", "2!output-count");
    row("MaxPool", 8, "f32[1,1,1] 1", "kernel_shape=[1] storage_order=2", "!storage_order-value");
    row("MaxPool", 12, "s8[1,1,1,1] 1", "kernel_shape=268435456,268435456 auto_pad=SAME_UPPER",
        "#elements");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxima_by_hand), cmocka_unit_test(padding_takes_no_part),
        cmocka_unit_test(no_window),      cmocka_unit_test(windows_in_the_right_padding),
        cmocka_unit_test(ceil_mode),      cmocka_unit_test(hulls),
        cmocka_unit_test(indices),        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests_name("max_pool", tests, NULL, NULL);
}
