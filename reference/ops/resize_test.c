/* SPDX-License-Identifier: Apache-2.0 */
/* Resize: coordinates and neighbours by hand, latitude where coordinates round, every rule, each
 * opset's form. Alone: <build>/tests/reference/ops/resize_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"
#include "qdiff/interval.h"

#define X4 "u8[4] 10 20 30 40"
#define F4 "f32[4] 10 20 30 40"
#define BY(scale) "; - ; f32[1] " scale
#define TO(size) "; - ; - ; s64[1] " size
#define MODE(word) "coordinate_transformation_mode=" word " "

/* x = (o + ½)/s − ½. s = 2: −¼ ¼ ¾ 1¼ …; s = ½: ½ 2½, ties. */
static void nearest_half_pixel(void **state)
{
    (void)state;
    row("Resize", 13, X4 BY("2"), "", "u8[8] 10 10 20 20 30 30 40 40");
    row("Resize", 13, X4 BY("2"), "nearest_mode=floor", "u8[8] 10 10 10 20 20 30 30 40");
    row("Resize", 13, X4 BY("2"), "nearest_mode=ceil", "u8[8] 10 20 20 30 30 40 40 40");
    row("Resize", 13, X4 BY("0.5"), "", "u8[2] 10 30");
    row("Resize", 13, X4 BY("0.5"), "nearest_mode=round_prefer_ceil", "u8[2] 20 40");
    row("Resize", 13, X4 BY("0.5"), "nearest_mode=floor", "u8[2] 10 30");
    row("Resize", 13, X4 BY("0.5"), "nearest_mode=ceil", "u8[2] 20 40");
    row("Resize", 13, X4 TO("2"), "nearest_mode=ceil", "u8[2] 20 40");
    row("Resize", 13, X4 BY("1"), "nearest_mode=ceil", "u8[4] 10 20 30 40");
    row("Resize", 11, "s16[2,2] 1 -2 3 -4; f32[0] ; f32[2] 1 2", "",
        "s16[2,4] 1 1 -2 -2 3 3 -4 -4");
    row("Resize", 13, "f64[2] 1.5 2; - ; f32[1] 2", "", "f64[4] 1.5 1.5 2 2");
    row("Resize", 13, "bool[2] 1 0; - ; f32[1] 2", "", "bool[4] 1 1 0 0");
    row("Resize", 13, "u8[2] 1..2 *; - ; f32[1] 2", "", "u8[4] 1..2 1..2 * *");
    row("Resize", 13, "s64[1] 9007199254740993; - ; f32[1] 2", "",
        "s64[2] 9007199254740993 9007199254740993");
}

/* asymmetric x = o/s; align_corners x = o·3/(out − 1); tf_half_pixel_for_nn x = (o + ½)/s;
 * pytorch_half_pixel 0 for one output. */
static void nearest_other_coordinates(void **state)
{
    (void)state;
    row("Resize", 13, X4 BY("2"), MODE("asymmetric"), "u8[8] 10 10 20 20 30 30 40 40");
    row("Resize", 13, X4 BY("2"), MODE("asymmetric") "nearest_mode=round_prefer_ceil",
        "u8[8] 10 20 20 30 30 40 40 40");
    row("Resize", 13, X4 TO("7"), MODE("align_corners"), "u8[7] 10 10 20 20 30 30 40");
    row("Resize", 13, X4 TO("7"), MODE("align_corners") "nearest_mode=ceil",
        "u8[7] 10 20 20 30 30 40 40");
    row("Resize", 13, X4 TO("1"), MODE("align_corners"), "u8[1] *");
    row("Resize", 13, X4 TO("1"), MODE("pytorch_half_pixel"), "u8[1] 10");
    row("Resize", 13, X4 TO("1"), "", "u8[1] 20"); /* ½·4 − ½ = 1½ */
    row("Resize", 11, X4 "; f32[0] ; f32[1] 0.5", MODE("tf_half_pixel_for_nn"), "u8[2] 20 40");
    /* out = 3 of 4·0.875 = 3½: the output is the middle 3/3½ of the axis; offset 2/7, x = 2/7 + (o
     * + ½)/0.875 − ½ = 0.357 1.5 2.64; the 1.5 is reached by rounding */
    row("Resize", 19, X4 BY("0.875"), MODE("half_pixel_symmetric"), "u8[3] 10 20|30 40");
}

