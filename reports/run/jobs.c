/* SPDX-License-Identifier: Apache-2.0 */
/* A run in several processes. Each writes the results of its share as lines, and a line "P number" before those of a
 * part of the run; the parent reads the parts by their numbers, and those who share one in turn, so that results come
 * in the order of the cases. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/gate.h"
#include "run/team.h"
#include "self_test/crew.h"

struct listening {
    const struct qd_gate *gate;
    struct qd_team team;
    struct qd_arena arena; /* of one line */
    enum qd_status status; /* the worst that a process ended with */
    struct qd_error *error;
};

/* --- A process ----------------------------------------------------------------------------------- */

#define SIGNALLED "a signal ended it"

/* Sends the results of a case together: each write wakes the parent. */
struct writer {
    FILE *out;
    size_t targets, held; /* results of a case; of this one, so far */
};

static enum qd_visit write_result(void *context, const struct qd_result *result)
{
    struct writer *writer = context;

    qd_result_write(writer->out, result);
    if (result->target[0] != '\0' && ++writer->held < writer->targets)
        return QD_VISIT_GO_ON;
    writer->held = 0;
    return fflush(writer->out) == 0 ? QD_VISIT_GO_ON : QD_VISIT_STOP; /* nobody listens any more */
}

static void write_row(void *context, const struct qd_unmatched_row *row)
{
    struct writer *writer = context;

    qd_unmatched_row_write(writer->out, row);
}

static void begin_part(void *context, uint64_t part)
{
    struct writer *writer = context;

    fprintf(writer->out, "P %" PRIu64 "\n", part);
    fflush(writer->out);
}

struct part {
    const struct qd_gate *gate;
    uint64_t jobs;
    atomic_ushort *owners;
};

static enum qd_status run_part(void *context, uint64_t job, FILE *out, struct qd_error *error)
{
    const struct part *part = context;
    struct qd_gate mine = *part->gate;
    struct qd_session_options options = qd_session_options_of(mine.options);

    struct writer writer = {out, mine.plan->count, 0};
    struct qd_gate_share share = {job, part->jobs, part->owners, begin_part, &writer};

    mine.sink = (struct qd_sink){write_result, write_row, &writer};
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_gate_targets targets;
    enum qd_status status = qd_gate_targets_open_any(mine.plan, &options, &arena, &targets, error);
    if (status == QD_OK) {
        status = qd_gate_run_share(&mine, &targets, &share, error);
        qd_gate_targets_close(&targets);
    }
    qd_arena_clear(&arena);
    /* Perhaps this process alone got it: its other cases would be missing, and nobody would know. */
    if (status == QD_OK && qd_interrupt_seen(mine.interrupt))
        status = qd_fail(error, QD_INTERNAL, SIGNALLED);
    return status;
}

/* --- The parent ---------------------------------------------------------------------------------- */

/* A process that died is our own failure, told as a result so that it is counted and kept. */
static enum qd_visit tell_death(struct listening *l, uint64_t job, const char *last_id,
                                const struct qd_error *error)
{
    const char *id = qd_arena_printf(&l->arena, "job %llu of %llu", (unsigned long long)job + 1,
                                     (unsigned long long)l->team.count);
    const char *why = qd_arena_printf(
        &l->arena, "the process died (%s) after case %s; its other cases did not run", error->text,
        last_id[0] != '\0' ? last_id : "(none)");
    struct qd_result result = qd_result_init(id ? id : "job", "", "", QD_RESULT_BROKEN);

    result.why = why ? why : "the process died";
    return l->gate->sink.result(l->gate->sink.context, &result);
}

/* How far a job is. */
struct place {
    char last_id[256];
    bool between;  /* the results of two parts, or at the end */
    uint64_t part; /* the one that is next, or read */
};

/* Tells the results of one case of this job's part, or notes the next part or the job's end. */
static enum qd_visit take_case(struct listening *l, uint64_t job, struct place *place)
{
    const struct qd_sink *sink = &l->gate->sink;
    size_t results = 0;
    const char *line;
    size_t length;

