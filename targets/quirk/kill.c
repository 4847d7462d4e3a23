/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/kill.h"

#include <math.h>
#include <string.h>

#include "qdiff/clock.h"

const struct qd_harness qd_harness = {.evaluate = qd_graph_evaluate, .compare = qd_compare};

bool qd_kills_has(const struct qd_kills *kills, size_t quirk)
{
    return (kills->bits[quirk / 64] >> quirk % 64 & 1) != 0;
}

enum qd_status qd_mutants_init(struct qd_arena *arena, struct qd_mutants *mutants,
                               struct qd_error *error)
{
    struct qd_mutants made = {0};
    while (qd_quirk_at(made.count))
        made.count++;
    if (made.count > (size_t)64 * QD_KILL_WORDS)
        return qd_fail(error, QD_INTERNAL, "%zu quirks, room for %d", made.count,
                       64 * QD_KILL_WORDS);
    made.semantics = qd_arena_array(arena, made.count, sizeof *made.semantics);
    if (!made.semantics)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu quirks", made.count);
    for (size_t i = 0; i < made.count; i++) {
        const struct qd_quirk *quirk = qd_quirk_at(i);
        enum qd_status status = qd_quirks_apply(&quirk, 1, arena, &made.semantics[i], error);
        if (status != QD_OK)
            return status;
    }
    *mutants = made;
    return QD_OK;
}

/* One case under test. */
struct trial {
    const struct qd_harness *harness;
    const struct qd_case *kase;
    const struct qd_value *values; /* by the harness; NULL for a must-reject case */
    struct qd_arena *arena;
    struct qd_error *error;
};

static bool diverges(const struct trial *trial, const struct qd_run *run)
{
    struct qd_comparison comparison;
    trial->harness->compare(trial->kase, trial->values, run, &comparison);
    return qd_verdict_is_divergence(comparison.verdict);
}

/* The answer of these semantics as a run; what they refuse is a refusal. `values` has room for each output. */
static enum qd_status answer(const struct trial *trial, const struct qd_semantics *semantics,
                             struct qd_value *values, struct qd_run *run)
{
    const struct qd_graph *graph = trial->kase->graph;
    struct qd_tensor *outputs = qd_arena_array(trial->arena, graph->output_count, sizeof *outputs);
    struct qd_error error = {.status = QD_OK};
    memset(run, 0, sizeof *run);
    if (!outputs)
        return qd_fail(trial->error, QD_NO_MEMORY, "no room for an answer");
    enum qd_status status =
        qd_graph_evaluate(graph, trial->kase->inputs, semantics, trial->arena, values, &error);
    if (status == QD_INVALID || status == QD_UNSUPPORTED) {
        run->outcome = QD_OUTCOME_REJECTED;
        return QD_OK;
    }
    if (status != QD_OK) {
        *trial->error = error;
        return status;
    }
    run->outcome = QD_OUTCOME_OUTPUTS;
    run->outputs = outputs;
    for (size_t i = 0; i < graph->output_count; i++) {
        qd_quirk_answer(&values[i]);
        outputs[i] = values[i].want;
    }
    return QD_OK;
}

/* --- Answers known to be wrong ------------------------------------------------------------------- */

/* Every outcome without outputs is a divergence of a valid case. */
static bool sees_failures(const struct trial *trial)
{
    static const enum qd_outcome failures[] = {QD_OUTCOME_REJECTED,
                                               QD_OUTCOME_WRONG_SHAPE,
                                               QD_OUTCOME_WRONG_TYPE,
                                               QD_OUTCOME_CRASH,
                                               QD_OUTCOME_HANG,
                                               QD_OUTCOME_OOM,
                                               QD_OUTCOME_NONDETERMINISTIC,
                                               QD_OUTCOME_UNWRITTEN,
                                               QD_OUTCOME_OUT_OF_BOUNDS,
                                               QD_OUTCOME_INPUT_MODIFIED};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        const struct qd_run run = {.outcome = failures[i]};
        if (!diverges(trial, &run))
            return false;
    }
    return true;
}

/* The code next above the greatest admissible one, or below the least; false where there is none. */
static bool nearest_wrong(const struct qd_value *value, int64_t i, int64_t *code)
{
    struct qd_observation seen = qd_value_observe(value, i);
    const struct qd_dtype_info *info = qd_dtype_info(value->want.dtype);
    if (seen.unspecified || seen.nan || info->bits > 32)
        return false;
    if (info->kind != QD_CLASS_FLOAT) {
        int step = (int64_t)seen.hi < info->max ? 1 : -1;
        *code = step > 0 ? (int64_t)seen.hi : (int64_t)seen.lo;
        do /* what dropped orders give is no wrong answer */
            *code += step;
        while (qd_observation_admits(&seen, (double)*code));
        return *code >= info->min && *code <= info->max;
    }
    double next = nextafter(seen.hi, (double)INFINITY);
    if (!isfinite(seen.hi))
        return false;
    next = qd_float_round(value->want.dtype, QD_TO_PLUS_INFINITY, next);
    *code = (int64_t)qd_float_encode(value->want.dtype, next, false);
    return isfinite(next);
}

/* The last element of every output, wrong by as little as can be, in an answer that is right otherwise. `values`: what
 * the reference says, whatever the harness's oracle does. */
