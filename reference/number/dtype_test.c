/* SPDX-License-Identifier: Apache-2.0 */
/* Float formats against their published tables and against the machine's conversions.
 * Alone: <build>/tests/reference/number/dtype_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <fenv.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "qdiff/tensor.h"

/* Every code of every small format survives decode and encode. */
static void every_code_round_trips(void **state)
{
    (void)state;
    static const enum qd_dtype types[] = {QD_F16,    QD_BF16,       QD_F8E4M3FN, QD_F8E4M3FNUZ,
                                          QD_F8E5M2, QD_F8E5M2FNUZ, QD_F4E2M1,   QD_F8E8M0};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        unsigned bits = qd_dtype_info(types[t])->bits;
        for (uint64_t code = 0; code < (uint64_t)1 << bits; code++) {
            double x = qd_float_decode(types[t], code);
            uint64_t back = qd_float_encode(types[t], x, false);
            if (isnan(x))
                assert_true(isnan(qd_float_decode(types[t], back)));
            else
                assert_int_equal(back, code);
        }
    }
}

/* ONNX technical page "Float stored in 8 bits" and the OCP MX text: largest, smallest, special
 * codes. */
static void formats_as_published(void **state)
{
    (void)state;
    static const struct {
        enum qd_dtype dtype;
        uint64_t code;
        double value;
    } rows[] = {
        {QD_F8E4M3FN, 0x7e, 448},
        {QD_F8E4M3FN, 0x01, 0x1p-9},
        {QD_F8E4M3FN, 0x7f, NAN},
        {QD_F8E4M3FNUZ, 0x7f, 240},
        {QD_F8E4M3FNUZ, 0x01, 0x1p-10},
        {QD_F8E4M3FNUZ, 0x80, NAN},
        {QD_F8E5M2, 0x7b, 57344},
        {QD_F8E5M2, 0x01, 0x1p-16},
        {QD_F8E5M2, 0x7c, INFINITY},
        {QD_F8E5M2, 0x7d, NAN},
        {QD_F8E5M2FNUZ, 0x7f, 57344},
        {QD_F8E5M2FNUZ, 0x01, 0x1p-17},
        {QD_F8E5M2FNUZ, 0x80, NAN},
        {QD_F4E2M1, 0x7, 6},
        {QD_F4E2M1, 0x1, 0.5},
        {QD_F4E2M1, 0xf, -6},
        {QD_F8E8M0, 0, 0x1p-127},
        {QD_F8E8M0, 127, 1},
        {QD_F8E8M0, 255, NAN},
        {QD_F16, 0x7bff, 65504},
        {QD_F16, 0x3555, 0.333251953125},
        {QD_BF16, 0x3f80, 1},
        {QD_BF16, 0xff80, -INFINITY},
        {QD_F32, 0x3f800001, 1 + 0x1p-23},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double have = qd_float_decode(rows[i].dtype, rows[i].code);
        assert_true(have == rows[i].value || (isnan(have) && isnan(rows[i].value)));
    }
}

/* Saturation table of the same page: 448 + half a step stays, beyond it overflows. */
static void overflow_as_published(void **state)
{
    (void)state;
    static const struct {
        enum qd_dtype dtype;
        double x, saturated, plain;
    } rows[] = {
        {QD_F8E4M3FN, 464, 448, 448},
        {QD_F8E4M3FN, 464.5, 448, NAN},
        {QD_F8E4M3FN, INFINITY, 448, NAN},
        {QD_F8E4M3FN, -1e9, -448, NAN},
        {QD_F8E5M2, 61440, 57344, INFINITY},
        {QD_F8E5M2, 61439, 57344, 57344},
        {QD_F8E5M2FNUZ, 1e9, 57344, NAN},
        {QD_F4E2M1, 100, 6, 6},
        {QD_F4E2M1, 5, 4, 4},
        {QD_F4E2M1, -0.25, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double rounded = qd_float_round(rows[i].dtype, QD_NEAREST_EVEN, rows[i].x);
        double saturated =
            qd_float_decode(rows[i].dtype, qd_float_encode(rows[i].dtype, rounded, true));
        double plain =
            qd_float_decode(rows[i].dtype, qd_float_encode(rows[i].dtype, rounded, false));
        assert_true(saturated == rows[i].saturated);
        assert_true(plain == rows[i].plain || (isnan(plain) && isnan(rows[i].plain)));
    }
}

/* Nearest, down and up in float16 and bfloat16: no value of the type lies between, on either
 * side. */
static void rounding_finds_the_neighbour(void **state)
{
    (void)state;
    static const enum qd_dtype types[] = {QD_F16, QD_BF16, QD_F8E5M2, QD_F8E4M3FN, QD_F4E2M1};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        uint64_t codes = (uint64_t)1 << (qd_dtype_info(types[t])->bits - 1);
        for (uint64_t code = 0; code + 1 < codes; code++) {
            double a = qd_float_decode(types[t], code), b = qd_float_decode(types[t], code + 1);
            if (!isfinite(a) || !isfinite(b))
                break;
            double middle = (a + b) / 2, near_a = a + (b - a) / 4, near_b = b - (b - a) / 4;
            assert_true(qd_float_round(types[t], QD_TO_MINUS_INFINITY, near_b) == a);
            assert_true(qd_float_round(types[t], QD_TO_PLUS_INFINITY, near_a) == b);
            assert_true(qd_float_round(types[t], QD_TO_MINUS_INFINITY, -near_a) == -b);
            assert_true(qd_float_round(types[t], QD_NEAREST_EVEN, near_a) == a);
            assert_true(qd_float_round(types[t], QD_NEAREST_EVEN, near_b) == b);
            assert_true(qd_float_round(types[t], QD_NEAREST_EVEN, middle) == (code % 2 ? b : a));
        }
    }
}

