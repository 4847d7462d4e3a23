/* SPDX-License-Identifier: Apache-2.0 */
#include "process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "message.h"
#include "process/command_line.h"
#include "process/emulated.h"
#include "process/loader.h"
#include "qdiff/data_path.h"
#include "subject/cache.h"

#define PREFIX "worker:"
#define START_BYTES ((rlim_t)256 << 20) /* of an interpreter that has just started */

/* --- Which program ------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool qd_program_is_named(const struct qd_target_name *name)
{
    const struct qd_builtin_target *row = qd_builtin_target_find(name->name);
    return (row && (row->worker || qd_emulated_cpu_of(name->config))) ||
           strncmp(name->name, PREFIX, strlen(PREFIX)) == 0 || ends_in(name->name, ".py");
}

static enum qd_status copy_path(char *to, size_t size, struct qd_error *error, const char *format,
                                ...) __attribute__((format(printf, 4, 5)));

static enum qd_status copy_path(char *to, size_t size, struct qd_error *error, const char *format,
                                ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= size)
        return qd_fail(error, QD_UNUSABLE, "the path of its program is too long");
    return QD_OK;
}

/* A program of the user's own: a Python script, or after worker: the command line of anything that can be executed. */
static enum qd_status locate_path(struct qd_program *program, const char *name,
                                  struct qd_error *error)
{
    const char *path = name, *python = getenv("QDIFF_PYTHON");
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0) {
        enum qd_status split = qd_command_split(name + strlen(PREFIX), program->words,
                                                sizeof program->words, &program->word_count, error);
        if (split != QD_OK)
            return split;
        path = program->words;
    }
    bool searched = !strchr(path, '/') && program->word_count > 0; /* in PATH, by execvp */
    if (!searched && access(path, R_OK) != 0)
        return qd_fail(error, QD_UNUSABLE, "%s: %s", path, strerror(errno));
    if (!ends_in(path, ".py"))
        return copy_path(program->file, sizeof program->file, error, "%s", path);
    enum qd_status status = copy_path(program->file, sizeof program->file, error, "%s",
                                      python && *python ? python : "python3");
    return status == QD_OK ? copy_path(program->script, sizeof program->script, error, "%s", path)
                           : status;
}

/* A worker that comes with qdiff, in the environment that scripts/setup made for this release. */
static enum qd_status locate_builtin(struct qd_program *program,
                                     const struct qd_builtin_target *row, struct qd_error *error)
{
    char cache[2048];
    const char *share;
    if (!program->version[0]) {
        const char *const *versions;
        enum qd_status status = row->versions(&program->arena, &versions, error);
        if (status != QD_OK)
            return status;
        if (!versions[0])
            return qd_fail(error, QD_UNUSABLE, "it is not set up; this sets it up: %s", row->setup);
        snprintf(program->version, sizeof program->version, "%s", versions[0]);
    }
    if (!qd_cache_is_version(program->version) || !qd_cache_path("python", cache, sizeof cache) ||
        !qd_python_is_set_up(row->name, program->version))
        return qd_fail(error, QD_UNUSABLE, "it is not set up; this sets it up: %s@%s", row->setup,
                       program->version);
    enum qd_status status = qd_data_path(&program->arena, row->worker, &share,
                                         error); /* <share>/<worker>: only its root is wanted */
    if (status != QD_OK)
        return status;
    int root = (int)(strlen(share) - strlen(row->worker));
    status = copy_path(program->script, sizeof program->script, error, "%.*stargets/%s/worker.mjs",
                       root, share, row->worker);
    bool node = status == QD_OK && access(program->script, R_OK) == 0;
    if (status == QD_OK && !node)
        status = copy_path(program->script, sizeof program->script, error,
                           "%.*stargets/%s/worker.py", root, share, row->worker);
    return status == QD_OK
               ? copy_path(program->file, sizeof program->file, error, "%s/%s-%s/bin/%s", cache,
                           row->name, program->version, node ? "node" : "python")
               : status;
}

enum qd_status qd_program_init(struct qd_program *program, const struct qd_target_name *name,
                               struct qd_worker *worker, struct qd_error *error)
{
    const struct qd_builtin_target *row = qd_builtin_target_find(name->name);
    const char *python;
    memset(program, 0, sizeof *program);
    program->worker = worker;
    qd_arena_init(&program->arena, 2 * QD_FRAME_LARGEST);
    struct qd_target_name bare = *name;
    enum qd_status status = QD_OK;
    if (row && row->api)
        status = qd_emulated_cpu_take(&bare, &program->cpu, error);
    snprintf(program->config, sizeof program->config, "%s", bare.config);
    snprintf(program->version, sizeof program->version, "%s", name->version);
    if (program->cpu)
        return qd_program_emulate(program, name->name, error);
    if (status == QD_OK)
        status = qd_data_path(&program->arena, "targets/process/python", &python, error);
    if (status == QD_OK)
        status = copy_path(program->python, sizeof program->python, error, "%s", python);
    if (status == QD_OK)
        status =
            row ? locate_builtin(program, row, error) : locate_path(program, name->name, error);
    return status;
}

