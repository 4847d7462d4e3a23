/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every contract mutant on the cases that hold its operator, in several processes. */
#include "self_test/contract_run.h"

#include <stdlib.h>
#include <string.h>

#include "qdiff/clock.h"
#include "select/visit.h"
#include "self_test/crew.h"

/* A case of more bytes, model and inputs, waits until the small ones have killed what they can. */
#define SMALL 2048

struct shared {
    atomic_bool stop;
    atomic_uint cases, lost, false_alarms;
    struct qd_contract_tally tallies[];
};

/* One process. */
struct job {
    const struct qd_contract *contract;
    struct shared *shared;
    size_t number, jobs;
    unsigned seen;
    bool small; /* the cases of this round */
    struct qd_arena arena;
    struct qd_error error;
};

static bool is_small(const struct qd_case *kase)
{
    size_t bytes = kase->model_size;
    for (size_t i = 0; i < kase->input_count; i++)
        bytes += qd_tensor_bytes(&kase->inputs[i]);
    return bytes <= SMALL;
}

static void try_case(struct job *job, const struct qd_case *kase)
{
    bool false_alarm = false;
    enum qd_status status = qd_contract_try(job->contract, kase, &job->arena, job->shared->tallies,
                                            &false_alarm, &job->error);
    if (status != QD_OK)
        fprintf(stderr, "qdiff: %s: %s\n", kase->id, job->error.text);
    atomic_fetch_add(&job->shared->cases, 1);
    atomic_fetch_add(&job->shared->lost, status != QD_OK);
    atomic_fetch_add(&job->shared->false_alarms, false_alarm);
    qd_arena_reset(&job->arena);
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct job *job = context;
    if (atomic_load(&job->shared->stop))
        return QD_VISIT_STOP;
    if (job->seen % job->jobs == job->number && is_small(selected->kase) == job->small &&
        selected->kase->expect == QD_EXPECT_VALID)
        try_case(job, selected->kase);
    job->seen++;
    return QD_VISIT_GO_ON;
}

static enum qd_visit pass_over(void *context, const char *path, const struct qd_error *error)
{
    (void)context, (void)path, (void)error;
    return QD_VISIT_GO_ON;
}

/* --- What variations would tell ------------------------------------------------------------------ */

/* One process: it varies the nodes of every jobs-th operator, in the order in which cases come. */
struct reach {
    const struct qd_contract *contract;
    struct shared *shared;
    size_t number, jobs;
    struct qd_contract_kinds *kinds; /* of each operator */
    struct qd_arena arena;
    struct qd_error error;
};

static bool holds(const struct qd_graph *graph, const struct qd_op *op)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].op == op)
            return true;
    return false;
}

static enum qd_visit vary(void *context, const struct qd_selected *selected)
{
    struct reach *reach = context;
    const struct qd_contract *contract = reach->contract;
    if (atomic_load(&reach->shared->stop))
        return QD_VISIT_STOP;
    for (size_t op = reach->number; op < contract->op_count; op += reach->jobs) {
        if (contract->first[op] == contract->first[op + 1] || !is_small(selected->kase) ||
            reach->kinds[op].count == QD_CONTRACT_KINDS ||
            !holds(selected->kase->graph, qd_op_at(op)))
            continue;
        qd_contract_reach(contract, op, selected->kase, &reach->arena, &reach->kinds[op],
                          reach->shared->tallies, &reach->error);
        qd_arena_reset(&reach->arena);
    }
    return QD_VISIT_GO_ON;
}

struct shift {
    const struct qd_selection *selection;
    const struct qd_contract *contract;
    struct shared *shared;
    size_t jobs;
};

