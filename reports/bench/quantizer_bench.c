/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the time of laps over the cases of the quantizer suite. */
#include "bench/quantizer_bench.h"

#include <math.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "qdiff/clock.h"
#include "qdiff/quantizer_check.h"
#include "qdiff/quantizer_suite.h"

enum { MOST_ROUNDS = 1000, MOST_CASES = 4096 };

/* One round of one way. */
struct lap {
    const struct qd_subject *target;
    const struct qd_selection *selection;
    enum qd_way way;
    struct qd_arena arena;
    size_t requests, checks;
    double asking, checking; /* seconds */
    struct qd_quantizer_bench *bench;
    double *widths; /* MOST_CASES, NULL: not wanted */
    enum qd_status status;
    struct qd_error *error;
};

const char *qd_way_word(enum qd_way way)
{
    static const char *const words[] = {
#define QD_WAY_WORD(name, word, meaning) word,
        QD_WAY_LIST(QD_WAY_WORD)
#undef QD_WAY_WORD
    };

    return words[way];
}

static void keep_width(struct lap *lap, const struct qd_quantizer_report *report)
{
    if (!lap->widths || lap->bench->answers == MOST_CASES)
        return;
    lap->bench->answers++;
    if (report->compared > 0 && !isnan(report->median_width))
        lap->widths[lap->bench->judged++] = report->median_width;
}

static enum qd_status ask(struct lap *lap, const struct qd_quantizer_case *kase)
{
    const struct qd_tensor *const runs[] = {kase->kase.inputs};
    struct qd_quantizer_request request = kase->request;
    double before = qd_clock_seconds(), asked;

    if (lap->way == QD_WAY_CALIBRATION) {
        request.range_count = 0;
        request.calibrations = runs;
        request.calibration_count = 1;
        request.input_count = kase->kase.input_count;
    }
    struct qd_quantizer_answer answer;
    enum qd_status status =
        qd_quantizer_run(lap->target->quantizer, &request, &lap->arena, &answer, lap->error);

    asked = qd_clock_seconds();
    if (status != QD_OK ||
        (answer.outcome != QD_QUANTIZED_MODEL && answer.outcome != QD_QUANTIZED_EDGES))
        return status; /* a refusal is quick, and no measure of anything */
    lap->asking += asked - before;
    lap->requests++;
    const struct qd_quantizer_question question = {
        .kase = &kase->kase,
        .request = &request,
        .answer = &answer,
        .profile = qd_quantizer_profile_of(lap->target->info->name),
    };

    struct qd_quantizer_report report;
    status = qd_quantizer_check(&question, &lap->arena, &report, lap->error);
    lap->checking += qd_clock_seconds() - asked;
    lap->checks++;
    if (status == QD_OK)
        keep_width(lap, &report);
    return status;
}

static enum qd_visit take(void *context, const struct qd_quantizer_case *kase)
{
    struct lap *lap = context;
    bool dynamic = kase->request.options.scheme == QD_QUANTIZER_DYNAMIC;
    struct qd_features features;

    qd_case_features(&kase->kase, &features);
    if (kase->must_refuse || dynamic != (lap->way == QD_WAY_DYNAMIC) ||
        !qd_selection_takes(lap->selection, &kase->kase, &features))
        return QD_VISIT_GO_ON;
    qd_arena_reset(&lap->arena);
    lap->status = ask(lap, kase);
    return lap->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_status run_lap(struct lap *lap)
{
    qd_arena_init(&lap->arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_quantizer_suite_visit(lap->selection->options->level, take, lap, lap->error);

    qd_arena_clear(&lap->arena);
    return status != QD_OK ? status : lap->status;
}

static enum qd_status measure_way(const struct qd_subject *target,
                                  const struct qd_selection *selection, enum qd_way way,
                                  size_t rounds, double *widths, struct qd_quantizer_bench *bench,
                                  struct qd_error *error)
{
    struct qd_way_lap *made = &bench->ways[way];
    double rates[MOST_ROUNDS], checks = 0, checking = 0;
    enum qd_status status = QD_OK;

    for (size_t i = 0; i <= rounds && status == QD_OK; i++) {
        struct lap lap = {.target = target,
                          .selection = selection,
                          .way = way,
                          .bench = bench,
                          .widths = i == 0 && way != QD_WAY_CALIBRATION ? widths : NULL,
                          .error = error};

        status = run_lap(&lap);
        if (i > 0) { /* the first round warms up */
            rates[i - 1] = lap.requests > 0 ? (double)lap.requests / lap.asking : 0;
            checks += (double)lap.checks;
            checking += lap.checking;
            made->requests = lap.requests;
        }
    }
    if (status == QD_OK) {
        made->median = qd_median(rates, rounds);
        made->least = rates[0];
        made->most = rates[rounds - 1];
        made->check_rate = checks > 0 ? checks / checking : 0;
    }
    return status;
}

enum qd_status qd_quantizer_measure(const struct qd_subject *target,
                                    const struct qd_selection *selection, size_t rounds,
                                    struct qd_quantizer_bench *bench, struct qd_error *error)
{
    struct qd_quantizer_bench measured = {.answers = 0};
    double *widths = calloc(MOST_CASES, sizeof *widths);
    enum qd_status status = widths ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for widths");

    for (int way = 0; way < QD_WAY_COUNT && status == QD_OK; way++)
        status = measure_way(target, selection, (enum qd_way)way, rounds, widths, &measured, error);
    if (status == QD_OK) {
        measured.median_width = qd_median(widths, measured.judged);
        *bench = measured;
    }
    free(widths);
    return status;
}
