/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/build.h"

#include <stdio.h>
#include <string.h>

#include "case_codec.h"
#include "qdiff/answer.h"
#include "qdiff/evaluate.h"
#include "tensor_codec.h"

/* Field numbers of onnx.proto, as they are written. */
enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET_IMPORT = 8 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7
};
enum {
    ATTR_NAME = 1,
    ATTR_F = 2,
    ATTR_I = 3,
    ATTR_S = 4,
    ATTR_T = 5,
    ATTR_FLOATS = 7,
    ATTR_INTS = 8,
    ATTR_TYPE = 20
};
enum {
    TYPE_FLOAT = 1,
    TYPE_INT = 2,
    TYPE_STRING = 3,
    TYPE_ATTR_TENSOR = 4,
    TYPE_FLOATS = 6,
    TYPE_INTS = 7
};
enum { INFO_NAME = 1, INFO_TYPE = 2, TYPE_TENSOR = 1, TENSOR_ELEM = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

#define MAX_TAGS 16

struct qd_builder {
    struct qd_arena *arena;
    int64_t opset, ir_version;
    bool microsoft; /* some node is of com.microsoft */
    struct qd_wire_out nodes, initializers, inputs, outputs, fed;
    size_t node_count;
    bool node_open;
    size_t node_mark;
    const char *node_domain;
    struct qd_case metadata;
    const char *tags[MAX_TAGS];
    bool open; /* some axis of an input has no number */
    size_t inferred_count;
    struct {
        const char *name;
        enum qd_dtype dtype;
    } inferred[QD_BUILD_MAX_INFERRED];
    struct qd_error error; /* the first one; status OK while there is none */
};

/* The IR version of the first ONNX release that has the opset (ONNX docs, "Versioning": released versions). */
static int64_t ir_version_of_opset(int64_t opset)
{
    static const struct {
        int64_t opset, ir_version;
    } released[] = {{8, 3},  {9, 4},  {10, 5},  {11, 6},  {14, 7},
                    {18, 8}, {20, 9}, {22, 10}, {23, 11}, {24, 12}};
    for (size_t i = 0; i < sizeof released / sizeof *released; i++)
        if (opset <= released[i].opset)
            return released[i].ir_version;
    return 13;
}

/* The IR version that brought the type (onnx.proto, comments of enum Version). */
static int64_t ir_version_of_dtype(enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_U2:
    case QD_S2: return 13;
    case QD_F8E8M0: return 12;
    case QD_F4E2M1: return 11;
    case QD_U4:
    case QD_S4: return 10;
    case QD_F8E4M3FN:
    case QD_F8E4M3FNUZ:
    case QD_F8E5M2:
    case QD_F8E5M2FNUZ: return 9;
    default: return 3;
    }
}

static void need_dtype(struct qd_builder *builder, enum qd_dtype dtype)
{
    int64_t version = ir_version_of_dtype(dtype);
    if (builder->ir_version < version)
        builder->ir_version = version;
}

/* The IR version that brought initializers which are no graph inputs (onnx.proto, comments of enum Version). */
#define IR_OF_INITIALIZERS 4

static void fail(struct qd_builder *builder, enum qd_status status, const char *what,
                 const char *name)
{
    if (builder->error.status == QD_OK)
        qd_fail(&builder->error, status, "building: %s '%.80s'", what, name);
}

static const char *copy_text(struct qd_builder *builder, const char *text)
{
    const char *copy = qd_arena_string(builder->arena, text ? text : "");
    if (!copy)
        fail(builder, QD_NO_MEMORY, "no room for", text);
    return copy ? copy : "";
}

struct qd_builder *qd_build_begin(struct qd_arena *arena, int64_t opset)
{
    struct qd_builder *builder = qd_arena_alloc(arena, sizeof *builder);
    if (!builder)
        return NULL;
    builder->arena = arena;
    builder->opset = opset;
    builder->ir_version = ir_version_of_opset(opset);
    builder->nodes.arena = builder->initializers.arena = builder->inputs.arena = arena;
    builder->outputs.arena = builder->fed.arena = arena;
    builder->metadata = qd_case_default();
    builder->metadata.tags = builder->tags;
    return builder;
}

