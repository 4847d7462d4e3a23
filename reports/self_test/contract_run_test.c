/* SPDX-License-Identifier: Apache-2.0 */
/* The suite against the contract mutants of some operators: no false alarm, and most are killed.
 * Alone: <build>/tests/reports/self_test/contract_run_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "self_test/contract_run.h"

static void run(const char *op, struct qd_arena *arena, struct qd_contract_result *result)
{
    const char *ops[] = {op};
    struct qd_options options = {.level = QD_LEVEL_SMOKE, .cases = QD_TEST_CASES_DIR};
    struct qd_selection selection;
    struct qd_error error;
    options.ops.count = 1;
    options.ops.items = ops;
    const struct qd_contract_plan plan = {.selection = &selection, .jobs = 2};
    if (qd_selection_init(&options, arena, &selection, &error) != QD_OK ||
        qd_contract_run(&plan, arena, result, &error) != QD_OK)
        fail_msg("%s: %s", op, error.text);
}

static size_t count(const struct qd_contract_result *result, enum qd_contract_fate fate)
{
    size_t count = 0;
    for (size_t i = 0; i < result->contract.count; i++)
        count += qd_contract_fate(result, i) == fate;
    return count;
}

static enum qd_contract_fate fate_of(const struct qd_contract_result *result, const char *name)
{
    const struct qd_contract_mutant *mutant = qd_contract_find(&result->contract, name);
    assert_non_null(mutant);
    return qd_contract_fate(result, (size_t)(mutant - result->contract.mutants));
}

/* Reading one operand's parameter for another's, or none, cannot survive in the operators that the suite is about. */
static void the_suite_kills_what_it_is_about(void **state)
{
    (void)state;
    static const char *const killed[] = {
        "MatMulInteger/a_zero_point/read-as-b_zero_point",
        "MatMulInteger/a_zero_point/ignored",
        "MatMulInteger/b_zero_point/first-for-all",
        "MatMulInteger/b_zero_point/index-plus-1",
        "MatMulInteger/A/read-in-other-sign",
        "MatMulInteger/A/tail-dropped-4",
        "MatMulInteger/output/tail-repeats-4",
        "MatMulInteger/B/when-rank-3",
    };
    struct qd_arena arena;
    struct qd_contract_result result;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    run("MatMulInteger", &arena, &result);
    for (size_t i = 0; i < sizeof killed / sizeof *killed; i++)
        if (fate_of(&result, killed[i]) != QD_CONTRACT_KILLED)
            fail_msg("%s is not killed", killed[i]);
    assert_int_equal(fate_of(&result, "MatMulInteger/node/no-error"), QD_CONTRACT_EQUAL);
    assert_int_equal(result.false_alarms, 0);
    assert_int_equal(result.lost, 0);
    assert_int_equal(count(&result, QD_CONTRACT_CONTRADICTED), 0);
    print_message("# %u cases, %zu mutants, %zu killed, %zu survive, %.1f s\n", result.cases,
                  result.contract.count, count(&result, QD_CONTRACT_KILLED),
                  count(&result, QD_CONTRACT_SURVIVES), result.wall);
    qd_arena_clear(&arena);
}

/* The control is what the specification says; a case that kills it, or any that equals it, is a failure. */
static void fates_follow_from_tallies(void **state)
{
    (void)state;
    struct qd_contract_mutant mutants[] = {{.name = "a"},
                                           {.name = "b", .equals = "it is the same"}};
    struct qd_contract_tally tallies[2];
    const struct qd_contract_result result = {.contract = {.count = 2, .mutants = mutants},
                                              .tallies = tallies};
    memset(tallies, 0, sizeof tallies);
    assert_int_equal(qd_contract_fate(&result, 0), QD_CONTRACT_UNKNOWN);
    assert_int_equal(qd_contract_fate(&result, 1), QD_CONTRACT_EQUAL);
    tallies[0].weak = 1;
    assert_int_equal(qd_contract_fate(&result, 0), QD_CONTRACT_ADVISORY);
    tallies[0].variation.kind = QD_VARIATION_SIZE;
    assert_int_equal(qd_contract_fate(&result, 0), QD_CONTRACT_SURVIVES);
    tallies[0].shapes = 1;
    assert_int_equal(qd_contract_fate(&result, 0), QD_CONTRACT_SHAPE);
    tallies[0].values = tallies[1].values = 1;
    assert_int_equal(qd_contract_fate(&result, 0), QD_CONTRACT_KILLED);
    assert_int_equal(qd_contract_fate(&result, 1), QD_CONTRACT_CONTRADICTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_suite_kills_what_it_is_about),
        cmocka_unit_test(fates_follow_from_tallies),
    };
    return cmocka_run_group_tests_name("contract mutants on the suite", tests, NULL, NULL);
}
