/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements: hand-moved elements, hulls and flags that come along, every rule,
 * each opset's form. Alone: <build>/tests/reference/ops/movement_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/row_testlib.h"
#include "qdiff/dtype.h"
#include "qdiff/movement.h"

#define X23 "u8[2,3] 1 2 3 4 5 6"

static void transpose(void **state)
{
    (void)state;
    row("Transpose", 13, X23, "", "u8[3,2] 1 4 2 5 3 6");
    row("Transpose", 1, X23, "perm=0,1", X23);
    row("Transpose", 13, "s8[2,1,3] 1 2 3 4 5 6", "perm=1,2,0", "s8[1,3,2] 1 4 2 5 3 6");
    row("Transpose", 13, "bool[] 1", "", "bool[] 1");
    row("Transpose", 13, "f32[0,3]", "", "f32[3,0]");
    row("Transpose", 21, "s4[3,3] -8 -7 -6 -1 0 1 5 6 7", "", "s4[3,3] -8 -1 5 -7 0 6 -6 1 7");
    row("Transpose", 25, "u2[2,3] 0 1 2 3 2 1", "", "u2[3,2] 0 3 1 2 2 1");
    row("Transpose", 13, X23, "perm=0,0", "!perm-duplicate");
    row("Transpose", 13, X23, "axis=0", "!attribute-unknown");
    row("Transpose", 13, X23, "perm=0,2", "!perm-range");
    row("Transpose", 13, X23, "perm=-1,0", "!perm-range");
    row("Transpose", 13, X23, "perm=0,1,2", "!perm-length");
    row("Transpose", 13, X23, "perm=[]", "!perm-length");
    row("Transpose", 13, X23, "perm=1", "!attribute-type");
    row("Transpose", 13, "s4[1] 1", "", "!data-type");
    row("Transpose", 12, "bf16[1] 1", "", "!data-type");
}

static void hulls_and_flags_move(void **state)
{
    (void)state;
    row("Transpose", 13, "s8[2,2] 1..2 3 * -4..-3..5", "", "s8[2,2] 1..2 * 3 -4..-3..5");
    row("Identity", 13, "u8[2] 1..2 *", "", "u8[2] 1..2 *");
    row("Reshape", 13, "u8[2] 1..2 *; s64[2] 2 1", "", "u8[2,1] 1..2 *");
    row("Concat", 13, "u8[1] 7; u8[2] 1..2 9; u8[1] *", "axis=0", "u8[4] 7 1..2 9 *");
    row("Gather", 13, "f32[2] 0.5..1 *; s64[3] 1 0 1", "", "f32[3] * 0.5..1 *");
    row("Slice", 9, "f32[3] 0.5..1 * 4", "starts=[1] ends=[3]", "f32[2] * 4");
    row("Split", 2, "u8[2] 3..4 *", "", "u8[1] 3..4; u8[1] *");
    row("Expand", 8, "u8[2,1] 3..4 *; s64[2] 1 2", "", "u8[2,2] 3..4 3..4 * *");
}

/* What a consumer may fuse (abs_sum, fusion), what a report explains (real) and flags come
 * along. */
static void everything_known_moves(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_error error;
    struct qd_semantics semantics = {0};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_evaluation evaluation = {
        .semantics = &semantics, .arena = &arena, .error = &error, .keep_reals = true};
    int64_t two = 2, stride = -1;
    struct qd_value x, y;
    assert_int_equal(qd_value_init(&x, &arena, QD_F32, 1, &two, &error), QD_OK);
    qd_tensor_set(&x.want, 0, (int64_t)qd_float_encode(QD_F32, -3, false));
    assert_int_equal(qd_value_need_abs_sum(&x, &arena, &error), QD_OK);
    x.abs_sum[0] = 8;
    x.fusion.rough_scales = true;
    assert_int_equal(qd_value_set_real(&x, 1, 0.25, true, &arena, &error), QD_OK);
    x.flags[0] = QD_EXTREME_SCALE;
    assert_int_equal(qd_move_strided(&evaluation, &x, 1, &two, 1, &stride, &y), QD_OK);
    assert_true(qd_tensor_value(&y.want, 1) == -3);
    assert_true(y.abs_sum[0] == 0 && y.abs_sum[1] == 8);
    assert_true(y.fusion.rough_scales);
    assert_true(y.real[0] == 0.25);
    assert_true(y.real[1] != y.real[1]);
    assert_int_equal(y.flags[0], QD_TIE);
    assert_int_equal(y.flags[1], QD_EXTREME_SCALE);
    assert_null(y.lo);
    qd_arena_clear(&arena);
}

