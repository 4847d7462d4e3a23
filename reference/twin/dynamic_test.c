/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's DynamicQuantizeLinear against the twin's: ranges solved so that the zero point,
 * and elements solved so that their codes, lie on or next to a rounding edge; any bit pattern.
 * Alone: <build>/tests/reference/twin/dynamic_test; QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

#define MAX_COUNT 40

static void check(const struct qd_tensor *x, struct twin_tally *tally)
{
    struct twin_node node;
    struct twin_result want[3];
    twin_node_init(&node, "DynamicQuantizeLinear", 11, 3);
    twin_node_input(&node, x);
    twin_dynamic_quantize_linear(x, want);
    twin_check(&node, false, want, tally);
    for (int i = 0; i < 3; i++)
        twin_result_clear(&want[i]);
}

static uint64_t nudged(struct twin_random *random, const mpq_t value)
{
    uint64_t bits = twin_encode(QD_F32, value);
    return twin_random_one_in(random, 2) && bits << 33
               ? bits + (uint64_t)twin_random_between(random, -1, 1)
               : bits;
}

/* max > 0 and min = −max·r/(1 − r) for r = (k + ½)/255: −min/s is k + ½. */
static void solve_range(struct twin_random *random, const struct qd_tensor *x)
{
    struct twin_number max;
    mpq_t ratio, rest;
    twin_number_init(&max);
    mpq_inits(ratio, rest, NULL);
    twin_put(x, 0, twin_random_scale(random, -10, 10));
    twin_element_of(x, 0, &max);
    int64_t odd = 2 * twin_random_between(random, 0, 254) + 1;
    mpq_set_si(ratio, -odd, 510);
    mpq_set_si(rest, 510 - odd, 510);
    mpq_canonicalize(ratio);
    mpq_canonicalize(rest);
    mpq_div(ratio, ratio, rest);
    mpq_mul(ratio, ratio, max.q);
    twin_put(x, 1, nudged(random, ratio));
    if (twin_random_one_in(random, 8)) /* one sign only: the range is widened to contain 0 */
        twin_put(x, 1, twin_encode(QD_F32, max.q));
    twin_number_clear(&max);
    mpq_clears(ratio, rest, NULL);
}

/* Inner elements near s·(k + ½). */
static void solve_elements(struct twin_random *random, const struct qd_tensor *x)
{
    struct twin_number max, min;
    mpq_t step, value;
    twin_number_init(&max);
    twin_number_init(&min);
    mpq_inits(step, value, NULL);
    twin_element_of(x, 0, &max);
    twin_element_of(x, 1, &min);
    if (mpq_sgn(min.q) > 0)
        mpq_set_ui(min.q, 0, 1);
    mpq_sub(step, max.q, min.q);
    mpq_set_ui(value, 255, 1);
    mpq_div(step, step, value);
    twin_round(QD_F32, TWIN_NEAREST, step, step);
    for (int64_t i = 2; i < x->count; i++) {
        mpq_set_si(value, 2 * twin_random_between(random, -255, 254) + 1, 2);
        mpq_canonicalize(value);
        mpq_mul(value, value, step);
        if (mpq_cmp(value, max.q) > 0 || mpq_cmp(value, min.q) < 0)
            mpq_set_ui(value, 0, 1);
        twin_put(x, i, nudged(random, value));
    }
    twin_number_clear(&max);
    twin_number_clear(&min);
    mpq_clears(step, value, NULL);
}

static void near_ties(void **state)
{
    (void)state;
    struct twin_random random = {71};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(8000); i++) {
        struct qd_arena arena;
        int64_t count = twin_random_between(&random, 2, MAX_COUNT);
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor x = twin_tensor(&arena, QD_F32, 1, &count);
        solve_range(&random, &x);
        solve_elements(&random, &x);
        check(&x, &tally);
        qd_arena_clear(&arena);
    }
    twin_tally_print("DynamicQuantizeLinear, near ties", &tally);
    assert_true(tally.slack > 0);
    assert_int_equal(tally.unspecified, 0);
}