/* 5 of 3: x = 0.6·o + 0.3 − 0.5 is 1 at o = 2, not exactly with 5/3 in float32, and the next is
 * 1.6. */
static void nearest_where_coordinates_round(void **state)
{
    (void)state;
    row("Resize", 13, "u8[3] 10 20 30" TO("5"), "nearest_mode=floor", "u8[5] 10 10 20|10 20 30");
    row("Resize", 13, "u8[3] 10 10 30" TO("5"), "nearest_mode=floor", "u8[5] 10 10 10 10 30");
    row("Resize", 13, "u8[3] 10 20 30" TO("5"), "", "u8[5] 10 10 20 30 30");
    row("Resize", 13, "f32[3] 10 nan 30" TO("5"), "nearest_mode=floor", "f32[5] 10 10 * nan 30");
    /* 2 of 5·0.5: x = ½ and 2½, or with 2/5 ¾ and 3¼: the model's scale is the canonical one */
    row("Resize", 13, "u8[5] 50 40 30 20 10" BY("0.5"), "nearest_mode=ceil", "u8[2] 40 20|10");
    /* 2 of 3·0.8 = 2.4: x = (o + ½)/0.8 − ½ = 0.125 1.375, or with 2/3 0.25 1.75 */
    row("Resize", 13, "u8[3] 10 20 21" BY("0.8"), "", "u8[2] 10 20~21");
}

/* Where several elements may be meant `want` is one that is admissible; in f64 too, which rounds
 * nothing to its hull. */
static void an_example_is_admissible(void **state)
{
    const struct qd_interval hull = {-3.015625, 3.421875};
    const int64_t one = 1;
    struct qd_arena arena;
    struct qd_value value;
    struct qd_error error;
    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_value_init(&value, &arena, QD_F64, 1, &one, &error), QD_OK);
    assert_int_equal(qd_interval_store(&value, 0, hull, qd_interval_open(hull), &arena, &error),
                     QD_OK);
    double want = qd_tensor_value(&value.want, 0);
    assert_true(want >= hull.lo && want <= hull.hi);
    qd_arena_clear(&arena);
}

static void sizes_and_axes(void **state)
{
    (void)state;
    row("Resize", 18, "u8[1,2] 1 2; - ; f32[1] 2", "axes=[-1]", "u8[1,4] 1 1 2 2");
    row("Resize", 18, "u8[1,2] 1 2; - ; - ; s64[2] 4 2", "axes=1,0", "u8[2,4] 1 1 2 2 1 1 2 2");
    /* min(3/2, 2/1) = 3/2: 2·3/2 and 1·3/2 half-way, up */
    row("Resize", 18, "u8[2,1] 1 2; - ; - ; s64[2] 3 2", "keep_aspect_ratio_policy=not_larger",
        "u8[3,2] 1 1 1..1..2 1..1..2 2 2");
    row("Resize", 18, "u8[2,1] 1 2; - ; - ; s64[2] 3 2", "keep_aspect_ratio_policy=not_smaller",
        "u8[4,2] 1 1 1 1 2 2 2 2");
    row("Resize", 18, "u8[2,1] 1 2; - ; - ; s64[2] 4 1", "keep_aspect_ratio_policy=stretch",
        "u8[4,1] 1 1 2 2");
    row("Resize", 18, "u8[1,2] 1 2; - ; - ; s64[0] ", "axes=[]", "?no axis");
    row("Resize", 13, X4 BY("0.25"), "", "u8[1] 20");
    row("Resize", 13, X4 BY("0.125"), "", "u8[0]");
    row("Resize", 13, "u8[0] ; - ; f32[1] 2", "", "u8[0]");
    row("Resize", 13, X4 TO("0"), "", "u8[0]");
    row("Resize", 10, X4 "; f32[1] 1", "", "u8[4] 10 20 30 40");
}

