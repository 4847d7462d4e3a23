/* SPDX-License-Identifier: Apache-2.0 */
/* The quantizer role: a tool is asked to quantize a float model, and its answer is checked. */
#include "qdiff/trial.h"

#include <string.h>

static enum qd_status evaluate(const struct qd_case *kase, struct qd_arena *arena,
                               struct qd_evaluated *evaluated, struct qd_error *error)
{
    (void)arena;
    (void)error;
    *evaluated = (struct qd_evaluated){.kase = kase}; /* the checks evaluate by themselves */
    qd_case_features(kase, &evaluated->features);
    return QD_OK;
}

/* A trial under way. */
struct asking {
    const struct qd_subject *subject;
    const struct qd_case *kase;
    struct qd_quantizer_request request;
    struct qd_quantizer_answer answer;
    const char *unfit; /* why a range is invalid, so that the tool has to refuse; else NULL */
    bool lacks_range;  /* of a tensor that may be quantized, so that the tool may refuse */
    struct qd_arena *arena;
    struct qd_trial *trial;
    struct qd_error *error;
};

static enum qd_status diverge(struct asking *asking, size_t count)
{
    asking->trial->divergences =
        qd_arena_array(asking->arena, count, sizeof *asking->trial->divergences);
    return asking->trial->divergences
               ? QD_OK
               : qd_fail(asking->error, QD_NO_MEMORY, "no memory for %zu divergences", count);
}

static void add(struct asking *asking, enum qd_verdict class, const char *words)
{
    struct qd_trial *trial = asking->trial;
    trial->divergences[trial->divergence_count++] =
        (struct qd_divergence){.class = class, .words = words};
    trial->comparison.verdict = class;
}

/* What rows of accepts-invalid match. */
static const char *rule_of(const struct asking *asking)
{
    return qd_arena_printf(asking->arena, "quantizer/range-%s", asking->unfit);
}

static enum qd_status take_report(struct asking *asking, const struct qd_quantizer_report *report)
{
    struct qd_comparison *comparison = &asking->trial->comparison;
    size_t count = asking->unfit && report->finding_count > 0 ? 1 : report->finding_count;
    asking->trial->report = report;
    comparison->elements = report->compared + (int64_t)report->checked;
    comparison->compared = comparison->admissible = comparison->elements;
    comparison->verdict = comparison->compared > 0 ? QD_VERDICT_ADMISSIBLE : QD_VERDICT_UNSPECIFIED;
    enum qd_status status = diverge(asking, count);
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        const struct qd_quantizer_finding *finding = &report->findings[i];
        const char *words = asking->unfit ? rule_of(asking) : finding->text;
        if (!words)
            return qd_fail(asking->error, QD_NO_MEMORY, "no memory for a rule");
        add(asking, asking->unfit ? QD_VERDICT_ACCEPTS_INVALID : finding->class, words);
    }
    return status;
}

static enum qd_status check_answer(struct asking *asking)
{
    const struct qd_quantizer_question question = {
        .kase = asking->kase,
        .request = &asking->request,
        .answer = &asking->answer,
        .profile = qd_quantizer_profile_of(asking->subject->info->name),
        .kernels = asking->subject->kernels,
        .kernel_count = asking->unfit ? 0 : asking->subject->kernel_count,
    };
    struct qd_quantizer_report *report = qd_arena_alloc(asking->arena, sizeof *report);
    if (!report)
        return qd_fail(asking->error, QD_NO_MEMORY, "no memory for a report");
    enum qd_status status = qd_quantizer_check(&question, asking->arena, report, asking->error);
    return status == QD_OK ? take_report(asking, report) : status;
}

/* The tool gave no model. */
static enum qd_status take_failure(struct asking *asking, enum qd_outcome outcome,
                                   enum qd_verdict class)
{
    struct qd_trial *trial = asking->trial;
    trial->run.outcome = outcome;
    if (class == QD_VERDICT_REJECTED) {
        trial->comparison.verdict = class;
        return QD_OK;
    }
    const char *words = qd_arena_string(asking->arena, asking->answer.message);
    if (!words)
        return qd_fail(asking->error, QD_NO_MEMORY, "no memory for the tool's words");
    enum qd_status status = diverge(asking, 1);
    if (status == QD_OK)
        add(asking, class, words);
    return status;
}

