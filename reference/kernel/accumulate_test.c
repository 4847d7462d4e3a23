/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products that saturate or wrap pairs of products in int16: which terms are pairs, worked out by hand.
 * Alone: <build>/tests/reference/kernel/accumulate_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel/accumulate.h"

static const struct qd_semantics neighbours = {.accumulator = QD_ACC_PAIR_SAT16};
static const struct qd_semantics channels_last = {.accumulator = QD_ACC_PAIR_SAT16_LAST};
static const struct qd_raw_codes u8_s8 = {.a_unsigned = true, .taps = 1};

/* 255·127 = 32385, and twice that is beyond 32767. A third term has no neighbour: 32767 + 32385. */
static void test_neighbours(void **state)
{
    (void)state;
    const int16_t a[] = {255, 255, 255}, b[] = {127, 127, 127}, low[] = {-128, -128, 127};
    assert_int_equal(qd_dot(&neighbours, &u8_s8, a, b, 2), 32767);
    assert_int_equal(qd_dot(&neighbours, &u8_s8, a, b, 3), 65152);
    assert_int_equal(qd_dot(&neighbours, &u8_s8, a, low, 3), -383); /* −32768 + 32385 */
}

/* The instruction takes one operand unsigned, the other signed: which of them is which does not matter. */
static void test_types(void **state)
{
    (void)state;
    const int16_t a[] = {127, 127}, b[] = {255, 255};
    const struct qd_raw_codes s8_u8 = {.b_unsigned = true, .taps = 1}, s8_s8 = {.taps = 1};
    const struct qd_raw_codes u8_u8 = {.a_unsigned = true, .b_unsigned = true, .taps = 1};
    assert_int_equal(qd_dot(&neighbours, &s8_u8, a, b, 2), 32767);
    assert_int_equal(qd_dot(&neighbours, &u8_u8, a, b, 2), 64770);
    assert_int_equal(qd_dot(&neighbours, &s8_s8, a, a, 2), 32258);
}

/* Codes 127·127 of s8·s8 as 255·127: 32767, less what the shift added, 128·(127 + 127). u8·s8 is not shifted. */
static void test_shifted(void **state)
{
    (void)state;
    static const struct qd_semantics shifted = {.accumulator = QD_ACC_PAIR_SAT16_SHIFTED};
    const int16_t codes[] = {127, 127}, full[] = {255, 255}, small[] = {-128, -128};
    const struct qd_raw_codes s8_s8 = {.taps = 1},
                              u8_u8 = {.a_unsigned = true, .b_unsigned = true, .taps = 1};
    assert_int_equal(qd_dot(&shifted, &s8_s8, codes, codes, 2), 255);
    assert_int_equal(qd_dot(&shifted, &s8_s8, small, codes, 2), -32512);
    assert_int_equal(qd_dot(&shifted, &u8_s8, full, codes, 2), 32767);
    assert_int_equal(qd_dot(&shifted, &u8_u8, full, full, 2), 130050);
}

/* Codes 255 and 127 with the zero points 55 and 27: 200·100 each, of which
 * the raw products' 64770 − 32767 are missing. */
static void test_zero_points(void **state)
{
    (void)state;
    const int16_t a[] = {200, 200}, b[] = {100, 100};
    const struct qd_raw_codes raw = {
        .a_unsigned = true, .a_zero_point = 55, .b_zero_point = 27, .taps = 1};
    assert_int_equal(qd_dot(&neighbours, &raw, a, b, 2), 7997); /* 40000 − 32003 */
}

/* Two channels of two taps, stored channel by channel: w = 127 in the first tap of both, 0 in the second. */
static void test_channels_last(void **state)
{
    (void)state;
    const int16_t x[] = {255, 255, 255, 255}, w[] = {127, 0, 127, 0}, rows[] = {127, 127, 0, 0};
    const struct qd_raw_codes raw = {.a_unsigned = true, .taps = 2};
    assert_int_equal(qd_dot(&channels_last, &raw, x, w, 4), 32767);
    assert_int_equal(qd_dot(&neighbours, &raw, x, w, 4), 64770);
    assert_int_equal(qd_dot(&channels_last, &raw, x, rows, 4), 64770);
    assert_int_equal(qd_dot(&neighbours, &raw, x, rows, 4), 32767);
    assert_int_equal(qd_dot(&channels_last, &u8_s8, x, rows, 4),
                     32767); /* one tap: as they stand */
}

/* (-128)·(-128) twice is 32768, one more than an int16 lane holds. A uint8 code counts less 128: 0 is -128. */
static void test_wrapping(void **state)
{
    (void)state;
    const struct qd_semantics eight = {.accumulator = QD_ACC_PAIR_WRAP16};
    const struct qd_raw_codes s8_s8 = {.taps = 1},
                              u8_u8 = {.a_unsigned = true, .b_unsigned = true, .taps = 1};
    int16_t a[16] = {-128}, b[16] = {-128}, zeros[16] = {0};
    a[8] = b[8] = -128;
    assert_int_equal(qd_dot(&eight, &s8_s8, a, b, 16), -32768);
    assert_int_equal(qd_dot(&eight, &s8_s8, a, b, 8), 16384);
    assert_int_equal(qd_dot(&eight, &u8_s8, zeros, b, 16), -65536);
    assert_int_equal(qd_dot(&eight, &u8_u8, zeros, b, 16), 0);
}

/* Eight channels of two taps, stored channel by channel: the first channel's
 * taps are 0 and 1, and 8 apart with channels last. */
static void test_wrapping_channels_last(void **state)
{
    (void)state;
    const struct qd_semantics last = {.accumulator = QD_ACC_PAIR_WRAP16_LAST};
    const struct qd_semantics eight = {.accumulator = QD_ACC_PAIR_WRAP16};
    const struct qd_raw_codes raw = {.taps = 2};
    const int16_t a[16] = {-128, -128};
    assert_int_equal(qd_dot(&last, &raw, a, a, 16), -32768);
    assert_int_equal(qd_dot(&eight, &raw, a, a, 16), 32768);
}

/* 259 products 255·255 and 259 products 1. Channel after channel 16841475, a tie, becomes 16841476,
 * to which no 1 is added. Tap after tap 258·65026 = 16776708 is exact; 16841733 becomes 16841732, twice. */
static void test_float32(void **state)
{
    (void)state;
    enum { TAPS = 259 };
    static const struct qd_semantics first = {.accumulator = QD_ACC_F32},
                                     last = {.accumulator = QD_ACC_F32_LAST};
    const struct qd_raw_codes u8_u8 = {.a_unsigned = true, .b_unsigned = true, .taps = TAPS};
    int16_t codes[2 * TAPS];
    for (int i = 0; i < 2 * TAPS; i++)
        codes[i] = i < TAPS ? 255 : 1;
    assert_int_equal(qd_dot(&first, &u8_u8, codes, codes, 2L * TAPS), 16841476);
    assert_int_equal(qd_dot(&last, &u8_u8, codes, codes, 2L * TAPS), 16841732);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_types),
        cmocka_unit_test(test_shifted),    cmocka_unit_test(test_zero_points),
        cmocka_unit_test(test_float32),    cmocka_unit_test(test_channels_last),
        cmocka_unit_test(test_wrapping),   cmocka_unit_test(test_wrapping_channels_last),
    };
    return cmocka_run_group_tests_name("accumulators of pairs", tests, NULL, NULL);
}
