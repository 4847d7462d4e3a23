/* SPDX-License-Identifier: Apache-2.0 */
/* Equal, Less, Greater, Not, ConstantOfShape, Range: rows by hand. Alone: <build>/tests/reference/ops/logic_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

static void comparisons(void **state)
{
    (void)state;
    row("Equal", 13, "f32[5] 1 -0.0 nan inf 2; f32[5] 1 0 nan inf 3", "", "bool[5] 1 1 0 1 0");
    row("Less", 13, "f32[5] 1 -0.0 nan -inf 2; f32[5] 1 0 1 inf 3", "", "bool[5] 0 0 0 1 1");
    row("Greater", 13, "f32[5] 1 0 nan inf 3; f32[5] 1 -0.0 1 -inf 2", "", "bool[5] 0 0 0 1 1");
    row("Less", 9, "u8[2,1] 1 200; u8[2] 100 255", "", "bool[2,2] 1 1 0 1");
    row("Equal", 7, "bool[2] 1 0; bool[] 1", "", "bool[2] 1 0");
    row("Greater", 7, "f16[1] 2; f16[1] 1", "", "bool[1] 1");
}

/* 2^53 + 1 is no double. */
static void large_integers(void **state)
{
    (void)state;
    row("Equal", 7, "s64[1] 9007199254740993; s64[1] 9007199254740992", "", "bool[1] 0");
    row("Less", 9, "s64[1] 9007199254740992; s64[1] 9007199254740993", "", "bool[1] 1");
    row("Greater", 9, "s64[1] 9223372036854775807; s64[1] -9223372036854775808", "", "bool[1] 1");
    row("Less", 13, "s64[1] 1..9223372036854775807; s64[1] 2", "", "bool[1] *");
}

/* Both answers where numbers of the hulls give both; touching ones are not less. */
static void intervals(void **state)
{
    (void)state;
    row("Less", 13, "f32[5] 1..2 1..2 1..2 1..2 *; f32[5] 3 2 1 1..3 1", "",
        "bool[5] 1 0..1..1 0 0~1 *");
    row("Greater", 13, "f32[3] 3 2 1; f32[3] 1..2 1..2 1..2", "", "bool[3] 1 0..1..1 0");
    row("Equal", 13, "f32[3] 1..2 1..2 1..2; f32[3] 3 1 2", "", "bool[3] 0 0..1..1 0..0..1");
    row("Not", 1, "bool[4] 0 1 0..1 *", "", "bool[4] 1 0 0..1..1 *");
}

static void comparison_rules(void **state)
{
    (void)state;
    row("Equal", 7, "f32[1] 1; f32[1] 1", "", "!A-type");
    row("Less", 7, "s32[1] 1; s32[1] 1", "", "!A-type");
    row("Less", 13, "bool[1] 1; bool[1] 1", "", "!A-type");
    row("Less", 12, "bf16[1] 1; bf16[1] 1", "", "!A-type");
    row("Less", 13, "f64[1] 1; f64[1] 1", "", "?f64");
    row("Greater", 13, "f32[1] 1; f16[1] 1", "", "!B-type");
    row("Greater", 13, "f32[2] 1 1; f32[3] 1 1 1", "", "!broadcast");
    row("Less", 6, "f32[2] 1 1; f32[1] 1", "", "?before opset 7");
    row("Not", 1, "u8[1] 1", "", "!X-type");
}

static void constants(void **state)
{
    (void)state;
    row("ConstantOfShape", 9, "s64[2] 1 2", "", "f32[1,2] 0 0");
    row("ConstantOfShape", 9, "s64[0] ", "", "f32[] 0");
    row("ConstantOfShape", 9, "s64[2] 3 0", "", "f32[3,0] ");
    row("ConstantOfShape", 9, "s64[1] -1", "", "!input-value");
    row("ConstantOfShape", 9, "s32[1] 1", "", "!input-type");
    row("ConstantOfShape", 9, "s64[1,1] 1", "", "!input-rank");
    row("ConstantOfShape", 9, "s64[1] 1", "value=1", "!attribute-type");
    row("ConstantOfShape", 9, "s64[2] 1000000000 1000000000", "", "#");
}

static void ranges(void **state)
{
    (void)state;
    row("Range", 11, "s64[] 3; s64[] 9; s64[] 3", "", "s64[2] 3 6");
    row("Range", 11, "s32[] 10; s32[] 4; s32[] -2", "", "s32[3] 10 8 6");
    row("Range", 11, "s16[] 1; s16[] 1; s16[] 1", "", "s16[0] ");
    row("Range", 11, "s64[] 1; s64[] 0; s64[] 1", "", "s64[0] ");
    row("Range", 11,
        "s64[] -9223372036854775808; s64[] 9223372036854775807; s64[] 9223372036854775807", "",
        "s64[3] -9223372036854775808 -1 9223372036854775806");
    row("Range", 11, "s64[] 0; s64[] 9223372036854775807; s64[] 1", "", "#");
    row("Range", 11, "s64[] 0; s64[] 1; s64[] 0", "", "?delta is 0");
    row("Range", 11, "f32[] 0; f32[] 1; f32[] 1", "", "?f32");
    row("Range", 11, "s64[2] 0 0; s64[] 1; s64[] 1", "", "!start-shape");
    row("Range", 11, "s64[] 0; s32[] 1; s64[] 1", "", "!limit-type");
    row("Range", 11, "u8[] 0; u8[] 1; u8[] 1", "", "!start-type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons), cmocka_unit_test(large_integers),
        cmocka_unit_test(intervals),   cmocka_unit_test(comparison_rules),
        cmocka_unit_test(constants),   cmocka_unit_test(ranges),
    };
    return cmocka_run_group_tests_name("logic", tests, NULL, NULL);
}
