/* SPDX-License-Identifier: Apache-2.0 */
/* qdiff.Case and onnx.ModelProto to struct qd_case, and back. */
#include <string.h>

#include "case.pb-c.h"
#include "case_codec.h"
#include "model.h"
#include "qdiff/case.h"
#include "qdiff/wire.h"
#include "step_codec.h"
#include "tensor_codec.h"
#include "unpack.h"

#define SCHEMA 1

static const char *text_of(const char *text)
{
    return text ? text : "";
}

struct qd_case qd_case_default(void)
{
    return (struct qd_case){.id = "unnamed",
                            .op = "",
                            .expect = QD_EXPECT_VALID,
                            .rule = "",
                            .twin = "",
                            .issue = "",
                            .symptom = "",
                            .spec = "",
                            .note = "",
                            .generator = ""};
}

/* --- Decoding --------------------------------------------------------------------------------- */

/* "QLinearConv", "com.microsoft:QGemm". */
static const char *name_of_op(const struct qd_graph *graph, struct qd_arena *arena)
{
    const struct qd_node *node = qd_graph_principal(graph);
    if (!node)
        return "";
    if (!*node->domain)
        return node->op_type;
    return qd_arena_printf(arena, "%s:%s", node->domain, node->op_type);
}

static enum qd_status read_model(const Onnx__ModelProto *proto, struct qd_arena *arena,
                                 struct qd_case *kase, struct qd_error *error)
{
    enum qd_status status = qd_graph_of_model(proto, arena, &kase->graph, &kase->opset, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "model");
    kase->input_count = kase->graph->input_count;
    kase->op = name_of_op(kase->graph, arena);
    return kase->op ? QD_OK
                    : qd_fail(error, QD_NO_MEMORY, "model: no room for the operator's name");
}

enum qd_status qd_case_from_model(const uint8_t *model, size_t size, struct qd_arena *arena,
                                  struct qd_case *kase, struct qd_error *error)
{
    struct qd_case read = qd_case_default();
    ProtobufCMessage *message;
    enum qd_status status =
        qd_unpack(&onnx__model_proto__descriptor, model, size, arena, &message, error);
    if (status == QD_OK)
        status = read_model((const Onnx__ModelProto *)message, arena, &read, error);
    if (status != QD_OK)
        return status;
    read.model = qd_arena_copy(arena, model, size);
    read.model_size = size;
    if (!read.model)
        return qd_fail(error, QD_NO_MEMORY, "model: no room for %zu bytes", size);
    *kase = read;
    return QD_OK;
}

/* The model's own bytes: a repack would drop what protobuf-c does not know and reorder the rest. */
static enum qd_status slice_model(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                                  struct qd_case *kase, struct qd_error *error)
{
    struct qd_wire wire = {.bytes = bytes, .size = size};
    struct qd_wire_field field;
    while (qd_wire_next(&wire, &field)) {
        if (field.number != QD_CASE_FIELD_MODEL)
            continue;
        kase->model = qd_arena_copy(arena, field.bytes, field.size);
        kase->model_size = field.size;
        if (!kase->model)
            return qd_fail(error, QD_NO_MEMORY, "model: no room for %zu bytes", field.size);
    }
    return QD_OK;
}

