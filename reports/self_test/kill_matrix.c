/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every quirk on every case, in several processes, and judges what they noticed. */
#include "self_test/kill_matrix.h"

#include <stdio.h>
#include <string.h>

#include "qdiff/clock.h"
#include "select/visit.h"
#include "self_test/crew.h"

/* --- The list of cases --------------------------------------------------------------------------- */

struct roll {
    struct qd_arena *arena;
    struct qd_kill_matrix *matrix;
    struct qd_interrupt *interrupt;
    size_t capacity, stride, seen;
    bool full_memory;
};

static bool has_tag(const struct qd_case *kase, const char *tag)
{
    for (size_t i = 0; i < kase->tag_count; i++)
        if (strcmp(kase->tags[i], tag) == 0)
            return true;
    return false;
}

static bool grow(struct roll *roll)
{
    struct qd_kill_matrix *m = roll->matrix;
    size_t capacity = roll->capacity == 0 ? 1024 : roll->capacity * 2;
    const char **ids = qd_arena_array(roll->arena, capacity, sizeof *ids);
    bool *ties = qd_arena_array(roll->arena, capacity, sizeof *ties);

    if (!ids || !ties)
        return false;
    if (m->case_count > 0) {
        memcpy(ids, m->ids, m->case_count * sizeof *ids);
        memcpy(ties, m->ties, m->case_count * sizeof *ties);
    }
    m->ids = ids;
    m->ties = ties;
    roll->capacity = capacity;
    return true;
}

static enum qd_visit enrol(void *context, const struct qd_selected *selected)
{
    struct roll *roll = context;
    struct qd_kill_matrix *m = roll->matrix;

    if (roll->interrupt && qd_interrupt_seen(roll->interrupt))
        return QD_VISIT_STOP;
    if (roll->seen++ % roll->stride != 0)
        return QD_VISIT_GO_ON;
    if (m->case_count == roll->capacity && !grow(roll)) {
        roll->full_memory = true;
        return QD_VISIT_STOP;
    }
    m->ids[m->case_count] = qd_arena_string(roll->arena, selected->kase->id);
    m->ties[m->case_count] = has_tag(selected->kase, "tie");
    roll->full_memory = m->ids[m->case_count] == NULL;
    m->case_count++;
    return roll->full_memory ? QD_VISIT_STOP : QD_VISIT_GO_ON;
}

static enum qd_visit pass_over(void *context, const char *path, const struct qd_error *error)
{
    (void)context, (void)path, (void)error;
    return QD_VISIT_GO_ON;
}

/* --- The jobs ------------------------------------------------------------------------------------ */

/* What a process has seen of the quirks. */
struct tally {
    struct qd_mutants mutants; /* with those that have kills enough settled */
    bool settled[64 * QD_KILL_WORDS];
    size_t kills[64 * QD_KILL_WORDS];
};

/* Counts the kills of a case; only those at ties of a quirk that needs ties. */
static void count_kills(struct tally *tally, const struct qd_kills *kills, bool tie)
{
    for (size_t q = 0; q < tally->mutants.count; q++) {
        tally->kills[q] += qd_kills_has(kills, q) && (tie || !qd_quirk_needs_ties(qd_quirk_at(q)));
        tally->settled[q] = tally->kills[q] >= QD_LEAST_KILLS;
    }
}

struct job {
    const struct qd_harness *harness;
    const struct qd_mutants *mutants; /* NULL: none */
    struct tally *tally;              /* NULL: every quirk is asked of every case */
    size_t number, jobs, stride, seen;
    size_t limit;           /* cases on the roll */
    struct qd_kills *kills; /* shared with the parent */
    double *seconds;        /* of this job; shared too */
    atomic_bool *stop;      /* shared too */
    struct qd_arena arena;
    struct qd_error error;
};

static enum qd_visit try_case(void *context, const struct qd_selected *selected)
{
    struct job *job = context;
    size_t seen = job->seen++, index = seen / job->stride;

    if (atomic_load(job->stop))
        return QD_VISIT_STOP;
    if (seen % job->stride != 0 || index % job->jobs != job->number || index >= job->limit)
        return QD_VISIT_GO_ON;
    if (qd_kill_case(job->harness, job->mutants, selected->kase, &job->arena, &job->kills[index],
                     job->seconds, &job->error) != QD_OK)
        fprintf(stderr, "qdiff: %s: %s\n", selected->kase->id, job->error.text);
    if (job->tally)
        count_kills(job->tally, &job->kills[index], has_tag(selected->kase, "tie"));
    qd_arena_reset(&job->arena);
    return QD_VISIT_GO_ON;
}

static enum qd_status run_job(const struct qd_selection *selection, struct job *job)
{
    const struct qd_visitor visitor = {try_case, pass_over, job};

