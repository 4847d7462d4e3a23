/* SPDX-License-Identifier: Apache-2.0 */
/* The generated Graph* cases: as many as promised, the same every time and on every machine, covering every combination
 * of features that they promise; small and two to twenty-odd nodes; the
 * reference has an answer to each, a single one to ties.
 * Alone: <build>/tests/cases/families/graph_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "families/census_testlib.h"
#include "qdiff/evaluate.h"

#define MAX_OUTPUTS 4
#define MAX_ELEMENTS 300

extern const struct qd_family qd_family_graph_layers, qd_family_graph_branches,
    qd_family_graph_tokens, qd_family_graph_movement, qd_family_graph_axes;

/* Counts from 7/8 of what there is now; hashes: whoever changes a generator on purpose changes these. */
static const struct {
    const struct qd_family *family;
    size_t least[2], most[2];
    uint64_t numbers;
} families[] = {
    {&qd_family_graph_layers, {24, 210}, {30, 280}, 0xe29d0881f352f45b},
    {&qd_family_graph_branches, {21, 245}, {30, 320}, 0x2b84ca40f0d414ee},
    {&qd_family_graph_tokens, {10, 470}, {20, 620}, 0xd071848b47d95480},
    {&qd_family_graph_movement, {25, 590}, {35, 760}, 0xcd334c39320fb008},
    {&qd_family_graph_axes, {16, 160}, {30, 240}, 0x26a0083c72d5b159},
};
#define FAMILIES (sizeof families / sizeof *families)

static void counts_and_unique_ids(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_counts(families[f].family, 2, families[f].least, families[f].most);
}

static void same_cases_every_time(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_repeats(families[f].family);
}

static void same_numbers_on_every_machine(void **state)
{
    (void)state;
    bool same = true;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct qd_census census = qd_census_take(families[f].family, QD_LEVEL_FULL);
        print_message("# %s: 0x%llx\n", families[f].family->name,
                      (unsigned long long)census.numbers);
        same = same && census.numbers == families[f].numbers;
        qd_census_release(&census);
    }
    assert_true(same);
}

static void every_combination_of_features_occurs(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        qd_census_check_coverage(families[f].family->table, families[f].family->strength);
}

/* ---- The reference --------------------------------------------------------------------------- */

struct look {
    size_t cases, elements, ties, saturated, nodes, most_nodes;
};

/* Whether a tie case has one answer: not where a statistic with an epsilon, or a bias off the grid, is in the sum. */
static bool exact_on_ties(const struct qd_case *kase)
{
    return strcmp(kase->tags[0], "tie") == 0 && !strstr(kase->id, "batch-normalization");
}

static void look_at_output(struct look *look, const struct qd_case *kase, const struct qd_value *y)
{
    const struct qd_dtype_info *info = qd_dtype_info(y->want.dtype);
    assert_in_range(y->want.count, 1, MAX_ELEMENTS);
    for (int64_t i = 0; i < y->want.count; i++) {
        struct qd_observation o = qd_value_observe(y, i);
        bool code = qd_dtype_is_integer(y->want.dtype);
        if (o.unspecified || (exact_on_ties(kase) && o.lo != o.hi))
            fail_msg("%s: element %lld: [%g, %g]", kase->id, (long long)i, o.lo, o.hi);
        look->elements++;
        look->ties += code && qd_value_flags(y, i) & QD_TIE;
        look->saturated += code && (o.lo == (double)info->min || o.hi == (double)info->max);
    }
}

static enum qd_visit look_at(void *context, const struct qd_case *kase)
{
    struct look *look = context;
    struct qd_arena arena;
    struct qd_value outputs[MAX_OUTPUTS];
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_in_range(kase->graph->output_count, 1, MAX_OUTPUTS);
    if (qd_graph_explain(kase->graph, kase->inputs, NULL, &arena, outputs, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (size_t k = 0; k < kase->graph->output_count; k++)
        look_at_output(look, kase, &outputs[k]);
    look->cases++;
    look->nodes += kase->graph->node_count;
    if (kase->graph->node_count > look->most_nodes)
        look->most_nodes = kase->graph->node_count;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void reference_answers_all(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct look look = {0};
        struct qd_error error;
        if (qd_family_generate(families[f].family, QD_LEVEL_FULL, look_at, &look, &error) != QD_OK)
            fail_msg("%s", error.text);
        print_message("# %s: %zu elements, %zu of them ties and %zu at an end; nodes %zu on "
                      "average, %zu at most\n",
                      families[f].family->name, look.elements, look.ties, look.saturated,
                      look.nodes / look.cases, look.most_nodes);
        assert_true(look.ties > look.elements / 40);
        assert_true(look.saturated > look.elements / 100);
        assert_true(look.saturated < 2 * look.elements / 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_unique_ids),
        cmocka_unit_test(same_cases_every_time),
        cmocka_unit_test(same_numbers_on_every_machine),
        cmocka_unit_test(every_combination_of_features_occurs),
        cmocka_unit_test(reference_answers_all),
    };
    return cmocka_run_group_tests_name("Graph cases", tests, NULL, NULL);
}
