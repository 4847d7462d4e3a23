/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/wire.h"

#include <string.h>

static bool refuse(struct qd_wire *wire, const char *problem)
{
    wire->problem = problem;
    return false;
}

bool qd_wire_varint(struct qd_wire *wire, uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (wire->at == wire->size)
            return refuse(wire, "the bytes end inside a number");
        uint8_t byte = wire->bytes[wire->at++];
        if (shift == 63 && byte > 1)
            return refuse(wire, "a number has more than 64 bits");
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return true;
        }
    }
    return refuse(wire, "a number has more than ten bytes");
}

static bool read_fixed(struct qd_wire *wire, size_t size, uint64_t *value)
{
    if (wire->size - wire->at < size)
        return refuse(wire, "the bytes end inside a fixed-size number");
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value |= (uint64_t)wire->bytes[wire->at + i] << (8 * i);
    wire->at += size;
    return true;
}

static bool read_bytes(struct qd_wire *wire, struct qd_wire_field *field)
{
    uint64_t size;
    if (!qd_wire_varint(wire, &size))
        return false;
    if (size > wire->size - wire->at)
        return refuse(wire, "a length reaches past the end");
    field->bytes = wire->bytes + wire->at;
    field->size = (size_t)size;
    wire->at += (size_t)size;
    return true;
}

bool qd_wire_next(struct qd_wire *wire, struct qd_wire_field *field)
{
    if (wire->problem || wire->at == wire->size)
        return false;
    uint64_t tag;
    *field = (struct qd_wire_field){.start = wire->at};
    if (!qd_wire_varint(wire, &tag))
        return false;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return refuse(wire, "a field number is 0 or above 2^29 - 1");
    field->number = (uint32_t)(tag >> 3);
    field->type = (enum qd_wire_type)(tag & 7);
    switch (tag & 7) {
    case QD_WIRE_VARINT: return qd_wire_varint(wire, &field->value);
    case QD_WIRE_64: return read_fixed(wire, 8, &field->value);
    case QD_WIRE_BYTES: return read_bytes(wire, field);
    case QD_WIRE_32: return read_fixed(wire, 4, &field->value);
    case 3:
    case 4: return refuse(wire, "a group, which no schema of ours has");
    default: return refuse(wire, "an unknown wire type");
    }
}

size_t qd_wire_count(struct qd_wire wire, uint32_t number)
{
    struct qd_wire_field field;
    size_t count = 0;
    while (qd_wire_next(&wire, &field))
        count += field.number == number && field.type == QD_WIRE_BYTES;
    return count;
}

/* Room for `size` more bytes, NULL when there is none. */
static uint8_t *reserve(struct qd_wire_out *out, size_t size)
{
    if (out->failed)
        return NULL;
    if (!out->bytes || out->capacity - out->size < size) {
        size_t capacity = out->capacity < 512 ? 1024 : 2 * out->capacity;
        if (capacity - out->size < size)
            capacity = out->size + size;
        uint8_t *bytes = qd_arena_alloc(out->arena, capacity);
        if (!bytes) {
            out->failed = true;
            return NULL;
        }
        if (out->bytes)
            memcpy(bytes, out->bytes, out->size);
        out->bytes = bytes;
        out->capacity = capacity;
    }
    return out->bytes + out->size;
}

static size_t encode_varint(uint64_t value, uint8_t *bytes)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    return size;
}

static void append(struct qd_wire_out *out, const void *bytes, size_t size)
{
    uint8_t *at = reserve(out, size);
    if (!at || size == 0)
        return;
    memcpy(at, bytes, size);
    out->size += size;
}

static void append_varint(struct qd_wire_out *out, uint64_t value)
{
    uint8_t bytes[10];
    append(out, bytes, encode_varint(value, bytes));
}

static void append_tag(struct qd_wire_out *out, uint32_t number, enum qd_wire_type type)
{
    append_varint(out, (uint64_t)number << 3 | (uint64_t)type);
}

void qd_wire_put_varint(struct qd_wire_out *out, uint32_t number, uint64_t value)
{
    append_tag(out, number, QD_WIRE_VARINT);
    append_varint(out, value);
}

void qd_wire_put_float(struct qd_wire_out *out, uint32_t number, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint8_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    append_tag(out, number, QD_WIRE_32);
    append(out, bytes, sizeof bytes);
}

void qd_wire_put_bytes(struct qd_wire_out *out, uint32_t number, const void *bytes, size_t size)
{
    append_tag(out, number, QD_WIRE_BYTES);
    append_varint(out, size);
    append(out, bytes, size);
}

void qd_wire_put_text(struct qd_wire_out *out, uint32_t number, const char *text)
{
    if (text && *text)
        qd_wire_put_bytes(out, number, text, strlen(text));
}

void qd_wire_put_raw(struct qd_wire_out *out, const void *bytes, size_t size)
{
    append(out, bytes, size);
}

size_t qd_wire_begin(struct qd_wire_out *out, uint32_t number)
{
    append_tag(out, number, QD_WIRE_BYTES);
    return out->size;
}

/* The length goes before the content, and how long it is shows only now: the content moves up. */
void qd_wire_end(struct qd_wire_out *out, size_t mark)
{
    if (out->failed)
        return;
    uint8_t length[10];
    size_t content = out->size - mark;
    size_t size = encode_varint(content, length);
    if (!reserve(out, size))
        return;
    memmove(out->bytes + mark + size, out->bytes + mark, content);
    memcpy(out->bytes + mark, length, size);
    out->size += size;
}

enum qd_status qd_wire_finish(const struct qd_wire_out *out, uint8_t **bytes, size_t *size,
                              struct qd_error *error)
{
    if (out->failed)
        return qd_fail(error, QD_NO_MEMORY, "encoding: the budget of %zu bytes is used up",
                       out->arena->budget);
    *bytes = out->bytes;
    *size = out->size;
    return QD_OK;
}