static void reshape(void **state)
{
    (void)state;
    row("Reshape", 5, X23 "; s64[2] 3 2", "", "u8[3,2] 1 2 3 4 5 6");
    row("Reshape", 13, X23 "; s64[3] -1 1 2", "", "u8[3,1,2] 1 2 3 4 5 6");
    row("Reshape", 13, X23 "; s64[3] 0 1 -1", "", "u8[2,1,3] 1 2 3 4 5 6");
    row("Reshape", 13, "u8[1,1] 9; s64[0]", "", "u8[] 9");
    row("Reshape", 4, "f32[2] 1 2", "shape=2,1", "f32[2,1] 1 2");
    row("Reshape", 14, "u8[0,3]; s64[2] 3 0", "allowzero=1", "u8[3,0]");
    row("Reshape", 14, "u8[0,3]; s64[2] 0 3", "", "u8[0,3]");
    row("Reshape", 19, "f8e5m2[2] 1 2; s64[2] 2 1", "", "f8e5m2[2,1] 1 2");
    row("Reshape", 18, "f8e5m2[2] 1 2; s64[2] 2 1", "", "!data-type");
    row("Reshape", 4, "u8[2] 1 2", "shape=2,1", "!data-type");
    row("Reshape", 13, X23 "; s64[2] 4 2", "", "!shape-mismatch");
    row("Reshape", 13, X23 "; s64[2] 4 -1", "", "!shape-mismatch");
    row("Reshape", 14, X23 "; s64[2] 0 3", "allowzero=1", "!shape-mismatch");
    row("Reshape", 13, X23 "; s64[2] -1 -1", "", "!shape-two-inferred");
    row("Reshape", 13, X23 "; s64[2] -2 3", "", "!shape-negative");
    row("Reshape", 13, X23 "; s64[3] 3 2 0", "", "!shape-zero-range");
    row("Reshape", 14, "u8[0,3]; s64[2] 0 -1", "allowzero=1", "!shape-allowzero");
    row("Reshape", 14, "u8[0,3]; s64[2] 0 -1", "", "?not determined");
    row("Reshape", 13, X23 "; s32[2] 3 2", "", "!shape-type");
    row("Reshape", 13, X23 "; s64[1,2] 3 2", "", "!shape-rank");
    row("Reshape", 13, X23 "; s64[] 6", "", "?scalar");
    row("Reshape", 13, X23 "; s64[2] 3 2", "allowzero=1", "!attribute-unknown");
    row("Reshape", 13, X23 "; s64[2] 3 2", "shape=3,2", "!attribute-unknown");
    row("Reshape", 13, X23, "", "!shape-missing");
    row("Reshape", 4, "f32[2] 1 2; s64[2] 2 1", "", "!input-count");
}

static void flatten(void **state)
{
    (void)state;
    row("Flatten", 9, "u8[2,1,2] 1 2 3 4", "", "u8[2,2] 1 2 3 4");
    row("Flatten", 9, "u8[2,1,2] 1 2 3 4", "axis=0", "u8[1,4] 1 2 3 4");
    row("Flatten", 9, "u8[2,1,2] 1 2 3 4", "axis=3", "u8[4,1] 1 2 3 4");
    row("Flatten", 11, "u8[2,1,2] 1 2 3 4", "axis=-1", "u8[2,2] 1 2 3 4");
    row("Flatten", 11, "u8[2,1,2] 1 2 3 4", "axis=-3", "u8[1,4] 1 2 3 4");
    row("Flatten", 9, "u8[2,1,2] 1 2 3 4", "axis=-1", "!axis-range");
    row("Flatten", 11, "u8[2,1,2] 1 2 3 4", "axis=4", "!axis-range");
    row("Flatten", 11, "u8[2,1,2] 1 2 3 4", "axis=-4", "!axis-range");
    row("Flatten", 11, "u8[] 1", "", "!axis-range");
    row("Flatten", 8, "u8[1] 1", "", "!input-type");
    row("Flatten", 20, "u4[1] 1", "", "!input-type");
}