static enum qd_status sees_last_elements(const struct trial *trial, const struct qd_run *right,
                                         const struct qd_value *values, bool *sees)
{
    for (size_t o = 0; o < trial->kase->graph->output_count; o++) {
        const struct qd_tensor *output = &right->outputs[o];
        int64_t code, last = output->count - 1;
        if (last < 0 || !nearest_wrong(&values[o], last, &code))
            continue;
        int64_t kept = qd_tensor_get(output, last);
        struct qd_tensor changed = *output;
        changed.data = qd_arena_copy(trial->arena, output->data, qd_tensor_bytes(output));
        if (!changed.data)
            return qd_fail(trial->error, QD_NO_MEMORY, "no room for an output");
        qd_tensor_set(&changed, last, code);
        struct qd_run run = *right;
        run.outputs = qd_arena_copy(trial->arena, right->outputs,
                                    trial->kase->graph->output_count * sizeof *run.outputs);
        if (!run.outputs)
            return qd_fail(trial->error, QD_NO_MEMORY, "no room for outputs");
        run.outputs[o] = changed;
        if (kept != code && !diverges(trial, &run))
            *sees = false;
    }
    return QD_OK;
}

/* --- One case ------------------------------------------------------------------------------------ */

static bool has_specified(const struct qd_case *kase, const struct qd_value *values)
{
    for (size_t o = 0; o < kase->graph->output_count; o++)
        for (int64_t i = 0; i < values[o].want.count; i++)
            if (!(qd_value_flags(&values[o], i) & QD_UNSPECIFIED))
                return true;
    return false;
}

static enum qd_status try_mutant(const struct trial *trial, const struct qd_mutants *mutants,
                                 size_t i, struct qd_kills *kills)
{
    struct qd_run run;
    size_t count = trial->kase->graph->output_count;
    struct qd_value *values = qd_arena_array(trial->arena, count, sizeof *values);
    if (!values)
        return qd_fail(trial->error, QD_NO_MEMORY, "no room for %zu outputs", count);
    enum qd_status status = answer(trial, &mutants->semantics[i], values, &run);
    if (status != QD_OK)
        return qd_fail_context(trial->error, status, "under quirk %s", qd_quirk_at(i)->name);
    if (diverges(trial, &run))
        kills->bits[i / 64] |= (uint64_t)1 << i % 64;
    return QD_OK;
}

/* Each in an arena of its own: a case's budget is for one evaluation. */
static enum qd_status try_mutants(const struct trial *trial, const struct qd_mutants *mutants,
                                  struct qd_kills *kills, double *seconds)
{
    struct qd_arena arena;
    struct trial own = *trial;
    enum qd_status status = QD_OK;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    own.arena = &arena;
    for (size_t i = 0; status == QD_OK && i < mutants->count; i++) {
        if ((mutants->settled && mutants->settled[i]) ||
            !qd_quirk_concerns(qd_quirk_at(i), trial->kase->graph))
            continue;
        double start = qd_clock_seconds();
        status = try_mutant(&own, mutants, i, kills);
        qd_arena_reset(&arena);
        seconds[i] += qd_clock_seconds() - start;
    }
    qd_arena_clear(&arena);
    return status;
}

/* A case that is to be refused: taking it is a divergence, refusing it none. */
static void try_must_reject(const struct trial *trial, struct qd_kills *kills)
{
    const struct qd_run refused = {.outcome = QD_OUTCOME_REJECTED};
    const struct qd_run taken = {.outcome = QD_OUTCOME_OUTPUTS};
    const struct qd_run crashed = {.outcome = QD_OUTCOME_CRASH};
    kills->false_alarm = diverges(trial, &refused);
    kills->blind = !diverges(trial, &taken) || !diverges(trial, &crashed);
}

static enum qd_status try_valid(struct trial *trial, const struct qd_mutants *mutants,
                                struct qd_kills *kills, double *seconds)
{
    const struct qd_graph *graph = trial->kase->graph;
    struct qd_value *values = qd_arena_array(trial->arena, graph->output_count, sizeof *values);
    struct qd_value *known = qd_arena_array(trial->arena, graph->output_count, sizeof *known);
    struct qd_run right;
    bool sees = true;
    if (!values || !known)
        return qd_fail(trial->error, QD_NO_MEMORY, "no room for %zu outputs", graph->output_count);
    enum qd_status status = trial->harness->evaluate(graph, trial->kase->inputs, NULL, trial->arena,
                                                     values, trial->error);
    trial->values = values;
    if (status == QD_OK)
        status = answer(trial, NULL, known, &right);
    if (status != QD_OK)
        return status;
    kills->compared = has_specified(trial->kase, values);
    kills->false_alarm = diverges(trial, &right);
    status = sees_last_elements(trial, &right, known, &sees);
    kills->blind = !sees || !sees_failures(trial);
    return status == QD_OK && mutants ? try_mutants(trial, mutants, kills, seconds) : status;
}

enum qd_status qd_kill_case(const struct qd_harness *harness, const struct qd_mutants *mutants,
                            const struct qd_case *kase, struct qd_arena *arena,
                            struct qd_kills *kills, double *seconds, struct qd_error *error)
{
    struct trial trial = {harness, kase, NULL, arena, error};
    struct qd_kills made = {0};
    enum qd_status status = QD_OK;
    if (kase->expect == QD_EXPECT_MUST_REJECT)
        try_must_reject(&trial, &made);
    else
        status = try_valid(&trial, mutants, &made, seconds);
    made.done = status == QD_OK;
    *kills = made;
    return status;
}
