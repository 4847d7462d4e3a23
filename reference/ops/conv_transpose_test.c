/* SPDX-License-Identifier: Apache-2.0 */
/* ConvTranspose and BatchNormalization: hand-computed values, padding by every rule, what is
 * rejected. Alone: <build>/tests/reference/ops/conv_transpose_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define T "ConvTranspose", 11
#define X2 "f32[1,1,2] 1 2;"

static void transposed_by_hand(void **state)
{
    (void)state;
    row(T, X2 "f32[1,1,2] 3 4", "", "f32[1,1,3] 3 10 8");
    row("ConvTranspose", 1, X2 "f32[1,1,2] 3 4; f32[1] 1", "", "f32[1,1,3] 4 11 9");
    row("ConvTranspose", 22, "bf16[1,1,2] 1 2; bf16[1,1,2] 3 4", "", "bf16[1,1,3] 3 10 8");
    row(T, X2 "f32[1,1,2] 3 4", "strides=2,", "f32[1,1,4] 3 4 6 8");
    row(T, X2 "f32[1,1,2] 3 4", "strides=2, output_padding=1,", "f32[1,1,5] 3 4 6 8 0");
    row(T, X2 "f32[1,1,2] 3 4; f32[1] 7", "strides=3,", "f32[1,1,5] 10 11 7 13 15");
    row(T, X2 "f32[1,1,2] 3 4", "dilations=2,", "f32[1,1,4] 3 6 4 8");
    row(T, X2 "f32[1,1,2] 3 4", "pads=1,1", "f32[1,1,1] 10");
    row(T, X2 "f32[1,1,2] 3 4", "pads=0,1 auto_pad=NOTSET", "f32[1,1,2] 3 10");
    row(T, X2 "f32[1,1,2] 3 4", "auto_pad=VALID", "f32[1,1,3] 3 10 8");
    /* two groups of one channel; one channel to two filters; two channels to one */
    row(T, "f32[1,2,1] 5 7; f32[2,1,1] 2 3", "group=2", "f32[1,2,1] 10 21");
    row(T, "f32[1,1,1] 5; f32[1,2,1] 2 3; f32[2] 1 2", "", "f32[1,2,1] 11 17");
    row(T, "f32[1,2,1] 5 7; f32[2,1,1] 2 3", "", "f32[1,1,1] 31");
    row(T, "f32[1,2,1] 5 7; f32[2,2,1] 2 3 4 5", "group=2", "f32[1,4,1] 10 15 28 35");
    row(T, "f32[1,1,2,2] 1 2 3 4; f32[1,1,2,2] 1 10 100 1000", "kernel_shape=2,2",
        "f32[1,1,3,3] 1 12 20 103 1234 2040 300 3400 4000");
    row(T, "f32[1,1,2,1] 1 2; f32[1,1,1,2] 1 10", "strides=2,1", "f32[1,1,3,2] 1 10 0 0 2 20");
    row(T, "f32[0,1,2]; f32[1,1,2] 3 4", "", "f32[0,1,3]");
    row(T, "f32[1,1,1] inf; f32[1,1,2] 3 0", "", "f32[1,1,2] * *");
}

/* Unpadded, stride 2: 1 10 102 20 200; one too many for 4. */
static void padding_is_computed(void **state)
{
    (void)state;
#define W3 "f32[1,1,3] 1 10 100"
    row(T, X2 W3, "strides=2, auto_pad=SAME_UPPER", "f32[1,1,4] 1 10 102 20");
    row(T, X2 W3, "strides=2, auto_pad=SAME_LOWER", "f32[1,1,4] 10 102 20 200");
    row(T, X2 W3, "strides=2, output_shape=4,", "f32[1,1,4] 10 102 20 200");
    row(T, X2 W3, "strides=2, output_shape=4, auto_pad=SAME_UPPER", "f32[1,1,4] 1 10 102 20");
    row(T, X2 W3, "strides=2, output_shape=3, pads=5,7", "f32[1,1,3] 10 102 20");
    /* output_padding takes part in the total */
    row(T, X2 W3, "strides=2, output_shape=4, output_padding=1,", "f32[1,1,4] 10 102 20 200");
    row(T, X2 W3, "strides=2, output_shape=6,", "f32[1,1,6] 1 10 102 20 200 0");
    row(T, X2 "f32[1,1,1] 1", "strides=2, auto_pad=SAME_UPPER", "f32[1,1,4] 1 0 2 0");
    row("ConvTranspose", 1, X2 W3, "auto_pad=SAME_UPPER", "?before opset 11");
    row("ConvTranspose", 1, X2 W3, "strides=2, output_shape=4,", "?before opset 11");
    row("ConvTranspose", 1, X2 W3, "strides=2, output_shape=3,", "f32[1,1,3] 10 102 20");
}