static void squeeze_and_unsqueeze(void **state)
{
    (void)state;
    row("Squeeze", 1, "u8[1,2,1] 1 2", "", "u8[2] 1 2");
    row("Squeeze", 1, "u8[1,2,1] 1 2", "axes=[2]", "u8[1,2] 1 2");
    row("Squeeze", 11, "u8[1,2,1] 1 2", "axes=-1,0", "u8[2] 1 2");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s64[1] -3", "", "u8[2,1] 1 2");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s64[0]", "", "u8[1,2,1] 1 2");
    row("Squeeze", 10, "u8[1,2,1] 1 2", "axes=[-1]", "!axes-range");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s64[1] 3", "", "!axes-range");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s64[1] 1", "", "!axes-size");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s64[2] 0 0", "", "?twice");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s32[1] 0", "", "!axes-type");
    row("Squeeze", 13, "u8[1,2,1] 1 2; s64[1,1] 0", "", "!axes-rank");
    row("Squeeze", 13, "u8[1] 1", "axes=[0]", "!attribute-unknown");
    row("Squeeze", 12, "u8[1] 1; s64[1] 0", "", "!input-count");
    row("Squeeze", 20, "u4[1] 1", "", "!data-type");
    row("Unsqueeze", 1, "u8[2] 1 2", "axes=0,2", "u8[1,2,1] 1 2");
    row("Unsqueeze", 13, "u8[2] 1 2; s64[2] -1 0", "", "u8[1,2,1] 1 2");
    row("Unsqueeze", 13, "u8[] 1; s64[1] 0", "", "u8[1] 1");
    row("Unsqueeze", 10, "u8[2] 1 2", "axes=[-1]", "!axes-range");
    row("Unsqueeze", 13, "u8[2] 1 2; s64[1] 2", "", "!axes-range");
    row("Unsqueeze", 13, "u8[2] 1 2; s64[2] 0 -3", "", "!axes-duplicate");
    row("Unsqueeze", 13, "u8[2] 1 2", "", "!axes-missing");
    row("Unsqueeze", 1, "u8[2] 1 2", "", "!axes-missing");
    row("Unsqueeze", 13, "u8[2] 1 2; s32[1] 0", "", "!axes-type");
    row("Unsqueeze", 13, "u8[2] 1 2; s64[1,1] 0", "", "!axes-rank");
    row("Unsqueeze", 20, "u4[1] 1; s64[1] 0", "", "!data-type");
}

static void concat(void **state)
{
    (void)state;
    row("Concat", 4, "u8[2,1] 1 2; u8[2,2] 3 4 5 6", "axis=1", "u8[2,3] 1 3 4 2 5 6");
    row("Concat", 11, "s8[1,2] -1 2; s8[0,2]; s8[2,2] 3 4 5 6", "axis=-2", "s8[3,2] -1 2 3 4 5 6");
    row("Concat", 1, "f32[1,1] 1; f32[1,1] 2", "", "f32[1,2] 1 2");
    row("Concat", 13, "s64[1] -9007199254740991", "axis=0", "s64[1] -9007199254740991");
    row("Concat", 4, "u8[1] 1", "", "!axis-missing");
    row("Concat", 11, "u8[1] 1; u8[1] 2", "axis=1", "!axis-range");
    row("Concat", 11, "u8[] 1; u8[] 2", "axis=0", "!axis-range");
    row("Concat", 10, "u8[1] 1; u8[1] 2", "axis=-1", "?negative");
    row("Concat", 11, "u8[1] 1; s8[1] 2", "axis=0", "!inputs-type");
    row("Concat", 3, "u8[1,1] 1", "", "!inputs-type");
    row("Concat", 12, "bf16[1] 1", "axis=0", "!inputs-type");
    row("Concat", 11, "u8[1,2] 1 2; u8[1,3] 1 2 3", "axis=0", "!inputs-shape");
    row("Concat", 11, "u8[1,2] 1 2; u8[2] 1 2", "axis=0", "!inputs-shape");
    row("Concat", 11, "u8[1] 1; -; u8[1] 2", "axis=0", "!input-missing");
}

static void more_than_our_limit_is_no_rule(void **state)
{
    (void)state;
    char in[40 * 10] = "", out[40 * 3] = "u8[32]";
    for (int i = 0; i < 32; i++) {
        snprintf(in + strlen(in), sizeof in - strlen(in), "u8[1] %d;", i);
        snprintf(out + strlen(out), sizeof out - strlen(out), " %d", i);
    }
    row("Concat", 13, in, "axis=0", out);
    snprintf(in + strlen(in), sizeof in - strlen(in), "u8[1] 32");
    row("Concat", 13, in, "axis=0", "#more than 32 inputs");
}

