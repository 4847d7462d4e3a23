/* SPDX-License-Identifier: Apache-2.0 */
/* Property: what the reference itself answers is no divergence. And a measurement: every quirk that concerns the case
 * is evaluated beside the reference, and one whose answer lies outside an admissible set is killed: an event, with the
 * executions and CPU-seconds since the first one, the making of the stock that all kinds of runs
 * start from left out. When all are dead the process ends, with 0.
 *
 *   QDIFF_KILLS=FILE     where the table goes at the end: quirk, executions, CPU-seconds, operator
 *   QDIFF_KILLS_SECONDS=N  the process ends, with 0, after so many CPU-seconds
 *   QDIFF_KILLS_EACH=operator  a quirk is killed once for each principal operator of a graph; the table has a row for
 *                              each kill
 *   QDIFF_COUNTERS=off   without the semantic counters (counters.h): what they are worth */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "qdiff/clock.h"
#include "qdiff/compare.h"
#include "qdiff/counters.h"
#include "qdiff/kill.h"

const struct qd_engine_harness qd_engine_harness = {
    .property = "what the reference answers is no divergence; which quirks does a case kill",
};

/* One case: the reference's values and what the quirks are held against. */
struct trial {
    const struct qd_case *kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
};

#define MAX_OPERATORS 256
#define MAX_NAME 48

struct kill {
    uint64_t executions; /* 0: alive */
    double seconds;
    char op[MAX_NAME]; /* principal operator of the case that killed it */
};

static struct {
    struct qd_arena quirk_arena, case_arena, mutant_arena;
    struct qd_mutants mutants;
    size_t alive;
    uint64_t executions, valid;
    bool without_counters;
    double began;  /* CPU-seconds of the process at the first execution */
    double budget; /* CPU-seconds; 0: none */
    bool each_operator;
    size_t columns; /* operators that may have a kill of their own: 1 or MAX_OPERATORS */
    char operators[MAX_OPERATORS][MAX_NAME];
    struct kill *kills; /* [mutants.count][columns] */
} state;

/* Of the executions. */
static double cpu_seconds(void)
{
    return qd_clock_cpu_seconds() - state.began;
}

/* Rows of one quirk; what is alive has one only where operators are not told apart. */
static void print_quirk(FILE *file, size_t i)
{
    const char *name = qd_quirk_at(i)->name;
    for (size_t c = 0; c < state.columns; c++) {
        const struct kill *kill = &state.kills[i * state.columns + c];
        if (kill->executions > 0)
            fprintf(file, "%s\t%llu\t%.3f\t%s\n", name, (unsigned long long)kill->executions,
                    kill->seconds, kill->op);
        else if (!state.each_operator)
            fprintf(file, "%s\talive\t%.3f\t-\n", name, cpu_seconds());
    }
}

/* A summary, and the table where it was asked for. */
static void print_kills(void)
{
    const char *path = getenv("QDIFF_KILLS");
    FILE *file = path ? fopen(path, "w") : stderr;
    if (!file) {
        perror(path);
        return;
    }
    fprintf(file, "# %zu mutants, %zu alive, %llu executions, %llu valid, %.2f CPU-seconds\n",
            state.mutants.count * state.columns, state.alive, (unsigned long long)state.executions,
            (unsigned long long)state.valid, cpu_seconds());
    for (size_t i = 0; path && i < state.mutants.count; i++)
        print_quirk(file, i);
    if (path)
        fclose(file);
}

/* Whether the variable says "operator"; exits when it says something else. */
static bool reads_operator(const char *variable)
{
    const char *text = getenv(variable);
    if (text && strcmp(text, "operator") != 0) {
        fprintf(stderr, "fuzz_quirk: %s: '%s' is not 'operator'\n", variable, text);
        exit(2);
    }
    return text;
}