static void rules(void **state)
{
    (void)state;
    row(T, "bf16[1,1,1] 1; bf16[1,1,1] 1", "", "!x-type");
    row(T, "f64[1,1,1] 1; f64[1,1,1] 1", "", "?f64");
    row(T, X2 "f16[1,1,1] 1", "", "!w-type");
    row(T, X2 "f32[1,1,1] 1; f16[1] 1", "", "!bias-type");
    row(T, X2 "f32[1,1,1] 1; f32[2] 1 1", "", "!bias-shape");
    row(T, "f32[1,1] 1; f32[1,1] 1", "", "!x-rank");
    row(T, X2 "f32[1,1] 1", "", "!w-rank");
    row(T, X2 "f32[1,1,1] 1", "group=0", "!group-positive");
    row(T, X2 "f32[2,1,1] 1 1", "", "!group-channels");
    row(T, X2 "f32[1,1,1] 1", "group=2", "!group-channels");
    row(T, X2 "f32[1,1,2] 3 4", "kernel_shape=3,", "!kernel_shape-mismatch");
    row(T, X2 "f32[1,1,2] 3 4", "pads=2,1", "f32[1,1,0]"); /* 1 + 2 - 3 */
    row(T, X2 "f32[1,1,2] 3 4", "pads=2,2", "!output-empty");
    row(T, X2 "f32[1,1,2] 3 4", "pads=-1,1", "!pads-negative");
    row(T, X2 "f32[1,1,2] 3 4", "pads=1,", "!pads-length");
    row(T, X2 "f32[1,1,2] 3 4", "pads=1,1 auto_pad=VALID", "!auto_pad-with-pads");
    row(T, X2 "f32[1,1,2] 3 4", "strides=0,", "!strides-positive");
    row(T, X2 "f32[1,1,2] 3 4", "output_padding=1,", "!output_padding-range");
    row(T, X2 "f32[1,1,2] 3 4", "output_padding=1,1", "!output_padding-length");
    row(T, X2 "f32[1,1,2] 3 4", "output_shape=1,1", "!output_shape-length");
    row(T, X2 "f32[1,1,2] 3 4", "output_shape=0,", "!output_shape-positive");
}

#define N "BatchNormalization"
#define PARAMETERS "f32[2] 2 3; f32[2] 1 -1; f32[2] 1 1; f32[2] 4 16"

