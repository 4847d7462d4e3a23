/* SPDX-License-Identifier: Apache-2.0 */
/* Collects a mix of cases and takes the time of laps over it, and of the reference alone. */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

#include "digest/array.h"
#include "qdiff/build.h"
#include "qdiff/clock.h"
#include "qdiff/trial.h"
#include "select/visit.h"

#define MIX_BUDGET ((size_t)2 << 30)

/* A collection under way. */
struct collection {
    struct qd_mix *mix;
    struct qd_arena arena; /* of one case */
    enum qd_status status;
    struct qd_error *error;
};

static enum qd_status keep(struct qd_mix *mix, const struct qd_case *kase, int64_t elements,
                           struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_case_encode(kase, &mix->arena, &bytes, &size, error);

    if (status != QD_OK)
        return status;
    struct qd_mix_case *cases =
        qd_array_grow(mix->cases, mix->count, &mix->capacity, sizeof *cases);
    if (!cases)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu cases", mix->count + 1);
    mix->cases = cases;
    mix->cases[mix->count++] = (struct qd_mix_case){bytes, size, elements, false};
    return QD_OK;
}

static enum qd_visit collect(void *context, const struct qd_selected *selected)
{
    struct collection *collection = context;
    int64_t elements = 0;

    if (selected->kase->expect == QD_EXPECT_MUST_REJECT)
        return QD_VISIT_GO_ON;
    qd_arena_reset(&collection->arena);
    struct qd_evaluated evaluated;
    collection->status =
        qd_case_evaluate(selected->kase, &collection->arena, &evaluated, collection->error);
    for (size_t i = 0; collection->status == QD_OK && i < selected->kase->graph->output_count; i++)
        elements += evaluated.shapes[i].count;
    if (collection->status == QD_OK)
        collection->status = keep(collection->mix, selected->kase, elements, collection->error);
    return collection->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit collect_bad(void *context, const char *path, const struct qd_error *error)
{
    struct collection *collection = context;

    (void)path; /* the error names it */
    *collection->error = *error;
    collection->status = error->status;
    return QD_VISIT_STOP;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double qd_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count == 0 ? 0 : values[count / 2];
}

static enum qd_status find_median(struct qd_mix *mix, struct qd_error *error)
{
    if (mix->count == 0)
        return qd_fail(error, QD_INTERNAL, "no case to measure with");
    double *sizes = malloc(mix->count * sizeof *sizes);
    if (!sizes)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu sizes", mix->count);
    for (size_t i = 0; i < mix->count; i++)
        sizes[i] = (double)mix->cases[i].elements;
    mix->median_elements = (int64_t)qd_median(sizes, mix->count);
    free(sizes);
    return QD_OK;
}

enum qd_status qd_mix_collect(struct qd_mix *mix, const struct qd_selection *selection,
                              struct qd_error *error)
{
    struct qd_mix collected = {0};
    struct collection collection = {.mix = &collected, .error = error};
    struct qd_visitor visitor = {collect, collect_bad, &collection};

    qd_arena_init(&collected.arena, MIX_BUDGET);
    qd_arena_init(&collection.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_visit_selected(selection, &visitor, error);
    qd_arena_clear(&collection.arena);
    if (status == QD_OK)
        status = collection.status;
    if (status == QD_OK)
        status = find_median(&collected, error);
    if (status != QD_OK) {
        qd_mix_clear(&collected);
        return status;
    }
    *mix = collected;
    return QD_OK;
}

void qd_mix_clear(struct qd_mix *mix)
{
    free(mix->cases);
    qd_arena_clear(&mix->arena);
    *mix = (struct qd_mix){0};
}

void qd_mix_forgive(struct qd_mix *mix)
{
    for (size_t i = 0; i < mix->count; i++)
        mix->cases[i].kills = false;
}

/* Decodes, evaluates, runs and compares one case, as a run does, adding up where the time goes. */
static enum qd_status lap_case(struct qd_mix_case *one, struct qd_session *session,
                               struct qd_arena *arena, struct qd_lap *lap, struct qd_error *error)
{
    struct qd_case kase;
    double begun = qd_clock_seconds(), decoded, known, judged;
    enum qd_status status = qd_case_decode(one->bytes, one->size, arena, &kase, error);

