/* SPDX-License-Identifier: Apache-2.0 */
/* Pad, Tile, DepthToSpace, SpaceToDepth and Where: hand-moved elements, what is known comes along,
 * every rule, each opset's form.
 * Alone: <build>/tests/reference/ops/pad_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

#define X3 "u8[3] 1 2 3; s64[2] "
#define X23 "s8[2,3] 1 2 3 4 5 6; s64[4] "

static void pad_modes(void **state)
{
    (void)state;
    row("Pad", 13, X3 "2 1", "", "u8[6] 0 0 1 2 3 0");
    row("Pad", 13, X3 "2 1; u8[] 9", "", "u8[6] 9 9 1 2 3 9");
    row("Pad", 13, X3 "2 1; u8[1] 9", "mode=constant", "u8[6] 9 9 1 2 3 9");
    row("Pad", 13, X3 "2 1; u8[] 9", "mode=edge", "u8[6] 1 1 1 2 3 3");
    row("Pad", 13, X3 "2 2", "mode=reflect", "u8[7] 3 2 1 2 3 2 1");
    row("Pad", 19, X3 "4 2", "mode=wrap", "u8[9] 3 1 2 3 1 2 3 1 2");
    row("Pad", 13, X3 "-1 1; u8[] 9", "", "u8[3] 2 3 9");
    row("Pad", 13, X3 "-1 -2", "mode=edge", "u8[0]");
    row("Pad", 13, X3 "0 0", "mode=reflect", "u8[3] 1 2 3");
    row("Pad", 13, X23 "1 0 0 1; s8[] -7", "", "s8[3,4] -7 -7 -7 -7 1 2 3 -7 4 5 6 -7");
    row("Pad", 13, X23 "0 1 1 0", "mode=reflect", "s8[3,4] 2 1 2 3 5 4 5 6 2 1 2 3");
    row("Pad", 13, "u8[0] ; s64[2] 1 1; u8[] 5", "", "u8[2] 5 5");
    row("Pad", 13, "u8[] 4; s64[0] ", "", "u8[] 4");
}

static void pad_axes(void **state)
{
    (void)state;
    row("Pad", 18, X3 "2 1; - ; s32[1] 0", "", "u8[6] 0 0 1 2 3 0");
    row("Pad", 18, "s8[2,3] 1 2 3 4 5 6; s64[2] 1 0; - ; s64[1] -1", "mode=edge",
        "s8[2,4] 1 1 2 3 4 4 5 6");
    row("Pad", 18, "s8[2,3] 1 2 3 4 5 6; s64[0] ; - ; s64[0] ", "", "s8[2,3] 1 2 3 4 5 6");
    row("Pad", 18, "s8[1,2] 1 2; s64[4] 0 1 2 0; s8[] 7; s64[2] 1 0", "",
        "s8[2,4] 7 7 7 7 1 2 7 7");
}

static void pad_of_old(void **state)
{
    (void)state;
    row("Pad", 1, "f32[2] 1.5 2", "paddings=1,1", "f32[4] 0 1.5 2 0");
    row("Pad", 2, "f16[2] 1.5 2", "pads=1,1 value=0.1f",
        "f16[4] 0.0999755859375 1.5 2 "
        "0.0999755859375");
    row("Pad", 2, "f32[2] 1.5 2", "pads=1,0 mode=edge", "f32[3] 1.5 1.5 2");
    row("Pad", 21, "s4[2] -8 7; s64[2] 1 1; s4[] 3", "", "s4[4] 3 -8 7 3");
    row("Pad", 13, "bool[1] 1; s64[2] 1 0", "", "bool[2] 0 1");
}

static void pad_rules(void **state)
{
    (void)state;
    row("Pad", 10, "u8[1] 1", "pads=1,1", "!data-type");
    row("Pad", 11, "bool[1] 1; s64[2] 1 0", "", "!data-type");
    row("Pad", 2, "f32[1] 1", "", "!pads-missing");
    row("Pad", 13, "f32[1] 1", "", "!pads-missing");
    row("Pad", 13, "u8[1] 1; s64[1] 1", "", "!pads-length");
    row("Pad", 13, "u8[1] 1; s32[2] 1 1", "", "!pads-type");
    row("Pad", 13, "u8[1] 1; s64[1,2] 1 1", "", "!pads-rank");
    row("Pad", 13, X3 "-2 -2", "", "!pads-value");
    row("Pad", 13, X3 "-9223372036854775807 1", "", "!pads-value");
    row("Pad", 13, X3 "9223372036854775807 1", "", "#pads of 9223372036854775807");
    row("Pad", 13, X3 "-268435457 268435457", "", "#pads of -268435457");
    row("Pad", 13, X3 "1 1; s8[] 1", "", "!constant_value-type");
    row("Pad", 13, X3 "1 1; u8[2] 1 1", "", "!constant_value-shape");
    row("Pad", 18, X3 "1 1; - ; s64[1] 1", "", "!axes-range");
    row("Pad", 13, X3 "1 1; - ; s64[1] 0", "", "!input-count");
    row("Pad", 18, "u8[1,1] 1; s64[4] 1 1 1 1; - ; s64[2] 0 -2", "", "?twice");
    row("Pad", 18, X3 "1 1", "mode=wrap", "!mode-value");
    row("Pad", 19, X3 "1 1", "mode=zero", "!mode-value");
    row("Pad", 13, X3 "1 1", "pads=1,1", "!attribute-unknown");
    row("Pad", 13, X3 "1 1", "value=0.5f", "!attribute-unknown");
    row("Pad", 10, "f32[1] 1; s64[2] 1 1", "", "!input-count");
    row("Pad", 13, X3 "3 0", "mode=reflect", "?axis of 3");
    row("Pad", 13, "u8[0] ; s64[2] 1 1", "mode=edge", "?axis of 0");
    row("Pad", 13, X3 "-1 1", "mode=edge", "?cropped");
    row("Pad", 13, X3 "268435456 0", "", "#elements");
}

static void tile(void **state)
{
    (void)state;
    row("Tile", 6, "u8[3] 1 2 3; s64[1] 2", "", "u8[6] 1 2 3 1 2 3");
    row("Tile", 13, "s8[2,2] 1 2 3 4; s64[2] 2 2", "", "s8[4,4] 1 2 1 2 3 4 3 4 1 2 1 2 3 4 3 4");
    row("Tile", 13, "bf16[1,2] 1 2; s64[2] 1 0", "", "bf16[1,0]");
    row("Tile", 13, "u8[] 7; s64[0] ", "", "u8[] 7");
    row("Tile", 13, "u8[2] 1..2 *; s64[1] 2", "", "u8[4] 1..2 * 1..2 *");
    row("Tile", 12, "bf16[1] 1; s64[1] 1", "", "!input-type");
    row("Tile", 13, "u8[1] 1; s32[1] 1", "", "!repeats-type");
    row("Tile", 13, "u8[1] 1; s64[1,1] 1", "", "!repeats-rank");
    row("Tile", 13, "u8[1] 1; s64[2] 1 1", "", "!repeats-length");
    row("Tile", 13, "u8[1] 1; s64[1] -1", "", "!repeats-negative");
    row("Tile", 13, "u8[1] 1; s64[1] 1; s64[1] 1", "", "!input-count");
    row("Tile", 1, "f32[1] 1; f32[1] 1; f32[1] 0", "", "?before opset 6");
    row("Tile", 13, "u8[2] 1 1; s64[1] 268435456", "", "#elements");
    row("Tile", 13, "u8[1] 1; s64[1] 9223372036854775807", "", "#elements");
}

static void blocks(void **state)
{
    (void)state;
    row("DepthToSpace", 13, "u8[1,4,1,2] 0 1 2 3 4 5 6 7", "blocksize=2",
        "u8[1,1,2,4] 0 2 1 3 4 6 5 7");
    /* channels 2k and 2k+1 of DCR: (i, j, c); of CRD: (c, i, j) */
    row("DepthToSpace", 1, "s8[1,8,1,1] 0 1 2 3 4 5 6 7", "blocksize=2",
        "s8[1,2,2,2] 0 2 4 6 1 3 5 7");
    row("DepthToSpace", 11, "s8[1,8,1,1] 0 1 2 3 4 5 6 7", "blocksize=2 mode=CRD",
        "s8[1,2,2,2] 0 1 2 3 4 5 6 7");
    row("DepthToSpace", 11, "s8[2,4,1,1] 0 1 2 3 4 5 6 7", "blocksize=2 mode=DCR",
        "s8[2,1,2,2] 0 1 2 3 4 5 6 7");
    row("DepthToSpace", 13, "u8[1,1,1,1] 3..4", "blocksize=1", "u8[1,1,1,1] 3..4");
    row("SpaceToDepth", 1, "u8[1,1,2,4] 0 2 1 3 4 6 5 7", "blocksize=2",
        "u8[1,4,1,2] 0 1 2 3 4 5 6 7");
    row("SpaceToDepth", 13, "s8[1,2,2,2] 0 2 4 6 1 3 5 7", "blocksize=2",
        "s8[1,8,1,1] 0 1 2 3 4 5 6 7");
    row("SpaceToDepth", 13, "u8[0,1,2,2] ", "blocksize=2", "u8[0,4,1,1]");
}

