/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/worker_bench.h"

#include <string.h>

#include "message.h"
#include "process/program.h"
#include "process/transfer.h"
#include "qdiff/clock.h"

#define OPEN_SECONDS 120.0
#define CASE_SECONDS 60.0
#define DEFAULT_MEMORY ((uint64_t)2 << 30)
#define LARGEST_BLOCK ((size_t)1 << 30)
#define LARGEST_PONG ((size_t)4096)
#define CALLS_PER_LOOK 16 /* at the clock */

struct bench {
    struct qd_arena arena;
    struct qd_transfer transfer;
    struct qd_worker worker;
    struct qd_program program;
};

bool qd_worker_bench_applies(const struct qd_target_name *name)
{
    return qd_program_is_named(name);
}

static enum qd_status fail(const struct bench *bench, struct qd_target_message *message,
                           struct qd_error *error)
{
    if (bench->program.died)
        return qd_fail(error, QD_UNUSABLE, "it ended in %s: %s",
                       qd_outcome_word(bench->program.death.outcome), bench->program.death.text);
    qd_text_clean(message->text, sizeof message->text);
    return qd_fail(error, QD_UNUSABLE, "it refuses the case: %s", message->text);
}

/* Calls a second of `call`, made for `seconds`. */
static enum qd_target_status repeat(enum qd_target_status (*call)(struct bench *bench,
                                                                  void *prepared,
                                                                  struct qd_target_message *),
                                    struct bench *bench, void *prepared, double seconds,
                                    double *rate, struct qd_target_message *message)
{
    double begin = qd_clock_seconds(), passed = 0;
    long calls = 0;
    while (passed < seconds) {
        bench->program.deadline = qd_deadline_begin(CASE_SECONDS);
        for (int i = 0; i < CALLS_PER_LOOK; i++, calls++) {
            enum qd_target_status status = call(bench, prepared, message);
            if (status != QD_TARGET_OK)
                return status;
        }
        passed = qd_clock_seconds() - begin;
    }
    *rate = (double)calls / passed;
    return QD_TARGET_OK;
}

static enum qd_target_status run(struct bench *bench, void *prepared,
                                 struct qd_target_message *message)
{
    struct qd_transfer_header *transfer = bench->worker.block;
    return qd_program_target.run(&bench->program, prepared, transfer->inputs[0],
                                 transfer->input_count, transfer->outputs[0],
                                 transfer->output_count, message);
}

static enum qd_target_status ping(struct bench *bench, void *prepared,
                                  struct qd_target_message *message)
{
    static const char echo[16] = "fifteen letters";
    struct qd_wire_out out;
    struct qd_wire body;
    (void)prepared;
    size_t mark = qd_program_ask(&bench->program, QD_REQUEST_PING, &out);
    qd_wire_put_bytes(&out, 1, echo, sizeof echo);
    return qd_program_hear(&bench->program, QD_REQUEST_PING, &out, mark, LARGEST_PONG, &body,
                           message);
}

static enum qd_status measure(struct bench *bench, double seconds, struct qd_worker_bench *speed,
                              struct qd_error *error)
{
    struct qd_transfer_header *transfer = bench->worker.block;
    struct qd_target_message message = {""};
    struct qd_worker_bench made;
    void *prepared = NULL;
    qd_transfer_write(&bench->transfer, transfer);
    bench->program.deadline = qd_deadline_begin(CASE_SECONDS);
    double begin = qd_clock_seconds();
    enum qd_target_status status = qd_program_target.prepare(
        &bench->program, transfer->model, transfer->model_size, &prepared, &message);
    made.prepare_seconds = qd_clock_seconds() - begin;
    if (status == QD_TARGET_OK)
        status = repeat(run, bench, prepared, seconds, &made.runs_per_second, &message);
    if (status == QD_TARGET_OK)
        status = repeat(ping, bench, prepared, seconds, &made.round_trips_per_second, &message);
    if (status != QD_TARGET_OK)
        return fail(bench, &message, error);
    *speed = made;
    return QD_OK;
}

static enum qd_status start(struct bench *bench, const struct qd_target_name *name,
                            const struct qd_session_options *options, struct qd_error *error)
{
    uint64_t memory = options->memory_limit > 0 ? options->memory_limit : DEFAULT_MEMORY;
    struct qd_target_info info;
    enum qd_status status = qd_worker_init(&bench->worker, bench->transfer.total, memory, error);
    if (status == QD_OK)
        status = qd_program_init(&bench->program, name, &bench->worker, error);
    if (status == QD_OK)
        status = qd_worker_start(&bench->worker, qd_program_become, &bench->program, error);
    if (status == QD_OK)
        status =
            qd_program_handshake(&bench->program, OPEN_SECONDS, &bench->arena, &info, NULL, error);
    return status;
}

enum qd_status qd_worker_bench_measure(const struct qd_target_name *name,
                                       const struct qd_session_options *options,
                                       const struct qd_case *kase, const struct qd_tensor *shapes,
                                       double seconds, struct qd_worker_bench *speed,
                                       struct qd_error *error)
{
    struct bench bench;
    memset(&bench, 0, sizeof bench);
    qd_arena_init(&bench.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_transfer_plan(&bench.transfer, kase, shapes, LARGEST_BLOCK, &bench.arena, error);
    if (status == QD_OK) {
        status = start(&bench, name, options, error);
        if (status == QD_OK)
            status = measure(&bench, seconds, speed, error);
        qd_worker_clear(&bench.worker);
        qd_program_clear(&bench.program);
    }
    qd_arena_clear(&bench.arena);
    return status;
}
