#include "quantizer_gate.h"

#include <string.h>

enum { SHOWN_FINDINGS = 6 };

/* A part of a run under way. */
struct part {
    const struct qd_gate *gate;
    struct qd_gate_targets *targets;
    uint64_t job, jobs, index;
    struct qd_arena arena;
    enum qd_status status; /* why it ended early */
    struct qd_error *error;
};

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

static enum qd_status check_answer(const struct qd_quantizer_case *kase,
                                   const struct qd_gate_target *target,
                                   const struct qd_quantizer_answer *answer, struct qd_arena *arena,
                                   struct qd_quantizer_report *report, struct qd_result *result,
                                   struct qd_error *error)
{
    const struct qd_quantizer_trial trial = {
        .kase = &kase->kase,
        .request = &kase->request,
        .answer = answer,
        .profile = qd_quantizer_profile_of(target->info->name),
        .kernels = target->kernels,
        .kernel_count = kase->must_refuse ? 0 : target->kernel_count,
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
        comparison->verdict = kase->must_refuse ? QD_VERDICT_ACCEPTS_INVALID : gravest(report);
        result->message = join_findings(report, arena);
        result->facts = join_facts(report, arena);
    }
    return result->message != NULL && result->facts != NULL
               ? QD_OK
               : qd_fail(error, QD_NO_MEMORY, "no memory for findings");
}

/* What no answer comes to. */
static enum qd_verdict without_answer(const struct qd_quantizer_case *kase,
                                      enum qd_quantized outcome)
{
    switch (outcome) {
    case QD_QUANTIZED_REJECTED:
        return kase->must_refuse ? QD_VERDICT_REJECTED : QD_VERDICT_REJECTS_VALID;
    case QD_QUANTIZED_HANG: return QD_VERDICT_HANG;
    case QD_QUANTIZED_OOM: return QD_VERDICT_OOM;
    default: return QD_VERDICT_CRASH;
    }
}

enum qd_status qd_quantizer_judge(const struct qd_quantizer_case *kase,
                                  const struct qd_gate_target *target, struct qd_arena *arena,
                                  struct qd_quantizer_report *report, struct qd_result *result,
                                  struct qd_error *error)
{
    struct qd_result judged =
        qd_result_init(kase->kase.id, qd_case_op(&kase->kase), target->id, QD_RESULT_PASS);
    struct qd_quantizer_report found = {.finding_count = 0};
    struct qd_quantizer_answer answer;
    enum qd_status status =
        qd_quantizer_run(target->quantizer, &kase->request, arena, &answer, error);

    if (status != QD_OK) {
        return status;
    }
    judged.tags = kase->kase.tag_count > 0 ? kase->kase.tags[0] : "";
    judged.message = qd_arena_string(arena, answer.message);
    judged.signal = answer.signal;
    if (judged.message == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for a message");
    }
    /* A worker that refuses at the stage "options" says that its tool has no such option. */
    bool unable = answer.outcome == QD_QUANTIZED_REJECTED &&
                  strncmp(answer.message, "options: ", strlen("options: ")) == 0;

    if (answer.outcome == QD_QUANTIZED_SKIPPED || unable) {
        judged.kind = QD_RESULT_SKIP;
        judged.why = judged.message;
    } else if (answer.outcome == QD_QUANTIZED_MODEL || answer.outcome == QD_QUANTIZED_EDGES) {
        status = check_answer(kase, target, &answer, arena, &found, &judged, error);
    } else {
        judged.comparison.verdict = without_answer(kase, answer.outcome);
    }
    if (status == QD_OK) {
        *report = found;
        *result = judged;
    }
    return status;
}

/* --- The run ------------------------------------------------------------------------------------- */

static void expect(const struct qd_quantizer_case *kase, const struct qd_features *features,
                   const struct qd_gate_target *target, struct qd_result *result)
{
    const struct qd_evidence evidence = {&kase->kase, features, result->comparison.verdict, NULL,
                                         NULL};
    const struct qd_expectation *unexpected = NULL, *row = NULL;
    bool diverges = qd_verdict_is_divergence(result->comparison.verdict);

    if (result->kind == QD_RESULT_SKIP) {
        return;
    }
    if (target->expectations != NULL) {
        row = qd_expectations_match(target->expectations, &evidence, &unexpected);
    }
    if (diverges) {
        result->kind = row != NULL ? QD_RESULT_EXPECTED : QD_RESULT_FAIL;
    } else {
        row = unexpected;
        result->kind = row != NULL ? QD_RESULT_UNEXPECTED_PASS : QD_RESULT_PASS;
    }
    if (row != NULL) {
        result->row = row->row;
        result->issue = row->issue;
        result->reason = row->reason;
    }
}

static enum qd_visit take_target(struct part *part, const struct qd_quantizer_case *kase,
                                 const struct qd_features *features,
                                 const struct qd_gate_target *target)
{
    struct qd_result result =
        qd_result_init(kase->kase.id, qd_case_op(&kase->kase), target->id, QD_RESULT_BROKEN);
    struct qd_quantizer_report report;
    struct qd_error error = {0};
    enum qd_status status =
        qd_quantizer_judge(kase, target, &part->arena, &report, &result, &error);

    if (status == QD_UNUSABLE) {
        part->status = qd_fail(part->error, status, "%s: %s", target->id, error.text);
        return QD_VISIT_STOP;
    }
    if (status != QD_OK) {
        result.why = error.text;
    } else {
        expect(kase, features, target, &result);
    }
    return part->gate->sink.result(part->gate->sink.context, &result);
}

static enum qd_visit take(void *context, const struct qd_quantizer_case *kase)
{
    struct part *part = context;
    struct qd_features features;
    enum qd_visit answer = QD_VISIT_GO_ON;

    if (qd_interrupt_seen(part->gate->interrupt)) {
        return QD_VISIT_STOP;
    }
    qd_case_features(&kase->kase, &features);
    if (!qd_selection_takes(part->gate->selection, &kase->kase, &features) ||
        part->index++ % part->jobs != part->job) {
        return QD_VISIT_GO_ON;
    }
    for (size_t i = 0; i < part->targets->count && answer == QD_VISIT_GO_ON; i++) {
        qd_arena_reset(&part->arena);
        answer = take_target(part, kase, &features, &part->targets->items[i]);
    }
    return answer;
}

enum qd_status qd_quantizer_gate_run_part(const struct qd_gate *gate,
                                          struct qd_gate_targets *targets, uint64_t job,
                                          uint64_t jobs, struct qd_error *error)
{
    struct part part = {.gate = gate, .targets = targets, .job = job, .jobs = jobs, .error = error};
    enum qd_status status;

    if (gate->options->arguments.count > 0 || gate->options->pack != NULL) {
        return qd_fail(error, QD_USAGE,
                       "a quantizer runs its own suite; a file of yours: qdiff quantize");
    }
    qd_arena_init(&part.arena, QD_ARENA_DEFAULT_BUDGET);
    status = qd_quantizer_suite_visit(gate->options->level, take, &part, error);
    qd_arena_clear(&part.arena);
    return part.status != QD_OK ? part.status : status;
}
