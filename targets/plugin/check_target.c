/* SPDX-License-Identifier: Apache-2.0 */
/* Probes a target against the promises of target.h, each in a worker process of its own. */
#include "qdiff/check_target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "process/loader.h"
#include "process/program.h"
#include "process/transfer.h"
#include "process/worker.h"
#include "qdiff/answer.h"
#include "qdiff/features.h"

#define DEFAULT_SECONDS 30.0
#define DEFAULT_MEMORY ((uint64_t)2 << 30)
#define LARGEST_BLOCK ((size_t)1 << 30)
#define TRANSFER_AT ((size_t)4096) /* the transfer's place in the block, after the finding */

/* Start of the block: what a probe found. */
struct finding {
    uint32_t result;
    char text[1024];
};

/* What a probe works on, in its worker. */
struct probe {
    const struct qd_target_name *name;
    const struct qd_case *sample;
    struct finding *finding;
    struct qd_transfer_header *transfer; /* the sample's, written anew for each probe */
    const struct qd_target *api;
    void *target;
    struct qd_target_message message;
};

static void report(struct probe *p, enum qd_check_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void report(struct probe *p, enum qd_check_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->finding->text, sizeof p->finding->text, format, arguments);
    va_end(arguments);
    p->finding->result = (uint32_t)result;
}

static bool expect(struct probe *p, bool holds, const char *text)
{
    if (!holds)
        report(p, QD_CHECK_FAIL, "%s", text);
    return holds;
}

/* --- Helpers of probes: each false when it reported a failure ------------------------------------- */

static bool load(struct probe *p)
{
    if (qd_target_load(p->name, &p->api, &p->message) == QD_TARGET_OK)
        return true;
    report(p, QD_CHECK_FAIL, "%.1000s", p->message.text);
    return false;
}

static bool open_target(struct probe *p)
{
    if (!load(p))
        return false;
    enum qd_target_status status =
        p->api->open(p->name->version, p->name->config, &p->target, &p->message);
    if (status == QD_TARGET_OK)
        return true;
    qd_text_clean(p->message.text, sizeof p->message.text);
    report(p, QD_CHECK_FAIL, "open answered %d: %.900s", (int)status, p->message.text);
    return false;
}

static bool prepare(struct probe *p, const void *model, size_t size, void **prepared)
{
    enum qd_target_status status = p->api->prepare(p->target, model, size, prepared, &p->message);
    if (status == QD_TARGET_OK)
        return true;
    qd_text_clean(p->message.text, sizeof p->message.text);
    report(p, QD_CHECK_FAIL, "prepare answered %d to the sample: %.900s", (int)status,
           p->message.text);
    return false;
}

static enum qd_target_status run(struct probe *p, void *prepared, int r)
{
    return p->api->run(p->target, prepared, p->transfer->inputs[r], p->transfer->input_count,
                       p->transfer->outputs[r], p->transfer->output_count, &p->message);
}

static bool run_both(struct probe *p, void *first, void *second)
{
    enum qd_target_status status = run(p, first, 0);
    if (status == QD_TARGET_OK)
        status = run(p, second, 1);
    qd_text_clean(p->message.text, sizeof p->message.text);
    if (status != QD_TARGET_OK)
        report(p, QD_CHECK_FAIL, "run answered %d: %.900s", (int)status, p->message.text);
    return status == QD_TARGET_OK;
}

/* Whether a refusal is one of the ABI's statuses and has words. */
static bool is_refusal(struct probe *p, enum qd_target_status status)
{
    if (status != QD_TARGET_REJECTED && status != QD_TARGET_NO_MEMORY &&
        status != QD_TARGET_UNUSABLE) {
        report(p, QD_CHECK_FAIL, "answered %d", (int)status);
        return false;
    }
    if (!memchr(p->message.text, '\0', sizeof p->message.text)) {
        report(p, QD_CHECK_FAIL, "the message is not NUL-terminated");
        return false;
    }
    return expect(p, p->message.text[0] != '\0', "refused without a word: fill message->text");
}

/* Whether the status is an answer: OK, or a refusal with words. */
static bool is_answer(struct probe *p, enum qd_target_status status)
{
    return status == QD_TARGET_OK || is_refusal(p, status);
}

