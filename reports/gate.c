#include "gate.h"

#include "diagnosed.h"
#include "evaluated.h"
#include "qdiff/features.h"
#include "quantizer_gate.h"
#include "twin.h"

/* A part of a run under way. */
struct part {
    const struct qd_gate *gate;
    struct qd_gate_targets *targets;
    bool quantizers; /* they all are */
    uint64_t job, jobs, index;
    struct qd_arena arena; /* of one case */
    struct qd_twins twins;
    enum qd_status status; /* why it ended early */
    struct qd_error *error;
};

static enum qd_visit tell(const struct part *part, const struct qd_result *result)
{
    return part->gate->sink.result(part->gate->sink.context, result);
}

/* Whether the next case falls to another process. */
static bool is_others(struct part *part)
{
    return part->index++ % part->jobs != part->job;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct part *part = context;
    struct qd_result result = qd_result_init(path, "", "", QD_RESULT_BAD_INPUT);

    if (qd_interrupt_seen(part->gate->interrupt)) {
        return QD_VISIT_STOP;
    }
    result.why = error->text;
    return is_others(part) ? QD_VISIT_GO_ON : tell(part, &result);
}

/* A case that the reference cannot judge. In a file that is the file's fault, or a limit of the reference that its
 * owner has to know about; in the suite it is ours. */
static enum qd_visit tell_unjudged(const struct part *part, const struct qd_selected *selected,
                                   enum qd_status status, const struct qd_error *error)
{
    bool ours = selected->path == NULL || status == QD_INTERNAL;
    struct qd_result result =
        qd_result_init(selected->kase->id, selected->kase->op, "", QD_RESULT_BAD_INPUT);

    if (ours) {
        result.kind = QD_RESULT_BROKEN;
    } else if (status == QD_UNSUPPORTED) {
        result.kind = QD_RESULT_SKIP;
    }
    result.why = error->text;
    return tell(part, &result);
}

/* A refusal where the valid twin is refused too shows nothing about the rule. */
static enum qd_status check_twin(struct part *part, const struct qd_case *kase,
                                 struct qd_session *session, struct qd_result *result,
                                 struct qd_error *error)
{
    bool refused;
    enum qd_status status =
        qd_twin_is_refused(&part->twins, part->gate->options, session, kase, &refused, error);

    if (status == QD_OK && refused) {
        result->kind = QD_RESULT_SKIP;
        result->why = "vacuous: the valid twin is refused too";
    }
    return status;
}

static enum qd_status run_on(struct part *part, const struct qd_evaluated *evaluated,
                             struct qd_gate_target *target, struct qd_result *result,
                             struct qd_error *error)
{
    const struct qd_case *kase = evaluated->selected->kase;
    struct qd_run run;
    enum qd_status status =
        qd_session_run(target->session, kase, evaluated->shapes, &part->arena, &run, error);

    if (status != QD_OK) {
        return status;
    }
    if (run.outcome == QD_OUTCOME_SKIPPED) { /* `result` is a skip already */
        result->why = qd_arena_string(&part->arena, run.message);
        return result->why != NULL ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for a skip");
    }
    status =
        qd_judge(evaluated, target->id, &run, target->expectations, &part->arena, result, error);
    if (status == QD_OK && result->kind == QD_RESULT_PASS &&
        result->comparison.verdict == QD_VERDICT_REJECTED) {
        return check_twin(part, kase, target->session, result, error);
    }
    return status != QD_OK ? status
                           : qd_result_diagnose(target->session, evaluated, &run,
                                                part->gate->options, &part->arena, result, error);
}

/* Runs the case on one target and tells. */
static enum qd_visit take_target(struct part *part, const struct qd_evaluated *evaluated,
                                 struct qd_gate_target *target)
{
    const struct qd_case *kase = evaluated->selected->kase;
    struct qd_result result = qd_result_init(kase->id, kase->op, target->id, QD_RESULT_SKIP);
    struct qd_error error = {0};
    enum qd_status status;

    if (target->quantizer != NULL) {
        status = qd_quantizer_run_case(evaluated->selected, target, &part->arena, &result, &error);
    } else if (!qd_session_can(target->session, kase, &result.why)) {
        return tell(part, &result);
    } else {
        status = run_on(part, evaluated, target, &result, &error);
    }
    if (status == QD_UNUSABLE) {
        part->status = qd_fail(part->error, status, "%s: %s", target->id, error.text);
        return QD_VISIT_STOP;
    }
    if (status != QD_OK) {
        result.kind = QD_RESULT_BROKEN;
        result.why = error.text;
    }
    return tell(part, &result);
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct part *part = context;
    struct qd_evaluated evaluated = {.selected = selected};
    struct qd_error error = {0};
    enum qd_status status = QD_OK;
    enum qd_visit answer = QD_VISIT_GO_ON;

    if (qd_interrupt_seen(part->gate->interrupt)) {
        return QD_VISIT_STOP;
    }
    if (is_others(part)) {
        return QD_VISIT_GO_ON;
    }
    qd_arena_reset(&part->arena);
    if (!part->quantizers) { /* whose checks evaluate by themselves */
        status = qd_case_evaluate(selected, &part->arena, &evaluated, &error);
    }
    if (status != QD_OK) {
        return tell_unjudged(part, selected, status, &error);
    }
    for (size_t i = 0; i < part->targets->count && answer == QD_VISIT_GO_ON; i++) {
        answer = take_target(part, &evaluated, &part->targets->items[i]);
    }
    return answer;
}

/* The target whose rows are being told. */
struct row_teller {
    const struct qd_sink *sink;
    const char *target;
};

static void tell_row(void *context, const struct qd_expectation *row, const char *text)
{
    const struct row_teller *teller = context;
    struct qd_unmatched_row unmatched = {teller->target, text, row->issue, row->row};

    teller->sink->row(teller->sink->context, &unmatched);
}

static void tell_rows(const struct part *part)
{
    for (size_t i = 0; i < part->targets->count; i++) {
        const struct qd_gate_target *target = &part->targets->items[i];
        struct row_teller teller = {&part->gate->sink, target->id};

        if (target->expectations != NULL) {
            qd_expectations_stale(target->expectations, tell_row, &teller);
        }
    }
}

enum qd_status qd_gate_run_part(const struct qd_gate *gate, struct qd_gate_targets *targets,
                                uint64_t job, uint64_t jobs, struct qd_error *error)
{
    struct part part = {.gate = gate, .targets = targets, .job = job, .jobs = jobs, .error = error};
    struct qd_selection selection = *gate->selection;
    struct qd_visitor visitor = {take, take_bad, &part};
    enum qd_status status;

    qd_arena_init(&part.arena, QD_ARENA_DEFAULT_BUDGET);
    qd_twins_begin(&part.twins);
    part.quantizers = targets->count > 0 && targets->items[0].quantizer != NULL;
    selection.suites = part.quantizers ? QD_SUITE_OF_QUANTIZERS : QD_SUITE_OF_KERNELS;
    status = part.quantizers && gate->options->pack != NULL
                 ? qd_fail(error, QD_USAGE, "a pack asks no quantizer")
                 : qd_visit_selected(&selection, &visitor, error);
    tell_rows(&part);
    qd_twins_end(&part.twins);
    qd_arena_clear(&part.arena);
    return part.status != QD_OK ? part.status : status;
}