static void start(void)
{
    struct qd_error error;
    const char *counters = getenv("QDIFF_COUNTERS");
    qd_arena_init(&state.quirk_arena, QD_FUZZ_MEMORY);
    qd_arena_init(&state.case_arena, QD_FUZZ_MEMORY);
    qd_arena_init(&state.mutant_arena, QD_FUZZ_MEMORY);
    if (qd_mutants_init(&state.quirk_arena, &state.mutants, &error) != QD_OK) {
        fprintf(stderr, "fuzz_quirk: %s\n", error.text);
        exit(4);
    }
    state.each_operator = reads_operator("QDIFF_KILLS_EACH");
    state.columns = state.each_operator ? MAX_OPERATORS : 1;
    state.kills = qd_arena_array(&state.quirk_arena, state.mutants.count * state.columns,
                                 sizeof *state.kills);
    if (!state.kills)
        exit(4);
    const char *budget = getenv("QDIFF_KILLS_SECONDS");
    state.budget = budget ? strtod(budget, NULL) : 0;
    state.alive = state.mutants.count * state.columns;
    state.without_counters = counters && strcmp(counters, "off") == 0;
    atexit(print_kills);
    qd_engine_mutation();
    state.began = qd_clock_cpu_seconds();
}

/* What the mutant answers, compared; false: it cannot be told. */
static bool diverges(const struct trial *trial, const struct qd_semantics *semantics)
{
    const struct qd_graph *graph = trial->kase->graph;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_tensor outputs[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_run run = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = outputs};
    struct qd_comparison comparison;
    struct qd_error error;
    qd_arena_reset(&state.mutant_arena);
    enum qd_status status =
        qd_graph_evaluate_within(4 * QD_FUZZ_WORK, false, graph, trial->kase->inputs, semantics,
                                 &state.mutant_arena, values, &error);
    if (status != QD_OK && status != QD_INVALID && status != QD_UNSUPPORTED)
        return false;
    if (status != QD_OK)
        run.outcome = QD_OUTCOME_REJECTED;
    for (size_t i = 0; status == QD_OK && i < graph->output_count; i++) {
        qd_quirk_answer(&values[i]);
        outputs[i] = values[i].want;
    }
    qd_compare(trial->kase, trial->values, &run, &comparison);
    return qd_verdict_is_divergence(comparison.verdict);
}

/* Where the operator's kills stand. What comes after MAX_OPERATORS shares the last place. */
static size_t column_of(const char *op)
{
    size_t c = 0;
    if (!state.each_operator)
        return 0;
    while (c < MAX_OPERATORS - 1 && state.operators[c][0] &&
           strncmp(state.operators[c], op, MAX_NAME - 1) != 0)
        c++;
    snprintf(state.operators[c], MAX_NAME, "%s", op);
    return c;
}

static void try_quirk(const struct trial *trial, size_t i, struct kill *kill)
{
    if (kill->executions > 0 || !qd_quirk_concerns(qd_quirk_at(i), trial->kase->graph) ||
        !diverges(trial, &state.mutants.semantics[i]))
        return;
    kill->executions = state.executions;
    kill->seconds = cpu_seconds();
    snprintf(kill->op, sizeof kill->op, "%s", trial->kase->op);
    state.alive--;
}

static void try_quirks(const struct trial *trial)
{
    static const struct qd_semantics none;
    size_t column = column_of(trial->kase->op);
    if (diverges(trial, &none)) {
        fprintf(stderr, "Assertion failure: the reference diverges from itself: %s\n",
                trial->kase->op);
        abort();
    }
    for (size_t i = 0; i < state.mutants.count; i++)
        try_quirk(trial, i, &state.kills[i * state.columns + column]);
    if (state.alive == 0 || (state.budget > 0 && cpu_seconds() > state.budget)) {
        print_kills();
        _exit(0); /* libFuzzer takes exit() in a harness for a failure */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_error error;
    struct trial trial = {.kase = &kase};
    if (!state.kills)
        start();
    state.executions++;
    qd_arena_reset(&state.case_arena);
    if (qd_case_decode(data, size, &state.case_arena, &kase, &error) != QD_OK ||
        kase.expect != QD_EXPECT_VALID || kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS)
        return -1;
    enum qd_status status =
        qd_graph_evaluate_within(QD_FUZZ_WORK, !state.without_counters, kase.graph, kase.inputs,
                                 NULL, &state.case_arena, trial.values, &error);
    if (!state.without_counters)
        qd_counters_case(qd_engine_counters, &kase, status, trial.values);
    qd_engine_publish();
    if (status != QD_OK)
        return -1;
    state.valid++;
    try_quirks(&trial);
    return 0;
}