static void normalization_by_hand(void **state)
{
    (void)state;
    /* (3 − 1)/2·2 + 1 and (5 − 1)/4·3 − 1: no order rounds */
    row(N, 9, "f32[1,2,1] 3 5;" PARAMETERS, "epsilon=0f", "f32[1,2,1] 3 2");
    row(N, 14, "f32[1,2] 3 5;" PARAMETERS, "epsilon=0f training_mode=0", "f32[1,2] 3 2");
    row(N, 15, "f32[1,2,2] 3 1 5 1; f16[2] 2 3; f16[2] 1 -1; bf16[2] 1 1; bf16[2] 4 16",
        "epsilon=0f", "f32[1,2,2] 3 1 2 -1");
    row(N, 9, "f32[2] 3 5; f32[1] 2; f32[1] 1; f32[1] 1; f32[1] 3.75", "epsilon=0.25f",
        "f32[2] 3 5");
    row(N, 15, "f16[1,1] 3; f16[1] 2; f16[1] 1; f16[1] 1; f16[1] 4", "epsilon=0f", "f16[1,1] 3");
    /* 1/√2 with √2 between its float32 neighbours */
    row(N, 15, "f32[1,1] 1; f32[1] 1; f32[1] 0; f32[1] 0; f32[1] 2", "epsilon=0f",
        "f32[1,1] 0.7071067094802856..0.70710676908493042..0.7071068286895752");
    /* 15182777.1 units of 64: 10403616·467 rounded up, by 5, is 15182777.6, then up; times 1/5, both rounded down,
     * 2080723·467 is 15182775.6, then down */
    row(N, 15, "f32[1,1] 10403616; f32[1] 467; f32[1] 0; f32[1] 0; f32[1] 25", "epsilon=0f",
        "f32[1,1] 971697600..971697728..971697792");
    row(N, 15, "f32[1,1] 1; f32[1] 1; f32[1] 0; f32[1] 0; f32[1] 0", "epsilon=0f", "f32[1,1] *");
    row(N, 15, "f32[1,1] 1; f32[1] 1; f32[1] 0; f32[1] 0; f32[1] -1", "", "f32[1,1] *");
    row(N, 15, "f32[1,1] nan; f32[1] 1; f32[1] 0; f32[1] 0; f32[1] 1", "", "f32[1,1] *");
    row(N, 15, "f32[1,1] 3..5; f32[1] 2; f32[1] 1; f32[1] 1; f32[1] 4", "epsilon=0f",
        "f32[1,1] 3..5");
}

static void rules_of_normalization(void **state)
{
    (void)state;
    row(N, 7, "f32[1,2] 3 5;" PARAMETERS, "", "?before opset 9");
    row(N, 9, "f32[1,2] 3 5;" PARAMETERS, "training_mode=0", "!attribute-unknown");
    row(N, 15, "f32[1,2] 3 5;" PARAMETERS, "training_mode=1", "?training");
    row(N, 9, "f32[1,2] 3 5;" PARAMETERS, "", "3?training");
    row(N, 15, "f32[1,2] 3 5;" PARAMETERS, "", "3!output-count");
    row(N, 9, "f64[1,1] 3; f64[1] 2; f64[1] 1; f64[1] 1; f64[1] 4", "", "?f64");
    row(N, 9, "s32[1,1] 3; f32[1] 2; f32[1] 1; f32[1] 1; f32[1] 4", "", "!x-type");
    row(N, 14, "f32[1,1] 3; f16[1] 2; f32[1] 1; f32[1] 1; f32[1] 4", "", "!scale-type");
    row(N, 15, "f32[1,1] 3; f16[1] 2; f32[1] 1; f32[1] 1; f32[1] 4", "", "!b-type");
    row(N, 9, "f32[1,1] 3; f32[1] 2; f32[1] 1; f16[1] 1; f16[1] 4", "", "!mean-type");
    row(N, 15, "f32[1,1] 3; f32[1] 2; f32[1] 1; f32[1] 1; f16[1] 4", "", "!var-type");
    row(N, 9, "f32[] 3; f32[1] 2; f32[1] 1; f32[1] 1; f32[1] 4", "", "!x-rank");
    row(N, 9, "f32[1,1] 3; f32[2] 2 2; f32[1] 1; f32[1] 1; f32[1] 4", "", "!scale-shape");
    row(N, 9, "f32[1,1] 3; f32[1] 2; f32[2] 1 1; f32[1] 1; f32[1] 4", "", "!b-shape");
    row(N, 9, "f32[1,1] 3; f32[1] 2; f32[1] 1; f32[] 1; f32[1] 4", "", "!mean-shape");
    row(N, 9, "f32[1,1] 3; f32[1] 2; f32[1] 1; f32[1] 1; f32[1,1] 4", "", "!var-shape");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposed_by_hand),
        cmocka_unit_test(padding_is_computed),
        cmocka_unit_test(rules),
        cmocka_unit_test(normalization_by_hand),
        cmocka_unit_test(rules_of_normalization),
    };
    return cmocka_run_group_tests_name("conv_transpose, batch_normalization", tests, NULL, NULL);
}