static enum qd_status judge(struct asking *asking)
{
    struct qd_trial *trial = asking->trial;
    trial->declared = true;
    trial->run = (struct qd_run){.outcome = QD_OUTCOME_OUTPUTS,
                                 .stage = QD_STAGE_RUN,
                                 .signal = asking->answer.signal,
                                 .seconds_target = asking->answer.seconds};
    _Static_assert(sizeof trial->run.message == sizeof asking->answer.message, "one is copied");
    memcpy(trial->run.message, asking->answer.message, sizeof trial->run.message);
    if (qd_quantizer_declined(&asking->answer)) {
        trial->skip = qd_arena_string(asking->arena, asking->answer.message);
        return trial->skip ? QD_OK : qd_fail(asking->error, QD_NO_MEMORY, "no memory for a skip");
    }
    switch (asking->answer.outcome) {
    case QD_QUANTIZED_MODEL:
    case QD_QUANTIZED_EDGES: return check_answer(asking);
    case QD_QUANTIZED_REJECTED:
        return take_failure(asking, QD_OUTCOME_REJECTED,
                            asking->unfit || asking->lacks_range ? QD_VERDICT_REJECTED
                                                                 : QD_VERDICT_REJECTS_VALID);
    case QD_QUANTIZED_HANG: return take_failure(asking, QD_OUTCOME_HANG, QD_VERDICT_HANG);
    case QD_QUANTIZED_OOM: return take_failure(asking, QD_OUTCOME_OOM, QD_VERDICT_OOM);
    default: return take_failure(asking, QD_OUTCOME_CRASH, QD_VERDICT_CRASH);
    }
}

static bool has_range(const struct qd_quantizer_request *request, const char *tensor)
{
    for (size_t i = 0; i < request->range_count; i++)
        if (strcmp(request->ranges[i].tensor, tensor) == 0)
            return true;
    return false;
}

/* Whether ranges are given, and none for a tensor of real numbers that a node gives. */
static bool lacks_range(const struct qd_case *kase, const struct qd_quantizer_request *request)
{
    const struct qd_graph *graph = kase->graph;
    if (request->options.scheme == QD_QUANTIZER_DYNAMIC || request->range_count == 0)
        return false;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t k = 0; k < graph->nodes[n].output_count; k++) {
            int value = graph->nodes[n].outputs[k];
            bool is_real = value != QD_NO_VALUE &&
                           qd_dtype_is_float(qd_node_dtype(kase, &graph->nodes[n], value));
            if (is_real && !has_range(request, graph->values[value].name))
                return true;
        }
    return false;
}

static enum qd_status ask(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                          struct qd_arena *arena, struct qd_trial *trial, struct qd_error *error)
{
    struct qd_trial made = {.skip = NULL};
    struct asking asking = {.subject = subject,
                            .kase = evaluated->kase,
                            .arena = arena,
                            .trial = &made,
                            .error = error};
    enum qd_status status = QD_OK;
    if (evaluated->kase->request_size == 0) {
        made.skip = "a case of the kernel role, which asks no quantizer";
        *trial = made;
        return QD_OK;
    }
    status = qd_quantizer_request_of(evaluated->kase, arena, &asking.request, error);
    if (status == QD_OK)
        status =
            qd_quantizer_run(subject->quantizer, &asking.request, arena, &asking.answer, error);
    if (status != QD_OK)
        return status;
    asking.unfit = qd_quantizer_unfit_range(&asking.request);
    asking.lacks_range = lacks_range(asking.kase, &asking.request);
    status = judge(&asking);
    if (status == QD_OK)
        *trial = made;
    return status;
}

const struct qd_target_role qd_role_quantizer = {
    .name = "quantizer",
    .evaluate = evaluate,
    .ask = ask,
};