static void block_rules(void **state)
{
    (void)state;
    row("DepthToSpace", 12, "bf16[1,1,1,1] 1", "blocksize=1", "!input-type");
    row("DepthToSpace", 13, "u8[1,1,1] 1", "blocksize=1", "!input-rank");
    row("DepthToSpace", 13, "u8[1,1,1,1] 1", "", "!blocksize-missing");
    row("DepthToSpace", 13, "u8[1,1,1,1] 1", "blocksize=0", "!blocksize-positive");
    row("DepthToSpace", 13, "u8[1,6,1,1] 1 2 3 4 5 6", "blocksize=2", "!channels-divisible");
    row("DepthToSpace", 13, "u8[1,1,1,1] 1", "blocksize=1 mode=XYZ", "!mode-value");
    row("DepthToSpace", 10, "u8[1,1,1,1] 1", "blocksize=1 mode=CRD", "!attribute-unknown");
    row("DepthToSpace", 13, "u8[1,1,1,1] 1", "blocksize=9223372036854775807", "#blocksize");
    row("SpaceToDepth", 13, "s4[1,1,1,1] 1", "blocksize=1", "!input-type");
    row("SpaceToDepth", 13, "u8[1,1] 1", "blocksize=1", "!input-rank");
    row("SpaceToDepth", 13, "u8[1,1,1,1] 1", "", "!blocksize-missing");
    row("SpaceToDepth", 13, "u8[1,1,1,1] 1", "blocksize=-1", "!blocksize-positive");
    row("SpaceToDepth", 13, "u8[1,1,3,2] 1 2 3 4 5 6", "blocksize=2", "!space-divisible");
}

