/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever a worker replies to whatever it was asked, the reply is read without a byte beyond the buffers
 * that wait for it, or there are words for what is wrong with it. An input is a byte, the kind of the request, and the
 * reply's content. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "process/quantized.h"
#include "process/reply.h"

#define BUDGET ((size_t)64 << 20)
enum { OUTPUTS = 3 };

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever a worker replies, it is read or refused",
    .hostile = true,
    .seed = seed,
};

/* What is expected of each output. */
static const struct qd_target_tensor expected[OUTPUTS] = {
    {.name = "y", .data_type = 2, .rank = 2, .dims = {2, 3}, .size = 6},
    {.name = "z", .data_type = 1, .rank = 0, .size = 4},
    {.name = "e", .data_type = 3, .rank = 1, .dims = {0}, .size = 0}};

/* --- Seeds --------------------------------------------------------------------------------------- */

static void put_texts(struct qd_wire_out *out, struct qd_random *random, uint32_t count)
{
    static const char *const texts[] = {
        "ort",         "1.31.1",      "opt=all",         "Conv",
        "bias,groups", "\xff\x1b[2J", "https://x.org/1", "scheme=0,1"};
    for (uint32_t number = 1; number <= count; number++)
        qd_wire_put_text(out, number, QD_RANDOM_PICK(random, texts));
}

static void put_welcome(struct qd_wire_out *out, struct qd_random *random)
{
    put_texts(out, random, 3);
    for (size_t n = qd_random_below(random, 4); n > 0; n--) {
        size_t mark = qd_wire_begin(out, 4);
        put_texts(out, random, 4);
        qd_wire_end(out, mark);
    }
    qd_wire_put_text(out, 5, "symmetric_weights=0,1");
    qd_wire_put_varint(out, 6, qd_random_below(random, 2));
}

static void put_outputs(struct qd_wire_out *out)
{
    static const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < OUTPUTS; i++) {
        size_t mark = qd_wire_begin(out, 1);
        for (uint32_t d = 0; d < expected[i].rank; d++)
            qd_wire_put_varint(out, 1, (uint64_t)expected[i].dims[d]);
        qd_wire_put_varint(out, 2, (uint64_t)expected[i].data_type);
        qd_wire_put_bytes(out, 9, data, expected[i].size);
        qd_wire_end(out, mark);
    }
}

static void put_quantized(struct qd_wire_out *out, struct qd_random *random)
{
    for (size_t n = qd_random_below(random, 4); n > 0; n--) {
        size_t mark = qd_wire_begin(out, 2);
        qd_wire_put_text(out, 1, "x");
        qd_wire_put_varint(out, 3, n);
        qd_wire_put_varint(out, 4, 2 + qd_random_below(random, 2));
        qd_wire_put_varint(out, 6, 255);
        qd_wire_put_float(out, 7, 0.5F);
        qd_wire_put_varint(out, 8, 3);
        qd_wire_end(out, mark);
    }
    qd_wire_put_text(out, 3, "exclude");
}

static void put_error(struct qd_wire_out *out, struct qd_random *random)
{
    qd_wire_put_varint(out, 1, qd_random_below(random, QD_REPLY_ERROR_COUNT + 1));
    qd_wire_put_text(out, 2, "assertion failed");
    qd_wire_put_text(out, 3, "run");
    qd_wire_put_varint(out, 4, qd_random_below(random, 140));
}

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    struct qd_arena arena;
    qd_arena_init(&arena, BUDGET);
    struct qd_wire_out out = {.arena = &arena};
    const uint8_t kind = (uint8_t)(QD_REQUEST_HELLO + qd_random_below(random, 8));
    qd_wire_put_varint(&out, 1, 1 + qd_random_below(random, 3));
    size_t mark = qd_wire_begin(&out, kind);
    switch (kind) {
    case QD_REQUEST_HELLO: put_welcome(&out, random); break;
    case QD_REQUEST_RUN: put_outputs(&out); break;
    case QD_REQUEST_QUANTIZE: put_quantized(&out, random); break;
    case QD_REPLY_ERROR: put_error(&out, random); break;
    default: put_texts(&out, random, 2); break;
    }
    qd_wire_end(&out, mark);
    qd_engine_append(room, &kind, 1);
    qd_engine_append(room, out.bytes, out.size);
    qd_arena_clear(&arena);
}

/* --- Replies ------------------------------------------------------------------------------------- */

static bool read_welcome(struct qd_wire body, struct qd_arena *arena)
{
    struct qd_reply_welcome welcome;
    if (!qd_reply_read_welcome(body, arena, &welcome))
        return false;
    qd_engine_require(welcome.info.name[0] && welcome.options, "a welcome without a name", NULL);
    for (size_t i = 0; i < welcome.info.capability_count; i++)
        qd_engine_require(welcome.info.capabilities[i].op && welcome.info.capabilities[i].reason,
                          "a capability without texts", NULL);
    return true;
}

/* Each buffer is a block of its own, so that a sanitizer sees what is written beyond. */
static bool read_outputs(struct qd_wire body)
{
    struct qd_target_tensor outputs[OUTPUTS];
    char why[64] = "";
    memcpy(outputs, expected, sizeof outputs);
    for (size_t i = 0; i < OUTPUTS; i++)
        outputs[i].data = malloc(outputs[i].size);
    bool good = qd_reply_read_outputs(body, outputs, OUTPUTS, why, sizeof why);
    qd_engine_require(good || why[0], "outputs refused without a reason", NULL);
    for (size_t i = 0; i < OUTPUTS; i++)
        free(outputs[i].data);
    return good;
}

static bool read_quantized(struct qd_wire body, struct qd_arena *arena)
{
    struct qd_quantizer_answer answer;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    const char *problem = NULL;
    enum qd_status status = qd_quantized_read(body, arena, &answer, &problem, &error);
    qd_engine_require_told(status, &error);
    return status == QD_OK && !problem;
}

static bool read_body(uint32_t kind, struct qd_wire body, struct qd_arena *arena)
{
    struct qd_reply_error error;
    struct qd_reply_skip skip;
    switch (kind) {
    case QD_REQUEST_HELLO: return read_welcome(body, arena);
    case QD_REQUEST_RUN: return read_outputs(body);
    case QD_REQUEST_QUANTIZE: return read_quantized(body, arena);
    case QD_REPLY_SKIP: return !qd_reply_read_skip(body, &skip) && skip.url[0];
    case QD_REPLY_ERROR: return !qd_reply_read_error(body, &error) && error.signal < 128;
    default: return true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    struct qd_reply reply;
    uint8_t head[QD_FRAME_HEAD] = {0};
    size_t length;
    char why[128] = "";
    if (size == 0)
        return -1;
    memcpy(head, data, size < sizeof head ? size : sizeof head);
    qd_engine_require(qd_frame_read_head(head, BUDGET, &length, why, sizeof why) || why[0],
                      "a frame refused without a reason", NULL);
    qd_arena_init(&arena, BUDGET);
    struct qd_frame frame = {qd_arena_copy(&arena, data + 1, size - 1), size - 1};
    bool good = frame.bytes && !qd_reply_read(&frame, &reply) &&
                (reply.kind == data[0] || reply.kind >= QD_REPLY_SKIP) &&
                read_body(reply.kind, reply.body, &arena);
    qd_arena_clear(&arena);
    return good ? 0 : -1;
}