/* Open axes (−1) of a type that is `named` are N, M, L, ...: one name would say that they are as long as each other. */
static void put_type(struct qd_wire_out *out, enum qd_dtype dtype, int rank, const int64_t *dims,
                     bool named)
{
    char name[] = "N";
    size_t type = qd_wire_begin(out, INFO_TYPE);
    size_t tensor = qd_wire_begin(out, TYPE_TENSOR);
    qd_wire_put_varint(out, TENSOR_ELEM, (uint64_t)qd_dtype_info(dtype)->onnx);
    if (rank >= 0) {
        size_t shape = qd_wire_begin(out, TENSOR_SHAPE);
        for (int i = 0; i < rank; i++) {
            size_t dim = qd_wire_begin(out, SHAPE_DIM);
            if (dims[i] >= 0)
                qd_wire_put_varint(out, DIM_VALUE, (uint64_t)dims[i]);
            else if (named)
                qd_wire_put_text(out, DIM_PARAM, name);
            name[0] = (char)(name[0] - (dims[i] < 0));
            qd_wire_end(out, dim);
        }
        qd_wire_end(out, shape);
    }
    qd_wire_end(out, tensor);
    qd_wire_end(out, type);
}

/* A ValueInfoProto. */
static void put_info(struct qd_wire_out *out, uint32_t field, const char *name, enum qd_dtype dtype,
                     int rank, const int64_t *dims, bool named)
{
    size_t info = qd_wire_begin(out, field);
    qd_wire_put_text(out, INFO_NAME, name);
    if (dtype != QD_DTYPE_NONE)
        put_type(out, dtype, rank, dims, named);
    qd_wire_end(out, info);
}

static void put_tensor(struct qd_wire_out *out, uint32_t field, const char *name,
                       const struct qd_tensor *tensor)
{
    size_t mark = qd_wire_begin(out, field);
    qd_tensor_put(out, tensor, name);
    qd_wire_end(out, mark);
}

void qd_build_input(struct qd_builder *builder, const char *name, const struct qd_tensor *tensor)
{
    qd_build_open_input(builder, name, tensor, 0);
}

void qd_build_open_input(struct qd_builder *builder, const char *name,
                         const struct qd_tensor *tensor, uint32_t open_axes)
{
    int64_t dims[QD_MAX_RANK];
    for (unsigned i = 0; i < tensor->rank; i++) {
        bool open = open_axes >> i & 1;
        dims[i] = open ? -1 : tensor->dims[i];
        builder->open = builder->open || open;
    }
    need_dtype(builder, tensor->dtype);
    put_info(&builder->inputs, GRAPH_INPUT, name, tensor->dtype, (int)tensor->rank, dims, true);
    put_tensor(&builder->fed, QD_CASE_FIELD_INPUT, "", tensor);
}

void qd_build_initializer(struct qd_builder *builder, const char *name,
                          const struct qd_tensor *tensor)
{
    need_dtype(builder, tensor->dtype);
    if (builder->ir_version < IR_OF_INITIALIZERS)
        builder->ir_version = IR_OF_INITIALIZERS;
    put_tensor(&builder->initializers, GRAPH_INITIALIZER, name, tensor);
}

void qd_build_tensor(struct qd_builder *builder, const char *name, const struct qd_tensor *tensor,
                     bool as_input)
{
    if (as_input)
        qd_build_input(builder, name, tensor);
    else
        qd_build_initializer(builder, name, tensor);
}

/* One field per name of a comma-separated list. */
static void put_names(struct qd_wire_out *out, uint32_t field, const char *names)
{
    while (*names) {
        size_t length = strcspn(names, ",");
        qd_wire_put_bytes(out, field, names, length);
        if (names[length] == ',' && names[length + 1] == '\0')
            qd_wire_put_bytes(out, field, "", 0);
        names += length + (names[length] == ',');
    }
}

/* Attributes are put into the node added last, so it stays open until the next one or the end. */
static void close_node(struct qd_builder *builder)
{
    if (!builder->node_open)
        return;
    qd_wire_put_text(&builder->nodes, NODE_DOMAIN, builder->node_domain);
    qd_wire_end(&builder->nodes, builder->node_mark);
    builder->node_open = false;
}

void qd_build_node(struct qd_builder *builder, const char *domain, const char *op_type,
                   const char *inputs, const char *outputs)
{
    close_node(builder);
    struct qd_wire_out *out = &builder->nodes;
    char name[24];
    snprintf(name, sizeof name, "n%zu", builder->node_count++);
    builder->node_mark = qd_wire_begin(out, GRAPH_NODE);
    builder->node_open = true;
    builder->node_domain = copy_text(builder, domain);
    builder->microsoft = builder->microsoft || strcmp(builder->node_domain, "com.microsoft") == 0;
    put_names(out, NODE_INPUT, inputs);
    put_names(out, NODE_OUTPUT, outputs);
    qd_wire_put_text(out, NODE_NAME, name);
    qd_wire_put_text(out, NODE_OP_TYPE, op_type);
}