static void where(void **state)
{
    (void)state;
    row("Where", 9, "bool[2] 1 0; u8[2] 1 2; u8[2] 3 4", "", "u8[2] 1 4");
    row("Where", 16, "bool[2,1] 1 0; bf16[2] 1 2; bf16[] 3", "", "bf16[2,2] 1 2 3 3");
    row("Where", 9, "bool[] 0; f32[1] nan; f32[2] 1 2", "", "f32[2] 1 2");
    row("Where", 9, "bool[2] 1 0; u8[2] 1..2 2; u8[2] 3 *", "", "u8[2] 1..2 *");
    row("Where", 9, "u8[1] 1; u8[1] 1; u8[1] 3", "", "!condition-type");
    row("Where", 15, "bool[1] 1; bf16[1] 1; bf16[1] 3", "", "!X-type");
    row("Where", 9, "bool[1] 1; u8[1] 1; s8[1] 3", "", "!Y-type");
    row("Where", 9, "bool[2] 1 1; u8[3] 1 1 1; u8[1] 3", "", "!broadcast");
    row("Where", 9, "bool[1] 1; u8[3] 1 1 1; u8[2] 3 3", "", "!broadcast");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pad_modes),   cmocka_unit_test(pad_axes), cmocka_unit_test(pad_of_old),
        cmocka_unit_test(pad_rules),   cmocka_unit_test(tile),     cmocka_unit_test(blocks),
        cmocka_unit_test(block_rules), cmocka_unit_test(where),
    };
    return cmocka_run_group_tests_name("pad", tests, NULL, NULL);
}