/* Ids and tags become file names, words of TAP lines and columns of tables. */
static bool is_word(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

enum qd_status qd_case_read_tensors(size_t count, Onnx__TensorProto **protos, const char *field,
                                    struct qd_arena *arena, const struct qd_tensor **tensors,
                                    struct qd_error *error)
{
    struct qd_tensor *read = qd_arena_array(arena, count, sizeof *read);
    if (!read)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for %zu tensors", field, count);
    for (size_t i = 0; i < count; i++) {
        enum qd_status status = qd_tensor_of_proto(protos[i], arena, &read[i], error);
        if (status != QD_OK)
            return qd_fail_context(error, status, "%s %zu", field, i);
    }
    *tensors = read;
    return QD_OK;
}

static bool is_symptom(const char *text)
{
    static const char *const words[] = {"",      "wrong-value", "rejects-valid", "accepts-invalid",
                                        "crash", "hang"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

static enum qd_status read_metadata(const Qdiff__Case *proto, struct qd_case *kase,
                                    struct qd_error *error)
{
    if (proto->schema != SCHEMA)
        return qd_fail(error, QD_UNSUPPORTED, "schema is %u; this qdiff reads %d", proto->schema,
                       SCHEMA);
    if (!is_word(text_of(proto->id)))
        return qd_fail(error, QD_INVALID, "id '%.80s' is not a printable word", text_of(proto->id));
    kase->id = proto->id;
    for (size_t i = 0; i < proto->n_tag; i++)
        if (!is_word(proto->tag[i]))
            return qd_fail(error, QD_INVALID, "tag '%.80s' is not a printable word", proto->tag[i]);
    kase->tag_count = proto->n_tag;
    kase->tags = (const char *const *)proto->tag;
    kase->request = proto->request.data;
    kase->request_size = proto->request.len;
    if (proto->origin) {
        kase->spec = text_of(proto->origin->spec);
        kase->issue = text_of(proto->origin->issue);
        kase->symptom = text_of(proto->origin->symptom);
        kase->note = text_of(proto->origin->note);
        kase->seed = proto->origin->seed;
        kase->generator = text_of(proto->origin->generator);
    }
    if (!is_symptom(kase->symptom))
        return qd_fail(error, QD_INVALID, "origin: symptom '%.80s' is unknown", kase->symptom);
    return QD_OK;
}

static enum qd_status read_expect(const Qdiff__Expect *proto, struct qd_case *kase,
                                  struct qd_error *error)
{
    if (!proto)
        return QD_OK;
    kase->rule = text_of(proto->rule);
    kase->twin = text_of(proto->twin);
    switch ((int)proto->kind) {
    case QDIFF__EXPECT__KIND__VALID:
        if (*kase->rule || *kase->twin)
            return qd_fail(error, QD_INVALID, "expect: a valid case with a broken rule or a twin");
        return QD_OK;
    case QDIFF__EXPECT__KIND__MUST_REJECT:
        if (!*kase->rule)
            return qd_fail(error, QD_INVALID,
                           "expect: must-reject without the rule that is broken");
        kase->expect = QD_EXPECT_MUST_REJECT;
        return QD_OK;
    default: return qd_fail(error, QD_INVALID, "expect: kind %d is unknown", (int)proto->kind);
    }
}

bool qd_case_fits(const struct qd_graph_value *value, const struct qd_tensor *tensor)
{
    if (value->declared_dtype != tensor->dtype)
        return false;
    if (value->declared_rank < 0)
        return true;
    if ((unsigned)value->declared_rank != tensor->rank)
        return false;
    for (unsigned i = 0; i < tensor->rank; i++)
        if (value->declared_dims[i] >= 0 && value->declared_dims[i] != tensor->dims[i])
            return false;
    return true;
}

/* Nothing was wrong, or something was, of the declared type and shape. */
static enum qd_status check_wrong_outputs(const struct qd_case *kase, struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    size_t wanted = strcmp(kase->symptom, "wrong-value") == 0 ? graph->output_count : 0;
    if (kase->wrong_count != wanted)
        return qd_fail(error, QD_INVALID, "%zu wrong outputs, the symptom '%s' has %zu",
                       kase->wrong_count, kase->symptom, wanted);
    for (size_t i = 0; i < wanted; i++) {
        const struct qd_graph_value *value = &graph->values[graph->outputs[i]];
        char text[160];
        if (!qd_case_fits(value, &kase->wrong_outputs[i]))
            return qd_fail(error, QD_INVALID, "wrong output %zu is %s, which '%.80s' cannot be", i,
                           qd_tensor_describe(&kase->wrong_outputs[i], text, sizeof text),
                           value->name);
    }
    return QD_OK;
}

/* The tensors are those of the graph: as many, of the declared types and shapes. */
static enum qd_status check_tensors(const struct qd_case *kase, struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    if (kase->output_count != 0 && kase->output_count != graph->output_count)
        return qd_fail(error, QD_INVALID, "%zu stored outputs, the model has %zu",
                       kase->output_count, graph->output_count);
    for (size_t i = 0; i < kase->input_count; i++) {
        const struct qd_graph_value *value = &graph->values[graph->inputs[i]];
        char text[160];
        if (value->declared_dtype != kase->inputs[i].dtype)
            return qd_fail(error, QD_INVALID, "input %zu is %s, the model declares '%.80s' as %s",
                           i, qd_tensor_describe(&kase->inputs[i], text, sizeof text), value->name,
                           qd_dtype_info(value->declared_dtype)->word);
        if (!qd_case_fits(value, &kase->inputs[i]))
            return qd_fail(error, QD_INVALID,
                           "input %zu is %s, which '%.80s' is not declared to take", i,
                           qd_tensor_describe(&kase->inputs[i], text, sizeof text), value->name);
    }
    return check_wrong_outputs(kase, error);
}

static enum qd_status read_case(const Qdiff__Case *proto, struct qd_arena *arena,
                                struct qd_case *kase, struct qd_error *error)
{
    enum qd_status status = read_metadata(proto, kase, error);
    if (status == QD_OK)
        status = read_expect(proto->expect, kase, error);
    if (status == QD_OK && !proto->model)
        status = qd_fail(error, QD_INVALID, "the case has no model");
    if (status == QD_OK)
        status = read_model(proto->model, arena, kase, error);
    if (status == QD_OK && proto->n_input != kase->input_count)
        status = qd_fail(error, QD_INVALID, "%zu input tensors, the model has %zu inputs",
                         proto->n_input, kase->input_count);
    if (status == QD_OK)
        status = qd_case_read_tensors(proto->n_input, proto->input, "input", arena, &kase->inputs,
                                      error);
    if (status == QD_OK)
        status = qd_case_read_tensors(proto->n_output, proto->output, "stored output", arena,
                                      &kase->stored_outputs, error);
    if (status == QD_OK)
        status = qd_case_read_tensors(proto->n_wrong_output, proto->wrong_output, "wrong output",
                                      arena, &kase->wrong_outputs, error);
    if (status != QD_OK)
        return status;
    kase->output_count = proto->n_output;
    kase->wrong_count = proto->n_wrong_output;
    return check_tensors(kase, error);
}

enum qd_status qd_case_decode(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                              struct qd_case *kase, struct qd_error *error)
{
    struct qd_case read = qd_case_default();
    ProtobufCMessage *message;
    enum qd_status status =
        qd_unpack(&qdiff__case__descriptor, bytes, size, arena, &message, error);
    if (status == QD_OK)
        status = read_case((const Qdiff__Case *)message, arena, &read, error);
    if (status == QD_OK)
        status =
            qd_case_read_steps((const Qdiff__Case *)message,
                               (struct qd_wire){.bytes = bytes, .size = size}, arena, &read, error);
    if (status == QD_OK)
        status = slice_model(bytes, size, arena, &read, error);
    if (status == QD_OK)
        *kase = read;
    return status;
}

/* --- Encoding --------------------------------------------------------------------------------- */

static void put_expect(struct qd_wire_out *out, const struct qd_case *kase)
{
    if (kase->expect == QD_EXPECT_VALID)
        return;
    size_t mark = qd_wire_begin(out, QD_CASE_FIELD_EXPECT);
    qd_wire_put_varint(out, EXPECT_KIND, QDIFF__EXPECT__KIND__MUST_REJECT);
    qd_wire_put_text(out, EXPECT_RULE, kase->rule);
    qd_wire_put_text(out, EXPECT_TWIN, kase->twin);
    qd_wire_end(out, mark);
}

static void put_origin(struct qd_wire_out *out, const struct qd_case *kase)
{
    if (!*kase->spec && !*kase->issue && !*kase->note && kase->seed == 0 && !*kase->generator &&
        !*kase->symptom)
        return;
    size_t mark = qd_wire_begin(out, QD_CASE_FIELD_ORIGIN);
    qd_wire_put_text(out, ORIGIN_SPEC, kase->spec);
    qd_wire_put_text(out, ORIGIN_ISSUE, kase->issue);
    qd_wire_put_text(out, ORIGIN_NOTE, kase->note);
    if (kase->seed != 0)
        qd_wire_put_varint(out, ORIGIN_SEED, kase->seed);
    qd_wire_put_text(out, ORIGIN_GENERATOR, kase->generator);
    qd_wire_put_text(out, ORIGIN_SYMPTOM, kase->symptom);
    qd_wire_end(out, mark);
}

void qd_case_put_tensors(struct qd_wire_out *out, uint32_t field, const struct qd_tensor *tensors,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t mark = qd_wire_begin(out, field);
        qd_tensor_put(out, &tensors[i], "");
        qd_wire_end(out, mark);
    }
}

void qd_case_put_metadata(struct qd_wire_out *out, const struct qd_case *kase)
{
    qd_wire_put_varint(out, QD_CASE_FIELD_SCHEMA, SCHEMA);
    qd_wire_put_text(out, QD_CASE_FIELD_ID, kase->id);
    put_expect(out, kase);
    put_origin(out, kase);
    for (size_t i = 0; i < kase->tag_count; i++)
        qd_wire_put_text(out, QD_CASE_FIELD_TAG, kase->tags[i]);
    qd_case_put_tensors(out, QD_CASE_FIELD_WRONG_OUTPUT, kase->wrong_outputs, kase->wrong_count);
    if (kase->request_size > 0)
        qd_wire_put_bytes(out, QD_CASE_FIELD_REQUEST, kase->request, kase->request_size);
    qd_case_put_steps(out, kase);
}

enum qd_status qd_case_encode(const struct qd_case *kase, struct qd_arena *arena, uint8_t **bytes,
                              size_t *size, struct qd_error *error)
{
    struct qd_wire_out out = {.arena = arena};
    qd_case_put_metadata(&out, kase);
    qd_wire_put_bytes(&out, QD_CASE_FIELD_MODEL, kase->model, kase->model_size);
    qd_case_put_tensors(&out, QD_CASE_FIELD_INPUT, kase->inputs, kase->input_count);
    qd_case_put_tensors(&out, QD_CASE_FIELD_OUTPUT, kase->stored_outputs, kase->output_count);
    return qd_wire_finish(&out, bytes, size, error);
}