static size_t begin_attr(struct qd_builder *builder, const char *name)
{
    if (!builder->node_open)
        fail(builder, QD_INTERNAL, "an attribute without a node:", name);
    size_t mark = qd_wire_begin(&builder->nodes, NODE_ATTRIBUTE);
    qd_wire_put_text(&builder->nodes, ATTR_NAME, name);
    return mark;
}

static void end_attr(struct qd_builder *builder, size_t mark, uint64_t type)
{
    qd_wire_put_varint(&builder->nodes, ATTR_TYPE, type);
    qd_wire_end(&builder->nodes, mark);
}

void qd_build_attr_int(struct qd_builder *builder, const char *name, int64_t value)
{
    size_t mark = begin_attr(builder, name);
    qd_wire_put_varint(&builder->nodes, ATTR_I, (uint64_t)value);
    end_attr(builder, mark, TYPE_INT);
}

void qd_build_attr_float(struct qd_builder *builder, const char *name, float value)
{
    size_t mark = begin_attr(builder, name);
    qd_wire_put_float(&builder->nodes, ATTR_F, value);
    end_attr(builder, mark, TYPE_FLOAT);
}

void qd_build_attr_string(struct qd_builder *builder, const char *name, const char *value)
{
    size_t mark = begin_attr(builder, name);
    qd_wire_put_bytes(&builder->nodes, ATTR_S, value, strlen(value));
    end_attr(builder, mark, TYPE_STRING);
}

void qd_build_attr_ints(struct qd_builder *builder, const char *name, const int64_t *values,
                        size_t count)
{
    size_t mark = begin_attr(builder, name);
    for (size_t i = 0; i < count; i++)
        qd_wire_put_varint(&builder->nodes, ATTR_INTS, (uint64_t)values[i]);
    end_attr(builder, mark, TYPE_INTS);
}

void qd_build_attr_floats(struct qd_builder *builder, const char *name, const float *values,
                          size_t count)
{
    size_t mark = begin_attr(builder, name);
    for (size_t i = 0; i < count; i++)
        qd_wire_put_float(&builder->nodes, ATTR_FLOATS, values[i]);
    end_attr(builder, mark, TYPE_FLOATS);
}

void qd_build_attr_tensor(struct qd_builder *builder, const char *name,
                          const struct qd_tensor *tensor)
{
    size_t mark = begin_attr(builder, name);
    put_tensor(&builder->nodes, ATTR_T, "", tensor);
    end_attr(builder, mark, TYPE_ATTR_TENSOR);
}

void qd_build_output(struct qd_builder *builder, const char *name, enum qd_dtype dtype, int rank,
                     const int64_t *dims)
{
    need_dtype(builder, dtype);
    put_info(&builder->outputs, GRAPH_OUTPUT, name, dtype, rank, dims, false);
}

void qd_build_output_inferred(struct qd_builder *builder, const char *name, enum qd_dtype dtype)
{
    if (builder->inferred_count == QD_BUILD_MAX_INFERRED) {
        fail(builder, QD_INTERNAL, "too many inferred outputs:", name);
        return;
    }
    builder->inferred[builder->inferred_count].name = copy_text(builder, name);
    builder->inferred[builder->inferred_count++].dtype = dtype;
}

void qd_build_tag(struct qd_builder *builder, const char *tag)
{
    if (builder->metadata.tag_count == MAX_TAGS) {
        fail(builder, QD_INTERNAL, "too many tags:", tag);
        return;
    }
    builder->tags[builder->metadata.tag_count++] = copy_text(builder, tag);
}

void qd_build_request(struct qd_builder *builder, const uint8_t *request, size_t size)
{
    builder->metadata.request = request;
    builder->metadata.request_size = size;
}

void qd_build_steps(struct qd_builder *builder, const struct qd_case_step *steps, size_t count)
{
    builder->metadata.steps = steps;
    builder->metadata.step_count = count;
}

void qd_build_origin(struct qd_builder *builder, const char *spec, const char *issue,
                     const char *note)
{
    builder->metadata.spec = copy_text(builder, spec);
    builder->metadata.issue = copy_text(builder, issue);
    builder->metadata.note = copy_text(builder, note);
}

void qd_build_seed(struct qd_builder *builder, uint64_t seed, const char *generator)
{
    builder->metadata.seed = seed;
    builder->metadata.generator = copy_text(builder, generator);
}

void qd_build_must_reject(struct qd_builder *builder, const char *rule, const char *twin)
{
    builder->metadata.expect = QD_EXPECT_MUST_REJECT;
    builder->metadata.rule = copy_text(builder, rule);
    builder->metadata.twin = copy_text(builder, twin);
}

