/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/worker_bench.h"

#include <string.h>

#include "message.h"
#include "process/job.h"
#include "process/program.h"
#include "qdiff/clock.h"

#define OPEN_SECONDS 120.0
#define CASE_SECONDS 60.0
#define DEFAULT_MEMORY ((uint64_t)2 << 30)
#define LARGEST_BLOCK ((size_t)1 << 30)
#define LARGEST_PONG ((size_t)4096)
#define CALLS_PER_LOOK 16 /* at the clock */

struct pacer {
    struct qd_arena arena;
    struct qd_job job;
    struct qd_worker worker;
    struct qd_program program;
};

bool qd_worker_bench_applies(const struct qd_target_name *name)
{
    return qd_program_is_named(name);
}

static enum qd_status fail(const struct pacer *pacer, struct qd_target_message *message,
                           struct qd_error *error)
{
    if (pacer->program.died)
        return qd_fail(error, QD_UNUSABLE, "it ended in %s: %s",
                       qd_outcome_word(pacer->program.death.outcome), pacer->program.death.text);
    qd_text_clean(message->text, sizeof message->text);
    return qd_fail(error, QD_UNUSABLE, "it refuses the case: %s", message->text);
}

/* Calls a second of `call`, made for `seconds`. */
static enum qd_target_status repeat(enum qd_target_status (*call)(struct pacer *pacer,
                                                                  void *prepared,
                                                                  struct qd_target_message *),
                                    struct pacer *pacer, void *prepared, double seconds,
                                    double *rate, struct qd_target_message *message)
{
    double begin = qd_clock_seconds(), passed = 0;
    long calls = 0;
    while (passed < seconds) {
        pacer->program.patience = qd_patience_begin(CASE_SECONDS);
        for (int i = 0; i < CALLS_PER_LOOK; i++, calls++) {
            enum qd_target_status status = call(pacer, prepared, message);
            if (status != QD_TARGET_OK)
                return status;
        }
        passed = qd_clock_seconds() - begin;
    }
    *rate = (double)calls / passed;
    return QD_TARGET_OK;
}

static enum qd_target_status run(struct pacer *pacer, void *prepared,
                                 struct qd_target_message *message)
{
    struct qd_job_header *job = pacer->worker.block;
    return qd_program_target.run(&pacer->program, prepared, job->inputs[0], job->input_count,
                                 job->outputs[0], job->output_count, message);
}

static enum qd_target_status ping(struct pacer *pacer, void *prepared,
                                  struct qd_target_message *message)
{
    static const char echo[16] = "fifteen letters";
    struct qd_wire_out out;
    struct qd_wire body;
    (void)prepared;
    size_t mark = qd_program_ask(&pacer->program, QD_REQUEST_PING, &out);
    qd_wire_put_bytes(&out, 1, echo, sizeof echo);
    return qd_program_hear(&pacer->program, QD_REQUEST_PING, &out, mark, LARGEST_PONG, &body,
                           message);
}

static enum qd_status measure(struct pacer *pacer, double seconds, struct qd_worker_bench *pace,
                              struct qd_error *error)
{
    struct qd_job_header *job = pacer->worker.block;
    struct qd_target_message message = {""};
    struct qd_worker_bench made;
    void *prepared = NULL;
    qd_job_write(&pacer->job, job);
    pacer->program.patience = qd_patience_begin(CASE_SECONDS);
    double begin = qd_clock_seconds();
    enum qd_target_status status = qd_program_target.prepare(&pacer->program, job->model,
                                                             job->model_size, &prepared, &message);
    made.prepare_seconds = qd_clock_seconds() - begin;
    if (status == QD_TARGET_OK)
        status = repeat(run, pacer, prepared, seconds, &made.runs_per_second, &message);
    if (status == QD_TARGET_OK)
        status = repeat(ping, pacer, prepared, seconds, &made.round_trips_per_second, &message);
    if (status != QD_TARGET_OK)
        return fail(pacer, &message, error);
    *pace = made;
    return QD_OK;
}

static enum qd_status start(struct pacer *pacer, const struct qd_target_name *name,
                            const struct qd_session_options *options, struct qd_error *error)
{
    uint64_t memory = options->memory_limit > 0 ? options->memory_limit : DEFAULT_MEMORY;
    struct qd_target_info info;
    enum qd_status status = qd_worker_init(&pacer->worker, pacer->job.total, memory, error);
    if (status == QD_OK)
        status = qd_program_init(&pacer->program, name, &pacer->worker, error);
    if (status == QD_OK)
        status = qd_worker_start(&pacer->worker, qd_program_become, &pacer->program, error);
    if (status == QD_OK)
        status = qd_program_greet(&pacer->program, OPEN_SECONDS, &pacer->arena, &info, NULL, error);
    return status;
}

enum qd_status qd_worker_bench_measure(const struct qd_target_name *name,
                                       const struct qd_session_options *options,
                                       const struct qd_case *kase, const struct qd_tensor *shapes,
                                       double seconds, struct qd_worker_bench *speed,
                                       struct qd_error *error)
{
    struct pacer pacer;
    memset(&pacer, 0, sizeof pacer);
    qd_arena_init(&pacer.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_job_plan(&pacer.job, kase, shapes, LARGEST_BLOCK, &pacer.arena, error);
    if (status == QD_OK) {
        status = start(&pacer, name, options, error);
        if (status == QD_OK)
            status = measure(&pacer, seconds, speed, error);
        qd_worker_clear(&pacer.worker);
        qd_program_clear(&pacer.program);
    }
    qd_arena_clear(&pacer.arena);
    return status;
}
