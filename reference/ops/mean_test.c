/* SPDX-License-Identifier: Apache-2.0 */
/* AveragePool, GlobalAveragePool, ReduceMean and ReduceMax: means and maxima by hand, latitude
 * where a mean rounds, every rule. Alone: <build>/tests/reference/ops/mean_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define X4 "f32[1,1,4] 1 3 -5 8"

static void average_pool(void **state)
{
    (void)state;
    row("AveragePool", 7, X4, "kernel_shape=[2]", "f32[1,1,3] 2 -1 1.5");
    row("AveragePool", 1, X4, "kernel_shape=[2] strides=[2]", "f32[1,1,2] 2 1.5");
    row("AveragePool", 7, X4, "kernel_shape=[2] pads=1,0", "f32[1,1,4] 1 2 -1 1.5");
    row("AveragePool", 7, X4, "kernel_shape=[2] pads=1,0 count_include_pad=1",
        "f32[1,1,4] 0.5 2 -1 1.5");
    row("AveragePool", 7, X4, "kernel_shape=[2] pads=2,0", "f32[1,1,5] * 1 2 -1 1.5");
    row("AveragePool", 7, X4, "kernel_shape=[2] pads=2,0 count_include_pad=1",
        "f32[1,1,5] 0 0.5 2 -1 1.5");
    row("AveragePool", 19, X4, "kernel_shape=[2] dilations=[2]", "f32[1,1,2] -2 5.5");
    row("AveragePool", 11, X4, "kernel_shape=[2] auto_pad=SAME_UPPER strides=[3]",
        "f32[1,1,2] 2 8");
    row("AveragePool", 11, X4, "kernel_shape=[2] auto_pad=SAME_LOWER", "f32[1,1,4] 1 2 -1 1.5");
    row("AveragePool", 22, "bf16[1,2,1,2] 1 2 4 8", "kernel_shape=1,2", "bf16[1,2,1,1] 1.5 6");
    row("AveragePool", 22, "f32[1,1,2] 1..3 *", "kernel_shape=[1]", "f32[1,1,2] 1..3 *");
    row("AveragePool", 22, "f32[1,1,2] 1 inf", "kernel_shape=[2]", "f32[1,1,1] *");
    row("AveragePool", 22, "f32[0,1,2] ", "kernel_shape=[2]", "f32[0,1,1]");
}

static void average_pool_ceil(void **state)
{
    (void)state;
    row("AveragePool", 10, X4, "kernel_shape=[3] strides=[2] ceil_mode=1",
        "f32[1,1,2] -0.3333333432674407958984375..-0.3333333432674407958984375.."
        "-0.333333333333333314829616256247 1.5");
    row("AveragePool", 10, X4, "kernel_shape=[4] strides=[2] ceil_mode=1 pads=0,1",
        "f32[1,1,2] 1.75 1.5");
    row("AveragePool", 10, X4,
        "kernel_shape=[4] strides=[2] ceil_mode=1 pads=0,1 count_include_pad=1",
        "f32[1,1,2] 1.75 *");
}

/* 1/3 = 0.333…: RN is 11184811·2^−25; 1·RN(1/3) is the same. 5·RN(1/3) is a tie-free product: RN =
 * 13981014·2^−23, and RN(5/3) = 13981013·2^−23. */
static void means_that_round(void **state)
{
    (void)state;
    row("ReduceMean", 13, "f32[3] 5 0 0", "axes=[0] keepdims=0",
        "f32[] 1.66666662693023681640625..1.66666662693023681640625..1.6666667461395263671875");
    /* (2^24 + 1)/2: the sum of both needs 25 bits; γ_6 of it */
    row("ReduceMean", 13, "f32[2] 3 4", "axes=[0]", "f32[1] 3.5");
    row("GlobalAveragePool", 1, "f16[1,1,2] 1 1.0009765625", "", "f16[1,1,1] 1..1..1.00048828125");
}

static void reduce_mean(void **state)
{
    (void)state;
    row("ReduceMean", 1, "f32[2,2] 1 2 3 6", "", "f32[1,1] 3");
    row("ReduceMean", 11, "f32[2,2] 1 2 3 6", "axes=[-1] keepdims=0", "f32[2] 1.5 4.5");
    row("ReduceMean", 18, "f32[2,2] 1 2 3 6; s64[1] 0", "", "f32[1,2] 2 4");
    row("ReduceMean", 18, "f32[2,2] 1 2 3 6; s64[2] 1 0", "keepdims=0", "f32[] 3");
    row("ReduceMean", 18, "f32[2,2] 1 2 3 6; s64[0] ", "", "f32[1,1] 3");
    row("ReduceMean", 18, "f32[2,2] 1 2 3 6; s64[0] ", "noop_with_empty_axes=1",
        "f32[2,2] 1 2 3 6");
    row("ReduceMean", 18, "f32[2] 1 2", "noop_with_empty_axes=1", "f32[2] 1 2");
    row("ReduceMean", 13, "f32[2,0] ", "axes=[1]", "f32[2,1] * *");
    row("ReduceMean", 13, "f32[] 4", "", "f32[] 4");
    row("GlobalAveragePool", 1, "f32[1,2,2,1] 1 2 3 6", "", "f32[1,2,1,1] 1.5 4.5");
    row("GlobalAveragePool", 22, "bf16[1,1,1] 7", "", "bf16[1,1,1] 7");
    row("GlobalAveragePool", 1, "f32[1,1,0] ", "", "f32[1,1,1] *");
}

