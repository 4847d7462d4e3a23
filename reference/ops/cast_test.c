/* SPDX-License-Identifier: Apache-2.0 */
/* Cast: every pair of kinds of types by hand-picked values, roundings, ends of ranges, every rule.
 * Alone: <build>/tests/reference/ops/cast_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/row_testlib.h"

/* TensorProto.DataType */
#define F32 "to=1"
#define U8 "to=2"
#define S8 "to=3"
#define S32 "to=6"
#define S64 "to=7"
#define BOOL "to=9"
#define F16 "to=10"
#define F64 "to=11"
#define BF16 "to=16"
#define E4M3FN "to=17"
#define E4M3FNUZ "to=18"
#define E5M2 "to=19"
#define S4 "to=22"
#define E2M1 "to=23"
#define E8M0 "to=24"
#define U2 "to=25"

static void between_floats(void **state)
{
    (void)state;
    /* 2049 and 2051 are ties between values of f16 */
    row("Cast", 13, "f32[6] 1.5 2049 2051 65519 65520 -inf", F16,
        "f16[6] 1.5 2048 2052 65504 inf -inf");
    row("Cast", 13, "f32[3] 257 259 nan", BF16, "bf16[3] 256 260 nan");
    row("Cast", 6, "f16[2] 0.0999755859375 -inf", F64, "f64[2] 0.0999755859375 -inf");
    row("Cast", 6, "f64[2] 0.1 1e300", F32, "f32[2] 0.100000001490116119384765625 inf");
    /* 1 + 2^-11 + 2^-40: a bit more than a tie, and a tie once it is float32 */
    row("Cast", 9, "f64[1] 1.00048828125090949", F16, "f16[1] 1..1.0009765625..1.0009765625");
    row("Cast", 13, "f32[2] 1..3 *", F16, "f16[2] 1..3 *");
}

/* A Cast is asked for: after it nothing lies between the values of its type, whatever came in. Back
 * to a wider type everything is handed on. */
static void roundings_are_asked_for(void **state)
{
    (void)state;
    row("Cast", 13, "f32[2] 2048.25..2049..2051 2049..2049..2049.5", F16,
        "f16[2] 2048..2048..2052 2048..2048..2050");
    row("Cast", 13, "f32[1] 2048.25..2048..2048.75", F16, "f16[1] 2048");
    row("Cast", 13, "f16[1] 2048..2048..2049.5", F32, "f32[1] 2048..2048..2049.5");
}

static void to_float8(void **state)
{
    (void)state;
    row("Cast", 19, "f32[5] 1.0625 464 465 -inf nan", E4M3FN, "f8e4m3fn[5] 1 448 448 -448 nan");
    row("Cast", 19, "f32[3] 464 465 inf", E4M3FN " saturate=0", "f8e4m3fn[3] 448 nan nan");
    row("Cast", 19, "f32[2] 61440 inf", E5M2 " saturate=0", "f8e5m2[2] inf inf");
    row("Cast", 19, "f32[2] 300 inf", E4M3FNUZ, "f8e4m3fnuz[2] 240 *");
    row("Cast", 24, "f32[2] 300 inf", E4M3FNUZ, "f8e4m3fnuz[2] 240 240");
    row("Cast", 19, "f8e5m2[3] 0.25 inf -57344", F32, "f32[3] 0.25 inf -57344");
    row("Cast", 23, "f32[5] 0.25 0.75 2.5 100 nan", E2M1, "f4e2m1[5] 0 1 2 6 *");
    row("Cast", 23, "f4e2m1[2] -1.5 6", F16, "f16[2] -1.5 6");
}

static void to_powers_of_two(void **state)
{
    (void)state;
    row("Cast", 24, "f32[6] 1 1.25 1.5 0 -1 nan", E8M0, "f8e8m0[6] 1 2 2 * * nan");
    row("Cast", 24, "f32[3] 1.25 1.5 1.75", E8M0 " round_mode=nearest", "f8e8m0[3] 1 2 2");
    row("Cast", 24, "f32[2] 1.99 inf", E8M0 " round_mode=down",
        "f8e8m0[2] 1 170141183460469231731687303715884105728");
    row("Cast", 24, "f32[1] inf", E8M0 " saturate=0 round_mode=nearest", "f8e8m0[1] nan");
    row("Cast", 24, "f8e8m0[2] 2 0.5", F32, "f32[2] 2 0.5");
}