/* Gives the model to prepare, which may take or refuse it; must_refuse: which has to refuse it. */
static bool offer(struct probe *p, const void *model, size_t size, bool must_refuse)
{
    void *prepared = NULL;
    p->message.text[0] = '\0';
    enum qd_target_status status = p->api->prepare(p->target, model, size, &prepared, &p->message);
    if (status == QD_TARGET_OK)
        p->api->release(p->target, prepared);
    if (status == QD_TARGET_OK && must_refuse)
        return expect(p, false, "took it");
    return is_answer(p, status);
}

/* --- Probes -------------------------------------------------------------------------------------- */

static void probe_load(struct probe *p)
{
    load(p);
}

static void probe_open(struct probe *p)
{
    if (open_target(p))
        p->api->close(p->target);
}

static void probe_unknown_setting(struct probe *p)
{
    if (!load(p))
        return;
    enum qd_target_status status =
        p->api->open(p->name->version, "no_such_setting=1", &p->target, &p->message);
    if (status == QD_TARGET_OK)
        report(p, QD_CHECK_FAIL, "took it");
    else if (expect(p, status == QD_TARGET_UNUSABLE, "answered another status than UNUSABLE") &&
             is_refusal(p, status))
        expect(p, strstr(p->message.text, "no_such_setting"), "the message does not name it");
}

static void probe_open_twice(struct probe *p)
{
    if (!open_target(p))
        return;
    void *first = p->target;
    if (!open_target(p))
        return;
    struct qd_target_info info;
    p->api->close(first);
    expect(p, p->api->describe(p->target, &info, &p->message) == QD_TARGET_OK,
           "the second does not work after the first was closed");
    p->api->close(p->target);
}

static void probe_reopen(struct probe *p)
{
    if (!open_target(p))
        return;
    p->api->close(p->target);
    if (open_target(p))
        p->api->close(p->target);
}