static void linear(void **state)
{
    (void)state;
    row("Resize", 13, F4 BY("2"), "mode=linear", "f32[8] 10 12.5 17.5 22.5 27.5 32.5 37.5 40");
    row("Resize", 13, F4 BY("0.5"), "mode=linear", "f32[2] 15 35");
    row("Resize", 13, F4 BY("2"), "mode=linear " MODE("asymmetric"),
        "f32[8] 10 15 20 25 30 35 40 40");
    row("Resize", 13, F4 TO("7"), "mode=linear " MODE("align_corners"),
        "f32[7] 10 15 20 25 30 35 40");
    row("Resize", 13, F4 TO("1"), "mode=linear " MODE("pytorch_half_pixel"), "f32[1] 10");
    row("Resize", 13, "f16[2,2] 0 4 8 16; - ; f32[2] 1 2", "mode=linear",
        "f16[2,4] 0 1 3 4 8 10 14 16");
    row("Resize", 13, "f32[2,2] 0 4 8 16; - ; - ; s64[2] 3 3", "mode=linear " MODE("align_corners"),
        "f32[3,3] 0 2 4 4 7 10 8 12 16");
    row("Resize", 13, "bf16[2] 1 2; - ; f32[1] 2", "mode=linear", "bf16[4] 1 1.25 1.75 2");
    row("Resize", 13, "f32[2] 1 inf; - ; f32[1] 2", "mode=linear", "f32[4] * * * *");
    row("Resize", 13, "u8[2] 1 2; - ; f32[1] 1", "mode=linear", "u8[2] 1 2");
    /* 2^24 and 1 by quarters need 26 bits: 12582912.25 and 4194304.75, with 6 roundings of 2^-24 of
     * 2^25: 12 and (6*2^-24 + 2^-26)/2^-24 = 6.25 parts of them more, outward */
    row("Resize", 13, "f32[2] 16777216 1" BY("2"), "mode=linear exclude_outside=1",
        "f32[4] 16777216 12582900.249995527789..12582912..12582924.250004472211 "
        "4194292.749995529186..4194305..4194316.7500044712797 1");
}

/* Regions: x = start·3 + o·(end − start)·3/(out − 1). */
static void crop(void **state)
{
    (void)state;
    const char *inner = MODE("tf_crop_and_resize");
    const char *linear = MODE("tf_crop_and_resize") "mode=linear extrapolation_value=7f";
    row("Resize", 13, "u8[3] 10 20 30; f32[2] 0.5 1; - ; s64[1] 2", inner, "u8[2] 20 30");
    row("Resize", 13, "u8[3] 10 20 30; f16[2] 0.5 1; - ; s64[1] 1", inner, "u8[1] 20");
    row("Resize", 13, "f32[3] 10 20 30; f32[2] 0.5 1; - ; s64[1] 3", linear, "f32[3] 20 25 30");
    row("Resize", 13, "f32[3] 10 20 30; f32[2] -0.5 1.5; - ; s64[1] 5", linear,
        "f32[5] 7 10 20 30 7");
    row("Resize", 13, "u8[3] 10 20 30; f64[2] -0.5 1.5; - ; s64[1] 5",
        MODE("tf_crop_and_resize") "extrapolation_value=7f", "u8[5] 7 10 20 30 7");
    row("Resize", 13, "u8[3] 10 20 30; f32[2] -0.5 1.5; - ; s64[1] 5",
        MODE("tf_crop_and_resize") "extrapolation_value=0.5f", "u8[5] * 10 20 30 *");
    row("Resize", 13, "u8[3] 10 20 30; f32[2] nan 1; - ; s64[1] 1", inner, "u8[1] *");
    row("Resize", 18, "u8[1,3] 10 20 30; f32[2] 0 0.5; - ; s64[1] 2",
        MODE("tf_crop_and_resize") "axes=[1]", "u8[1,2] 10 20");
    row("Resize", 13, "u8[4] 1 2 3 4; f32[2] 0 0.5; f32[1] 1", inner, "u8[2] 1 2");
}

