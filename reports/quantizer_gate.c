#include "quantizer_gate.h"

enum { SHOWN_FINDINGS = 6 };

/* --- One answer ---------------------------------------------------------------------------------- */

/* The findings' texts, one after the other; NULL when out of memory. */
static const char *join_findings(const struct qd_quantizer_report *report, struct qd_arena *arena)
{
    const char *joined = "";

    for (size_t i = 0; i < report->finding_count && i < SHOWN_FINDINGS && joined != NULL; i++) {
        joined =
            qd_arena_printf(arena, "%s%s%s: %s", joined, i > 0 ? "; " : "",
                            qd_verdict_word(report->findings[i].class), report->findings[i].text);
    }
    if (joined != NULL && report->finding_count > SHOWN_FINDINGS) {
        joined = qd_arena_printf(arena, "%s; and %zu more", joined,
                                 report->finding_count - SHOWN_FINDINGS);
    }
    return joined;
}

static const char *join_facts(const struct qd_quantizer_report *report, struct qd_arena *arena)
{
    const char *joined = "";

    for (size_t i = 0; i < report->fact_count && joined != NULL; i++) {
        joined = qd_arena_printf(arena, "%s%s%s", joined, i > 0 ? "; " : "", report->facts[i]);
    }
    return joined;
}

/* The class that a result with several findings has: the first of the list. */
static enum qd_verdict gravest(const struct qd_quantizer_report *report)
{
    enum qd_verdict class = report->findings[0].class;

    for (size_t i = 1; i < report->finding_count; i++) {
        class = report->findings[i].class < class ? report->findings[i].class : class;
    }
    return class;
}

static enum qd_status check_answer(const struct qd_case *kase,
                                   const struct qd_quantizer_request *request,
                                   const struct qd_gate_target *target,
                                   const struct qd_quantizer_answer *answer, struct qd_arena *arena,
                                   struct qd_quantizer_report *report, struct qd_result *result,
                                   struct qd_error *error)
{
    bool refusable = qd_quantizer_must_refuse(request);
    const struct qd_quantizer_trial trial = {
        .kase = kase,
        .request = request,
        .answer = answer,
        .profile = qd_quantizer_profile_of(target->info->name),
        .kernels = target->kernels,
        .kernel_count = refusable ? 0 : target->kernel_count,
    };
    struct qd_comparison *comparison = &result->comparison;
    enum qd_status status = qd_quantizer_check(&trial, arena, report, error);

    if (status != QD_OK) {
        return status;
    }
    comparison->elements = report->compared + (int64_t)report->checked;
    comparison->compared = comparison->admissible = comparison->elements;
    comparison->verdict = comparison->compared > 0 ? QD_VERDICT_ADMISSIBLE : QD_VERDICT_UNSPECIFIED;
    if (report->finding_count > 0) {
        comparison->verdict = refusable ? QD_VERDICT_ACCEPTS_INVALID : gravest(report);
        result->message = join_findings(report, arena);
        result->facts = join_facts(report, arena);
    }
    return result->message != NULL && result->facts != NULL
               ? QD_OK
               : qd_fail(error, QD_NO_MEMORY, "no memory for findings");
}

/* What no answer comes to. */
static enum qd_verdict without_answer(const struct qd_quantizer_request *request,
                                      enum qd_quantized outcome)
{
    switch (outcome) {
    case QD_QUANTIZED_REJECTED:
        return qd_quantizer_must_refuse(request) ? QD_VERDICT_REJECTED : QD_VERDICT_REJECTS_VALID;
    case QD_QUANTIZED_HANG: return QD_VERDICT_HANG;
    case QD_QUANTIZED_OOM: return QD_VERDICT_OOM;
    default: return QD_VERDICT_CRASH;
    }
}

enum qd_status qd_quantizer_judge(const struct qd_case *kase, const struct qd_gate_target *target,
                                  struct qd_arena *arena, struct qd_quantizer_report *report,
                                  struct qd_result *result, struct qd_error *error)
{
    struct qd_result judged =
        qd_result_init(kase->id, qd_case_op(kase), target->id, QD_RESULT_PASS);
    struct qd_quantizer_report found = {.finding_count = 0};
    struct qd_quantizer_request request;
    struct qd_quantizer_answer answer;
    enum qd_status status = qd_quantizer_request_of(kase, arena, &request, error);

    if (status == QD_OK) {
        status = qd_quantizer_run(target->quantizer, &request, arena, &answer, error);
    }
    if (status != QD_OK) {
        return status;
    }
    judged.tags = kase->tag_count > 0 ? kase->tags[0] : "";
    judged.message = qd_arena_string(arena, answer.message);
    judged.signal = answer.signal;
    if (judged.message == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for a message");
    }
    if (qd_quantizer_declined(&answer)) {
        judged.kind = QD_RESULT_SKIP;
        judged.why = judged.message;
    } else if (answer.outcome == QD_QUANTIZED_MODEL || answer.outcome == QD_QUANTIZED_EDGES) {
        status = check_answer(kase, &request, target, &answer, arena, &found, &judged, error);
    } else {
        judged.comparison.verdict = without_answer(&request, answer.outcome);
    }
    if (status == QD_OK) {
        *report = found;
        *result = judged;
    }
    return status;
}

/* --- Expectations -------------------------------------------------------------------------------- */

static void expect(const struct qd_selected *selected, const struct qd_gate_target *target,
                   struct qd_result *result)
{
    const struct qd_evidence evidence = {selected->kase, &selected->features,
                                         result->comparison.verdict, NULL, NULL};
    const struct qd_expectation *unexpected = NULL, *row = NULL;
    bool diverges = qd_verdict_is_divergence(result->comparison.verdict);

    if (target->expectations != NULL) {
        row = qd_expectations_match(target->expectations, &evidence, &unexpected);
    }
    if (diverges) {
        result->kind = row != NULL ? QD_RESULT_KNOWN : QD_RESULT_FAIL;
    } else {
        row = unexpected;
        result->kind = row != NULL ? QD_RESULT_FIXED : QD_RESULT_PASS;
    }
    if (row != NULL) {
        result->row = row->row;
        result->issue = row->issue;
        result->reason = row->reason;
    }
}

enum qd_status qd_quantizer_run_case(const struct qd_selected *selected,
                                     const struct qd_gate_target *target, struct qd_arena *arena,
                                     struct qd_result *result, struct qd_error *error)
{
    const struct qd_case *kase = selected->kase;
    struct qd_result judged =
        qd_result_init(kase->id, qd_case_op(kase), target->id, QD_RESULT_SKIP);
    struct qd_quantizer_report report;
    enum qd_status status = QD_OK;

    if (kase->request_size == 0) {
        judged.why = "a case of the kernel role, which asks no quantizer";
    } else {
        status = qd_quantizer_judge(kase, target, arena, &report, &judged, error);
    }
    if (status == QD_OK && judged.kind != QD_RESULT_SKIP) {
        expect(selected, target, &judged);
    }
    if (status == QD_OK) {
        *result = judged;
    }
    return status;
}
