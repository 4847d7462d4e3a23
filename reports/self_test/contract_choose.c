/* SPDX-License-Identifier: Apache-2.0 */
/* Adds derived cases to the smoke level: few that kill the contract mutants which it lets live. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/derived.h"
#include "self_test/contract_run.h"
#include "self_test/crew.h"

/* Cases of more bytes, model and inputs, are no candidates. */
#define MOST_BYTES 65536

/* A case is chosen if it kills so many that live. */
#define LEAST_GAIN 1

/* There is room for so many kills and cases. */
#define MOST_KILLS (UINT32_C(1) << 24)
#define MOST_CASES (UINT32_C(1) << 16)

/* What the processes write: which case kills which mutant, in any order. */
struct kills {
    atomic_bool stop;
    atomic_uint count, failed;
    struct kill {
        uint32_t candidate, mutant;
    } kills[MOST_KILLS];
};

struct choice {
    const struct qd_contract *contract;
    const struct qd_contract_tally *tallies; /* after the smoke level */
    struct kills *shared;
    size_t jobs;
};

struct job {
    const struct choice *choice;
    size_t number, seen;
    struct qd_contract_tally *tallies; /* only the mutants that are left are not dead */
    struct qd_arena arena;
};

static size_t bytes_of(const struct qd_case *kase)
{
    size_t bytes = kase->model_size;
    for (size_t i = 0; i < kase->input_count; i++)
        bytes += qd_tensor_bytes(&kase->inputs[i]);
    return bytes;
}

/* What is no candidate: smoke takes seconds, and every target is judged on it. */
static bool is_of_full_level(const struct qd_case *kase)
{
    return qd_derived_meets_none(kase) || bytes_of(kase) > MOST_BYTES;
}

static bool is_left(const struct choice *choice, size_t mutant)
{
    return !qd_contract_is_dead(&choice->tallies[mutant]) && choice->tallies[mutant].shapes == 0 &&
           !choice->contract->mutants[mutant].equals;
}

static void note_kills(const struct job *job, size_t candidate)
{
    struct kills *shared = job->choice->shared;
    for (size_t i = 0; i < job->choice->contract->count; i++) {
        struct qd_contract_tally *tally = &job->tallies[i];
        if (!is_left(job->choice, i) || tally->values + tally->shapes == 0)
            continue;
        unsigned at = atomic_fetch_add(&shared->count, 1);
        if (at < MOST_KILLS)
            shared->kills[at] = (struct kill){(uint32_t)candidate, (uint32_t)i};
        memset(tally, 0, sizeof *tally);
    }
}

static enum qd_visit try_candidate(void *context, const struct qd_case *kase)
{
    struct job *job = context;
    struct kills *shared = job->choice->shared;
    struct qd_error error;
    bool false_alarm;
    size_t candidate = job->seen++;
    if (atomic_load(&shared->stop))
        return QD_VISIT_STOP;
    if (candidate % job->choice->jobs != job->number || is_of_full_level(kase))
        return QD_VISIT_GO_ON;
    qd_arena_reset(&job->arena);
    if (qd_contract_try(job->choice->contract, kase, &job->arena, job->tallies, &false_alarm,
                        &error) == QD_OK)
        note_kills(job, candidate);
    else
        atomic_fetch_add(&shared->failed, 1);
    return QD_VISIT_GO_ON;
}

/* The cases of the rows, without their twins: a mark is a row's. */
static enum qd_status visit_rows(qd_case_visitor *visit, void *context, struct qd_error *error)
{
    return qd_family_generate(&qd_family_derived, QD_LEVEL_FULL, visit, context, error);
}