static void expand(void **state)
{
    (void)state;
    row("Expand", 8, "u8[3,1] 1 2 3; s64[3] 2 1 2", "", "u8[2,3,2] 1 1 2 2 3 3 1 1 2 2 3 3");
    row("Expand", 13, "u8[2] 1 2; s64[1] 1", "", "u8[2] 1 2");
    row("Expand", 13, "u8[] 7; s64[2] 1 2", "", "u8[1,2] 7 7");
    row("Expand", 13, "u8[1] 7; s64[1] 0", "", "u8[0]");
    row("Expand", 13, "u8[2] 1 2; s64[1] 3", "", "!shape-mismatch");
    row("Expand", 13, "u8[2] 1 2; s64[1] -1", "", "!shape-value");
    row("Expand", 13, "u8[2] 1 2; s32[1] 2", "", "!shape-type");
    row("Expand", 13, "u8[2] 1 2; s64[1,1] 2", "", "!shape-rank");
    row("Expand", 12, "bf16[1] 1; s64[1] 2", "", "!input-type");
    row("Expand", 13, "u8[2] 1 2", "", "!input-count");
}

static void gather(void **state)
{
    (void)state;
    row("Gather", 1, "u8[3,2] 1 2 3 4 5 6; s64[2] 2 0", "", "u8[2,2] 5 6 1 2");
    row("Gather", 13, X23 "; s32[1,2] 2 -3", "axis=1", "u8[2,1,2] 3 1 6 4");
    row("Gather", 13, X23 "; s64[] 1", "axis=-1", "u8[2] 2 5");
    row("Gather", 13, X23 "; s64[0]", "", "u8[0,3]");
    row("Gather", 13, X23 "; s64[1] 2", "", "!indices-range");
    row("Gather", 13, X23 "; s64[1] -3", "", "!indices-range");
    row("Gather", 10, X23 "; s64[1] -1", "", "?negative");
    row("Gather", 13, X23 "; s64[1] 0", "axis=2", "!axis-range");
    row("Gather", 13, "u8[] 1; s64[1] 0", "", "!data-rank");
    row("Gather", 13, X23 "; u8[1] 0", "", "!indices-type");
    row("Gather", 13, "u4[1] 1; s64[1] 0", "", "!data-type");
}

#define X5 "s8[5] 0 1 2 3 4"

static void slice(void **state)
{
    (void)state;
    row("Slice", 1, "u8[2,3] 1 2 3 4 5 6", "starts=0,1 ends=-1,1000", "u8[1,2] 2 3");
    row("Slice", 1, "u8[2,3] 1 2 3 4 5 6", "starts=[1] ends=[3] axes=[1]", "u8[2,2] 2 3 5 6");
    row("Slice", 10, X5 "; s64[1] 1; s64[1] 5; s64[1] 0; s64[1] 2", "", "s8[2] 1 3");
    row("Slice", 10, X5 "; s32[1] 4; s32[1] -6; s32[1] 0; s32[1] -1", "", "s8[5] 4 3 2 1 0");
    row("Slice", 13, X5 "; s64[1] -1; s64[1] 0; -; s64[1] -2", "", "s8[2] 4 2");
    row("Slice", 13,
        X5 "; s64[1] 9223372036854775807; s64[1] -9223372036854775808; s64[1] 0; "
           "s64[1] -9223372036854775808",
        "", "s8[1] 4");
    row("Slice", 13, X5 "; s64[1] 0; s64[1] 9223372036854775807; -; s64[1] 9223372036854775807", "",
        "s8[1] 0");
    row("Slice", 13, X5 "; s64[1] 3; s64[1] 3", "", "s8[0]");
    row("Slice", 13, X5 "; s64[1] 3; s64[1] 1", "", "s8[0]");
    row("Slice", 13, "u8[0]; s64[1] -1; s64[1] -5; -; s64[1] -1", "", "u8[0]");
    row("Slice", 13, X23 "; s64[1] -2; s64[1] 9; s64[1] -1", "", "u8[2,2] 2 3 5 6");
    row("Slice", 13, X5 "; s64[1] 0; s64[1] 1; s64[1] 0; s64[1] 0", "", "!steps-zero");
    row("Slice", 13, X5 "; s64[1] 0; s64[2] 1 1", "", "!ends-length");
    row("Slice", 13, X5 "; s64[1] 0; s64[1] 1; s64[2] 0 0", "", "!axes-length");
    row("Slice", 13, X5 "; s64[1] 0; s64[1] 1; -; s64[2] 1 1", "", "!steps-length");
    row("Slice", 13, X5 "; s64[1] 0; s64[1] 1; s64[1] 1", "", "!axes-range");
    row("Slice", 13, X5 "; s64[2] 0 0; s64[2] 1 1", "", "!axes-range");
    row("Slice", 13, X5 "; s64[2] 0 0; s64[2] 1 1; s64[2] 0 -1", "", "?twice");
    row("Slice", 13, X23 "; s64[1] 0; s64[1] 1", "", "?no axes");
    row("Slice", 13, X5 "; u8[1] 0; s64[1] 1", "", "!starts-type");
    row("Slice", 13, X5 "; s64[1] 0; s32[1] 1", "", "!ends-type");
    row("Slice", 13, X5 "; s64[1,1] 0; s64[1] 1", "", "!starts-rank");
    row("Slice", 13, X5 "; s64[1] 0", "", "!ends-missing");
    row("Slice", 9, X5, "ends=[1]", "!starts-missing");
    row("Slice", 10, X5, "starts=[0] ends=[1]", "!attribute-unknown");
    row("Slice", 9, X5, "starts=[0] ends=[1] steps=[1]", "!attribute-unknown");
    row("Slice", 9, X5 "; s64[1] 0; s64[1] 1", "", "!input-count");
    row("Slice", 10, X5 "; s64[1] 0; s64[1] 1; s64[1] -1", "", "?negative");
    row("Slice", 13, "u4[1] 1; s64[1] 0; s64[1] 1", "", "!data-type");
}

