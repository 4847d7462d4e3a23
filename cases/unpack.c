/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack.h"

#include <string.h>

#include "qdiff/case.h"
#include "qdiff/wire.h"

struct scan {
    size_t fields; /* seen so far, in all messages */
    struct qd_error *error;
};

static enum qd_status scan_message(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
                                   const uint8_t *bytes, size_t size, unsigned depth);

/* The wire type of one number or message of the field's type. */
static enum qd_wire_type natural_type(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return QD_WIRE_BYTES;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32: return QD_WIRE_32;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64: return QD_WIRE_64;
    default: return QD_WIRE_VARINT;
    }
}

static const char *check_packed(enum qd_wire_type type, const uint8_t *bytes, size_t size)
{
    if (type != QD_WIRE_VARINT)
        return size % (type == QD_WIRE_32 ? 4 : 8) == 0 ? NULL : "packed numbers end inside one";
    struct qd_wire wire = {.bytes = bytes, .size = size};
    uint64_t value;
    while (wire.at < wire.size)
        if (!qd_wire_varint(&wire, &value))
            return wire.problem;
    return NULL;
}

/* What is wrong with a field that is no message, NULL if nothing. */
static const char *check_scalar(const ProtobufCFieldDescriptor *known,
                                const struct qd_wire_field *field)
{
    enum qd_wire_type natural = natural_type(known->type);
    if (natural == QD_WIRE_BYTES) {
        if (field->type != natural)
            return "a number where text or bytes belong";
        if (known->type == PROTOBUF_C_TYPE_STRING && memchr(field->bytes, 0, field->size))
            return "a text holds a NUL";
        return NULL;
    }
    if (field->type == natural)
        return NULL;
    if (field->type == QD_WIRE_BYTES && known->label == PROTOBUF_C_LABEL_REPEATED)
        return check_packed(natural, field->bytes, field->size);
    return "a number of the wrong wire type";
}

static enum qd_status scan_field(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
                                 const struct qd_wire_field *field, uint64_t *seen, unsigned depth)
{
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(descriptor, field->number);
    if (!known)
        return QD_OK;
    const char *problem = NULL;
    if (known->type != PROTOBUF_C_TYPE_MESSAGE) {
        problem = check_scalar(known, field);
    } else if (field->type != QD_WIRE_BYTES) {
        problem = "a number where a message belongs";
    } else if (known->label != PROTOBUF_C_LABEL_REPEATED) {
        uint64_t bit = (uint64_t)1 << ((known - descriptor->fields) & 63);
        problem = *seen & bit ? "a second occurrence" : NULL;
        *seen |= bit;
    }
    if (problem)
        return qd_fail(scan->error, QD_MALFORMED, "%s.%s at byte %zu of its message: %s",
                       descriptor->name, known->name, field->start, problem);
    if (known->type == PROTOBUF_C_TYPE_MESSAGE)
        return scan_message(scan, known->descriptor, field->bytes, field->size, depth + 1);
    return QD_OK;
}

static enum qd_status scan_message(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
                                   const uint8_t *bytes, size_t size, unsigned depth)
{
    if (depth > QD_CASE_MAX_DEPTH)
        return qd_fail(scan->error, QD_LIMIT, "%s: messages nest more than %d deep",
                       descriptor->name, QD_CASE_MAX_DEPTH);
    if (descriptor->n_fields > 64)
        return qd_fail(scan->error, QD_INTERNAL, "%s: more than 64 fields", descriptor->name);
    struct qd_wire wire = {.bytes = bytes, .size = size};
    struct qd_wire_field field;
    uint64_t seen = 0;
    while (qd_wire_next(&wire, &field)) {
        if (++scan->fields > QD_CASE_MAX_FIELDS)
            return qd_fail(scan->error, QD_LIMIT, "%s: more than %d fields", descriptor->name,
                           QD_CASE_MAX_FIELDS);
        enum qd_status status = scan_field(scan, descriptor, &field, &seen, depth);
        if (status != QD_OK)
            return status;
    }
    if (wire.problem)
        return qd_fail(scan->error, QD_MALFORMED, "%s at byte %zu of %zu: %s", descriptor->name,
                       field.start, size, wire.problem);
    return QD_OK;
}

enum qd_status qd_scan(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                       size_t size, struct qd_error *error)
{
    if (size > QD_CASE_MAX_BYTES)
        return qd_fail(error, QD_LIMIT, "%s: %zu bytes, at most %zu are read", descriptor->name,
                       size, QD_CASE_MAX_BYTES);
    struct scan scan = {.error = error};
    return scan_message(&scan, descriptor, bytes, size, 1);
}

/* Small pieces are cut from chunks, because the arena gives each caller a cache line of its own. */
struct pool {
    struct qd_arena *arena;
    uint8_t *chunk;
    size_t left;
    bool exhausted;
};

#define CHUNK_BYTES ((size_t)4096)
#define SMALL_BYTES ((size_t)512)
#define PIECE_ALIGNMENT ((size_t)16)

static void *pool_alloc(void *context, size_t size)
{
    struct pool *pool = context;
    void *bytes;
    if (size > SMALL_BYTES) {
        bytes = qd_arena_raw(pool->arena, size);
    } else {
        size_t rounded =
            size == 0 ? PIECE_ALIGNMENT : (size + PIECE_ALIGNMENT - 1) & ~(PIECE_ALIGNMENT - 1);
        if (pool->left < rounded) {
            pool->chunk = qd_arena_raw(pool->arena, CHUNK_BYTES);
            pool->left = pool->chunk ? CHUNK_BYTES : 0;
        }
        bytes = pool->chunk;
        if (bytes) {
            pool->chunk += rounded;
            pool->left -= rounded;
        }
    }
    pool->exhausted = pool->exhausted || !bytes;
    return bytes;
}

static void pool_free(void *context, void *bytes)
{
    /* The arena forgets everything at once. */
    (void)context;
    (void)bytes;
}

enum qd_status qd_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                         size_t size, struct qd_arena *arena, ProtobufCMessage **message,
                         struct qd_error *error)
{
    enum qd_status status = qd_scan(descriptor, bytes, size, error);
    if (status != QD_OK)
        return status;
    struct pool pool = {.arena = arena};
    ProtobufCAllocator allocator = {pool_alloc, pool_free, &pool};
    ProtobufCMessage *unpacked = protobuf_c_message_unpack(descriptor, &allocator, size, bytes);
    if (!unpacked && pool.exhausted)
        return qd_fail(error, QD_NO_MEMORY, "%s: %zu bytes do not unpack into a budget of %zu",
                       descriptor->name, size, arena->budget);
    if (!unpacked)
        return qd_fail(error, QD_MALFORMED, "%s: protobuf-c refuses the bytes", descriptor->name);
    *message = unpacked;
    return QD_OK;
}