    place->between = true;
    while (results < l->gate->plan->count) {
        struct qd_error error = {.status = QD_OK};
        qd_arena_reset(&l->arena);
        enum qd_team_answer answer = qd_team_read(&l->team, job, &line, &length, &error);
        bool signalled = answer == QD_TEAM_END && strcmp(error.text, SIGNALLED) == 0;
        if (signalled && qd_interrupt_seen(l->gate->interrupt))
            return QD_VISIT_GO_ON;
        if (answer == QD_TEAM_DEATH || signalled)
            return tell_death(l, job, place->last_id, &error);
        if (answer == QD_TEAM_END) {
            if (error.status != QD_OK)
                l->status = qd_fail(l->error, error.status, "%s", error.text);
            return l->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
        }
        if (line[0] == 'P') {
            place->part = strtoull(line + 1, NULL, 10);
            return QD_VISIT_GO_ON;
        }
        struct qd_result_record record;
        if (qd_result_record_decode(line, length, &l->arena, &record, &error) != QD_OK) {
            l->status = qd_fail(l->error, QD_INTERNAL, "a job's answer: %s", error.text);
            return QD_VISIT_STOP;
        }
        if (record.kind == QD_RECORD_ROW) {
            sink->row(sink->context, &record.row);
            continue;
        }
        snprintf(place->last_id, sizeof place->last_id, "%s", record.result.id);
        if (sink->result(sink->context, &record.result) == QD_VISIT_STOP)
            return QD_VISIT_STOP;
        results = record.result.target[0] == '\0' ? l->gate->plan->count : results + 1;
    }
    place->between = false;
    return QD_VISIT_GO_ON;
}

/* The least part that a job comes to next; UINT64_MAX is the last, rows. False: all are done. */
static bool next_part(const struct listening *l, const struct place *places, uint64_t *part)
{
    bool some = false;

    for (uint64_t i = 0; i < l->team.count; i++) {
        if (qd_team_is_done(&l->team, i) || (some && places[i].part >= *part))
            continue;
        some = true;
        *part = places[i].part;
    }
    return some;
}

/* Reads a part from all jobs that have it, a case from each in turn. */
static enum qd_visit take_part(struct listening *l, struct place *places, uint64_t part)
{
    bool some = true;

    for (uint64_t i = 0; i < l->team.count; i++)
        places[i].between = places[i].part != part;
    while (some) {
        some = false;
        for (uint64_t i = 0; i < l->team.count; i++) {
            if (places[i].between || qd_team_is_done(&l->team, i))
                continue;
            some = true;
            if (take_case(l, i, &places[i]) == QD_VISIT_STOP)
                return QD_VISIT_STOP;
        }
    }
    return QD_VISIT_GO_ON;
}

static void listen_to_all(struct listening *l, struct place *places)
{
    uint64_t part = 0;

    for (uint64_t i = 0; i < l->team.count; i++)
        if (take_case(l, i, &places[i]) == QD_VISIT_STOP)
            return;
    while (next_part(l, places, &part))
        if (take_part(l, places, part) == QD_VISIT_STOP)
            return;
}

static enum qd_status run_team(const struct qd_gate *gate, const struct part *part,
                               struct qd_error *error)
{
    struct listening l = {.gate = gate, .error = error};
    struct part shared = *part;
    struct qd_team_work work = {run_part, &shared};
    enum qd_status status = qd_team_start(&l.team, part->jobs, &work, gate->interrupt, error);

    if (status != QD_OK)
        return status;
    qd_arena_init(&l.arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct place *places = qd_arena_array(&arena, part->jobs, sizeof *places);
    if (places)
        listen_to_all(&l, places);
    else
        l.status =
            qd_fail(error, QD_NO_MEMORY, "no memory for %llu jobs", (unsigned long long)part->jobs);
    qd_arena_clear(&arena);
    qd_arena_clear(&l.arena);
    qd_team_dismiss(&l.team);
    return l.status;
}

enum qd_status qd_gate_run_jobs(const struct qd_gate *gate, uint64_t jobs, struct qd_error *error)
{
    size_t size = QD_GATE_PARTS * sizeof(atomic_ushort);
    struct part part = {gate, jobs, qd_crew_share(size)};

    if (!part.owners)
        return qd_fail(error, QD_NO_MEMORY, "no memory that processes share");
    enum qd_status status = run_team(gate, &part, error);
    qd_crew_unshare(part.owners, size);
    return status;
}