static bool try_candidates(void *context, size_t number)
{
    const struct choice *choice = context;
    struct job job = {.choice = choice, .number = number};
    struct qd_arena tallies;
    struct qd_error error;
    qd_arena_init(&tallies, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&job.arena, QD_ARENA_DEFAULT_BUDGET);
    job.tallies = qd_arena_array(&tallies, choice->contract->count, sizeof *job.tallies);
    for (size_t i = 0; job.tallies && i < choice->contract->count; i++)
        job.tallies[i].values = !is_left(choice, i);
    bool ok = job.tallies && visit_rows(try_candidate, &job, &error) == QD_OK;
    qd_arena_clear(&job.arena);
    qd_arena_clear(&tallies);
    if (!ok)
        atomic_fetch_add(&choice->shared->failed, 1);
    return ok;
}

/* --- The choice ---------------------------------------------------------------------------------- */

struct candidate {
    const char *id;
    size_t bytes, gain; /* mutants alive that it kills */
    size_t first, end;  /* its kills */
    bool chosen;
};

struct ballot {
    struct qd_arena *arena;
    struct candidate *candidates;
    size_t count;
    bool full_memory;
};

static enum qd_visit enrol(void *context, const struct qd_case *kase)
{
    struct ballot *ballot = context;
    char *id = qd_arena_string(ballot->arena, kase->id);
    if (!id || ballot->count == MOST_CASES) {
        ballot->full_memory = true;
        return QD_VISIT_STOP;
    }
    ballot->candidates[ballot->count++] = (struct candidate){.id = id, .bytes = bytes_of(kase)};
    return QD_VISIT_GO_ON;
}

/* By candidate, then mutant: the processes wrote them in any order. */
static int compare_kills(const void *a, const void *b)
{
    const struct kill *x = a, *y = b;
    if (x->candidate != y->candidate)
        return x->candidate < y->candidate ? -1 : 1;
    return (x->mutant > y->mutant) - (x->mutant < y->mutant);
}

static enum qd_status count_votes(struct choice *choice, struct ballot *ballot,
                                  struct qd_error *error)
{
    struct kills *shared = choice->shared;
    ballot->candidates = qd_arena_array(ballot->arena, MOST_CASES, sizeof *ballot->candidates);
    enum qd_status status = QD_OK;
    if (ballot->candidates)
        status = visit_rows(enrol, ballot, error);
    if (!ballot->candidates || ballot->full_memory)
        return qd_fail(error, QD_NO_MEMORY, "no room for the candidates");
    qsort(shared->kills, shared->count, sizeof *shared->kills, compare_kills);
    for (size_t i = 0; i < shared->count && status == QD_OK; i++) {
        struct candidate *c = &ballot->candidates[shared->kills[i].candidate];
        c->first = c->gain++ == 0 ? i : c->first;
        c->end = i + 1;
    }
    return status;
}

/* Kills more, or as many in fewer bytes. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    return a->gain > b->gain || (a->gain == b->gain && a->bytes < b->bytes);
}

static size_t count_alive(const struct candidate *c, const struct kills *shared, const bool *killed)
{
    size_t alive = 0;
    for (size_t i = c->first; i < c->end; i++)
        alive += !killed[shared->kills[i].mutant];
    return alive;
}

/* NULL: none kills enough any more. */
static struct candidate *find_best(const struct ballot *ballot)
{
    struct candidate *best = NULL;
    for (size_t i = 0; i < ballot->count; i++) {
        struct candidate *c = &ballot->candidates[i];
        if (!c->chosen && c->gain >= LEAST_GAIN && (!best || is_better(c, best)))
            best = c;
    }
    return best;
}

/* Greedily; a gain that was counted before others were chosen can only have become less. */
static size_t choose(struct ballot *ballot, const struct kills *shared, bool *killed)
{
    size_t dead = 0;
    struct candidate *best;
    while ((best = find_best(ballot)) != NULL) {
        size_t alive = count_alive(best, shared, killed);
        best->chosen = alive == best->gain;
        best->gain = alive;
        for (size_t i = best->first; best->chosen && i < best->end; i++)
            killed[shared->kills[i].mutant] = true;
        dead += best->chosen ? alive : 0;
    }
    return dead;
}

static bool is_chosen(const void *context, const char *id)
{
    const struct ballot *ballot = context;
    for (size_t c = 0; c < ballot->count; c++)
        if (ballot->candidates[c].chosen && strcmp(ballot->candidates[c].id, id) == 0)
            return true;
    return false;
}

