/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a difference: the elements that the comparison calls mismatches, and no others.
 * Alone: <build>/tests/targets/diagnose/facts_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/facts.h"

/* A graph whose output is its input: the values are the test's. */
static const int outputs[] = {0};
static const struct qd_graph graph = {.output_count = 1,
                                      .outputs = outputs,
                                      .value_count = 1,
                                      .values = &(struct qd_graph_value){.name = "y"}};

static struct qd_tensor two_of(enum qd_dtype dtype, void *data)
{
    return (struct qd_tensor){.dtype = dtype, .rank = 1, .dims = {2}, .count = 2, .data = data};
}

static void expect_facts(const struct qd_value *want, const struct qd_tensor *have,
                         const char *words)
{
    const struct qd_case kase = {.id = "a", .graph = &graph};
    struct qd_tensor given = *have;
    const struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = &given};
    struct qd_comparison comparison;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const char *facts = qd_difference_facts(&kase, want, &run, &arena);
    qd_compare(&kase, want, &run, &comparison);
    assert_int_equal(comparison.mismatched > 0, *words != '\0');
    assert_non_null(facts);
    if (*words ? !strstr(facts, words) : *facts)
        fail_msg("have: %s", facts);
    qd_arena_clear(&arena);
}

/* 2^53 and 2^53 + 1 are one double and two codes. */
static void test_codes_beyond_doubles(void **state)
{
    (void)state;
    int64_t want[2] = {INT64_C(1) << 53, 7}, have[2] = {(INT64_C(1) << 53) + 1, 7};
    struct qd_tensor w = two_of(QD_S64, want), h = two_of(QD_S64, have);
    struct qd_value value = qd_value_of_tensor(&w);
    expect_facts(&value, &h, "1 of 2 elements differ");
    expect_facts(&value, &w, "");
}

static void test_nan_is_nan(void **state)
{
    (void)state;
    float want[2] = {NAN, 1}, have[2] = {1, NAN};
    struct qd_tensor w = two_of(QD_F32, want), h = two_of(QD_F32, have);
    struct qd_value value = qd_value_of_tensor(&w);
    expect_facts(&value, &h, "2 of 2 elements differ");
    expect_facts(&value, &w, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_codes_beyond_doubles),
                                       cmocka_unit_test(test_nan_is_nan)};
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