static void float32_rounding_is_the_machines(void **state)
{
    (void)state;
    uint64_t word = 88172645463325252u;
    for (int i = 0; i < 300000; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        volatile double x = ldexp((double)(word >> 11), (int)(word % 320) - 210);
        fesetround(FE_DOWNWARD);
        volatile float down = (float)x;
        fesetround(FE_UPWARD);
        volatile float up = (float)x;
        fesetround(FE_TONEAREST);
        assert_true(qd_float_round(QD_F32, QD_TO_MINUS_INFINITY, x) == (double)down);
        assert_true(qd_float_round(QD_F32, QD_TO_PLUS_INFINITY, x) == (double)up);
        assert_true(qd_float_round(QD_F32, QD_NEAREST_EVEN, x) == (double)(float)x);
    }
}

/* Float32 goes through the machine; the general description of the format has to say the same. */
static void machine_formats_agree(void **state)
{
    (void)state;
    uint64_t word = 362436069u;
    for (int i = 0; i < 200000; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        uint32_t code = (uint32_t)word;
        int exponent = (int)(code >> 23 & 255);
        double fraction = (double)(code & 0x7fffff) / 0x1p23;
        double want = exponent ? ldexp(1 + fraction, exponent - 127) : ldexp(fraction, -126);
        if (exponent == 255)
            continue;
        double have = qd_float_decode(QD_F32, code);
        assert_true(have == (code >> 31 ? -want : want));
        assert_int_equal(qd_float_encode(QD_F32, have, false), code);
    }
    assert_int_equal(qd_float_encode(QD_F32, INFINITY, false), 0x7f800000);
    assert_int_equal(qd_float_encode(QD_F32, -INFINITY, true), 0xff7fffff);
    assert_true(isnan(qd_float_decode(QD_F32, 0x7fc00000)));
}

static void packed_types_pack(void **state)
{
    (void)state;
    unsigned char bytes[3] = {0};
    struct qd_tensor t = {.dtype = QD_S4, .rank = 1, .dims = {5}, .count = 5, .data = bytes};
    assert_int_equal(qd_tensor_bytes(&t), 3);
    for (int i = 0; i < 5; i++)
        qd_tensor_set(&t, i, i - 3);
    assert_int_equal(bytes[0], 0xed); /* −3 = 0xd low, −2 = 0xe high */
    assert_int_equal(bytes[2], 0x01);
    for (int i = 0; i < 5; i++)
        assert_int_equal(qd_tensor_get(&t, i), i - 3);
    t.dtype = QD_U2;
    assert_int_equal(qd_tensor_bytes(&t), 2);
    qd_tensor_set(&t, 3, 2);
    assert_int_equal(qd_tensor_get(&t, 3), 2);
    assert_int_equal(qd_dtype_bytes(QD_U4, 0), 0);
}

/* Two's complement, by hand. */
static void low_bits_are_kept(void **state)
{
    static const struct {
        enum qd_dtype dtype;
        int64_t x, want;
    } rows[] = {
        {QD_U8, -1, 255},
        {QD_S8, 128, -128},
        {QD_S8, -129, 127},
        {QD_U4, 17, 1},
        {QD_S4, 8, -8},
        {QD_S2, 3, -1},
        {QD_U16, 65536, 0},
        {QD_S16, 32768, -32768},
        {QD_S32, INT64_C(1) << 31, INT32_MIN},
        {QD_S32, INT64_MIN, 0},
        {QD_S64, INT64_MIN, INT64_MIN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(qd_dtype_wrap(rows[i].x, rows[i].dtype), rows[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_bits_are_kept),
        cmocka_unit_test(every_code_round_trips),
        cmocka_unit_test(formats_as_published),
        cmocka_unit_test(overflow_as_published),
        cmocka_unit_test(rounding_finds_the_neighbour),
        cmocka_unit_test(float32_rounding_is_the_machines),
        cmocka_unit_test(machine_formats_agree),
        cmocka_unit_test(packed_types_pack),
    };
    return cmocka_run_group_tests_name("dtype", tests, NULL, NULL);
}
