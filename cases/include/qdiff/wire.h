/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf's wire format: a reader that trusts nothing and a writer whose bytes depend on the calls alone. */
#ifndef QDIFF_WIRE_H
#define QDIFF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qdiff/arena.h"
#include "qdiff/status.h"

enum qd_wire_type { QD_WIRE_VARINT = 0, QD_WIRE_64 = 1, QD_WIRE_BYTES = 2, QD_WIRE_32 = 5 };

/* A reader over borrowed bytes. `problem` is NULL until something is wrong. */
struct qd_wire {
    const uint8_t *bytes;
    size_t size, at;
    const char *problem;
};

struct qd_wire_field {
    uint32_t number; /* 1 to 2^29 − 1 */
    enum qd_wire_type type;
    size_t start;         /* offset of the tag in the reader's bytes */
    uint64_t value;       /* varint and fixed types */
    const uint8_t *bytes; /* length-delimited type: borrowed, `size` bytes */
    size_t size;
};

/* Reads one field; false at the end and, with `problem` set, at malformed bytes. */
bool qd_wire_next(struct qd_wire *wire, struct qd_wire_field *field);

/* Reads one varint of at most 64 bits; false with `problem` set when there is none. */
bool qd_wire_varint(struct qd_wire *wire, uint64_t *value);

/* How many length-delimited fields of that number come before the end, or before the first problem. */
size_t qd_wire_count(struct qd_wire wire, uint32_t number);

/* A writer into an arena. After an allocation failed the writes do nothing and `failed` is set. */
struct qd_wire_out {
    struct qd_arena *arena;
    uint8_t *bytes;
    size_t size, capacity;
    bool failed;
};

void qd_wire_put_varint(struct qd_wire_out *out, uint32_t number, uint64_t value);
void qd_wire_put_float(struct qd_wire_out *out, uint32_t number, float value);
void qd_wire_put_bytes(struct qd_wire_out *out, uint32_t number, const void *bytes, size_t size);
/* Nothing is written for NULL and "". */
void qd_wire_put_text(struct qd_wire_out *out, uint32_t number, const char *text);

/* Bytes that are whole fields already. */
void qd_wire_put_raw(struct qd_wire_out *out, const void *bytes, size_t size);

/* A submessage is what is put between begin and end; `mark` is begin's answer. */
size_t qd_wire_begin(struct qd_wire_out *out, uint32_t number);
void qd_wire_end(struct qd_wire_out *out, size_t mark);

/* The bytes written; NO_MEMORY when a write failed. */
enum qd_status qd_wire_finish(const struct qd_wire_out *out, uint8_t **bytes, size_t *size,
                              struct qd_error *error);

#endif
