/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/quantizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "process/loader.h"
#include "process/program.h"
#include "process/quantized.h"
#include "qdiff/clock.h"
#include "quantizer/request.h"

#define BLOCK ((size_t)4096) /* a worker's shared block, which programs do not use */
#define DEFAULT_SECONDS 60.0
#define LEAST_OPEN_SECONDS 120.0
#define DEFAULT_MEMORY ((uint64_t)4 << 30)
#define LARGEST_REPLY ((size_t)256 << 20)
#define MOST_TRIES 4

struct qd_quantizer {
    struct qd_session_options options;
    struct qd_arena arena; /* the description */
    struct qd_target_info info;
    const char *const *words;
    char id[640];
    struct qd_worker worker;
    struct qd_program program;
};

const char *qd_quantized_word(enum qd_quantized outcome)
{
    static const char *const words[] = {
#define QD_QUANTIZED_WORD(name, word, meaning) word,
        QD_QUANTIZED_LIST(QD_QUANTIZED_WORD)
#undef QD_QUANTIZED_WORD
    };
    return (unsigned)outcome < QD_QUANTIZED_COUNT ? words[outcome] : "unknown";
}

/* --- Opening ------------------------------------------------------------------------------------- */

static enum qd_status start(struct qd_quantizer *quantizer, struct qd_arena *arena,
                            struct qd_target_info *info, const char *const **words,
                            struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (int i = 0; i < MOST_TRIES; i++) {
        status = qd_worker_start(&quantizer->worker, qd_program_become, &quantizer->program, error);
        if (status == QD_OK)
            status = qd_program_handshake(&quantizer->program, LEAST_OPEN_SECONDS, arena, info,
                                          words, error);
        if (status == QD_OK)
            return QD_OK;
        qd_worker_stop(&quantizer->worker);
        if (!quantizer->program.died || !qd_death_is_foreign(&quantizer->program.death))
            return status;
    }
    return status;
}

static enum qd_status open_quantizer(struct qd_quantizer *quantizer,
                                     const struct qd_target_name *name, struct qd_error *error)
{
    enum qd_status status =
        qd_worker_init(&quantizer->worker, BLOCK, quantizer->options.memory_limit, error);
    if (status == QD_OK)
        status = qd_program_init(&quantizer->program, name, &quantizer->worker, error);
    if (status == QD_OK)
        status = start(quantizer, &quantizer->arena, &quantizer->info, &quantizer->words, error);
    if (status == QD_OK && !quantizer->words[0])
        return qd_fail(error, QD_UNUSABLE, "it is no quantizer: it declares no option");
    return status;
}

