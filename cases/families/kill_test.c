/* The suite notices every known wrong semantics: under each quirk of reference/README.md's
 * switch table some smoke case gives a value that is not admissible. What nobody notices is a
 * hole in the suite.
 * Alone: <build>/tests/cases/families/kill_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

/* Dialects that no case can show, and why. A quirk has no excuse. */
static const struct {
    const char *text, *reason;
} elsewhere[] = {
    {"accumulator=wrap32", "differs beyond int32 only, where the text defines nothing"},
    {"nan-to-integer=minimum", "the text defines nothing"},
    {"nan-to-integer=maximum", "the text defines nothing"},
    {"nan-to-integer=zero", "the text defines nothing"},
    {"nan-to-integer=zero-point", "the text defines nothing"},
    {"all-zero=scale-0", "DynamicQuantizeLinear of zeros only, where the text defines nothing"},
    {"all-zero=scale-1", "DynamicQuantizeLinear of zeros only, where the text defines nothing"},
    {"all-zero=scale-1/255", "DynamicQuantizeLinear of zeros only, where the text defines nothing"},
};

#define MAX_SWITCHES 64
#define MAX_OUTPUTS 3

struct kill {
    char text[64];
    bool quirk;
    struct qd_semantics semantics;
    size_t cases, elements, ties;
};

struct kills {
    struct kill at[MAX_SWITCHES];
    size_t count, cases;
};

static void add(void *context, const char *key, const char *value, const char *kind)
{
    struct kills *kills = context;
    struct qd_error error;
    if (strcmp(kind, "default") == 0)
        return;
    assert_true(kills->count < MAX_SWITCHES);
    struct kill *kill = &kills->at[kills->count++];
    snprintf(kill->text, sizeof kill->text, "%s=%s", key, value);
    kill->quirk = strcmp(kind, "quirk") == 0;
    if (qd_semantics_parse(kill->text, true, &kill->semantics, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* How many elements of an output's canonical value under the quirk lie outside the admissible set. */
static size_t outside(const struct qd_value *want, const struct qd_value *have)
{
    size_t elements = 0;
    for (int64_t i = 0; i < want->want.count; i++) {
        struct qd_observation o = qd_value_observe(want, i);
        double value = qd_tensor_value(&have->want, i);
        bool inside = value != value ? o.nan : value >= o.lo && value <= o.hi;
        elements += !o.unspecified && !inside;
    }
    return elements;
}

static enum qd_visit try_all(void *context, const struct qd_case *kase)
{
    struct kills *kills = context;
    struct qd_arena arena;
    struct qd_value want[MAX_OUTPUTS], have[MAX_OUTPUTS];
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_true(kase->graph->output_count <= MAX_OUTPUTS);
    if (qd_graph_evaluate(kase->graph, kase->inputs, NULL, &arena, want, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    for (size_t k = 0; k < kills->count; k++) {
        struct kill *kill = &kills->at[k];
        if (qd_graph_evaluate(kase->graph, kase->inputs, &kill->semantics, &arena, have, &error))
            fail_msg("%s under %s: %s", kase->id, kill->text, error.text);
        size_t elements = 0;
        for (size_t o = 0; o < kase->graph->output_count; o++)
            elements += outside(&want[o], &have[o]);
        kill->elements += elements;
        kill->cases += elements > 0;
        kill->ties += elements > 0 && strcmp(kase->tags[0], "tie") == 0;
    }
    kills->cases++;
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static bool is_elsewhere(const char *text)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].text, text) == 0)
            return true;
    return false;
}

static void every_quirk_is_noticed(void **state)
{
    (void)state;
    struct kills kills = {0};
    size_t holes = 0, quirks = 0;
    struct qd_error error;
    const struct qd_suite_options smoke = {.level = QD_LEVEL_SMOKE, .cases_dir = NULL};
    qd_semantics_visit(add, &kills);
    if (qd_suite_visit(&smoke, try_all, &kills, &error) != QD_OK)
        fail_msg("%s", error.text);
    for (size_t k = 0; k < kills.count; k++) {
        const struct kill *kill = &kills.at[k];
        print_message(
            "# %s %s: noticed by %zu of %zu cases (%zu of them tie cases), %zu elements\n",
            kill->quirk ? "quirk" : "dialect", kill->text, kill->cases, kills.cases, kill->ties,
            kill->elements);
        quirks += kill->quirk;
        if ((kill->cases == 0) != is_elsewhere(kill->text)) {
            print_error("%s %s\n", kill->text, kill->cases ? "is noticed after all" : "is not");
            holes++;
        }
    }
    assert_int_equal(0, holes);
    assert_true(quirks >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_quirk_is_noticed)};
    return cmocka_run_group_tests_name("quirks noticed by the suite", tests, NULL, NULL);
}
