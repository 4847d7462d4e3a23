/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every selected case on every target and hands the results to a sink. Part 0 of a run is what all processes
 * share, then come the parts of the suite, and last the rows that nothing matched. */
#include "run/gate.h"

#include "qdiff/valid_twin.h"
#include "result/trial_result.h"

/* A process's share of a run, under way. */
struct part {
    const struct qd_gate *gate;
    struct qd_gate_targets *targets;
    const struct qd_target_role *role; /* of all targets */
    const struct qd_gate_share *share;
    uint64_t entered;            /* parts of the suite so far, by whichever process */
    uint64_t turn, turns, index; /* of the part's cases: this process takes every turns-th */
    struct qd_arena arena;       /* of one case */
    struct qd_twins twins;
    struct qd_answer_memo memo; /* of one case, in the arena */
    struct qd_diagnose_options diagnose;
    struct qd_trial_options options;
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
    return part->index++ % part->turns != part->turn;
}

/* Of the processes of a run, how many a team has. */
static uint64_t team_size(uint64_t jobs)
{
    return (jobs + QD_GATE_TEAMS - 1) / QD_GATE_TEAMS;
}

static void begin_part(struct part *part, uint64_t number, uint64_t first, uint64_t count)
{
    part->turn = part->share->job - first;
    part->turns = count;
    part->index = 0;
    if (part->share->begin)
        part->share->begin(part->share->context, number);
}

/* Whether this process's team is the first to come to the next part of the suite; then it has it. */
static bool enter(void *context)
{
    struct part *part = context;
    uint64_t jobs = part->share->jobs, size = team_size(jobs);
    uint64_t team = part->share->job / size, number = ++part->entered;
    unsigned short owner = 0, mine = (unsigned short)(team + 1);

    if (part->share->owners &&
        !atomic_compare_exchange_strong(&part->share->owners[number % QD_GATE_PARTS], &owner,
                                        mine) &&
        owner != mine)
        return false;
    uint64_t first = team * size;
    begin_part(part, number, first, first + size <= jobs ? size : jobs - first);
    return true;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct part *part = context;
    struct qd_result result = qd_result_init(path, "", "", QD_RESULT_BAD_INPUT);

    if (qd_interrupt_seen(part->gate->interrupt))
        return QD_VISIT_STOP;
    result.why = error->text;
    return is_others(part) ? QD_VISIT_GO_ON : tell(part, &result);
}

/* A case that the reference cannot judge. In a file that is the file's fault, or a limit of the reference that its
 * owner has to know about; in the suite it is ours. */
static enum qd_visit tell_unjudged(const struct part *part, const struct qd_selected *selected,
                                   enum qd_status status, const struct qd_error *error)
{
    bool ours = !selected->path || status == QD_INTERNAL;
    struct qd_result result =
        qd_result_init(selected->kase->id, selected->kase->op, "", QD_RESULT_BAD_INPUT);

    if (ours)
        result.kind = QD_RESULT_BROKEN;
    else if (status == QD_UNSUPPORTED)
        result.kind = QD_RESULT_SKIP;
    result.why = error->text;
    return tell(part, &result);
}

/* Runs the case on one target and reports. */
static enum qd_visit take_target(struct part *part, const struct qd_evaluated *evaluated,
                                 struct qd_subject *subject)
{
    struct qd_result result;
    struct qd_error error = {0};
    enum qd_status status =
        qd_trial_judge(subject, evaluated, &part->options, &part->arena, &result, &error);
    if (qd_interrupt_seen(part->gate->interrupt))
        return QD_VISIT_STOP; /* a wait may have been cut short: what came of it is not the target's */
    if (status != QD_UNUSABLE)
        return tell(part, &result);
    part->status = qd_fail(part->error, status, "%s: %s", subject->id, error.text);
    return QD_VISIT_STOP;
}

/* Whether no target declares this case of the suite: then nobody asks what is right. */
static bool is_for_nobody(const struct part *part, const struct qd_selected *selected)
{
    const char *why;

    for (size_t i = 0; i < part->targets->count; i++) {
        const struct qd_session *session = part->targets->items[i].session;
        if (!session || qd_session_can(session, selected->kase, &selected->features, &why))
            return false;
    }
    return !selected->path;
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct part *part = context;
    struct qd_error error = {0};
    enum qd_visit answer = QD_VISIT_GO_ON;

    if (qd_interrupt_seen(part->gate->interrupt))
        return QD_VISIT_STOP;
    if (is_others(part))
        return QD_VISIT_GO_ON;
    qd_arena_reset(&part->arena);
    part->memo = (struct qd_answer_memo){.outputs = NULL};
    struct qd_evaluated evaluated = {.kase = selected->kase, .features = selected->features};
    enum qd_status status = QD_OK;
    if (!is_for_nobody(part, selected))
        status = part->role->evaluate(selected->kase, &part->arena, &evaluated, &error);
    if (status != QD_OK)
        return tell_unjudged(part, selected, status, &error);
    for (size_t i = 0; i < part->targets->count && answer == QD_VISIT_GO_ON; i++)
        answer = take_target(part, &evaluated, &part->targets->items[i]);
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
        const struct qd_subject *target = &part->targets->items[i];
        struct row_teller teller = {&part->gate->sink, target->id};

        if (target->expectations)
            qd_expectations_stale(target->expectations, tell_row, &teller);
    }
}

enum qd_status qd_gate_run_share(const struct qd_gate *gate, struct qd_gate_targets *targets,
                                 const struct qd_gate_share *share, struct qd_error *error)
{
    struct part part = {.gate = gate,
                        .targets = targets,
                        .role = targets->count > 0 ? targets->items[0].role : &qd_role_kernel,
                        .share = share,
                        .diagnose = {.seconds = gate->options->diagnosis_time},
                        .error = error};
    struct qd_selection selection = *gate->selection;
    struct qd_visitor visitor = {take, take_bad, &part};

    qd_arena_init(&part.arena, QD_ARENA_DEFAULT_BUDGET);
    qd_twins_init(&part.twins, gate->options->cases);
    part.options =
        (struct qd_trial_options){.twins = &part.twins,
                                  .diagnose = gate->options->no_diagnosis ? NULL : &part.diagnose,
                                  .diagnose_known = gate->diagnose_known,
                                  .strict = gate->options->strict,
                                  .memo = &part.memo};
    selection.role = part.role;
    begin_part(&part, 0, 0, share->jobs);
    enum qd_status status = part.role == &qd_role_quantizer && gate->options->pack
                                ? qd_fail(error, QD_USAGE, "a pack asks no quantizer")
                                : qd_visit_parts(&selection, &visitor, enter, error);
    begin_part(&part, UINT64_MAX, 0, share->jobs);
    tell_rows(&part);
    qd_twins_clear(&part.twins);
    qd_arena_clear(&part.arena);
    return part.status != QD_OK ? part.status : status;
}

enum qd_status qd_gate_run_alone(const struct qd_gate *gate, struct qd_gate_targets *targets,
                                 struct qd_error *error)
{
    static const struct qd_gate_share all = {.jobs = 1};

    return qd_gate_run_share(gate, targets, &all, error);
}
