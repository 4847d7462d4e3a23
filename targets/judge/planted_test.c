/* SPDX-License-Identifier: Apache-2.0 */
/* A new bug is seen through the rows of a target: each quirk, planted in what the target has right, fails on some case.
 * A quirk that a row names is no new bug: the target has it elsewhere.
 * Alone: <build>/tests/targets/judge/planted_test
 * QDIFF_PLANTED_TARGET='ort@1.31.1[opt=all]': a target and the rows that come with it, instead of the reference and
 * rows made up here. QDIFF_PLANTED_LEVEL=full: more of the suite than the smoke level (scripts/prove-long planted). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/data_path.h"
#include "qdiff/evaluated.h"
#include "qdiff/kill.h"
#include "qdiff/suite.h"
#include "qdiff/trial.h"

enum { MOST_QUIRKS = 64 * QD_KILL_WORDS };

/* A target whose right answers are a quirk's. `role` asks the target first. */
struct planted {
    struct qd_subject subject; /* first: the role's function is given it */
    const struct qd_semantics *semantics;
    enum { UNKNOWN, RIGHT, NOT_RIGHT } target; /* on the case at hand */
};

struct census {
    struct qd_arena arena;
    struct qd_mutants mutants;
    struct planted planted;
    bool hidden[MOST_QUIRKS], seen[MOST_QUIRKS];
    size_t rows[MOST_QUIRKS];     /* the line of one that hid it */
    char hiding[MOST_QUIRKS][64]; /* in this case, as far as there is room */
    size_t cases;
};

/* The answer of the quirk's semantics, if it is a wrong value. */
static enum qd_status mutate(const struct planted *planted, const struct qd_evaluated *evaluated,
                             struct qd_arena *arena, struct qd_trial *trial)
{
    const struct qd_graph *graph = evaluated->kase->graph;
    struct qd_value *values = qd_arena_array(arena, graph->output_count, sizeof *values);
    struct qd_error error;
    trial->run = (struct qd_run){.outcome = QD_OUTCOME_OUTPUTS};
    trial->run.outputs = qd_arena_array(arena, graph->output_count, sizeof *trial->run.outputs);
    trial->divergences = qd_arena_array(arena, 1, sizeof *trial->divergences);
    assert_true(values && trial->run.outputs && trial->divergences);
    enum qd_status status = qd_graph_evaluate(graph, evaluated->kase->inputs, planted->semantics,
                                              arena, values, &error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < graph->output_count; i++) {
        qd_quirk_answer(&values[i]);
        trial->run.outputs[i] = values[i].want;
    }
    qd_compare(evaluated->kase, evaluated->values, &trial->run, &trial->comparison);
    if (trial->comparison.verdict == QD_VERDICT_WRONG_VALUE)
        trial->divergences[trial->divergence_count++] =
            (struct qd_divergence){.class = QD_VERDICT_WRONG_VALUE, .words = ""};
    return QD_OK;
}

static enum qd_status ask_planted(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                                  struct qd_arena *arena, struct qd_trial *trial,
                                  struct qd_error *error)
{
    struct planted *planted = (struct planted *)subject;
    struct qd_trial made = {.skip = NULL}, own = {.skip = NULL};
    if (mutate(planted, evaluated, arena, &made) != QD_OK || made.divergence_count == 0)
        made.skip = "the quirk does not show";
    if (!made.skip && planted->target == UNKNOWN) {
        enum qd_status status = qd_role_kernel.ask(subject, evaluated, arena, &own, error);
        if (status != QD_OK)
            return status;
        planted->target = own.skip || own.divergence_count > 0 ? NOT_RIGHT : RIGHT;
    }
    if (planted->target == NOT_RIGHT)
        made.skip = "the target is wrong itself";
    *trial = made;
    return QD_OK;
}

static const struct qd_target_role role_planted = {
    .name = "planted", .evaluate = qd_case_evaluate, .ask = ask_planted};

