/* SPDX-License-Identifier: Apache-2.0 */
/* The generated QDQReal and QDQMovement cases: as many as promised, the same every time, covering every four features;
 * the reference has an answer to each, a single one to ties where the operator is exact.
 * Alone: <build>/tests/cases/families/qdq_blocks_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "families/census_testlib.h"
#include "qdiff/evaluate.h"

extern const struct qd_family qd_family_qdq_real, qd_family_qdq_movement;

static const struct qd_family *const families[] = {&qd_family_qdq_real, &qd_family_qdq_movement};
#define FAMILIES (sizeof families / sizeof *families)

static void counts_and_unique_ids(void **state)
{
    (void)state;
    static const size_t least[] = {60, 1500}, most[] = {130, 3500};
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_counts(families[f], 2, least, most);
}

static void same_cases_every_time(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_repeats(families[f]);
}

static void every_quadruple_of_features_occurs(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_coverage(families[f]->table, 4);
}

/* Whether ties have one answer: the operator's result is exact for scales that are powers of two. */
static bool exact_on_ties(const char *id)
{
    static const char *const rounding[] = {
        "sigmoid", "tanh", "softmax", "leaky-relu-default", "average-pool-padded", "div", "cast"};
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++)
        if (strstr(id, rounding[i]))
            return false;
    return true;
}

struct look {
    size_t elements, ties;
};

static enum qd_visit look_at(void *context, const struct qd_case *kase)
{
    struct look *look = context;
    struct qd_arena arena;
    struct qd_value outputs[2];
    struct qd_error error;
    bool tie = strcmp(kase->tags[0], "tie") == 0 && exact_on_ties(kase->id);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_true(kase->graph->output_count <= 2);
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, &arena, outputs, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (int64_t i = 0; i < outputs[0].want.count; i++) {
        struct qd_observation o = qd_value_observe(&outputs[0], i);
        if (o.unspecified || (tie && o.lo != o.hi))
            fail_msg("%s: element %lld: [%g, %g]", kase->id, (long long)i, o.lo, o.hi);
        look->elements++;
        look->ties += tie && qd_value_flags(&outputs[0], i) & QD_TIE;
    }
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void reference_answers_all(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct look look = {0};
        struct qd_error error;
        if (qd_family_generate(families[f], QD_LEVEL_FULL, look_at, &look, &error) != QD_OK)
            fail_msg("%s", error.text);
        print_message("# %s: %zu elements, %zu ties\n", families[f]->name, look.elements,
                      look.ties);
        assert_true(look.ties > 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_unique_ids),
        cmocka_unit_test(same_cases_every_time),
        cmocka_unit_test(every_quadruple_of_features_occurs),
        cmocka_unit_test(reference_answers_all),
    };
    return cmocka_run_group_tests_name("QDQ blocks", tests, NULL, NULL);
}