static void input_rules(void **state)
{
    (void)state;
    row("Resize", 12, "bf16[1] 1; f32[0] ; f32[1] 1", "", "!X-type");
    row("Resize", 19, "s4[2] 1 1" BY("1"), "", "!X-type");
    row("Resize", 13, "u8[1] 1; s32[2] 0 1; f32[1] 1", "", "!roi-type");
    row("Resize", 13, "u8[1] 1; f32[1,2] 0 1; f32[1] 1", MODE("tf_crop_and_resize"), "!roi-rank");
    row("Resize", 13, "u8[1] 1; f32[1] 0; f32[1] 1", MODE("tf_crop_and_resize"), "!roi-length");
    row("Resize", 11, "u8[1] 1" BY("1"), "", "!roi-missing");
    row("Resize", 13, "u8[1] 1; - ; f16[1] 1", "", "!scales-type");
    row("Resize", 13, "u8[1] 1; - ; f32[2] 1 1", "", "!scales-length");
    row("Resize", 13, "u8[1] 1" BY("0"), "", "!scales-value");
    row("Resize", 13, "u8[1] 1" BY("nan"), "", "!scales-value");
    row("Resize", 13, "u8[1] 1" BY("inf"), "", "!scales-value");
    row("Resize", 11, "u8[1] 1; f32[0] ; - ; s64[1] 1", "", "!scales-missing");
    row("Resize", 10, "u8[1] 1", "", "!scales-missing");
    row("Resize", 10, "u8[1] 1; f32[1] 1; f32[1] 1", "", "!input-count");
    row("Resize", 13, "u8[1] 1; - ; - ; s32[1] 1", "", "!sizes-type");
    row("Resize", 13, "u8[1] 1; - ; - ; s64[2] 1 1", "", "!sizes-length");
    row("Resize", 13, "u8[1] 1" TO("-1"), "", "!sizes-value");
    row("Resize", 13, "u8[1] 1; - ; f32[1] 1; s64[1] 1", "", "!scales-and-sizes");
    row("Resize", 13, "u8[1] 1", "", "!scales-or-sizes");
    row("Resize", 11, "u8[1] 1; f32[0] ; f32[0] ", "", "!scales-or-sizes");
    row("Resize", 9, "u8[1] 1; f32[1] 1", "", "!opset");
}

static void attribute_rules(void **state)
{
    (void)state;
    row("Resize", 18, "u8[1] 1" BY("1"), "axes=[1]", "!axes-range");
    row("Resize", 17, "u8[1] 1" BY("1"), "axes=[0]", "!attribute-unknown");
    row("Resize", 13, "u8[1] 1" BY("1"), "mode=area", "!mode-value");
    row("Resize", 10, "u8[1] 1; f32[1] 1", "mode=cubic", "!mode-value");
    row("Resize", 13, "u8[1] 1" BY("1"), "nearest_mode=round", "!nearest_mode-value");
    row("Resize", 13, "u8[1] 1" BY("1"), MODE("half"), "!coordinate_transformation_mode-value");
    row("Resize", 13, "u8[1] 1" BY("1"), MODE("tf_half_pixel_for_nn"),
        "!coordinate_transformation_mode-value");
    row("Resize", 18, "u8[1] 1" BY("1"), MODE("half_pixel_symmetric"),
        "!coordinate_transformation_mode-value");
    row("Resize", 18, "u8[1] 1" BY("1"), "keep_aspect_ratio_policy=fill",
        "!keep_aspect_ratio_policy-value");
}

static void declined(void **state)
{
    (void)state;
    row("Resize", 10, X4 "; f32[1] 2", "", "?Resize-10");
    row("Resize", 13, "u8[1] 1" BY("1"), MODE("tf_crop_and_resize"), "?without a region");
    row("Resize", 13, "u8[1] 1; - ; f32[1,1] 1", "", "?scales of rank 2");
    row("Resize", 13, "u8[1] 1; - ; - ; s64[] 1", "", "?sizes of rank 0");
    row("Resize", 13, X4 BY("2"), "mode=cubic", "?cubic");
    row("Resize", 18, X4 BY("2"), "antialias=1", "?antialias");
    row("Resize", 13, X4 BY("2"), "mode=linear", "?linear interpolation of uint8");
    row("Resize", 18, "u8[1,1] 1; - ; f32[2] 1 1", "axes=0,-2", "?twice");
    row("Resize", 13, "u8[0] " TO("1"), "", "?grows");
    row("Resize", 18, "u8[0] " TO("0"), "keep_aspect_ratio_policy=not_larger", "?empty");
    row("Resize", 13, "u8[10] 0 0 0 0 0 0 0 0 0 0" BY("0.7"), "", "?rounding"); /* 6.9999999 */
    row("Resize", 13, X4 BY("1e30"), "", "?too large");
    row("Resize", 13, X4 TO("268435457"), "", "#268435457");
    row("Resize", 13, "u8[1,1] 1; - ; - ; s64[2] 268435456 2", "", "#");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_half_pixel),
        cmocka_unit_test(nearest_other_coordinates),
        cmocka_unit_test(nearest_where_coordinates_round),
        cmocka_unit_test(an_example_is_admissible),
        cmocka_unit_test(sizes_and_axes),
        cmocka_unit_test(linear),
        cmocka_unit_test(crop),
        cmocka_unit_test(input_rules),
        cmocka_unit_test(attribute_rules),
        cmocka_unit_test(declined),
    };
    return cmocka_run_group_tests_name("resize", tests, NULL, NULL);
}
