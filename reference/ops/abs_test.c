/* SPDX-License-Identifier: Apache-2.0 */
/* Abs: rows by hand.
 * Alone: <build>/tests/reference/ops/abs_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"
#include "qdiff/evaluate.h"

static void floats(void **state)
{
    (void)state;
    row("Abs", 13, "f32[4] 1.5 -0.25 -0.0 -inf", "", "f32[4] 1.5 0.25 0 inf");
    row("Abs", 6, "f16[2] -65504 nan", "", "f16[2] 65504 nan");
    row("Abs", 13, "f32[4] -2..1 -3..-2 1..4 *", "", "f32[4] 0..2..2 2..3..3 1..4 *");
    row("Abs", 13, "bool[1] 1", "", "!x-type");
    row("Abs", 13, "f64[1] 1", "", "?f64");
}

static void integers(void **state)
{
    (void)state;
    row("Abs", 13, "s8[4] -1 127 -127 -128", "", "s8[4] 1 127 127 *");
    row("Abs", 6, "u16[2] 0 65535", "", "u16[2] 0 65535");
    row("Abs", 13, "s64[3] -9007199254740993 -9223372036854775807 -9223372036854775808", "",
        "s64[3] 9007199254740993 9223372036854775807 *");
    row("Abs", 13, "s16[3] -3..2 -3..-1 *", "", "s16[3] 0..3..3 1..3..3 *");
    row("Abs", 5, "s32[1] -1", "", "!x-type");
    row("Abs", 13, "s4[1] -1", "", "!x-type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(floats), cmocka_unit_test(integers)};
    return cmocka_run_group_tests_name("Abs", tests, NULL, NULL);
}