static bool work(void *context, size_t number)
{
    const struct shift *shift = context;
    struct job job = {.contract = shift->contract,
                      .shared = shift->shared,
                      .number = number,
                      .jobs = shift->jobs};
    const struct qd_visitor visitor = {take, pass_over, &job};
    enum qd_status status = QD_OK;
    qd_arena_init(&job.arena, QD_ARENA_DEFAULT_BUDGET);
    for (int round = 0; status == QD_OK && round < 2; round++) {
        job.small = round == 0;
        job.seen = 0;
        status = qd_visit_selected(shift->selection, &visitor, &job.error);
    }
    qd_arena_clear(&job.arena);
    if (status != QD_OK)
        fprintf(stderr, "qdiff: %s\n", job.error.text);
    return status == QD_OK;
}

static bool reach(void *context, size_t number)
{
    const struct shift *shift = context;
    struct reach reach = {.contract = shift->contract,
                          .shared = shift->shared,
                          .number = number,
                          .jobs = shift->jobs};
    const struct qd_visitor visitor = {vary, pass_over, &reach};
    reach.kinds = calloc(shift->contract->op_count, sizeof *reach.kinds);
    if (!reach.kinds)
        return false;
    qd_arena_init(&reach.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_visit_selected(shift->selection, &visitor, &reach.error);
    qd_arena_clear(&reach.arena);
    free(reach.kinds);
    return status == QD_OK;
}

static bool takes_op(const void *context, const struct qd_op *op)
{
    return qd_selection_takes_op(context, op);
}

static enum qd_status collect(const struct shared *shared, struct qd_arena *arena,
                              struct qd_contract_result *made, struct qd_error *error)
{
    made->tallies =
        qd_arena_copy(arena, shared->tallies, made->contract.count * sizeof *made->tallies);
    made->cases = shared->cases;
    made->lost = shared->lost;
    made->false_alarms = shared->false_alarms;
    return made->tallies ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for the mutants");
}

enum qd_status qd_contract_run(const struct qd_contract_plan *plan, struct qd_arena *arena,
                               struct qd_contract_result *result, struct qd_error *error)
{
    struct qd_contract_result made = {0};
    struct qd_selection selection = *plan->selection;
    struct qd_options options = *selection.options;
    double start = qd_clock_seconds();
    enum qd_status status =
        qd_contract_init(arena, takes_op, plan->selection, &made.contract, error);
    if (status != QD_OK)
        return status;
    options.ops = (struct qd_words){0}; /* an operator is in cases of others too */
    selection.options = &options;
    size_t size = sizeof(struct shared) + made.contract.count * sizeof *made.tallies;
    struct shared *shared = qd_crew_share(size);
    if (!shared)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu mutants", made.contract.count);
    size_t jobs = plan->jobs > 0 ? plan->jobs : 1;
    struct shift shift = {&selection, &made.contract, shared, jobs};
    struct qd_crew crew = {jobs, plan->interrupt, &shared->stop, work, &shift};
    status = qd_crew_run(&crew, error);
    crew.work = reach;
    if (status == QD_OK && !atomic_load(&shared->stop))
        status = qd_crew_run(&crew, error);
    if (status == QD_OK)
        status = collect(shared, arena, &made, error);
    qd_crew_unshare(shared, size);
    made.wall = qd_clock_seconds() - start;
    if (status == QD_OK)
        *result = made;
    return status;
}

enum qd_contract_fate qd_contract_fate(const struct qd_contract_result *result, size_t mutant)
{
    const struct qd_contract_tally *tally = &result->tallies[mutant];
    bool equal = result->contract.mutants[mutant].equals != NULL;
    if (qd_contract_is_dead(tally))
        return equal ? QD_CONTRACT_CONTRADICTED : QD_CONTRACT_KILLED;
    if (equal)
        return QD_CONTRACT_EQUAL;
    if (tally->shapes > 0)
        return QD_CONTRACT_SHAPE;
    if (tally->variation.kind != QD_VARIATION_NONE)
        return QD_CONTRACT_SURVIVES;
    return tally->weak > 0 ? QD_CONTRACT_ADVISORY : QD_CONTRACT_UNKNOWN;
}