static bool known_features(struct probe *p, const char *op, const char *list)
{
    while (list && *list) {
        char word[64];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", length < 63 ? (int)length : 63, list);
        enum qd_feature feature;
        if (!qd_feature_find(word, &feature)) {
            report(p, QD_CHECK_FAIL, "the capability of '%.100s' names the unknown feature '%s'",
                   op, word);
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

static void probe_describe(struct probe *p)
{
    struct qd_target_info info = {.name = NULL};
    if (!open_target(p))
        return;
    bool ok = expect(p, p->api->describe(p->target, &info, &p->message) == QD_TARGET_OK,
                     "describe did not answer OK") &&
              expect(p, info.name && *info.name && !strpbrk(info.name, "@[],\n\t "),
                     "the name is missing or has one of @ [ ] , or blanks") &&
              expect(p, info.version && info.settings,
                     "version or settings are NULL: they may be \"\"") &&
              expect(p, info.capability_count > 0 && info.capabilities,
                     "no capability: nothing would run");
    for (size_t i = 0; ok && i < info.capability_count; i++) {
        const struct qd_target_capability *row = &info.capabilities[i];
        ok = expect(p, row->op && *row->op, "a capability without an operator") &&
             known_features(p, row->op, row->needs) && known_features(p, row->op, row->excludes);
        if (ok && row->excludes && *row->excludes)
            ok = expect(p, row->reason && *row->reason,
                        "a capability excludes features without a reason");
    }
    p->api->close(p->target);
}

static void probe_empty_model(struct probe *p)
{
    if (open_target(p) && offer(p, "", 0, true))
        p->api->close(p->target);
}

static void probe_garbage(struct probe *p)
{
    unsigned char bytes[512];
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 1664525U + 1013904223U;
        bytes[i] = (unsigned char)(state >> 24);
    }
    if (open_target(p) && offer(p, bytes, sizeof bytes, true))
        p->api->close(p->target);
}

/* A prefix may be a model again (a protobuf message has no end mark), so either answer will do. */
static void probe_truncated(struct probe *p)
{
    bool ok = open_target(p);
    size_t size = p->sample->model_size, step = size / 256 + 1;
    for (size_t length = 1; ok && length < size; length += step) {
        void *copy = malloc(length); /* exactly: reading on is a heap overflow */
        if (!expect(p, copy != NULL, "out of memory"))
            return;
        memcpy(copy, p->sample->model, length);
        ok = offer(p, copy, length, false);
        free(copy);
    }
    if (ok)
        p->api->close(p->target);
}

static void probe_flipped(struct probe *p)
{
    bool ok = open_target(p);
    size_t size = p->sample->model_size, step = size / 512 + 1;
    unsigned char *copy = malloc(size + 1);
    if (!expect(p, copy != NULL, "out of memory"))
        return;
    memcpy(copy, p->sample->model, size);
    for (size_t i = 0; ok && i < size; i += step) {
        copy[i] ^= (unsigned char)(1U << (i % 8));
        ok = offer(p, copy, size, false);
        copy[i] = p->sample->model[i];
    }
    free(copy);
    if (ok)
        p->api->close(p->target);
}

static void probe_run(struct probe *p)
{
    void *prepared = NULL;
    if (!open_target(p) || !prepare(p, p->transfer->model, p->transfer->model_size, &prepared) ||
        !run_both(p, prepared, prepared))
        return;
    p->api->release(p->target, prepared);
    p->api->close(p->target);
}

static void probe_no_pointer_kept(struct probe *p)
{
    void *prepared = NULL;
    size_t size = p->sample->model_size;
    void *copy = malloc(size + 1);
    if (!expect(p, copy != NULL, "out of memory"))
        return;
    memcpy(copy, p->sample->model, size);
    bool ok = open_target(p) && prepare(p, copy, size, &prepared);
    memset(copy, 0xFF, size); /* the model is qdiff's, and gone */
    free(copy);
    if (!ok || !run_both(p, prepared, prepared))
        return;
    p->api->release(p->target, prepared);
    p->api->close(p->target);
}

static void probe_two_models(struct probe *p)
{
    void *a = NULL, *b = NULL;
    if (!open_target(p) || !prepare(p, p->transfer->model, p->transfer->model_size, &a) ||
        !prepare(p, p->transfer->model, p->transfer->model_size, &b) || !run_both(p, a, b))
        return;
    p->api->release(p->target, a);
    p->api->release(p->target, b);
    p->api->close(p->target);
}

static void probe_release_unused(struct probe *p)
{
    void *prepared = NULL;
    if (!open_target(p) || !prepare(p, p->transfer->model, p->transfer->model_size, &prepared))
        return;
    p->api->release(p->target, prepared);
    p->api->close(p->target);
}

/* Runs a spoilt request, which the target may refuse or answer; must_refuse: has to refuse. */
static void run_spoilt(struct probe *p, bool must_refuse)
{
    void *prepared = NULL;
    if (!open_target(p) || !prepare(p, p->transfer->model, p->transfer->model_size, &prepared))
        return;
    p->message.text[0] = '\0';
    enum qd_target_status status = run(p, prepared, 0);
    if (status == QD_TARGET_OK && must_refuse)
        report(p, QD_CHECK_FAIL, "computed something");
    else if (is_answer(p, status))
        p->api->release(p->target, prepared);
}

static void probe_missing_input(struct probe *p)
{
    if (p->transfer->input_count == 0) {
        report(p, QD_CHECK_SKIP, "the sample has no input");
        return;
    }
    p->transfer->input_count--;
    run_spoilt(p, true);
}

/* Inputs are const for a plug-in, not for their author. */
static struct qd_target_tensor *first_input(struct probe *p)
{
    struct qd_target_tensor *input;
    memcpy(&input, &p->transfer->inputs[0], sizeof input);
    return input;
}

static void probe_other_rank(struct probe *p)
{
    if (p->transfer->input_count == 0 || first_input(p)->rank == QD_TARGET_MAX_RANK) {
        report(p, QD_CHECK_SKIP, "the sample has no input of less than eight dimensions");
        return;
    }
    first_input(p)->dims[first_input(p)->rank++] = 1;
    run_spoilt(p, false);
}

static void probe_other_input_type(struct probe *p)
{
    if (p->transfer->input_count == 0 || first_input(p)->size == 0) {
        report(p, QD_CHECK_SKIP, "the sample has no input with elements");
        return;
    }
    /* As many elements of one byte: the buffer is large enough. float8e5m2fnuz is as good as any. */
    first_input(p)->data_type = 20;
    run_spoilt(p, false);
}

/* Runs with another wish for output 0: the plug-in has to say what it has, and keep off the buffer. */
static void run_with_wish(struct probe *p, const struct qd_target_tensor *wish)
{
    void *prepared = NULL;
    struct qd_target_tensor *output = &p->transfer->outputs[0][0], right = *output;
    unsigned char before = right.size > 0 ? *(unsigned char *)right.data : 0;
    *output = *wish;
    if (!open_target(p) || !prepare(p, p->transfer->model, p->transfer->model_size, &prepared))
        return;
    enum qd_target_status status = run(p, prepared, 0);
    qd_text_clean(p->message.text, sizeof p->message.text);
    if (status != QD_TARGET_OK) {
        report(p, QD_CHECK_FAIL, "run answered %d: %.900s", (int)status, p->message.text);
        return;
    }
    bool same = output->data_type == right.data_type && output->rank == right.rank &&
                memcmp(output->dims, right.dims, right.rank * sizeof *right.dims) == 0;
    if (expect(p, same, "did not set data_type, rank and dims to what it has") && right.size > 0)
        expect(p, *(unsigned char *)right.data == before, "wrote to the buffer all the same");
    p->api->release(p->target, prepared);
    p->api->close(p->target);
}

static void probe_other_shape(struct probe *p)
{
    struct qd_target_tensor wish = p->transfer->outputs[0][0];
    if (wish.rank == QD_TARGET_MAX_RANK) {
        report(p, QD_CHECK_SKIP, "the sample's output has eight dimensions");
        return;
    }
    wish.dims[wish.rank++] = 1;
    run_with_wish(p, &wish);
}

static void probe_other_type(struct probe *p)
{
    struct qd_target_tensor wish = p->transfer->outputs[0][0];
    wish.data_type = wish.data_type == 1 ? 6 : 1; /* int32 or float32 */
    wish.rank = 1;
    wish.dims[0] = (int64_t)(wish.size / 4);
    wish.size = (size_t)wish.dims[0] * 4;
    run_with_wish(p, &wish);
}

static void probe_no_wish(struct probe *p)
{
    struct qd_target_tensor wish = {.name = p->transfer->outputs[0][0].name,
                                    .data = p->transfer->outputs[0][0].data};
    run_with_wish(p, &wish);
}

/* --- The list ------------------------------------------------------------------------------------- */

static const struct check {
    const char *name;
    bool needs_sample, judged; /* judged: outputs, zones and inputs are looked at afterwards */
    void (*probe)(struct probe *p);
} checks[] = {
    {"load: the entry gives a table of this ABI with every function", false, false, probe_load},
    {"open: gives a target", false, false, probe_open},
    {"open: an unknown setting is UNUSABLE and named", false, false, probe_unknown_setting},
    {"open: twice at the same time", false, false, probe_open_twice},
    {"open: again after close", false, false, probe_reopen},
    {"describe: a name, and capabilities of known features with reasons", false, false,
     probe_describe},
    {"prepare: an empty model is refused", false, false, probe_empty_model},
    {"prepare: garbage is refused", false, false, probe_garbage},
    {"prepare: a truncated model is answered", true, false, probe_truncated},
    {"prepare: a model with flipped bits is answered", true, false, probe_flipped},
    {"release: a model that never ran", true, false, probe_release_unused},
    {"run: twice the same outputs, complete, within their buffers, inputs unchanged", true, true,
     probe_run},
    {"run: no pointer to the model is kept", true, true, probe_no_pointer_kept},
    {"run: two models at a time", true, true, probe_two_models},
    {"run: a missing input is refused", true, false, probe_missing_input},
    {"run: an input of another rank is answered", true, false, probe_other_rank},
    {"run: an input of another type is answered", true, false, probe_other_input_type},
    {"run: another shape than the buffer's is reported", true, false, probe_other_shape},
    {"run: another type than the buffer's is reported", true, false, probe_other_type},
    {"run: type and shape of an unknown output are reported", true, false, probe_no_wish},
};

size_t qd_check_count(void)
{
    return sizeof checks / sizeof *checks;
}

/* --- Driving -------------------------------------------------------------------------------------- */

struct run_of_checks {
    const struct qd_target_name *name;
    const struct qd_case *sample;
    const struct check *check; /* the one the worker does */
    struct qd_worker worker;
    struct qd_transfer transfer; /* the sample's; unused without one */
    double seconds;
    qd_check_visitor *visit;
    void *context;
};

static void work(void *context, void *block, int channel)
{
    const struct run_of_checks *all = context;
    struct probe p = {.name = all->name, .sample = all->sample, .finding = block};
    if (all->sample)
        p.transfer = (struct qd_transfer_header *)(void *)((char *)block + TRANSFER_AT);
    p.finding->result = QD_CHECK_PASS;
    all->check->probe(&p);
    qd_worker_answer(channel, QD_FIRST_TICKET);
}

/* The judgement of outputs, as text; "" if they are right in all but their values. */
static enum qd_status judge(const struct run_of_checks *all, char *text, size_t size,
                            struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_run run;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_transfer_judge(
        &all->transfer, (const char *)all->worker.block + TRANSFER_AT, &arena, &run, error);
    qd_arena_clear(&arena);
    *text = '\0';
    if (status == QD_OK && run.outcome != QD_OUTCOME_OUTPUTS)
        snprintf(text, size, "%s: %.900s", qd_outcome_word(run.outcome), run.message);
    return status;
}

static enum qd_status do_check(struct run_of_checks *all, enum qd_check_result *result, char *text,
                               size_t size, struct qd_error *error)
{
    memset(all->worker.block, 0, sizeof(struct finding));
    if (all->sample)
        qd_transfer_write(&all->transfer, (char *)all->worker.block + TRANSFER_AT);
    enum qd_status status = qd_worker_start(&all->worker, work, all, error);
    if (status != QD_OK)
        return status;
    struct qd_death death;
    if (!qd_worker_call(&all->worker, 0, all->seconds, &death)) {
        *result = QD_CHECK_FAIL;
        snprintf(text, size, "%s: %s", qd_outcome_word(death.outcome), death.text);
        return QD_OK;
    }
    qd_worker_stop(&all->worker);
    struct finding finding;
    memcpy(&finding, all->worker.block, sizeof finding);
    qd_text_clean(finding.text, sizeof finding.text);
    *result =
        finding.result <= QD_CHECK_SKIP ? (enum qd_check_result)finding.result : QD_CHECK_FAIL;
    snprintf(text, size, "%s", finding.text);
    if (*result == QD_CHECK_PASS && all->check->judged) {
        status = judge(all, text, size, error);
        *result = *text ? QD_CHECK_FAIL : QD_CHECK_PASS;
    }
    return status;
}

/* Visits every check; after one of the first two fails the others say nothing new. */
static enum qd_status do_checks(struct run_of_checks *all, struct qd_error *error)
{
    bool dead = false;
    for (size_t i = 0; i < qd_check_count(); i++) {
        enum qd_check_result result = QD_CHECK_SKIP;
        char text[1280] = "";
        all->check = &checks[i];
        if (dead)
            snprintf(text, sizeof text, "it cannot be opened");
        else if (all->check->needs_sample && !all->sample)
            snprintf(text, sizeof text, "no case that the target declares is known");
        else {
            enum qd_status status = do_check(all, &result, text, sizeof text, error);
            if (status != QD_OK)
                return status;
        }
        dead = dead || (i < 2 && result == QD_CHECK_FAIL);
        all->visit(all->context, all->check->name, result, text);
    }
    return QD_OK;
}

/* Types and shapes of the sample's outputs, by the reference. */
static enum qd_status plan(struct run_of_checks *all, struct qd_arena *arena,
                           struct qd_error *error)
{
    struct qd_value *values;
    const struct qd_tensor *shapes;
    enum qd_status status =
        qd_graph_answer(all->sample->graph, all->sample->inputs, arena, &values, &shapes, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "sample %s", all->sample->id);
    return qd_transfer_plan(&all->transfer, all->sample, shapes, LARGEST_BLOCK, arena, error);
}

enum qd_status qd_check_target(const struct qd_target_name *name,
                               const struct qd_session_options *options,
                               const struct qd_case *sample, qd_check_visitor *visit, void *context,
                               struct qd_error *error)
{
    if (qd_program_is_named(name))
        return qd_fail(error, QD_USAGE,
                       "'%.100s' is a worker: its every answer is checked in any run, only the "
                       "functions of plug-ins need probes",
                       name->name);
    if (qd_target_name_check(name, error) != QD_OK)
        return QD_USAGE;
    struct run_of_checks all = {.name = name, .sample = sample, .visit = visit, .context = context};
    all.seconds = options->time_limit > 0 ? options->time_limit : DEFAULT_SECONDS;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = sample ? plan(&all, &arena, error) : QD_OK;
    if (status == QD_OK)
        status =
            qd_worker_init(&all.worker, TRANSFER_AT + all.transfer.total + 1,
                           options->memory_limit ? options->memory_limit : DEFAULT_MEMORY, error);
    if (status == QD_OK) {
        status = do_checks(&all, error);
        qd_worker_clear(&all.worker);
    }
    qd_arena_clear(&arena);
    return status;
}
