/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that judge a part of a network's units. */
#include "locate/helpers.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qdiff/clock.h"
#include "result/result_json.h"
#include "self_test/crew.h"

/* --- A process beside the first ------------------------------------------------------------------ */

struct answering {
    struct qd_locate *locate;
    FILE *out;
};

static enum qd_status write_results(void *context, const struct qd_located_unit *unit,
                                    struct qd_error *error)
{
    const struct answering *answering = context;

    for (size_t i = 0; i < unit->result_count; i++)
        qd_result_write(answering->out, &unit->results[i]);
    return fflush(answering->out) == 0
               ? QD_OK
               : qd_fail(error, QD_IO, "nobody listens any more"); /* the first process has ended */
}

static enum qd_status walk_on(struct qd_locate *locate, FILE *out, struct qd_error *error)
{
    struct answering answering = {locate, out};
    FILE *nowhere = fopen("/dev/null", "we");
    size_t done;

    if (!nowhere)
        return qd_fail(error, QD_IO, "cannot open /dev/null");
    locate->listener = (struct qd_locate_listener){write_results, &answering};
    enum qd_status status = qd_locate_begin(locate, nowhere, error);
    if (status == QD_OK)
        status = qd_locate_run(locate, &done, error);
    qd_locate_end(locate);
    fclose(nowhere);
    return status;
}

static enum qd_status help(void *context, uint64_t member, FILE *out, struct qd_error *error)
{
    const struct qd_locate_helpers *helpers = context;
    struct qd_locate locate = helpers->walk;
    struct qd_session_options options = qd_session_options_of(locate.options);
    struct qd_gate_targets targets;
    enum qd_status status =
        qd_gate_targets_open(helpers->plan, &options, locate.arena, &targets, error);

    if (status != QD_OK)
        return status;
    locate.job = member + 1;
    locate.targets = &targets;
    locate.answers = fileno(out);
    status = walk_on(&locate, out, error);
    qd_gate_targets_close(&targets);
    return status;
}

/* --- The first process --------------------------------------------------------------------------- */

enum qd_status qd_locate_helpers_start(struct qd_locate_helpers *helpers, struct qd_locate *walk,
                                       const struct qd_target_plan *plan, struct qd_error *error)
{
    uint64_t jobs = walk->options->jobs;
    struct qd_team_work work = {help, helpers};

    *helpers = (struct qd_locate_helpers){.plan = plan};
    if (jobs <= 1)
        return QD_OK;
    if (jobs > QD_LOCATE_MOST_JOBS)
        return qd_fail(error, QD_USAGE, "--jobs: at most %d", QD_LOCATE_MOST_JOBS);
    helpers->shared_size = sizeof *helpers->shared;
    helpers->shared = qd_crew_share(helpers->shared_size);
    if (!helpers->shared)
        return qd_fail(error, QD_NO_MEMORY, "no memory that processes share");
    walk->jobs = jobs;
    walk->shared = helpers->shared;
    helpers->walk = *walk;
    enum qd_status status = qd_team_start(&helpers->team, jobs - 1, &work, walk->interrupt, error);
    walk->team = &helpers->team;
    return status;
}

void qd_locate_helpers_end(struct qd_locate_helpers *helpers)
{
    if (helpers->shared)
        qd_team_dismiss(&helpers->team);
    qd_crew_unshare(helpers->shared, helpers->shared_size);
}

bool qd_locate_is_mine(const struct qd_locate *locate, size_t number)
{
    return locate->jobs <= 1 || number % locate->jobs == locate->job;
}

/* One result of a unit that another process judged. */
static bool read_result(struct qd_locate *locate, uint64_t member, struct qd_result *result,
                        struct qd_error *error)
{
    struct qd_result_record record;
    const char *line;
    size_t length;

    if (qd_team_is_done(locate->team, member))
        return false;
    switch (qd_team_read(locate->team, member, &line, &length, error)) {
    case QD_TEAM_LINE: break;
    case QD_TEAM_END: return false;
    default:
        qd_fail_context(error, QD_INTERNAL, "process %llu of --jobs died",
                        (unsigned long long)member + 2);
        return false;
    }
    if (qd_result_record_decode(line, length, &locate->piece, &record, error) != QD_OK)
        return false;
    *result = record.result;
    return record.kind == QD_RECORD_RESULT;
}

bool qd_locate_helpers_read(struct qd_locate *locate, size_t number, struct qd_result *results,
                            struct qd_error *error)
{
    for (size_t i = 0; i < locate->targets->count; i++)
        if (!read_result(locate, number % locate->jobs - 1, &results[i], error))
            return false;
    return true;
}

/* --- Turns --------------------------------------------------------------------------------------- */

void qd_locate_publish_turn(struct qd_locate *locate, size_t number)
{
    struct rusage usage = {0};

    if (!locate->shared)
        return;
    getrusage(RUSAGE_SELF, &usage);
    locate->shared->costs[locate->job] = (struct qd_locate_cost){
        qd_clock_cpu_seconds(), locate->target_seconds, usage.ru_maxrss / 1000};
    if (locate->job == 0)
        atomic_store(&locate->shared->turn, number);
}

bool qd_locate_await_turn(struct qd_locate *locate, size_t number)
{
    struct pollfd pipe_end = {.fd = locate->answers, .events = 0};

    if (locate->jobs <= 1 || locate->job == 0)
        return true;
    while (atomic_load(&locate->shared->turn) < number)
        if (qd_interrupt_seen(locate->interrupt) || poll(&pipe_end, 1, 1) != 0)
            return false;
    return true;
}

struct qd_locate_cost qd_locate_cost(const struct qd_locate *locate)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_SELF, &usage);
    struct qd_locate_cost all = {qd_clock_cpu_seconds(), locate->target_seconds,
                                 usage.ru_maxrss / 1000};
    for (uint64_t i = 1; i < locate->jobs; i++) {
        const struct qd_locate_cost *other = &locate->shared->costs[i];

        all.cpu_seconds += other->cpu_seconds;
        all.target_seconds += other->target_seconds;
        all.megabytes = other->megabytes > all.megabytes ? other->megabytes : all.megabytes;
    }
    return all;
}