enum qd_status qd_quantizer_open(const struct qd_target_name *name,
                                 const struct qd_session_options *options,
                                 struct qd_quantizer **quantizer, struct qd_error *error)
{
    if (!qd_program_is_named(name))
        return qd_fail(error, QD_USAGE, "'%.100s' is no worker, and only workers quantize",
                       name->name);
    struct qd_quantizer *made = calloc(1, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no room for a quantizer");
    made->options = *options;
    if (!(made->options.time_limit > 0))
        made->options.time_limit = DEFAULT_SECONDS;
    if (made->options.memory_limit == 0)
        made->options.memory_limit = DEFAULT_MEMORY;
    qd_arena_init(&made->arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = open_quantizer(made, name, error);
    if (status != QD_OK) {
        qd_quantizer_close(made);
        return qd_fail_context(error, status, "target %s%s%s", name->name,
                               name->version[0] ? "@" : "", name->version);
    }
    const struct qd_target_info *info = &made->info;
    snprintf(made->id, sizeof made->id, "%.200s%s%.100s%s%.300s%s", info->name,
             info->version[0] ? "@" : "", info->version, info->settings[0] ? "[" : "",
             info->settings, info->settings[0] ? "]" : "");
    *quantizer = made;
    return QD_OK;
}

void qd_quantizer_close(struct qd_quantizer *quantizer)
{
    if (!quantizer)
        return;
    qd_worker_clear(&quantizer->worker);
    qd_program_clear(&quantizer->program);
    qd_arena_clear(&quantizer->arena);
    free(quantizer);
}

const struct qd_target_info *qd_quantizer_info(const struct qd_quantizer *quantizer)
{
    return &quantizer->info;
}

const char *qd_quantizer_id(const struct qd_quantizer *quantizer)
{
    return quantizer->id;
}

const char *const *qd_quantizer_words(const struct qd_quantizer *quantizer)
{
    return quantizer->words;
}

/* --- The answer ---------------------------------------------------------------------------------- */

static enum qd_quantized outcome_of_death(const struct qd_death *death)
{
    return death->outcome == QD_OUTCOME_HANG  ? QD_QUANTIZED_HANG
           : death->outcome == QD_OUTCOME_OOM ? QD_QUANTIZED_OOM
                                              : QD_QUANTIZED_CRASHED;
}

static enum qd_quantized outcome_of_status(enum qd_target_status status, bool crashed)
{
    return crashed                         ? QD_QUANTIZED_CRASHED
           : status == QD_TARGET_NO_MEMORY ? QD_QUANTIZED_OOM
           : status == QD_TARGET_SKIPPED   ? QD_QUANTIZED_SKIPPED
                                           : QD_QUANTIZED_REJECTED;
}

/* One request on a worker that runs. NO_MEMORY is ours; after a death *answer is not filled. */
static enum qd_status ask(struct qd_quantizer *quantizer,
                          const struct qd_quantizer_request *request, struct qd_arena *arena,
                          struct qd_quantizer_answer *answer, struct qd_error *error)
{
    struct qd_program *program = &quantizer->program;
    struct qd_wire_out out;
    struct qd_wire body;
    struct qd_target_message message = {""};
    program->deadline = qd_deadline_begin(quantizer->options.time_limit);
    size_t mark = qd_program_ask(program, QD_REQUEST_QUANTIZE, &out);
    qd_wire_put_bytes(&out, 1, request->model, request->model_size);
    qd_request_put(&out, request);
    if (out.failed || out.size > QD_FRAME_LARGEST)
        return qd_fail(error, QD_LIMIT, "the request is larger than %zu bytes", QD_FRAME_LARGEST);
    enum qd_target_status status =
        qd_program_hear(program, QD_REQUEST_QUANTIZE, &out, mark, LARGEST_REPLY, &body, &message);
    if (program->died)
        return QD_OK;
    qd_text_clean(message.text, sizeof message.text);
    if (status == QD_TARGET_UNUSABLE)
        return qd_fail(error, QD_UNUSABLE, "the target stopped working: %s", message.text);
    if (status != QD_TARGET_OK) {
        *answer =
            (struct qd_quantizer_answer){.outcome = outcome_of_status(status, program->crashed)};
        memcpy(answer->message, message.text, sizeof answer->message);
        return QD_OK;
    }
    const char *problem = NULL;
    enum qd_status read = qd_quantized_read(body, arena, answer, &problem, error);
    if (read == QD_OK && problem)
        qd_program_condemn(program, "its quantized answer: %s", problem);
    return read;
}

static enum qd_status ensure_started(struct qd_quantizer *quantizer, struct qd_error *error)
{
    if (quantizer->worker.pid != 0 && qd_worker_over_memory(&quantizer->worker))
        qd_worker_stop(&quantizer->worker);
    if (quantizer->worker.pid != 0)
        return QD_OK;
    struct qd_arena arena;
    struct qd_target_info info;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = start(quantizer, &arena, &info, NULL, error);
    qd_arena_clear(&arena);
    return status;
}

enum qd_status qd_quantizer_run(struct qd_quantizer *quantizer,
                                const struct qd_quantizer_request *request, struct qd_arena *arena,
                                struct qd_quantizer_answer *answer, struct qd_error *error)
{
    struct qd_quantizer_answer made = {.outcome = QD_QUANTIZED_CRASHED};
    const struct qd_death *death = &quantizer->program.death;
    double begin = qd_clock_seconds();
    for (int i = 0; i < MOST_TRIES; i++) {
        bool used = quantizer->worker.pid != 0 && quantizer->worker.answers > 1;
        enum qd_status status = ensure_started(quantizer, error);
        if (status == QD_OK)
            status = ask(quantizer, request, arena, &made, error);
        if (status != QD_OK)
            return status;
        if (!quantizer->program.died)
            break;
        made = (struct qd_quantizer_answer){.outcome = outcome_of_death(death),
                                            .signal = death->signal};
        snprintf(made.message, sizeof made.message, "%s", death->text);
        /* What died after other requests may owe it to them; what was killed from outside says nothing. */
        if (!qd_death_is_foreign(death) && !(used && death->outcome != QD_OUTCOME_HANG))
            break;
    }
    made.seconds = qd_clock_seconds() - begin;
    *answer = made;
    return QD_OK;
}
