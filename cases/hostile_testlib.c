/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile_testlib.h"

struct bytes bytes_of(const struct qd_wire_out *out)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct qd_error error;
    assert_ok(qd_wire_finish(out, &bytes, &size, &error), error);
    return (struct bytes){bytes, size};
}

struct bytes field_bytes(struct qd_arena *arena, uint32_t number, struct bytes content)
{
    struct qd_wire_out out = {.arena = arena};
    qd_wire_put_bytes(&out, number, content.bytes, content.size);
    return bytes_of(&out);
}

struct bytes field_text(struct qd_arena *arena, uint32_t number, const char *text)
{
    struct qd_wire_out out = {.arena = arena};
    qd_wire_put_bytes(&out, number, text, strlen(text));
    return bytes_of(&out);
}

struct bytes field_varint(struct qd_arena *arena, uint32_t number, uint64_t value)
{
    struct qd_wire_out out = {.arena = arena};
    qd_wire_put_varint(&out, number, value);
    return bytes_of(&out);
}

struct bytes join(struct qd_arena *arena, struct bytes a, struct bytes b)
{
    struct qd_wire_out out = {.arena = arena};
    qd_wire_put_raw(&out, a.bytes, a.size);
    qd_wire_put_raw(&out, b.bytes, b.size);
    return bytes_of(&out);
}

/* ValueInfoProto{name, type{tensor_type{elem_type: 1, shape{dim{dim_value: 1}}}}} */
static struct bytes value_info(struct qd_arena *arena, const char *name)
{
    struct bytes shape = field_bytes(arena, 1, field_varint(arena, 1, 1));
    struct bytes tensor = join(arena, field_varint(arena, 1, 1), field_bytes(arena, 2, shape));
    return join(arena, field_text(arena, 1, name),
                field_bytes(arena, 2, field_bytes(arena, 1, tensor)));
}

struct bytes identity_model(struct qd_arena *arena, struct bytes node, struct bytes graph,
                            struct bytes model)
{
    struct qd_wire_out out = {.arena = arena};
    qd_wire_put_varint(&out, 1, 8);
    size_t opset = qd_wire_begin(&out, 8);
    qd_wire_put_varint(&out, 2, 13);
    qd_wire_end(&out, opset);
    size_t graph_mark = qd_wire_begin(&out, 7);
    size_t node_mark = qd_wire_begin(&out, 1);
    qd_wire_put_text(&out, 1, "x");
    qd_wire_put_text(&out, 2, "y");
    qd_wire_put_text(&out, 3, "the node");
    qd_wire_put_text(&out, 4, "Identity");
    qd_wire_put_raw(&out, node.bytes, node.size);
    qd_wire_end(&out, node_mark);
    struct bytes x = value_info(arena, "x"), y = value_info(arena, "y");
    qd_wire_put_bytes(&out, 11, x.bytes, x.size);
    qd_wire_put_bytes(&out, 12, y.bytes, y.size);
    qd_wire_put_raw(&out, graph.bytes, graph.size);
    qd_wire_end(&out, graph_mark);
    qd_wire_put_raw(&out, model.bytes, model.size);
    return bytes_of(&out);
}

struct bytes case_of_model(struct qd_arena *arena, struct bytes model, struct bytes extra)
{
    static const uint8_t one[4] = {0, 0, 0x80, 0x3f};
    struct qd_wire_out out = {.arena = arena};
    qd_wire_put_varint(&out, 1, 1);
    qd_wire_put_text(&out, 2, "hostile");
    qd_wire_put_bytes(&out, 3, model.bytes, model.size);
    size_t input = qd_wire_begin(&out, 4);
    qd_wire_put_varint(&out, 1, 1);
    qd_wire_put_varint(&out, 2, 1);
    qd_wire_put_bytes(&out, 9, one, sizeof one);
    qd_wire_end(&out, input);
    qd_wire_put_raw(&out, extra.bytes, extra.size);
    return bytes_of(&out);
}
