/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and random numbers of the generators: known bits, steps across powers of two, and
 * solutions within half a unit in the last place, by GMP.
 * Alone: <build>/tests/cases/families/scale_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <gmp.h>
#include <cmocka.h>

#include "families/scale.h"
#include "qdiff/random.h"

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void bits_are_floats(void **state)
{
    (void)state;
    assert_true(float_of(qd_scale_bits(qd_scale_make(1, 0))) == 1.0f);
    assert_true(float_of(qd_scale_bits(qd_scale_make(3, -2))) == 0.75f);
    assert_true(float_of(qd_scale_bits(qd_scale_make(0xffffff, 104))) == 0x1.fffffep127f);
    assert_true(float_of(qd_scale_bits(qd_scale_make(1, 128))) ==
                0x1.fffffep127f); /* the largest */
    assert_true(float_of(qd_scale_bits(qd_scale_make(1, -126))) == 0x1p-126f);
    assert_true(float_of(qd_scale_bits(qd_scale_make(5, -140))) == 0x5p-140f);
    assert_true(float_of(qd_scale_bits(qd_scale_make(1, -149))) == 0x1p-149f);
    assert_true(float_of(qd_scale_bits(qd_scale_make(1, -200))) == 0x1p-149f); /* the smallest */
}

static void steps_are_neighbours(void **state)
{
    (void)state;
    const struct qd_scale one = qd_scale_make(1, 0), below_two = qd_scale_make(0xffffff, -23);
    assert_int_equal(0x3f800001, qd_scale_bits(qd_scale_step(one, 1)));
    assert_int_equal(0x3f7fffff, qd_scale_bits(qd_scale_step(one, -1)));
    assert_int_equal(0x3f7ffffd, qd_scale_bits(qd_scale_step(one, -3)));
    assert_int_equal(0x40000000, qd_scale_bits(qd_scale_step(below_two, 1)));
    assert_int_equal(qd_scale_bits(one), qd_scale_bits(qd_scale_step(one, 0)));
}

static void set_scale(mpq_t q, struct qd_scale s)
{
    mpq_set_ui(q, s.mantissa, 1);
    if (s.exponent < 0)
        mpq_div_2exp(q, q, (mp_bitcnt_t)-s.exponent);
    else
        mpq_mul_2exp(q, q, (mp_bitcnt_t)s.exponent);
}

/* |2·acc·s_x·s_w/s_y − halves| ≤ halves·2^−24, the half unit of a 24-bit mantissa. */
static void check_solution(uint64_t acc, uint64_t halves, struct qd_scale x, struct qd_scale y)
{
    mpq_t real, factor, limit;
    mpq_inits(real, factor, limit, NULL);
    mpq_set_ui(real, 2 * acc, 1);
    set_scale(factor, x);
    mpq_mul(real, real, factor);
    set_scale(factor, qd_scale_solve(acc, halves, x, y));
    mpq_mul(real, real, factor);
    set_scale(factor, y);
    mpq_div(real, real, factor);
    mpq_set_ui(factor, halves, 1);
    mpq_sub(real, real, factor);
    mpq_abs(real, real);
    mpq_div_2exp(limit, factor, 24);
    if (mpq_cmp(real, limit) > 0)
        fail_msg("no solution for acc %lu, halves %lu", (unsigned long)acc, (unsigned long)halves);
    mpq_clears(real, factor, limit, NULL);
}

static void solutions_are_near(void **state)
{
    (void)state;
    struct qd_random r = qd_random_seed("solutions", 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t acc = qd_random_next(&r) >> 32 >> qd_random_range(&r, 0, 31);
        uint64_t halves = (uint64_t)qd_random_range(&r, 1, (1 << 20) - 1);
        struct qd_scale x = qd_scale_make((uint32_t)qd_random_range(&r, 1, (1 << 24) - 1), -30);
        struct qd_scale y = qd_scale_make((uint32_t)qd_random_range(&r, 1, (1 << 24) - 1), 7);
        check_solution(acc ? acc : 1, halves, x, y);
    }
    const struct qd_scale one = qd_scale_make(1, 0);
    assert_int_equal(0x3f000000, qd_scale_bits(qd_scale_solve(1, 1, one, one))); /* ½ */
}

/* SplitMix64's published first outputs for the state 0. */
static void random_numbers_are_splitmix64(void **state)
{
    (void)state;
    struct qd_random r = {0};
    assert_true(qd_random_next(&r) == 0xe220a8397b1dcdafu);
    assert_true(qd_random_next(&r) == 0x6e789e6aa1b965f4u);
    assert_true(qd_random_next(&r) == 0x06c45d188009454fu);
    for (int i = 0; i < 1000; i++)
        assert_in_range(qd_random_range(&r, -3, 3) + 3, 0, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_floats),
        cmocka_unit_test(steps_are_neighbours),
        cmocka_unit_test(solutions_are_near),
        cmocka_unit_test(random_numbers_are_splitmix64),
    };
    return cmocka_run_group_tests_name("scales and random numbers", tests, NULL, NULL);
}