static void wild_bits(void **state)
{
    (void)state;
    struct twin_random random = {72};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(8000); i++) {
        struct qd_arena arena;
        const int64_t dims[] = {twin_random_between(&random, 1, 3),
                                twin_random_between(&random, 1, 4)};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor x = twin_tensor(&arena, QD_F32, 2, dims);
        uint32_t mask = i % 4 == 0   ? 0x807fffff
                        : i % 4 == 1 ? 0
                                     : 0xffffffff; /* subnormal, zero, any */
        for (int64_t k = 0; k < x.count; k++)
            twin_put(&x, k, (uint32_t)twin_random_bits(&random) & mask);
        check(&x, &tally);
        qd_arena_clear(&arena);
    }
    twin_tally_print("DynamicQuantizeLinear, any bits", &tally);
    assert_true(tally.unspecified > 0 && tally.unspecified < tally.elements);
}

/* The comparison can fail: known wrong semantics must be noticed. */
static void wrong_semantics_are_caught(void **state)
{
    (void)state;
    static const char *const wrong[] = {"zero-point-order=before-exact", "rounding=half-away",
                                        "rounding=truncate", "range=wrap"};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        struct twin_random random = {71};
        struct twin_tally tally = {0};
        struct qd_semantics semantics;
        struct qd_error error = {0};
        assert_int_equal(qd_semantics_parse(wrong[w], true, &semantics, &error), QD_OK);
        for (int64_t i = 0; i < 500; i++) {
            static const int64_t count = 20;
            struct qd_arena arena;
            struct twin_node node;
            struct twin_result want[3];
            struct qd_value have[3];
            char text[400];
            qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
            struct qd_tensor x = twin_tensor(&arena, QD_F32, 1, &count);
            solve_range(&random, &x);
            solve_elements(&random, &x);
            twin_node_init(&node, "DynamicQuantizeLinear", 11, 3);
            twin_node_input(&node, &x);
            twin_dynamic_quantize_linear(&x, want);
            if (twin_node_evaluate(&node, false, &semantics, &arena, have, &error) != QD_OK)
                fail_msg("%s", error.text);
            for (int output = 0; output < 3; output++) {
                twin_compare(&want[output], &have[output], &tally, text, sizeof text);
                twin_result_clear(&want[output]);
            }
            qd_arena_clear(&arena);
        }
        print_message("# %s: %" PRId64 " of %" PRId64 " differ\n", wrong[w], tally.failures,
                      tally.elements);
        assert_true(tally.failures > 0);
    }
}

/* ONNX's own examples. 0, 2, −3, −2.5, 1.34, 0.5: s = fl(5/255), a little above 1/51, z = 153;
 * 0.5/s is just below 25.5, so that its code is 178, and 179 (the stored answer) only because the
 * quotient may round to 25.5. And a range of one sign, widened to 0: s = fl(4/255), z = 0. */
static void known_values(void **state)
{
    (void)state;
    static const int64_t six = 6;
    static const struct {
        float x[6], range;
        long zero_point, canonical[6], stored[6];
    } rows[] = {
        {{0, 2, -3, -2.5F, 1.34F, 0.5F},
         5,
         153,
         {153, 255, 0, 26, 221, 178},
         {153, 255, 0, 26, 221, 179}},
        {{1, 2.1F, 1.3F, 2.5F, 3.34F, 4},
         4,
         0,
         {64, 134, 83, 159, 213, 255},
         {64, 134, 83, 159, 213, 255}},
    };
    struct qd_arena arena;
    struct twin_result have[3];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct qd_tensor x = twin_tensor(&arena, QD_F32, 1, &six);
        memcpy(x.data, rows[row].x, sizeof rows[row].x);
        twin_dynamic_quantize_linear(&x, have);
        for (int64_t i = 0; i < six; i++) {
            const struct twin_element *y = &have[0].elements[i];
            assert_int_equal(mpq_get_d(y->want.q), rows[row].canonical[i]);
            assert_true(mpq_cmp_si(y->lo.q, rows[row].stored[i], 1) <= 0);
            assert_true(mpq_cmp_si(y->hi.q, rows[row].stored[i], 1) >= 0);
        }
        assert_true(mpq_get_d(have[1].elements->want.q) == (double)(rows[row].range / 255.0F));
        assert_int_equal(mpq_get_d(have[2].elements->want.q), rows[row].zero_point);
        for (int i = 0; i < 3; i++)
            twin_result_clear(&have[i]);
    }
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(near_ties),
        cmocka_unit_test(wild_bits),
        cmocka_unit_test(wrong_semantics_are_caught),
    };
    return cmocka_run_group_tests_name("twin_dynamic", tests, NULL, NULL);
}