static void split(void **state)
{
    (void)state;
    row("Split", 2, "u8[2,4] 1 2 3 4 5 6 7 8", "axis=1", "u8[2,2] 1 2 5 6; u8[2,2] 3 4 7 8");
    row("Split", 2, X5, "split=2,0,3", "s8[2] 0 1; s8[0]; s8[3] 2 3 4");
    row("Split", 13, X5 "; s64[2] 4 1", "axis=-1", "s8[4] 0 1 2 3; s8[1] 4");
    row("Split", 18, X5, "num_outputs=2", "s8[3] 0 1 2; s8[2] 3 4");
    row("Split", 18, X5, "num_outputs=5", "s8[1] 0; s8[1] 1; s8[1] 2; s8[1] 3; s8[1] 4");
    row("Split", 18, X5 "; s64[1] 5", "", X5);
    row("Split", 1, "f32[2] 1 2", "", "f32[1] 1; f32[1] 2");
    row("Split", 18, X5 "; s64[1] 5", "num_outputs=1", "!split-and-num_outputs");
    row("Split", 18, X5, "", "!split-missing");
    row("Split", 18, X5, "num_outputs=0", "!num_outputs-range");
    row("Split", 18, X5, "num_outputs=2", "?num_outputs is 2");
    row("Split", 13, X5, "num_outputs=1", "!attribute-unknown");
    row("Split", 13, X5, "split=[5]", "!attribute-unknown");
    row("Split", 2, X5 "; s64[1] 5", "", "!input-count");
    row("Split", 1, "f32[1] 1; f32[1] 1", "", "?input split");
    row("Split", 2, X5, "split=2,3", "!split-length");
    row("Split", 2, X5, "split=[4]", "!split-sum");
    row("Split", 2, X5, "split=[6]", "!split-sum");
    row("Split", 2, X5, "split=[-1]", "!split-value");
    row("Split", 13, X5 "; s32[1] 5", "", "!split-type");
    row("Split", 13, X5 "; s64[1,1] 5", "", "!split-rank");
    row("Split", 13, X5 "; s64[1] 5", "axis=1", "!axis-range");
    row("Split", 2, X5, "axis=-1", "?negative");
    row("Split", 17, X5, "", "2!split-uneven");
    row("Split", 18, X5, "num_outputs=4", "4?exceed");
    row("Split", 18, X5, "num_outputs=5", "17#more than");
    row("Split", 1, "u8[1] 1", "", "!input-type");
}

static void identity(void **state)
{
    (void)state;
    row("Identity", 1, X23, "", X23);
    row("Identity", 14, "bf16[2] -1.5 nan", "", "bf16[2] -1.5 nan");
    row("Identity", 25, "s2[3] -2 1 0", "", "s2[3] -2 1 0");
    row("Identity", 24, "s2[1] 1", "", "!input-type");
    row("Identity", 18, "f8e4m3fn[1] 1", "", "!input-type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transpose),
        cmocka_unit_test(hulls_and_flags_move),
        cmocka_unit_test(everything_known_moves),
        cmocka_unit_test(reshape),
        cmocka_unit_test(flatten),
        cmocka_unit_test(squeeze_and_unsqueeze),
        cmocka_unit_test(concat),
        cmocka_unit_test(more_than_our_limit_is_no_rule),
        cmocka_unit_test(expand),
        cmocka_unit_test(gather),
        cmocka_unit_test(slice),
        cmocka_unit_test(split),
        cmocka_unit_test(identity),
    };
    return cmocka_run_group_tests_name("movement", tests, NULL, NULL);
}
