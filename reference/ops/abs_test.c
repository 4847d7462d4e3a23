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
    row("Abs", 13, "s8[1] -1", "", "?Abs of s8");
    row("Abs", 13, "bool[1] 1", "", "!x-type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(floats)};
    return cmocka_run_group_tests_name("Abs", tests, NULL, NULL);
}
