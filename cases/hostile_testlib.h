/* SPDX-License-Identifier: Apache-2.0 */
/* Models and cases written field by field, so that tests can write wrong ones. */
#ifndef QDIFF_CASES_HOSTILE_TESTLIB_H
#define QDIFF_CASES_HOSTILE_TESTLIB_H

#include "case_testlib.h"
#include "qdiff/wire.h"

struct bytes {
    const uint8_t *bytes;
    size_t size;
};

struct bytes bytes_of(const struct qd_wire_out *out);

/* A field of bytes / of a message, as bytes. */
struct bytes field_bytes(struct qd_arena *arena, uint32_t number, struct bytes content);
struct bytes field_text(struct qd_arena *arena, uint32_t number, const char *text);
struct bytes field_varint(struct qd_arena *arena, uint32_t number, uint64_t value);
struct bytes join(struct qd_arena *arena, struct bytes a, struct bytes b);

/* A model of ir_version 8 and opset 13: input x and output y of float [1], y = Identity(x); with `node`, `graph` and
 * `model` appended to the node, the graph and the model. */
struct bytes identity_model(struct qd_arena *arena, struct bytes node, struct bytes graph,
                            struct bytes model);

/* The case of a model with one float input [1], and `extra` appended. */
struct bytes case_of_model(struct qd_arena *arena, struct bytes model, struct bytes extra);

#define NOTHING ((struct bytes){NULL, 0})

#endif