static void plant(struct census *census, size_t quirk, const struct qd_evaluated *evaluated)
{
    static const struct qd_trial_options options = {.twins = NULL};
    struct qd_arena arena;
    struct qd_trial trial;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    census->planted.semantics = &census->mutants.semantics[quirk];
    if (qd_trial_run(&census->planted.subject, evaluated, &options, &arena, &trial, &error) !=
        QD_OK)
        fail_msg("%s: %s", evaluated->kase->id, error.text);
    if (!trial.skip && trial.known) {
        census->hidden[quirk] = true;
        census->rows[quirk] = trial.row->row;
        snprintf(census->hiding[quirk], sizeof census->hiding[quirk], "%s", evaluated->kase->id);
    }
    census->seen[quirk] = census->seen[quirk] || (!trial.skip && trial.fails);
    qd_arena_clear(&arena);
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct census *census = context;
    struct qd_arena arena;
    struct qd_evaluated evaluated;
    struct qd_error error;
    if (kase->expect != QD_EXPECT_VALID)
        return QD_VISIT_GO_ON;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_evaluate(kase, &arena, &evaluated, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    census->planted.target = UNKNOWN;
    census->cases++;
    for (size_t i = 0; i < census->mutants.count && census->planted.target != NOT_RIGHT; i++)
        if (!census->seen[i] && qd_quirk_concerns(qd_quirk_at(i), kase->graph))
            plant(census, i, &evaluated);
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void begin(struct census *census, const char *target)
{
    const struct qd_session_options options = {.in_process = false};
    struct qd_target_name name;
    struct qd_error error;
    memset(census, 0, sizeof *census);
    qd_arena_init(&census->arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_target_name_parse(target, &name, &error) != QD_OK ||
        qd_mutants_init(&census->arena, &census->mutants, &error) != QD_OK ||
        qd_subject_open_kernel(&name, &options, &census->planted.subject, &error) != QD_OK)
        fail_msg("%s: %s", target, error.text);
    census->planted.subject.role = &role_planted;
}

/* Whether "a+b" has the name. */
static bool has_name(const char *names, const char *name)
{
    while (*names) {
        size_t length = strcspn(names, "+");
        if (length == strlen(name) && strncmp(names, name, length) == 0)
            return true;
        names += length + (names[length] == '+');
    }
    return false;
}

/* Whether a row is about the quirk, alone or with others. */
static bool is_named(const struct qd_expectations *rows, const char *quirk)
{
    struct qd_expectation_view row;
    bool named = false;
    for (size_t i = 0; rows && !named && qd_expectations_view(rows, i, &row); i++)
        named = has_name(row.quirks, quirk);
    return named;
}

/* How many of the quirks that show on these cases are seen; *shown of them, *own more that are the target's own. */
static size_t count_seen(struct census *census, const struct qd_suite_options *cases, size_t *shown,
                         size_t *own)
{
    struct qd_error error;
    size_t seen = 0;
    *shown = *own = 0;
    if (qd_suite_visit(cases, visit, census, &error) != QD_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < census->mutants.count; i++) {
        const char *name = qd_quirk_at(i)->name;
        bool hidden = census->hidden[i] && !census->seen[i];
        bool named = hidden && is_named(census->planted.subject.expectations, name);
        seen += census->seen[i];
        *shown += census->seen[i] || (hidden && !named);
        *own += named;
        if (hidden)
            printf("# %s: hidden, by row %zu among others, in %s%s\n", name, census->rows[i],
                   census->hiding[i], named ? "; the target has it elsewhere" : "");
    }
    qd_subject_close(&census->planted.subject);
    qd_arena_clear(&census->arena);
    return seen;
}

static void rows_of_a_target_hide_no_new_bug(void **state)
{
    (void)state;
    static struct census census;
    const char *target = getenv("QDIFF_PLANTED_TARGET"), *word = getenv("QDIFF_PLANTED_LEVEL"),
               *path = NULL;
    enum qd_level level = QD_LEVEL_SMOKE;
    struct qd_target_name name;
    struct qd_error error;
    size_t shown, own;
    assert_true(!word || qd_level_find(word, &level));
    begin(&census, target ? target : "reference");
    assert_int_equal(qd_target_name_parse(target ? target : "reference", &name, &error), QD_OK);
    struct qd_subject *subject = &census.planted.subject;
    if (qd_expectations_shipped(name.name, &census.arena, &path, &error) != QD_OK ||
        (path && qd_expectations_open(path, subject->info, &census.arena, &subject->expectations,
                                      &error) != QD_OK))
        fail_msg("%s", error.text);
    size_t seen = count_seen(&census, &(struct qd_suite_options){.level = level}, &shown, &own);
    printf("# %s: %zu of %zu planted quirks are seen, on %zu cases; %zu more are hidden, that it "
           "has elsewhere\n",
           target ? target : "reference", seen, shown, census.cases, own);
    assert_true(shown >= (target ? 30 : 60));
    assert_true(60 * seen >= 58 * shown);
}

static bool no_part(const void *context, const char *part)
{
    (void)context, (void)part;
    return false;
}

/* The count can fail: on the cases by hand, where each quirk has its witness. */
static void broad_rows_hide_bugs(void **state)
{
    (void)state;
    static struct census census;
    static const char rows[] = "*\t*\t*\twrong-value\t*\t*\t-\twhatever\n";
    struct qd_error error;
    size_t shown, own;
    begin(&census, "reference");
    struct qd_subject *subject = &census.planted.subject;
    assert_int_equal(qd_expectations_parse("x.tsv", rows, sizeof rows - 1, &census.arena,
                                           &subject->expectations, &error),
                     QD_OK);
    assert_int_equal(qd_expectations_activate(subject->expectations, subject->info, &error), QD_OK);
    const struct qd_suite_options by_hand = {.cases_dir = QD_TEST_CASES_DIR, .wanted = no_part};
    assert_int_equal(count_seen(&census, &by_hand, &shown, &own), 0);
    assert_true(shown >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_target_hide_no_new_bug),
        cmocka_unit_test(broad_rows_hide_bugs),
    };
    return cmocka_run_group_tests_name("planted", tests, NULL, NULL);
}