static enum qd_status write_table(const struct ballot *ballot, const struct qd_selection *selection,
                                  const char *path, struct qd_error *error)
{
    FILE *out = fopen(path, "we");
    enum qd_status status = QD_OK;
    if (!out)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", path,
                       strerror(errno));
    qd_derived_write_head(out);
    for (size_t op = 0; qd_op_at(op) && status == QD_OK; op++) {
        struct qd_derived_cover cover;
        if (qd_selection_takes_op(selection, qd_op_at(op)))
            status = qd_derived_mark(op, is_chosen, ballot, ballot->arena, &cover, error);
        else if (!qd_derived_shipped(op, &cover))
            continue;
        if (status == QD_OK)
            qd_derived_write(&cover, out);
    }
    if (fclose(out) != 0 && status == QD_OK)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", path,
                       strerror(errno));
    return status;
}

static enum qd_status vote(struct choice *choice, struct ballot *ballot, FILE *out,
                           struct qd_error *error)
{
    size_t left = 0, chosen = 0;
    bool *killed = qd_arena_array(ballot->arena, choice->contract->count, sizeof *killed);
    enum qd_status status = killed ? count_votes(choice, ballot, error)
                                   : qd_fail(error, QD_NO_MEMORY, "no room for the mutants");
    if (status != QD_OK)
        return status;
    size_t dead = choose(ballot, choice->shared, killed);
    for (size_t c = 0; c < ballot->count; c++)
        chosen += ballot->candidates[c].chosen;
    for (size_t i = 0; i < choice->contract->count; i++)
        left += is_left(choice, i);
    fprintf(out,
            "%zu of %zu derived cases are added to the smoke level: they kill %zu of the %zu "
            "mutants that it lets live\n",
            chosen, ballot->count, dead, left);
    return QD_OK;
}

/* All candidates on all mutants that are left. */
static enum qd_status poll_all(struct choice *choice, struct qd_interrupt *interrupt,
                               struct qd_error *error)
{
    struct qd_crew crew = {choice->jobs, interrupt, &choice->shared->stop, try_candidates, choice};
    enum qd_status status = qd_crew_run(&crew, error);
    if (status == QD_OK && atomic_load(&choice->shared->stop))
        return qd_fail(error, QD_USAGE, "interrupted: nothing is written");
    if (status == QD_OK && atomic_load(&choice->shared->failed) > 0)
        return qd_fail(error, QD_INTERNAL, "%u cases or processes failed", choice->shared->failed);
    if (status == QD_OK && choice->shared->count > MOST_KILLS)
        return qd_fail(error, QD_LIMIT, "more than %u kills", MOST_KILLS);
    return status;
}

enum qd_status qd_contract_choose(const struct qd_contract_plan *plan, const char *path, FILE *out,
                                  struct qd_arena *arena, struct qd_error *error)
{
    struct qd_options with_smoke = *plan->selection->options;
    struct qd_selection smoke = *plan->selection;
    with_smoke.level = QD_LEVEL_SMOKE;
    smoke.options = &with_smoke;
    struct qd_contract_result result;
    const struct qd_contract_plan first = {&smoke, plan->jobs, plan->interrupt};
    enum qd_status status = qd_contract_run(&first, arena, &result, error);
    if (status != QD_OK)
        return status;
    struct kills *shared = qd_crew_share(sizeof *shared);
    if (!shared)
        return qd_fail(error, QD_NO_MEMORY, "no room for the kills");
    struct choice choice = {&result.contract, result.tallies, shared,
                            plan->jobs > 0 ? plan->jobs : 1};
    struct ballot ballot = {.arena = arena};
    status = poll_all(&choice, plan->interrupt, error);
    if (status == QD_OK)
        status = vote(&choice, &ballot, out, error);
    if (status == QD_OK)
        status = write_table(&ballot, plan->selection, path, error);
    qd_crew_unshare(shared, sizeof *shared);
    return status;
}