static void reduce_max(void **state)
{
    (void)state;
    row("ReduceMax", 12, "s8[2,3] 1 -2 3 -4 -5 -6", "axes=[1] keepdims=0", "s8[2] 3 -4");
    row("ReduceMax", 12, "u8[2,3] 1 2 3 4 5 6", "axes=[0]", "u8[1,3] 4 5 6");
    row("ReduceMax", 1, "s64[2] 9007199254740992 9007199254740993", "", "s64[1] 9007199254740993");
    row("ReduceMax", 18, "f32[2,2] 1 2 3 6; s64[1] 0", "keepdims=0", "f32[2] 3 6");
    row("ReduceMax", 20, "bool[2] 0 1", "", "bool[1] 1");
    row("ReduceMax", 18, "f32[2] 1 2", "noop_with_empty_axes=1", "f32[2] 1 2");
    row("ReduceMax", 18, "s8[1,0] ; s64[1] 1", "", "s8[1,1] -128");
    row("ReduceMax", 13, "f32[1,0] ", "axes=[1]", "f32[1,1] -inf");
    row("ReduceMax", 13, "f32[2] 1 nan", "", "f32[1] *");
    row("ReduceMax", 13, "f32[3] 1..2 0..4 1.5", "", "f32[1] 1.5..1.5..4");
}

/* No sentence says how a mean of integers is rounded: up or down. */
static void means_of_integers(void **state)
{
    (void)state;
    row("ReduceMean", 13, "s32[2,3] 1 2 3 -1 -2 -4", "axes=[1] keepdims=0", "s32[2] 2 -3..-2");
    row("ReduceMean", 1, "s64[2] 9007199254740993 9007199254740993", "", "s64[1] 9007199254740993");
    row("ReduceMean", 18, "s32[0] ", "", "s32[1] *");
    row("ReduceMean", 18, "s32[2] 2147483647 1", "", "s32[1] *");
    row("ReduceMean", 18, "s32[2] 1..2 1", "", "?more than one");
}

static void rules(void **state)
{
    (void)state;
    row("AveragePool", 21, "bf16[1,1,1] 1", "kernel_shape=[1]", "!x-type");
    row("AveragePool", 22, "u8[1,1,1] 1", "kernel_shape=[1]", "!x-type");
    row("AveragePool", 7, "f64[1,1,1] 1", "kernel_shape=[1]", "?f64");
    row("AveragePool", 7, X4, "", "!kernel_shape-missing");
    row("AveragePool", 18, X4, "kernel_shape=[2] dilations=[2]", "!attribute-unknown");
    row("AveragePool", 7, X4, "kernel_shape=[2] ceil_mode=1", "!attribute-unknown");
    row("AveragePool", 1, X4, "kernel_shape=[2] count_include_pad=1", "!attribute-unknown");
    row("GlobalAveragePool", 21, "bf16[1,1,1] 1", "", "!x-type");
    row("GlobalAveragePool", 1, "f32[1,1] 1", "", "!x-rank");
    row("ReduceMean", 12, "bf16[1] 1", "", "!data-type");
    row("ReduceMean", 13, "u8[1] 1", "", "!data-type");
    row("ReduceMean", 13, "f32[1] 1", "axes=[1]", "!axes-range");
    row("ReduceMean", 10, "f32[1] 1", "axes=[-1]", "?negative axis");
    row("ReduceMean", 13, "f32[1] 1", "axes=0,0", "?twice");
    row("ReduceMean", 13, "f32[1] 1", "axes=[]", "?without an axis");
    row("ReduceMean", 13, "f32[1] 1; s64[1] 0", "", "!input-count");
    row("ReduceMean", 18, "f32[1] 1; s32[1] 0", "", "!axes-type");
    row("ReduceMean", 18, "f32[1] 1; s64[1,1] 0", "", "!axes-rank");
    row("ReduceMean", 18, "f32[1] 1", "axes=[0]", "!attribute-unknown");
    row("ReduceMean", 17, "f32[1] 1", "noop_with_empty_axes=1", "!attribute-unknown");
    row("ReduceMax", 11, "u8[1] 1", "", "!data-type");
    row("ReduceMax", 19, "bool[1] 1", "", "!data-type");
    row("ReduceMax", 13, "f32[1] 1", "axes=[-2]", "!axes-range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(average_pool),
        cmocka_unit_test(average_pool_ceil),
        cmocka_unit_test(means_that_round),
        cmocka_unit_test(reduce_mean),
        cmocka_unit_test(reduce_max),
        cmocka_unit_test(means_of_integers),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests_name("mean", tests, NULL, NULL);
}
