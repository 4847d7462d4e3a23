/* SPDX-License-Identifier: Apache-2.0 */
/* A guard and a target: the guard speaks with the other side and passes frames on to a forked process that has the
 * target, so that a death has somebody to report it. */
#include "process/host.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "process/fence.h"
#include "process/frame.h"
#include "process/program.h"
#include "process/serve.h"

#define PROTOCOL 1
#define MOST_MODELS 64
#define DESCRIPTION_BYTES ((size_t)2 << 20)
#define LEAVE_SECONDS 2 /* for what was sent before the other side hung up */
#define NO_LIMIT 1e9    /* seconds: the other side has the clock */

/* --- Frames ------------------------------------------------------------------------------------ */

/* Reads `size` bytes; the number read, less at the end of the input, negative when it cannot be read. */
static ssize_t read_all(int fd, uint8_t *bytes, size_t size)
{
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(fd, bytes + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return got;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

/* Reads a whole frame, head included; its size is 0 at the end of the input. */
static enum qd_status read_frame(int fd, struct qd_arena *arena, struct qd_frame *frame,
                                 struct qd_error *error)
{
    uint8_t head[QD_FRAME_HEAD + 1] = {0};
    char why[256];
    size_t size;
    *frame = (struct qd_frame){.size = 0};
    ssize_t got = read_all(fd, head, QD_FRAME_HEAD);
    if (got == 0)
        return QD_OK;
    if (got < 0)
        return qd_fail(error, QD_IO, "cannot read a request: %s", strerror(errno));
    if ((size_t)got < QD_FRAME_HEAD)
        return qd_fail(error, QD_INVALID, "the input ends within the head of a request");
    if (!qd_frame_read_head(head, QD_FRAME_LARGEST, &size, why, sizeof why))
        return qd_fail(error, QD_INVALID, "the input is no request of worker.proto");
    uint8_t *bytes = qd_arena_alloc(arena, QD_FRAME_HEAD + size);
    if (!bytes)
        return qd_fail(error, QD_NO_MEMORY, "no room for a request of %zu bytes", size);
    memcpy(bytes, head, QD_FRAME_HEAD);
    got = read_all(fd, bytes + QD_FRAME_HEAD, size);
    if (got < 0 || (size_t)got < size)
        return qd_fail(error, QD_INVALID, "the input ends within a request of %zu bytes", size);
    *frame = (struct qd_frame){.bytes = bytes, .size = QD_FRAME_HEAD + size};
    return QD_OK;
}

/* A request taken apart: kind 0 is none that is known here. */
struct request {
    uint64_t id;
    uint32_t kind;
    struct qd_wire body;
    const char *problem;
};

static struct request read_request(const struct qd_frame *frame)
{
    struct qd_wire wire = {.bytes = frame->bytes + QD_FRAME_HEAD,
                           .size = frame->size - QD_FRAME_HEAD};
    struct qd_wire_field field;
    struct request request = {.id = 0};
    while (qd_wire_next(&wire, &field)) {
        if (field.number == 1 && field.type == QD_WIRE_VARINT) {
            request.id = field.value;
        } else if (field.number <= QD_REQUEST_PING && field.type == QD_WIRE_BYTES) {
            if (request.kind != 0)
                request.problem = "it is of two kinds";
            request.kind = field.number;
            request.body = (struct qd_wire){.bytes = field.bytes, .size = field.size};
        }
    }
    if (wire.problem || request.kind == 0)
        request.problem = wire.problem ? wire.problem : "it is of no kind that is known here";
    return request;
}

/* Begins a reply, which is put and then sent; `mark` is the answer. */
static size_t begin_reply(struct qd_wire_out *out, struct qd_arena *arena, uint64_t id,
                          uint32_t kind)
{
    *out = (struct qd_wire_out){.arena = arena};
    qd_frame_begin(out);
    qd_wire_put_varint(out, 1, id);
    return qd_wire_begin(out, kind);
}

/* False: it could not be sent, or made. */
static bool send_reply(struct qd_wire_out *out, size_t mark, int fd)
{
    struct qd_frame frame;
    struct qd_error error;
    qd_wire_end(out, mark);
    return qd_frame_end(out, &frame, &error) == QD_OK &&
           qd_file_write_fd(fd, frame.bytes, frame.size);
}

static bool send_error(struct qd_arena *arena, int fd, uint64_t id, enum qd_reply_error_kind kind,
                       int signal, const char *text)
{
    struct qd_wire_out out;
    size_t mark = begin_reply(&out, arena, id, QD_REPLY_ERROR);
    qd_wire_put_varint(&out, 1, (uint64_t)kind);
    qd_wire_put_text(&out, 2, text);
    if (signal != 0)
        qd_wire_put_varint(&out, 4, (uint64_t)signal);
    return send_reply(&out, mark, fd);
}

/* --- The target's process ------------------------------------------------------------------------ */

/* A model that is loaded. */
struct model {
    bool is_loaded;
    uint64_t handle, runs;
    void *prepared;
};

struct server {
    struct qd_target_name name;
    void *block; /* room for the description */
    int channel;
    struct qd_open_target opened;
    struct model models[MOST_MODELS];
    struct qd_arena arena; /* one request and its reply */
    uint64_t id;           /* of the request */
    bool over;
};

static void reply_error(struct server *server, enum qd_reply_error_kind kind, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

static void reply_error(struct server *server, enum qd_reply_error_kind kind, const char *format,
                        ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    qd_text_clean(text, sizeof text);
    if (kind >= QD_REPLY_OUT_OF_BOUNDS)
        server->over = true; /* nobody knows what else it wrote */
    if (!send_error(&server->arena, server->channel, server->id, kind, 0, text))
        server->over = true;
}

/* "… (https://…)" as a reason and an address. */
static void reply_skip(struct server *server, char *text)
{
    struct qd_wire_out out;
    char *url = strstr(text, "https://");
    if (!url)
        url = strstr(text, "http://");
    if (!url) {
        reply_error(server, QD_REPLY_REJECTED,
                    "the plug-in declined the case and named no issue's address: %s", text);
        return;
    }
    size_t length = strcspn(url, " )\n\t");
    size_t mark = begin_reply(&out, &server->arena, server->id, QD_REPLY_SKIP);
    size_t before = (size_t)(url - text);
    while (before > 0 && strchr(" (", text[before - 1]))
        before--;
    qd_wire_put_bytes(&out, 1, text, before);
    qd_wire_put_bytes(&out, 2, url, length);
    server->over |= !send_reply(&out, mark, server->channel);
}

/* What the target answered instead of OK. */
static void reply_status(struct server *server, enum qd_target_status status,
                         struct qd_target_message *message)
{
    qd_text_clean(message->text, sizeof message->text);
    switch ((unsigned)status) {
    case QD_TARGET_REJECTED: reply_error(server, QD_REPLY_REJECTED, "%s", message->text); break;
    case QD_TARGET_NO_MEMORY:
        reply_error(server, QD_REPLY_OUT_OF_MEMORY, "%s", message->text);
        break;
    case QD_TARGET_UNUSABLE: reply_error(server, QD_REPLY_UNUSABLE, "%s", message->text); break;
    case QD_TARGET_SKIPPED: reply_skip(server, message->text); break;
    default:
        reply_error(server, QD_REPLY_REJECTED, "the plug-in answered %u, which is no status",
                    (unsigned)status);
    }
}

/* A reply without fields. */
static void reply_done(struct server *server, uint32_t kind)
{
    struct qd_wire_out out;
    size_t mark = begin_reply(&out, &server->arena, server->id, kind);
    server->over |= !send_reply(&out, mark, server->channel);
}

/* What comes with Hello, where the program's own argument says nothing; false when both say something. */
static bool take_name(const struct qd_wire_field *field, char *text, size_t size)
{
    if (field->size == 0)
        return true;
    if (text[0] || field->size >= size || memchr(field->bytes, '\0', field->size))
        return false;
    memcpy(text, field->bytes, field->size);
    text[field->size] = '\0';
    return true;
}

static void put_capability(struct qd_wire_out *out, const struct qd_target_capability *row)
{
    size_t mark = qd_wire_begin(out, 4);
    qd_wire_put_text(out, 1, row->op);
    qd_wire_put_text(out, 2, row->needs);
    qd_wire_put_text(out, 3, row->excludes);
    qd_wire_put_text(out, 4, row->reason);
    qd_wire_end(out, mark);
}

static void welcome(struct server *server)
{
    struct qd_target_info info;
    struct qd_error error = {.status = QD_OK};
    struct qd_wire_out out;
    qd_serve_open(&server->name, server->block, DESCRIPTION_BYTES, &server->opened);
    if (qd_serve_read(server->block, DESCRIPTION_BYTES, &server->arena, &info, &error) != QD_OK) {
        reply_error(server, QD_REPLY_UNUSABLE, "%s", error.text);
        return;
    }
    size_t mark = begin_reply(&out, &server->arena, server->id, QD_REQUEST_HELLO);
    qd_wire_put_text(&out, 1, info.name);
    qd_wire_put_text(&out, 2, info.version);
    qd_wire_put_text(&out, 3, info.settings);
    for (size_t i = 0; i < info.capability_count; i++)
        put_capability(&out, &info.capabilities[i]);
    qd_wire_put_varint(&out, 6, 1);
    server->over |= !send_reply(&out, mark, server->channel);
}

static void hello(struct server *server, struct qd_wire *body)
{
    struct qd_wire_field field;
    uint64_t protocol = 0;
    bool ok = true;
    while (qd_wire_next(body, &field)) {
        if (field.number == 1 && field.type == QD_WIRE_VARINT)
            protocol = field.value;
        else if (field.number == 2 && field.type == QD_WIRE_BYTES)
            ok = ok && take_name(&field, server->name.version, sizeof server->name.version);
        else if (field.number == 3 && field.type == QD_WIRE_BYTES)
            ok = ok && take_name(&field, server->name.config, sizeof server->name.config);
    }
    if (body->problem)
        reply_error(server, QD_REPLY_UNUSABLE, "a Hello that is malformed: %s", body->problem);
    else if (protocol != PROTOCOL)
        reply_error(server, QD_REPLY_UNUSABLE, "protocol %llu is wanted; this qdiff-serve has %d",
                    (unsigned long long)protocol, PROTOCOL);
    else if (server->opened.api)
        reply_error(server, QD_REPLY_UNUSABLE, "a second Hello");
    else if (!ok)
        reply_error(server, QD_REPLY_UNUSABLE,
                    "version or settings are given twice, to qdiff and to qdiff-serve, or are too "
                    "long");
    else
        welcome(server);
}

/* The loaded model of that handle; if not `is_loaded`, a free place. NULL if there is none. */
static struct model *find_model(struct server *server, bool is_loaded, uint64_t handle)
{
    for (size_t i = 0; i < MOST_MODELS; i++) {
        struct model *model = &server->models[i];
        if (model->is_loaded == is_loaded && (!is_loaded || model->handle == handle))
            return model;
    }
    return NULL;
}

static void load(struct server *server, uint64_t handle, const uint8_t *bytes, size_t size)
{
    struct model *model = find_model(server, false, 0);
    void *copy = qd_arena_copy(&server->arena, bytes, size);
    if (!model || !copy) {
        reply_error(server, QD_REPLY_OUT_OF_MEMORY, "no room for a model of %zu bytes", size);
        return;
    }
    struct qd_target_message message = {""};
    struct model made = {.is_loaded = true, .handle = handle};
    enum qd_target_status status =
        server->opened.api->prepare(server->opened.target, copy, size, &made.prepared, &message);
    if (memcmp(copy, bytes, size) != 0) {
        reply_error(server, QD_REPLY_INPUT_MODIFIED, "the model's bytes were changed");
    } else if (status != QD_TARGET_OK) {
        reply_status(server, status, &message);
    } else {
        *model = made;
        reply_done(server, QD_REQUEST_PREPARE);
    }
}

static void prepare(struct server *server, struct qd_wire *body)
{
    struct qd_wire_field field;
    uint64_t handle = 0;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    while (qd_wire_next(body, &field)) {
        if (field.number == 1 && field.type == QD_WIRE_VARINT)
            handle = field.value;
        if (field.number == 2 && field.type == QD_WIRE_BYTES) {
            bytes = field.bytes;
            size = field.size;
        }
    }
    if (body->problem || !bytes)
        reply_error(server, QD_REPLY_UNUSABLE, "a Prepare that is malformed: %s",
                    body->problem ? body->problem : "no model");
    else if (find_model(server, true, handle))
        reply_error(server, QD_REPLY_UNUSABLE, "handle %llu is in use", (unsigned long long)handle);
    else
        load(server, handle, bytes, size);
}

/* --- Run ---------------------------------------------------------------------------------------- */

/* The name of a Tensor, in the arena; NULL when out of memory. */
static const char *read_name(struct qd_wire wire, struct qd_arena *arena)
{
    struct qd_wire_field field;
    const char *name = "";
    while (name && qd_wire_next(&wire, &field))
        if (field.number == 8 && field.type == QD_WIRE_BYTES)
            name = qd_arena_printf(arena, "%.*s", (int)field.size, (const char *)field.bytes);
    return name;
}

/* The bytes that a tensor of this type and shape has; false for what is none. Type 0: nobody knows. */
static bool bytes_of(const struct qd_target_tensor *tensor, size_t *size)
{
    enum qd_dtype dtype = qd_dtype_of_onnx(tensor->data_type);
    struct qd_error error;
    int64_t count;
    *size = 0;
    if (tensor->data_type == 0)
        return true;
    if (dtype == QD_DTYPE_NONE || tensor->rank > QD_TARGET_MAX_RANK ||
        qd_shape_count(tensor->rank, tensor->dims, &count, &error) != QD_OK)
        return false;
    *size = (size_t)qd_dtype_bytes(dtype, (uint64_t)count);
    return true;
}

/* One Tensor of a Run: input or wanted output. NULL, or what is wrong with it. */
static const char *read_one(const struct qd_wire_field *field, struct qd_arena *arena,
                            bool is_input, struct qd_target_tensor *tensor, const uint8_t **data)
{
    struct qd_wire wire = {.bytes = field->bytes, .size = field->size};
    size_t size;
    if (!qd_reply_read_tensor(wire, tensor, data))
        return "it is malformed";
    if (!bytes_of(tensor, &size))
        return "its type or shape is none";
    if (is_input && size != tensor->size)
        return "its data does not fit its shape";
    tensor->size = size;
    tensor->name = read_name(wire, arena);
    return tensor->name ? NULL : "no memory for its name";
}

/* Reads the tensors of field `number`. NULL, or what is wrong. */
static const char *read_tensors(struct qd_wire wire, uint32_t number, struct qd_arena *arena,
                                struct qd_target_tensor **tensors, const uint8_t ***data,
                                size_t *count)
{
    struct qd_wire_field field;
    size_t i = 0;
    *count = qd_wire_count(wire, number);
    *tensors = qd_arena_array(arena, *count, sizeof **tensors);
    *data = qd_arena_array(arena, *count, sizeof **data);
    if (!*tensors || !*data)
        return "no memory for its tensors";
    while (qd_wire_next(&wire, &field)) {
        if (field.number != number || field.type != QD_WIRE_BYTES)
            continue;
        const char *problem = read_one(&field, arena, number == 2, &(*tensors)[i], &(*data)[i]);
        if (problem)
            return problem;
        i++;
    }
    return wire.problem;
}

/* A tensor as the target says it is; its bytes only if it is what was wanted. */
static void put_output(struct qd_wire_out *out, const struct qd_target_tensor *have,
                       const struct qd_target_tensor *wanted, const unsigned char *bytes)
{
    bool same = have->data_type == wanted->data_type && have->rank == wanted->rank &&
                memcmp(have->dims, wanted->dims, wanted->rank * sizeof *wanted->dims) == 0;
    uint32_t rank = have->rank <= QD_TARGET_MAX_RANK ? have->rank : QD_TARGET_MAX_RANK + 1;
    size_t mark = qd_wire_begin(out, 1);
    for (uint32_t i = 0; i < rank; i++)
        qd_wire_put_varint(out, 1, i < QD_TARGET_MAX_RANK ? (uint64_t)have->dims[i] : 1);
    qd_wire_put_varint(out, 2, (uint64_t)have->data_type);
    if (same)
        qd_wire_put_bytes(out, 9, bytes, wanted->size);
    qd_wire_end(out, mark);
}

static void reply_outputs(struct server *server, const struct qd_fenced_run *run)
{
    struct qd_wire_out out;
    size_t mark = begin_reply(&out, &server->arena, server->id, QD_REQUEST_RUN);
    for (size_t i = 0; i < run->output_count; i++)
        put_output(&out, &run->outputs[i], &run->wanted[i], run->block + run->starts[i]);
    if (out.failed)
        reply_error(server, QD_REPLY_OUT_OF_MEMORY, "no room for the outputs");
    else
        server->over |= !send_reply(&out, mark, server->channel);
}

static void call_run(struct server *server, struct model *model, struct qd_fenced_run *run)
{
    char why[512];
    struct qd_target_message message = {""};
    enum qd_target_status status =
        server->opened.api->run(server->opened.target, model->prepared, run->inputs,
                                run->input_count, run->outputs, run->output_count, &message);
    if (!qd_fence_holds(run, why, sizeof why))
        reply_error(server, QD_REPLY_OUT_OF_BOUNDS, "%s", why);
    else if (!qd_fence_inputs_hold(run, why, sizeof why))
        reply_error(server, QD_REPLY_INPUT_MODIFIED, "%s", why);
    else if (status != QD_TARGET_OK)
        reply_status(server, status, &message);
    else
        reply_outputs(server, run);
}

/* The handle of a Run or Release; its model, NULL if none. */
static struct model *model_of(struct server *server, struct qd_wire wire)
{
    struct qd_wire_field field;
    uint64_t handle = 0;
    while (qd_wire_next(&wire, &field))
        if (field.number == 1 && field.type == QD_WIRE_VARINT)
            handle = field.value;
    return wire.problem ? NULL : find_model(server, true, handle);
}

static void run(struct server *server, struct qd_wire *body)
{
    struct model *model = model_of(server, *body);
    struct qd_target_tensor *inputs, *wanted;
    const uint8_t **data, **none;
    struct qd_fenced_run made = {.size = 0};
    const char *problem = read_tensors(*body, 2, &server->arena, &inputs, &data, &made.input_count);
    if (!problem)
        problem = read_tensors(*body, 3, &server->arena, &wanted, &none, &made.output_count);
    if (problem || !model) {
        reply_error(server, QD_REPLY_UNUSABLE, "a Run that makes no sense: %s",
                    problem ? problem : "no such model is loaded");
        return;
    }
    made.given = inputs;
    made.wanted = wanted;
    made.data = data;
    made.odd = ++model->runs % 2 == 1;
    if (qd_fence_run(&made, &server->arena))
        call_run(server, model, &made);
    else
        reply_error(server, QD_REPLY_OUT_OF_MEMORY, "no room for the buffers of a run");
}

static void release(struct server *server, struct qd_wire *body)
{
    struct model *model = model_of(server, *body);
    if (!model) {
        reply_error(server, QD_REPLY_UNUSABLE, "a Release of no model that is loaded");
        return;
    }
    model->is_loaded = false;
    server->opened.api->release(server->opened.target, model->prepared);
    reply_done(server, QD_REQUEST_RELEASE);
}

static void pong(struct server *server, struct qd_wire *body)
{
    struct qd_wire_out out;
    struct qd_wire_field field;
    size_t mark = begin_reply(&out, &server->arena, server->id, QD_REQUEST_PING);
    while (qd_wire_next(body, &field))
        if (field.number == 1 && field.type == QD_WIRE_BYTES)
            qd_wire_put_bytes(&out, 1, field.bytes, field.size);
    server->over |= !send_reply(&out, mark, server->channel);
}

static void answer(struct server *server, const struct qd_frame *frame)
{
    struct request request = read_request(frame);
    server->id = request.id;
    if (request.problem)
        reply_error(server, QD_REPLY_UNUSABLE, "a request that is malformed: %s", request.problem);
    else if (request.kind == QD_REQUEST_HELLO)
        hello(server, &request.body);
    else if (request.kind == QD_REQUEST_PING)
        pong(server, &request.body);
    else if (!server->opened.api)
        reply_error(server, QD_REPLY_UNUSABLE, "the first request is no Hello");
    else if (request.kind == QD_REQUEST_PREPARE)
        prepare(server, &request.body);
    else if (request.kind == QD_REQUEST_RUN)
        run(server, &request.body);
    else if (request.kind == QD_REQUEST_RELEASE)
        release(server, &request.body);
    else
        reply_error(server, QD_REPLY_UNUSABLE, "a plug-in is no quantizer");
}

/* In the forked process. */
static void serve_target(void *context, void *block, int channel)
{
    struct server *server = context;
    struct qd_frame frame;
    struct qd_error error;
    server->block = block;
    server->channel = channel;
    qd_arena_init(&server->arena, 4 * QD_FRAME_LARGEST);
    while (!server->over && read_frame(channel, &server->arena, &frame, &error) == QD_OK &&
           frame.size > 0) {
        answer(server, &frame);
        qd_arena_reset(&server->arena);
    }
    if (server->opened.api)
        server->opened.api->close(server->opened.target);
}

/* --- The guard ----------------------------------------------------------------------------------- */

/* Nobody listens any more: ends this process, and the target's dies with it, even while the target hangs. */
static void *watch(void *context)
{
    struct pollfd hangup = {.fd = *(const int *)context, .events = 0};
    while (poll(&hangup, 1, -1) < 0 && errno == EINTR) {
    }
    sleep(LEAVE_SECONDS);
    _exit(0);
}

/* Passes one request on, and its answer or the target's death back; *over after a death. */
static enum qd_status relay(struct qd_worker *worker, struct qd_arena *arena,
                            const struct qd_frame *frame, int out, bool *over,
                            struct qd_error *error)
{
    struct qd_deadline deadline = qd_deadline_begin(NO_LIMIT);
    struct qd_frame content;
    struct qd_death death;
    bool sent;
    if (qd_worker_exchange(worker, frame, &deadline, QD_FRAME_LARGEST, arena, &content, &death)) {
        struct qd_wire_out whole = {.arena = arena};
        struct qd_frame made;
        qd_frame_begin(&whole);
        qd_wire_put_raw(&whole, content.bytes, content.size);
        if (qd_frame_end(&whole, &made, error) != QD_OK)
            return error->status;
        sent = qd_file_write_fd(out, made.bytes, made.size);
    } else {
        bool memory = death.outcome == QD_OUTCOME_OOM;
        sent =
            send_error(arena, out, read_request(frame).id,
                       memory ? QD_REPLY_DIED_OF_MEMORY : QD_REPLY_DIED, death.signal, death.text);
        *over = true;
    }
    return sent ? QD_OK : qd_fail(error, QD_IO, "cannot write a reply: %s", strerror(errno));
}

static enum qd_status guard(struct qd_worker *worker, int in, int out, struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_frame frame;
    enum qd_status status;
    bool over = false;
    qd_arena_init(&arena, 4 * QD_FRAME_LARGEST);
    do {
        qd_arena_reset(&arena);
        status = read_frame(in, &arena, &frame, error);
        if (status == QD_OK && frame.size > 0)
            status = relay(worker, &arena, &frame, out, &over, error);
    } while (status == QD_OK && frame.size > 0 && !over);
    qd_arena_clear(&arena);
    return status;
}

enum qd_status qd_host_serve(const struct qd_target_name *name, int in, int out,
                             uint64_t memory_limit, struct qd_error *error)
{
    struct server server = {.name = *name};
    struct qd_worker worker;
    pthread_t watcher;
    enum qd_status status = qd_worker_init(&worker, DESCRIPTION_BYTES, memory_limit, error);
    if (status != QD_OK)
        return status;
    status = qd_worker_start(&worker, serve_target, &server, error);
    if (status == QD_OK && pthread_create(&watcher, NULL, watch, &in) != 0)
        status = qd_fail(error, QD_IO, "cannot start a thread");
    if (status == QD_OK)
        status = guard(&worker, in, out, error);
    qd_worker_clear(&worker);
    return status;
}
