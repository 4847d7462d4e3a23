/* SPDX-License-Identifier: Apache-2.0 */
/* Property: a walk over whatever bytes stays inside them and ends; each field begins where the one before ended;
 * what is put with the writer as it was read is read again as the same fields; and messages inside are walked over
 * the same. */
#include <string.h>

#include "engine.h"
#include "qdiff/wire.h"

#define BUDGET ((size_t)64 << 20)
#define MOST_DEPTH 8

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the bytes, a walk over the wire format stays inside them",
    .hostile = true,
    .seed = seed,
};

static void put_fields(struct qd_wire_out *out, struct qd_random *random, unsigned depth)
{
    for (size_t n = qd_random_below(random, 6); n > 0; n--) {
        uint32_t number = 1 + (uint32_t)qd_random_below(random, 20);
        uint64_t value = qd_random_next(random) >> qd_random_below(random, 64);
        size_t kind = qd_random_below(random, 4);
        if (kind == 0) {
            qd_wire_put_varint(out, number, value);
        } else if (kind == 1) {
            qd_wire_put_float(out, number, (float)value);
        } else if (kind == 2 || depth == MOST_DEPTH) {
            qd_wire_put_bytes(out, number, &value, qd_random_below(random, sizeof value));
        } else {
            size_t mark = qd_wire_begin(out, number);
            put_fields(out, random, depth + 1);
            qd_wire_end(out, mark);
        }
    }
}

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    struct qd_arena arena;
    qd_arena_init(&arena, BUDGET);
    struct qd_wire_out out = {.arena = &arena};
    put_fields(&out, random, 0);
    qd_engine_append(room, out.bytes, out.size);
    qd_arena_clear(&arena);
}

/* Puts a field as it was read; false for the kinds that the writer does not have. */
static bool put(struct qd_wire_out *out, const struct qd_wire_field *field)
{
    uint32_t bits = (uint32_t)field->value;
    float number;
    memcpy(&number, &bits, sizeof number);
    switch (field->type) {
    case QD_WIRE_VARINT: qd_wire_put_varint(out, field->number, field->value); return true;
    case QD_WIRE_BYTES:
        qd_wire_put_bytes(out, field->number, field->bytes, field->size);
        return true;
    case QD_WIRE_32: qd_wire_put_float(out, field->number, number); return true;
    default: return false;
    }
}

static void check_again(const struct qd_wire_out *out, const struct qd_wire_field *want)
{
    struct qd_wire wire = {.bytes = out->bytes, .size = out->size};
    struct qd_wire_field field;
    qd_engine_require(qd_wire_next(&wire, &field), "a field that was put cannot be read", NULL);
    qd_engine_require(field.number == want->number && field.type == want->type &&
                          field.value == want->value && field.size == want->size &&
                          (field.size == 0 || memcmp(field.bytes, want->bytes, field.size) == 0),
                      "a field that was put is read as another", NULL);
    qd_engine_require(wire.at == wire.size, "a field that was put leaves bytes", NULL);
}

static bool walk(const uint8_t *bytes, size_t size, unsigned depth, struct qd_arena *arena)
{
    struct qd_wire wire = {.bytes = bytes, .size = size};
    struct qd_wire_field field;
    size_t end = 0;
    while (qd_wire_next(&wire, &field)) {
        qd_engine_require(field.start == end && wire.at > end && wire.at <= size &&
                              field.number > 0,
                          "a field is not where the one before ended", NULL);
        end = wire.at;
        struct qd_wire_out out = {.arena = arena};
        if (put(&out, &field) && !out.failed)
            check_again(&out, &field);
        if (field.type != QD_WIRE_BYTES)
            continue;
        qd_engine_require(field.bytes >= bytes && field.bytes + field.size == bytes + end,
                          "a field's bytes are not the message's", NULL);
        if (depth < MOST_DEPTH)
            walk(field.bytes, field.size, depth + 1, arena);
    }
    qd_engine_require(wire.problem || end == size, "bytes are left without a problem", NULL);
    qd_engine_require(!qd_wire_next(&wire, &field), "a walk that ended goes on", NULL);
    return !wire.problem;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    qd_arena_init(&arena, BUDGET);
    bool whole = walk(data, size, 0, &arena);
    qd_arena_clear(&arena);
    return whole ? 0 : -1;
}