    qd_arena_init(&job->arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_visit_selected(selection, &visitor, &job->error);
    qd_arena_clear(&job->arena);
    return status;
}

/* One process's part. */
struct shift {
    const struct qd_matrix_plan *plan;
    const struct job *model;
    size_t quirk_count;
    double *seconds; /* of every process */
};

static bool work(void *context, size_t number)
{
    const struct shift *shift = context;
    struct job job = *shift->model;
    struct tally tally = {.settled = {false}};
    if (job.mutants && shift->plan->least) {
        tally.mutants = *job.mutants;
        tally.mutants.settled = tally.settled;
        job.mutants = &tally.mutants;
        job.tally = &tally;
    }
    job.number = number;
    job.seconds = shift->seconds + number * shift->quirk_count;
    return run_job(shift->plan->selection, &job) == QD_OK;
}

/* Runs the jobs and copies what they wrote into the arena. */
static enum qd_status fill(const struct qd_matrix_plan *plan, struct job *model,
                           struct qd_arena *arena, struct qd_kill_matrix *m, struct qd_error *error)
{
    size_t kills_size = m->case_count * sizeof *m->kills;
    size_t seconds_size = model->jobs * m->quirk_count * sizeof *m->seconds;
    struct qd_kills *kills = qd_crew_share(kills_size);
    double *seconds = qd_crew_share(seconds_size + sizeof *model->stop), start = qd_clock_seconds();
    enum qd_status status = QD_OK;

    m->seconds = qd_arena_array(arena, m->quirk_count, sizeof *m->seconds);
    if (!kills || !seconds || !m->seconds)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu cases", m->case_count);
    model->kills = kills;
    model->stop = (atomic_bool *)(seconds + model->jobs * m->quirk_count);
    struct shift shift = {plan, model, m->quirk_count, seconds};
    const struct qd_crew crew = {model->jobs, plan->interrupt, model->stop, work, &shift};
    status = qd_crew_run(&crew, error);
    m->wall = qd_clock_seconds() - start;
    m->kills = qd_arena_copy(arena, kills, kills_size);
    if (!m->kills)
        status = qd_fail(error, QD_NO_MEMORY, "no memory for %zu cases", m->case_count);
    for (size_t i = 0; i < model->jobs * m->quirk_count; i++)
        m->seconds[i % m->quirk_count] += seconds[i];
    qd_crew_unshare(kills, kills_size);
    qd_crew_unshare(seconds, seconds_size + sizeof *model->stop);
    return status;
}

enum qd_status qd_matrix_make(const struct qd_matrix_plan *plan, struct qd_arena *arena,
                              struct qd_kill_matrix *matrix, struct qd_error *error)
{
    struct qd_kill_matrix made = {0};
    struct qd_mutants all = {0};
    struct roll roll = {
        .arena = arena, .matrix = &made, .interrupt = plan->interrupt, .stride = plan->stride};
    const struct qd_visitor visitor = {enrol, pass_over, &roll};
    struct job model = {
        .harness = plan->harness, .stride = plan->stride, .jobs = plan->jobs > 0 ? plan->jobs : 1};
    enum qd_status status = qd_mutants_init(arena, &all, error);

    if (status == QD_OK)
        status = qd_visit_selected(plan->selection, &visitor, error);
    if (status == QD_OK && roll.full_memory)
        status = qd_fail(error, QD_NO_MEMORY, "no memory for %zu cases", made.case_count);
    made.quirk_count = all.count;
    model.mutants = plan->mutants ? &all : NULL;
    model.limit = made.case_count;
    if (status == QD_OK)
        status = fill(plan, &model, arena, &made, error);
    if (status == QD_OK)
        *matrix = made;
    return status;
}

/* --- Judgement ----------------------------------------------------------------------------------- */

size_t qd_matrix_kills(const struct qd_kill_matrix *matrix, size_t quirk, const char **first)
{
    size_t count = 0;

    *first = NULL;
    for (size_t i = 0; i < matrix->case_count; i++)
        if (qd_kills_has(&matrix->kills[i], quirk))
            *first = count++ == 0 ? matrix->ids[i] : *first;
    return count;
}

size_t qd_matrix_tie_kills(const struct qd_kill_matrix *matrix, size_t quirk)
{
    size_t count = 0;

    for (size_t i = 0; i < matrix->case_count; i++)
        count += matrix->ties[i] && qd_kills_has(&matrix->kills[i], quirk);
    return count;
}

bool qd_quirk_needs_ties(const struct qd_quirk *quirk)
{
    static const char *const names[] = {"round-half-away", "round-half-up",
                                        "zero-point-before-rounding-exactly"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(quirk->name, names[i]) == 0)
            return true;
    return false;
}

void qd_matrix_judge(const struct qd_kill_matrix *matrix, struct qd_self_test_counts *counts)
{
    struct qd_self_test_counts v = {0};

    for (size_t i = 0; i < matrix->case_count; i++) {
        v.lost += !matrix->kills[i].done;
        v.false_alarms += matrix->kills[i].false_alarm;
        v.blind += matrix->kills[i].blind;
        v.compared += matrix->kills[i].compared;
    }
    const char *first;
    for (size_t q = 0; q < matrix->quirk_count; q++) {
        v.holes += qd_matrix_kills(matrix, q, &first) < QD_LEAST_KILLS;
        v.tie_holes +=
            qd_quirk_needs_ties(qd_quirk_at(q)) && qd_matrix_tie_kills(matrix, q) < QD_LEAST_KILLS;
    }
    *counts = v;
}

bool qd_self_test_is_green(const struct qd_self_test_counts *v)
{
    return v->compared > 0 && v->lost + v->false_alarms + v->blind + v->holes + v->tie_holes == 0;
}