static void put_opset(struct qd_wire_out *out, const char *domain, int64_t version)
{
    size_t mark = qd_wire_begin(out, MODEL_OPSET_IMPORT);
    qd_wire_put_text(out, OPSET_DOMAIN, domain);
    qd_wire_put_varint(out, OPSET_VERSION, (uint64_t)version);
    qd_wire_end(out, mark);
}

/* Pieces are whole fields already: they are joined, not wrapped. */
static void join(struct qd_wire_out *out, const struct qd_wire_out *piece)
{
    qd_wire_put_raw(out, piece->bytes, piece->size);
    out->failed = out->failed || piece->failed;
}

static void put_model(struct qd_builder *builder, struct qd_wire_out *out)
{
    qd_wire_put_varint(out, MODEL_IR_VERSION, (uint64_t)builder->ir_version);
    qd_wire_put_text(out, MODEL_PRODUCER, "qdiff");
    size_t graph = qd_wire_begin(out, MODEL_GRAPH);
    join(out, &builder->nodes);
    qd_wire_put_text(out, GRAPH_NAME, "case");
    join(out, &builder->initializers);
    join(out, &builder->inputs);
    join(out, &builder->outputs);
    qd_wire_end(out, graph);
    put_opset(out, "", builder->opset);
    if (builder->microsoft)
        put_opset(out, "com.microsoft", 1);
}

static uint64_t hash_on(uint64_t hash, const struct qd_wire_out *piece)
{
    for (size_t i = 0; i < piece->size; i++)
        hash = (hash ^ piece->bytes[i]) * 0x100000001b3;
    return hash;
}

/* FNV-1a, folded to 32 bits: tells cases of one slug apart, no more. */
static uint32_t hash_pieces(const struct qd_wire_out *a, const struct qd_wire_out *b)
{
    uint64_t hash = hash_on(hash_on(0xcbf29ce484222325, a), b);
    return (uint32_t)(hash ^ hash >> 32);
}

static const char *case_id(struct qd_builder *builder, const char *id, bool hashed,
                           const struct qd_wire_out *model)
{
    const char *text =
        hashed ? qd_arena_printf(builder->arena, "%s/%08x", id, hash_pieces(model, &builder->fed))
               : id;
    if (!text)
        fail(builder, QD_NO_MEMORY, "no room for", id);
    return text;
}

static enum qd_status finish(struct qd_builder *builder, const char *id, bool hashed,
                             struct qd_case *kase, struct qd_error *error)
{
    close_node(builder);
    struct qd_wire_out model = {.arena = builder->arena}, out = model;
    put_model(builder, &model);
    builder->metadata.id = case_id(builder, id, hashed, &model);
    if (builder->error.status != QD_OK) {
        if (error)
            *error = builder->error;
        return builder->error.status;
    }
    qd_case_put_metadata(&out, &builder->metadata);
    qd_wire_put_bytes(&out, QD_CASE_FIELD_MODEL, model.bytes, model.size);
    out.failed = out.failed || model.failed;
    join(&out, &builder->fed);
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_wire_finish(&out, &bytes, &size, error);
    if (status == QD_OK)
        status = qd_case_decode(bytes, size, builder->arena, kase, error);
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "building '%.80s'", id);
}

/* Declares the inferred outputs, with the types of `shapes` and them or,
 * NULL, without. They come after the others. */
static void put_inferred(struct qd_builder *builder, const struct qd_tensor *shapes)
{
    int64_t open[QD_MAX_RANK];
    memset(open, -1, sizeof open);
    for (size_t i = 0; i < builder->inferred_count; i++) {
        const struct qd_tensor *want = shapes ? &shapes[i] : NULL;
        enum qd_dtype dtype = builder->inferred[i].dtype;
        if (want && dtype == QD_DTYPE_NONE)
            dtype = want->dtype;
        qd_build_output(builder, builder->inferred[i].name, dtype, want ? (int)want->rank : -1,
                        builder->open ? open
                        : want        ? want->dims
                                      : NULL);
    }
}

enum qd_status qd_build_finish(struct qd_builder *builder, const char *id, bool hashed,
                               struct qd_case *kase, struct qd_error *error)
{
    const struct qd_wire_out declared = builder->outputs;
    put_inferred(builder, NULL);
    bool again = builder->inferred_count > 0; /* then this one is asked for shapes alone */
    enum qd_status status = finish(builder, id, hashed && !again, kase, error);
    if (status != QD_OK || !again)
        return status;
    const struct qd_tensor *shapes;
    if (qd_graph_shapes(QD_MAX_WORK, kase->graph, kase->inputs, builder->arena, &shapes, NULL) ==
        QD_OK) {
        builder->outputs = declared;
        put_inferred(builder, shapes + (kase->graph->output_count - builder->inferred_count));
    }
    return finish(builder, id, hashed, kase, error);
}