static void to_integers(void **state)
{
    (void)state;
    row("Cast", 6, "f32[6] 1.99 -1.99 -128.9 127.9 128 nan", S8, "s8[6] 1 -1 -128 127 * *");
    row("Cast", 6, "f32[3] -0.99 255.5 256", U8, "u8[3] 0 255 *");
    row("Cast", 6, "f64[3] 9223372036854774784 9223372036854775808 -9223372036854775808", S64,
        "s64[3] 9223372036854774784 * -9223372036854775808");
    /* the pages of these types: "rounding to the nearest-integer (with ties to even)" */
    row("Cast", 21, "f16[6] -8.5 7.5 7.375 6.5 -0.75 5.5", S4, "s4[6] -8 * 7 6 -1 6");
    row("Cast", 25, "f32[4] 0.5 1.5 2.75 3.5", U2, "u2[4] 0 2 3 *");
    row("Cast", 21, "f32[1] 1.5..2.75", S4, "s4[1] 2..3");
    row("Cast", 6, "s32[3] 200 -129 65536", S8, "s8[3] -56 127 0");
    row("Cast", 6, "s64[2] 9223372036854775807 -1", S64, "s64[2] 9223372036854775807 -1");
    row("Cast", 6, "s64[2] 4294967297 2147483648", S32, "s32[2] 1 -2147483648");
    row("Cast", 25, "s8[3] -1 4 7", U2, "u2[3] 3 0 3");
    row("Cast", 6, "f32[3] 0 0.5 nan", BOOL, "bool[3] 0 1 1");
    row("Cast", 6, "s32[3] 0 256 -1", BOOL, "bool[3] 0 1 1");
    row("Cast", 6, "bool[2] 0 1", S32, "s32[2] 0 1");
    row("Cast", 6, "f32[3] 1.5..2.5 -1.5..0.5 *", S8, "s8[3] 1..2 -1..0 *");
    row("Cast", 6, "f32[2] 127..128 -1..1", S8, "s8[2] * -1..1");
}

static void from_integers(void **state)
{
    (void)state;
    row("Cast", 6, "s32[3] 16777217 -16777219 5", F32, "f32[3] 16777216 -16777220 5");
    row("Cast", 6, "s32[2] 65519 65520", F16, "f16[2] 65504 inf");
    row("Cast", 6, "s64[1] 9007199254740993", F64, "f64[1] 9007199254740992");
    /* 2^24 + 2^13 + 1 is more than a tie of f16 beyond its range; of bf16: 2^8 steps */
    row("Cast", 13, "s32[1] 16842753", BF16, "bf16[1] 16777216..16908288..16908288");
    row("Cast", 6, "bool[2] 0 1", F32, "f32[2] 0 1");
    row("Cast", 6, "u8[2] 3..5 *", F32, "f32[2] 3..5 *");
    row("Cast", 6, "s32[2] 3..5 300..302", S8, "s8[2] 3..5 *");
}

static void rules(void **state)
{
    (void)state;
    row("Cast", 12, "bf16[1] 1", F32, "!input-type");
    row("Cast", 13, "f32[1] 1", "", "!to-missing");
    row("Cast", 13, "f32[1] 1", "to=0", "!to-value");
    row("Cast", 13, "f32[1] 1", "to=99", "!to-value");
    row("Cast", 12, "f32[1] 1", BF16, "!to-value");
    row("Cast", 13, "f32[1] 1", "to=FLOAT", "!attribute-type");
    row("Cast", 13, "f32[1] 1", "to=12", "?type 12");
    row("Cast", 18, "f32[1] 1", F32 " saturate=1", "!attribute-unknown");
    row("Cast", 23, "f32[1] 1", F32 " round_mode=up", "!attribute-unknown");
    row("Cast", 24, "f32[1] 1", F32 " round_mode=away", "!round_mode-value");
    row("Cast", 5, "f32[1] 1", "to=FLOAT", "?before opset 6");
    row("Cast", 19, "f32[1] 1..2", E4M3FN, "?admissible value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_floats), cmocka_unit_test(roundings_are_asked_for),
        cmocka_unit_test(to_float8),      cmocka_unit_test(to_powers_of_two),
        cmocka_unit_test(to_integers),    cmocka_unit_test(from_integers),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests_name("cast", tests, NULL, NULL);
}