    decoded = qd_clock_seconds();
    struct qd_evaluated evaluated;
    if (status == QD_OK)
        status = qd_case_evaluate(&kase, arena, &evaluated, error);
    known = qd_clock_seconds();
    struct qd_trial trial;
    if (status == QD_OK)
        status = qd_trial_ask(session, &evaluated, arena, &trial, error);
    judged = qd_clock_seconds();
    if (status != QD_OK || trial.skip)
        return status;
    one->kills = trial.comparison.verdict == QD_VERDICT_CRASH ||
                 trial.comparison.verdict == QD_VERDICT_HANG ||
                 trial.comparison.verdict == QD_VERDICT_OOM;
    lap->cases++;
    lap->wall += judged - begun;
    lap->decode += decoded - begun;
    lap->reference += known - decoded;
    lap->target += trial.run.seconds_target;
    lap->transfer += trial.run.seconds_transfer;
    lap->compare += judged - known - trial.run.seconds_target - trial.run.seconds_transfer;
    if (!lap->answered && trial.run.outcome == QD_OUTCOME_OUTPUTS)
        lap->answered = one;
    return QD_OK;
}

enum qd_status qd_lap_run(struct qd_mix *mix, struct qd_session *session, struct qd_lap *lap,
                          struct qd_error *error)
{
    struct qd_lap run = {0};
    struct qd_arena arena;
    enum qd_status status = QD_OK;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t i = 0; i < mix->count && status == QD_OK; i++) {
        if (mix->cases[i].kills) {
            run.killers++;
            continue;
        }
        qd_arena_reset(&arena);
        status = lap_case(&mix->cases[i], session, &arena, &run, error);
    }
    qd_arena_clear(&arena);
    if (status == QD_OK && run.cases == 0)
        return qd_fail(error, QD_INTERNAL, "%s can run none of the cases", qd_session_id(session));
    if (status == QD_OK)
        *lap = run;
    return status;
}

enum qd_status qd_lap_worker(const struct qd_mix_case *one, const struct qd_target_name *name,
                             const struct qd_session_options *options, double seconds,
                             struct qd_worker_bench *speed, struct qd_error *error)
{
    struct qd_arena arena;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_case kase;
    enum qd_status status = qd_case_decode(one->bytes, one->size, &arena, &kase, error);
    struct qd_evaluated evaluated;
    if (status == QD_OK)
        status = qd_case_evaluate(&kase, &arena, &evaluated, error);
    if (status == QD_OK)
        status =
            qd_worker_bench_measure(name, options, &kase, evaluated.shapes, seconds, speed, error);
    qd_arena_clear(&arena);
    return status;
}

/* --- The reference alone ------------------------------------------------------------------------- */

enum { CHANNELS = 64, SIDE = 56, KERNEL = 3 };

static enum qd_status fill(struct qd_tensor *tensor, struct qd_arena *arena, enum qd_dtype dtype,
                           unsigned rank, const int64_t *dims, struct qd_error *error)
{
    uint32_t state = 1;
    enum qd_status status = qd_tensor_init(tensor, arena, dtype, rank, dims, error);

    for (int64_t i = 0; status == QD_OK && i < tensor->count; i++) {
        state =
            state * 1664525u + 1013904223u; /* Numerical Recipes' generator: any bytes will do */
        qd_tensor_set(tensor, i, dtype == QD_S8 ? (int8_t)(state >> 24) : (int64_t)(state >> 24));
    }
    return status;
}

static enum qd_status scalar(struct qd_tensor *tensor, struct qd_arena *arena, enum qd_dtype dtype,
                             int64_t code, struct qd_error *error)
{
    enum qd_status status = qd_tensor_init(tensor, arena, dtype, 0, NULL, error);

    if (status == QD_OK)
        qd_tensor_set(tensor, 0, code);
    return status;
}

static enum qd_status build_layer(struct qd_arena *arena, struct qd_case *kase,
                                  struct qd_error *error)
{
    static const int64_t x_dims[] = {1, CHANNELS, SIDE, SIDE};
    static const int64_t w_dims[] = {CHANNELS, CHANNELS, KERNEL, KERNEL};
    static const int64_t pads[] = {1, 1, 1, 1};
    int64_t scale = (int64_t)qd_float_encode(QD_F32, 0.0078125, true);
    struct qd_builder *builder = qd_build_begin(arena, 13);
    struct qd_tensor x, w, s, zu, zs;

    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a model");
    if (fill(&x, arena, QD_U8, 4, x_dims, error) != QD_OK ||
        fill(&w, arena, QD_S8, 4, w_dims, error) != QD_OK ||
        scalar(&s, arena, QD_F32, scale, error) != QD_OK ||
        scalar(&zu, arena, QD_U8, 128, error) != QD_OK ||
        scalar(&zs, arena, QD_S8, 0, error) != QD_OK)
        return error->status;
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &s);
    qd_build_initializer(builder, "zu", &zu);
    qd_build_initializer(builder, "w", &w);
    qd_build_initializer(builder, "zs", &zs);
    qd_build_node(builder, "", "QLinearConv", "x,s,zu,w,s,zs,s,zu", "y");
    qd_build_attr_ints(builder, "pads", pads, 4);
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    return qd_build_finish(builder, "bench/QLinearConv", false, kase, error);
}

static enum qd_status rate(const struct qd_case *kase, struct qd_arena *arena, double *result,
                           struct qd_error *error)
{
    static const double work = SIDE * SIDE * CHANNELS * CHANNELS * KERNEL * KERNEL;
    struct qd_evaluated evaluated;
    double begun = qd_clock_seconds();
    enum qd_status status = qd_case_evaluate(kase, arena, &evaluated, error);

    if (status == QD_OK)
        *result = work / (qd_clock_seconds() - begun);
    return status;
}

enum qd_status qd_reference_rates(size_t rounds, double *rates, struct qd_error *error)
{
    struct qd_arena model, work;

    qd_arena_init(&model, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&work, QD_ARENA_DEFAULT_BUDGET);
    struct qd_case kase;
    enum qd_status status = build_layer(&model, &kase, error);
    for (size_t i = 0; status == QD_OK && i <= rounds; i++) { /* the first one warms up */
        qd_arena_reset(&work);
        status = rate(&kase, &work, &rates[i == 0 ? 0 : i - 1], error);
    }
    qd_arena_clear(&work);
    qd_arena_clear(&model);
    return status;
}
