/* SPDX-License-Identifier: Apache-2.0 */
/* ConvInteger: hand-computed sums, zero points per filter, padding, every rule of its own.
 * Alone: <build>/tests/reference/ops/conv_integer_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define CONV "ConvInteger", 10
#define X3 "u8[1,1,3] 10 20 30"

static void sums_by_hand(void **state)
{
    (void)state;
    row(CONV, X3 "; u8[1,1,2] 1 2", "", "s32[1,1,2] 50 80");
    row(CONV, X3 "; s8[1,1,2] 1 -1; u8[] 10; s8[] 1", "", "s32[1,1,2] -20 -40");
    /* the padding is x_zero_point: it contributes nothing */
    row(CONV, X3 "; u8[1,1,2] 1 2; u8[1] 10", "pads=1,1", "s32[1,1,4] 0 20 50 20");
    row_under("padding=raw-zero", CONV, X3 "; u8[1,1,2] 1 2; u8[1] 10", "pads=1,1",
              "s32[1,1,4] -10 20 50 0");
    /* two filters with zero points 1 and 128, two groups */
    row(CONV, "u8[1,2,1] 3 5; u8[2,1,1] 2 130; u8[] 1; u8[2] 1 128", "group=2", "s32[1,2,1] 2 8");
    row(CONV, "u8[1,1,2,2] 1 2 3 4; u8[1,1,2,2] 1 1 1 1", "auto_pad=SAME_LOWER",
        "s32[1,1,2,2] 1 3 4 10");
    row(CONV, "u8[0,1,3]; u8[1,1,2] 1 2", "", "s32[0,1,2]");
}

static void rules(void **state)
{
    (void)state;
    row(CONV, "u16[1,1,1] 1; u8[1,1,1] 1", "", "!x-type");
    row(CONV, X3 "; s32[1,1,1] 1", "", "!w-type");
    row(CONV, X3 "; s8[1,1,1] 1; s8[] 1", "", "!x_zero_point-type");
    row(CONV, X3 "; s8[1,1,1] 1; -; u8[] 1", "", "!w_zero_point-type");
    row(CONV, X3 "; s8[2,1,1] 1 1; u8[2] 1 1", "", "!x_zero_point-shape");
    row(CONV, X3 "; s8[2,1,1] 1 1; -; s8[3] 1 1 1", "", "!w_zero_point-shape");
    row(CONV, X3 "; s8[2,1,1] 1 1; -; s8[2,1] 1 1", "", "!w_zero_point-shape");
    row(CONV, X3 "; s8[1,2,1] 1 1", "", "!group-channels");
    row(CONV, X3 "; s8[1,1,4] 1 1 1 1", "", "s32[1,1,0]"); /* 3 - 4 + 1 */
    row(CONV, X3 "; s8[1,1,5] 1 1 1 1 1", "", "!output-empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_hand),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests_name("conv_integer", tests, NULL, NULL);
}