void qd_program_clear(struct qd_program *program)
{
    qd_arena_clear(&program->arena);
}

/* One thread, as everywhere in qdiff, unless the user wants more. */
static void arrange_environment(const struct qd_program *program)
{
    const char *old = getenv("PYTHONPATH");
    char path[8192];
    snprintf(path, sizeof path, "%s%s%s", program->python, old && *old ? ":" : "", old ? old : "");
    setenv("PYTHONPATH", path, 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
    setenv("OMP_NUM_THREADS", "1", 0);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    setenv("ORT_DISABLE_TELEMETRY", "1", 1); /* of ort-quant, whose package is ONNX Runtime */
}

/* What qdiff itself has at the fork, which its own limit allows beside, is nothing to the program. */
static void limit_memory(uint64_t bytes)
{
    struct rlimit both = {.rlim_cur = START_BYTES + bytes, .rlim_max = START_BYTES + bytes};
    setrlimit(RLIMIT_AS, &both);
}

/* file, script, and the words after the first. */
static char **make_arguments(const struct qd_program *program)
{
    size_t count = 0;
    char **arguments = calloc(program->word_count + 3, sizeof *arguments);
    if (!arguments)
        return NULL;
    arguments[count++] = strdup(program->file);
    if (program->script[0])
        arguments[count++] = strdup(program->script);
    const char *word = program->words;
    for (size_t i = 1; i < program->word_count; i++)
        arguments[count++] = strdup(word += strlen(word) + 1);
    return arguments;
}

void qd_program_become(void *context, void *block, int channel)
{
    const struct qd_program *program = context;
    (void)block;
    arrange_environment(program);
    /* Programs do not expect that standard error refuses bytes. */
    fcntl(2, F_SETFL, fcntl(2, F_GETFL) & ~O_NONBLOCK);
    if (dup2(channel, 0) < 0 || dup2(channel, 1) < 0)
        _exit(1);
    close(channel);
    char *file = strdup(program->file);
    char **arguments = make_arguments(program);
    limit_memory(program->worker->memory_limit); /* from here on this process may have no room */
    if (file && arguments)
        execvp(file, arguments);
    fprintf(stderr, "cannot execute %.500s: %s\n", program->file, strerror(errno));
    _exit(127);
}

/* --- The conversation ---------------------------------------------------------------------------- */

enum qd_target_status qd_program_condemn(struct qd_program *program, const char *format, ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    qd_worker_condemn(program->worker, why, &program->death);
    program->died = true;
    return QD_TARGET_REJECTED;
}

size_t qd_program_ask(struct qd_program *program, enum qd_request_kind kind,
                      struct qd_wire_out *out)
{
    qd_arena_reset(&program->arena);
    program->crashed = false;
    *out = (struct qd_wire_out){.arena = &program->arena};
    qd_frame_begin(out);
    qd_wire_put_varint(out, 1, ++program->id);
    return qd_wire_begin(out, (uint32_t)kind);
}

static enum qd_target_status hear_skip(struct qd_program *program, struct qd_wire body,
                                       struct qd_target_message *message)
{
    struct qd_reply_skip skip;
    const char *problem = qd_reply_read_skip(body, &skip);
    if (problem)
        return qd_program_condemn(program, "a skip %s", problem);
    return qd_answer(message, QD_TARGET_SKIPPED, "%s (%s)", skip.reason, skip.url);
}

/* The target died, or wrote where it may not, and the worker lives to report it. It is not used again. */
static enum qd_target_status hear_death(struct qd_program *program,
                                        const struct qd_reply_error *reply)
{
    static const enum qd_outcome outcomes[] = {[QD_REPLY_DIED] = QD_OUTCOME_CRASH,
                                               [QD_REPLY_DIED_OF_MEMORY] = QD_OUTCOME_OOM,
                                               [QD_REPLY_OUT_OF_BOUNDS] = QD_OUTCOME_OUT_OF_BOUNDS,
                                               [QD_REPLY_INPUT_MODIFIED] =
                                                   QD_OUTCOME_INPUT_MODIFIED};
    program->death = (struct qd_death){.outcome = outcomes[reply->kind], .signal = reply->signal};
    snprintf(program->death.text, sizeof program->death.text, "%s", reply->text);
    qd_text_clean(program->death.text, sizeof program->death.text);
    qd_worker_stop(program->worker);
    program->died = true;
    return QD_TARGET_REJECTED;
}

static enum qd_target_status hear_error(struct qd_program *program, struct qd_wire body,
                                        struct qd_target_message *message)
{
    struct qd_reply_error reply;
    const char *problem = qd_reply_read_error(body, &reply);
    if (problem)
        return qd_program_condemn(program, "an error %s", problem);
    if (reply.kind >= QD_REPLY_DIED)
        return hear_death(program, &reply);
    static const enum qd_target_status statuses[] = {[QD_REPLY_REJECTED] = QD_TARGET_REJECTED,
                                                     [QD_REPLY_OUT_OF_MEMORY] = QD_TARGET_NO_MEMORY,
                                                     [QD_REPLY_UNUSABLE] = QD_TARGET_UNUSABLE,
                                                     [QD_REPLY_CRASHED] = QD_TARGET_REJECTED};
    const char *words = qd_worker_words(program->worker);
    static const char between[] = "; standard error: ";
    size_t others = (reply.stage[0] ? strlen(reply.stage) + strlen(": ") : 0) +
                    (words[0] ? strlen(between) + strlen(words) : 0);
    char cause[sizeof message->text];
    qd_text_shorten(cause, sizeof cause - others, reply.text, strlen(reply.text));
    program->crashed = reply.kind == QD_REPLY_CRASHED;
    return qd_answer(message, statuses[reply.kind], "%s%s%s%s%s", reply.stage,
                     reply.stage[0] ? ": " : "", cause, words[0] ? between : "", words);
}

/* A worker that reports its target's deaths and is gone without a word: not the target's doing. */
static void name_loss(struct qd_program *program)
{
    struct qd_death *death = &program->death;
    char how[sizeof death->text];
    if (!program->guards || death->condemned || death->outcome != QD_OUTCOME_CRASH)
        return;
    death->lost = true;
    memcpy(how, death->text, sizeof how);
    snprintf(death->text, sizeof death->text, "the connection to the worker was lost: %.700s", how);
}

enum qd_target_status qd_program_hear(struct qd_program *program, enum qd_request_kind kind,
                                      struct qd_wire_out *out, size_t mark, size_t limit,
                                      struct qd_wire *body, struct qd_target_message *message)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_frame request, answer;
    struct qd_reply reply;
    qd_wire_end(out, mark);
    if (program->died)
        return QD_TARGET_REJECTED; /* at an earlier step of the case: nobody listens */
    if (qd_frame_end(out, &request, &error) != QD_OK)
        return qd_answer(message, QD_TARGET_NO_MEMORY, "%s", error.text);
    if (!qd_worker_exchange(program->worker, &request, &program->deadline, limit, &program->arena,
                            &answer, &program->death)) {
        name_loss(program);
        program->died = true;
        return QD_TARGET_REJECTED;
    }
    const char *problem = qd_reply_read(&answer, &reply);
    if (problem)
        return qd_program_condemn(program, "its reply: %s", problem);
    if (reply.id != program->id)
        return qd_program_condemn(program, "it answered request %llu when %llu was asked",
                                  (unsigned long long)reply.id, (unsigned long long)program->id);
    if (reply.kind == QD_REPLY_SKIP)
        return hear_skip(program, reply.body, message);
    if (reply.kind == QD_REPLY_ERROR)
        return hear_error(program, reply.body, message);
    if (reply.kind != (uint32_t)kind)
        return qd_program_condemn(program, "a reply of kind %u to a request of kind %u",
                                  (unsigned)reply.kind, (unsigned)kind);
    *body = reply.body;
    return QD_TARGET_OK;
}

void qd_program_put_tensor(struct qd_wire_out *out, uint32_t number,
                           const struct qd_target_tensor *tensor, const void *data)
{
    size_t mark = qd_wire_begin(out, number);
    for (uint32_t i = 0; i < tensor->rank; i++)
        qd_wire_put_varint(out, 1, (uint64_t)tensor->dims[i]);
    qd_wire_put_varint(out, 2, (uint64_t)tensor->data_type);
    qd_wire_put_text(out, 8, tensor->name);
    if (data)
        qd_wire_put_bytes(out, 9, data, tensor->size);
    qd_wire_end(out, mark);
}
