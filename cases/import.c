/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/import.h"

#include <stdlib.h>
#include <string.h>

#include "case_codec.h"
#include "graph_wire.h"
#include "model_file.h"
#include "onnx/onnx.pb-c.h"
#include "qdiff/evaluate.h"
#include "tensor_codec.h"
#include "unpack.h"

/* Field numbers of onnx.proto that only this file reads. */
enum { NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP_TYPE = 4, INFO_NAME = 1 };

/* Borrowed bytes of the model. */
struct slice {
    const uint8_t *bytes;
    size_t size;
};

struct import {
    const struct qd_import_options *options;
    struct qd_arena *arena;
    struct qd_error *error;
    struct slice model, graph, node;
    int64_t ir_version;
    const Onnx__NodeProto *proto; /* of the node */
    struct qd_wire_out opsets;    /* the model's imports, as they are */
    struct qd_wire_out pieces;    /* fields of the new graph, without its outputs */
    struct qd_wire_out outputs;   /* its outputs */
    struct qd_wire_out fed;       /* fields Case.input */
    bool *used;                   /* per feed */
};

static enum qd_status no_room(const struct import *import)
{
    return qd_fail(import->error, QD_NO_MEMORY, "%s: the memory budget is used up",
                   import->options->model);
}

static bool is_text(const struct qd_wire_field *field, const char *text)
{
    return field->type == QD_WIRE_BYTES && field->size == strlen(text) &&
           memcmp(field->bytes, text, field->size) == 0;
}

static struct slice slice_of(const struct qd_wire_field *field)
{
    return (struct slice){field->bytes, field->size};
}

/* Whether the message has a field `number` that is `text`. */
static bool has_text(struct slice message, uint32_t number, const char *text)
{
    struct qd_wire wire = {.bytes = message.bytes, .size = message.size};
    struct qd_wire_field field;
    while (qd_wire_next(&wire, &field))
        if (field.number == number && is_text(&field, text))
            return true;
    return false;
}

/* The first submessage `number` of the graph whose field `key` is `text`. */
static bool find_message(const struct import *import, uint32_t number, uint32_t key,
                         const char *text, struct slice *found)
{
    struct qd_wire wire = {.bytes = import->graph.bytes, .size = import->graph.size};
    struct qd_wire_field field;
    while (qd_wire_next(&wire, &field))
        if (field.number == number && field.type == QD_WIRE_BYTES &&
            has_text(slice_of(&field), key, text)) {
            *found = slice_of(&field);
            return true;
        }
    return false;
}

/* --- The model and the node ------------------------------------------------------------------- */

/* Notes graph, IR version and opset imports. */
static enum qd_status read_model(struct import *import)
{
    struct qd_wire wire = {.bytes = import->model.bytes, .size = import->model.size};
    struct qd_wire_field field;
    while (qd_wire_next(&wire, &field)) {
        if (field.number == QD_MODEL_IR_VERSION && field.type == QD_WIRE_VARINT)
            import->ir_version = (int64_t)field.value;
        if (field.type != QD_WIRE_BYTES)
            continue;
        if (field.number == QD_MODEL_GRAPH && import->graph.bytes)
            return qd_fail(import->error, QD_MALFORMED, "%s: the model has two graphs",
                           import->options->model);
        if (field.number == QD_MODEL_GRAPH)
            import->graph = slice_of(&field);
        if (field.number == QD_MODEL_OPSET_IMPORT)
            qd_wire_put_bytes(&import->opsets, QD_MODEL_OPSET_IMPORT, field.bytes, field.size);
    }
    if (wire.problem)
        return qd_fail(import->error, QD_MALFORMED, "%s at byte %zu: %s", import->options->model,
                       field.start, wire.problem);
    if (!import->graph.bytes)
        return qd_fail(import->error, QD_INVALID, "%s: no ONNX model, it has no graph",
                       import->options->model);
    return QD_OK;
}

/* Counts the nodes whose field `key` is the name asked for; `node` becomes the first. */
static enum qd_status match_nodes(struct import *import, uint32_t key, size_t *matches,
                                  size_t *nodes)
{
    struct qd_wire wire = {.bytes = import->graph.bytes, .size = import->graph.size};
    struct qd_wire_field field;
    *matches = *nodes = 0;
    while (qd_wire_next(&wire, &field)) {
        if (field.number != QD_GRAPH_NODE || field.type != QD_WIRE_BYTES)
            continue;
        ++*nodes;
        if (!has_text(slice_of(&field), key, import->options->node))
            continue;
        if (++*matches == 1)
            import->node = slice_of(&field);
    }
    if (wire.problem)
        return qd_fail(import->error, QD_MALFORMED, "%s, graph at byte %zu: %s",
                       import->options->model, field.start, wire.problem);
    return QD_OK;
}

static enum qd_status find_node(struct import *import)
{
    size_t matches, nodes;
    enum qd_status status = match_nodes(import, NODE_NAME, &matches, &nodes);
    if (status == QD_OK && matches == 0)
        status = match_nodes(import, NODE_OUTPUT, &matches, &nodes);
    if (status != QD_OK)
        return status;
    if (matches == 0)
        return qd_fail(import->error, QD_USAGE,
                       "%s: none of its %zu nodes has the name or an output '%.100s'",
                       import->options->model, nodes, import->options->node);
    if (matches > 1)
        return qd_fail(import->error, QD_USAGE,
                       "%s: %zu nodes are named '%.100s'; give the name of an output",
                       import->options->model, matches, import->options->node);
    return QD_OK;
}

/* A node may call a function that the model itself defines. */
static enum qd_status check_function(const struct import *import)
{
    struct qd_wire wire = {.bytes = import->model.bytes, .size = import->model.size};
    struct qd_wire_field field;
    const char *op_type = import->proto->op_type ? import->proto->op_type : "";
    while (qd_wire_next(&wire, &field)) {
        if (field.number != QD_MODEL_FUNCTION || field.type != QD_WIRE_BYTES ||
            !has_text(slice_of(&field), 1, op_type))
            continue;
        const char *domain = import->proto->domain ? import->proto->domain : "";
        if (!*domain || has_text(slice_of(&field), 10, domain))
            return qd_fail(import->error, QD_UNSUPPORTED,
                           "node '%.80s' calls '%.80s', a function of the model",
                           import->options->node, op_type);
    }
    return QD_OK;
}

static enum qd_status unpack_node(struct import *import)
{
    ProtobufCMessage *message;
    enum qd_status status = qd_unpack(&onnx__node_proto__descriptor, import->node.bytes,
                                      import->node.size, import->arena, &message, import->error);
    if (status != QD_OK)
        return qd_fail_context(import->error, status, "node '%.80s'", import->options->node);
    import->proto = (const Onnx__NodeProto *)message;
    return check_function(import);
}

/* --- Constants -------------------------------------------------------------------------------- */

/* Puts a constant of the model into the new graph: its own bytes, unless they have to come from another file. */
static enum qd_status put_constant(struct import *import, const char *name, struct slice constant)
{
    ProtobufCMessage *message;
    enum qd_status status = qd_unpack(&onnx__tensor_proto__descriptor, constant.bytes,
                                      constant.size, import->arena, &message, import->error);
    if (status != QD_OK)
        return status;
    const Onnx__TensorProto *proto = (const Onnx__TensorProto *)message;
    bool named = proto->name && strcmp(proto->name, name) == 0;
    bool external = proto->has_data_location &&
                    proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (named && !external) {
        qd_wire_put_bytes(&import->pieces, QD_GRAPH_INITIALIZER, constant.bytes, constant.size);
        return QD_OK;
    }
    struct qd_tensor tensor;
    status =
        qd_model_file_tensor(import->options->model, proto, import->arena, &tensor, import->error);
    if (status != QD_OK)
        return status;
    size_t mark = qd_wire_begin(&import->pieces, QD_GRAPH_INITIALIZER);
    qd_tensor_put(&import->pieces, &tensor, name);
    qd_wire_end(&import->pieces, mark);
    return QD_OK;
}

/* The tensor of a Constant node that gives the value: its attribute "value". */
static bool find_constant_node(const struct import *import, const char *name,
                               struct slice *constant)
{
    struct slice node;
    if (!find_message(import, QD_GRAPH_NODE, NODE_OUTPUT, name, &node) ||
        !has_text(node, NODE_OP_TYPE, "Constant"))
        return false;
    struct qd_wire wire = {.bytes = node.bytes, .size = node.size};
    struct qd_wire_field attribute, field;
    while (qd_wire_next(&wire, &attribute)) {
        if (attribute.number != 5 || attribute.type != QD_WIRE_BYTES ||
            !has_text(slice_of(&attribute), 1, "value"))
            continue;
        struct qd_wire inner = {.bytes = attribute.bytes, .size = attribute.size};
        while (qd_wire_next(&inner, &field))
            if (field.number == 5 && field.type == QD_WIRE_BYTES) {
                *constant = slice_of(&field);
                return true;
            }
    }
    return false;
}

/* --- Feeds ------------------------------------------------------------------------------------ */

/* The type the model declares for a value, NONE where it says nothing. */
static enum qd_dtype declared_dtype(const struct import *import, const char *name)
{
    static const uint32_t places[] = {QD_GRAPH_INPUT, QD_GRAPH_VALUE_INFO, QD_GRAPH_OUTPUT};
    struct slice info;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ProtobufCMessage *message;
        if (!find_message(import, places[i], INFO_NAME, name, &info) ||
            qd_unpack(&onnx__value_info_proto__descriptor, info.bytes, info.size, import->arena,
                      &message, NULL) != QD_OK)
            continue;
        const Onnx__TypeProto *type = ((const Onnx__ValueInfoProto *)message)->type;
        if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
            return qd_dtype_of_onnx(type->tensor_type->elem_type);
    }
    return QD_DTYPE_NONE;
}

static enum qd_status read_feed(const struct import *import, const struct qd_import_feed *feed,
                                struct qd_tensor *tensor)
{
    enum qd_dtype want = declared_dtype(import, feed->name);
    size_t length = strlen(feed->path);
    if (length < 3 || strcmp(feed->path + length - 3, ".pb") != 0)
        return qd_npy_read(feed->path, want, import->arena, tensor, import->error);
    uint8_t *bytes;
    size_t size;
    const char *name;
    enum qd_status status =
        qd_file_read(feed->path, QD_CASE_MAX_BYTES, import->arena, &bytes, &size, import->error);
    if (status != QD_OK)
        return status;
    status = qd_tensor_decode(bytes, size, import->arena, &name, tensor, import->error);
    return status == QD_OK ? QD_OK : qd_fail_context(import->error, status, "%s", feed->path);
}

/* The feed of a value, -1 if there is none. */
static int find_feed(const struct import *import, const char *name)
{
    for (size_t i = 0; i < import->options->feed_count; i++)
        if (strcmp(import->options->feeds[i].name, name) == 0)
            return (int)i;
    return -1;
}

static enum qd_status put_feed(struct import *import, int feed)
{
    struct qd_tensor tensor;
    enum qd_status status = read_feed(import, &import->options->feeds[feed], &tensor);
    if (status != QD_OK)
        return status;
    import->used[feed] = true;
    qd_wire_put_info(&import->pieces, QD_GRAPH_INPUT, import->options->feeds[feed].name,
                     tensor.dtype, &tensor);
    size_t mark = qd_wire_begin(&import->fed, QD_CASE_FIELD_INPUT);
    qd_tensor_put(&import->fed, &tensor, "");
    qd_wire_end(&import->fed, mark);
    return QD_OK;
}

static enum qd_status check_feeds(const struct import *import, const char *reader)
{
    for (size_t i = 0; i < import->options->feed_count; i++) {
        if (!import->used[i])
            return qd_fail(import->error, QD_USAGE,
                           "%s does not read '%.100s' (or it is given twice)", reader,
                           import->options->feeds[i].name);
    }
    return QD_OK;
}

/* --- The new model ---------------------------------------------------------------------------- */

/* Where the value comes from: a feed, a constant of the model, or nowhere. */
static enum qd_status put_input(struct import *import, const char *name)
{
    struct slice constant;
    int feed = find_feed(import, name);
    if (feed >= 0)
        return put_feed(import, feed);
    if (!find_message(import, QD_GRAPH_INITIALIZER, QD_TENSOR_NAME, name, &constant) &&
        !find_constant_node(import, name, &constant))
        return qd_fail(import->error, QD_USAGE,
                       "node '%.80s' reads '%.80s', which is no constant: give it with "
                       "--input '%.80s'=FILE.npy",
                       import->options->node, name, name);
    enum qd_status status = put_constant(import, name, constant);
    return status == QD_OK ? QD_OK
                           : qd_fail_context(import->error, status, "constant '%.80s'", name);
}

static enum qd_status put_inputs(struct import *import)
{
    const Onnx__NodeProto *proto = import->proto;
    for (size_t i = 0; i < proto->n_input; i++) {
        bool again = *proto->input[i] == '\0';
        for (size_t j = 0; j < i && !again; j++)
            again = strcmp(proto->input[i], proto->input[j]) == 0;
        enum qd_status status = again ? QD_OK : put_input(import, proto->input[i]);
        if (status != QD_OK)
            return status;
    }
    return QD_OK;
}

/* Two thousand inputs are more than any operator has, and bound the quadratic search above. */
#define MAX_NODE_INPUTS 2000

static enum qd_status put_node(struct import *import)
{
    const Onnx__NodeProto *proto = import->proto;
    if (proto->n_input > MAX_NODE_INPUTS || proto->n_output > MAX_NODE_INPUTS)
        return qd_fail(import->error, QD_LIMIT, "node '%.80s': more than %d inputs or outputs",
                       import->options->node, MAX_NODE_INPUTS);
    qd_wire_put_bytes(&import->pieces, QD_GRAPH_NODE, import->node.bytes, import->node.size);
    qd_wire_put_text(&import->pieces, QD_GRAPH_NAME, "imported");
    enum qd_status status = put_inputs(import);
    for (size_t i = 0; status == QD_OK && i < proto->n_output; i++)
        if (*proto->output[i])
            qd_wire_put_info(&import->outputs, QD_GRAPH_OUTPUT, proto->output[i],
                             declared_dtype(import, proto->output[i]), NULL);
    return status == QD_OK ? check_feeds(import, "the node") : status;
}

static void put_cut_model(const struct import *import, struct qd_wire_out *out)
{
    size_t model = qd_wire_begin(out, QD_CASE_FIELD_MODEL);
    qd_wire_put_varint(out, QD_MODEL_IR_VERSION,
                       (uint64_t)qd_ir_version_of_cut(import->ir_version));
    size_t graph = qd_wire_begin(out, QD_MODEL_GRAPH);
    qd_wire_put_raw(out, import->pieces.bytes, import->pieces.size);
    qd_wire_put_raw(out, import->outputs.bytes, import->outputs.size);
    qd_wire_end(out, graph);
    qd_wire_put_raw(out, import->opsets.bytes, import->opsets.size);
    qd_wire_end(out, model);
    out->failed =
        out->failed || import->pieces.failed || import->outputs.failed || import->opsets.failed;
}

/* --- A whole model ---------------------------------------------------------------------------- */

static enum qd_status put_model_feeds(struct import *import)
{
    struct qd_case kase;
    enum qd_status status = qd_case_from_model(import->model.bytes, import->model.size,
                                               import->arena, &kase, import->error);
    for (size_t i = 0; status == QD_OK && i < kase.input_count; i++) {
        const char *name = kase.graph->values[kase.graph->inputs[i]].name;
        int feed = find_feed(import, name);
        status = feed >= 0 ? put_feed(import, feed)
                           : qd_fail(import->error, QD_USAGE,
                                     "the model reads '%.100s': give it with --input "
                                     "'%.100s'=FILE.npy",
                                     name, name);
    }
    return status == QD_OK ? check_feeds(import, "the model") : status;
}

/* --- The case --------------------------------------------------------------------------------- */

/* "import/<model>/<node>", with anything that an id may not hold replaced. */
static enum qd_status make_id(const struct import *import, const char **id)
{
    if (import->options->id) {
        *id = import->options->id;
        return QD_OK;
    }
    const char *slash = strrchr(import->options->model, '/');
    const char *stem = slash ? slash + 1 : import->options->model;
    size_t length = strlen(stem);
    if (length > 5 && strcmp(stem + length - 5, ".onnx") == 0)
        length -= 5;
    char *text = qd_arena_printf(import->arena, "import/%.*s%s%s", (int)length, stem,
                                 import->options->node ? "/" : "",
                                 import->options->node ? import->options->node : "");
    if (!text)
        return no_room(import);
    for (char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~')
            *c = '_';
    *id = text;
    return QD_OK;
}

static enum qd_status make_case(struct import *import, struct qd_case *kase)
{
    struct qd_case metadata = qd_case_default();
    struct qd_wire_out out = {.arena = import->arena};
    uint8_t *bytes;
    size_t size;
    enum qd_status status = make_id(import, &metadata.id);
    if (status != QD_OK)
        return status;
    qd_case_put_metadata(&out, &metadata);
    if (import->options->node)
        put_cut_model(import, &out);
    else
        qd_wire_put_bytes(&out, QD_CASE_FIELD_MODEL, import->model.bytes, import->model.size);
    qd_wire_put_raw(&out, import->fed.bytes, import->fed.size);
    out.failed = out.failed || import->fed.failed;
    status = qd_wire_finish(&out, &bytes, &size, import->error);
    return status == QD_OK ? qd_case_decode(bytes, size, import->arena, kase, import->error)
                           : status;
}

/* Models rarely declare what is between their nodes, and ONNX's checker wants types and shapes of graph outputs: they
 * are what the reference computes. Where it cannot, what the model declares has to do. */
static enum qd_status declare_outputs(struct import *import, struct qd_case *kase)
{
    const struct qd_graph *graph = kase->graph;
    struct qd_value *values = qd_arena_array(import->arena, graph->output_count, sizeof *values);
    if (!values)
        return no_room(import);
    if (qd_graph_evaluate(graph, kase->inputs, NULL, import->arena, values, NULL) != QD_OK)
        return QD_OK;
    import->outputs = (struct qd_wire_out){.arena = import->arena};
    for (size_t i = 0; i < graph->output_count; i++)
        qd_wire_put_info(&import->outputs, QD_GRAPH_OUTPUT, graph->values[graph->outputs[i]].name,
                         values[i].want.dtype, &values[i].want);
    return make_case(import, kase);
}

static enum qd_status cut_node(struct import *import, struct qd_case *kase)
{
    struct qd_case cut;
    enum qd_status status = find_node(import);
    if (status == QD_OK)
        status = unpack_node(import);
    if (status == QD_OK && import->proto)
        status = put_node(import);
    if (status == QD_OK)
        status = make_case(import, &cut);
    if (status == QD_OK)
        status = declare_outputs(import, &cut);
    if (status == QD_OK)
        *kase = cut;
    return status;
}

static enum qd_status run(struct import *import, struct qd_case *kase)
{
    import->used = qd_arena_array(import->arena, import->options->feed_count, sizeof *import->used);
    if (!import->used)
        return no_room(import);
    enum qd_status status = read_model(import);
    if (status != QD_OK)
        return status;
    if (import->options->node)
        return cut_node(import, kase);
    status = put_model_feeds(import);
    return status == QD_OK ? make_case(import, kase) : status;
}

enum qd_status qd_import(const struct qd_import_options *options, struct qd_arena *arena,
                         struct qd_case *kase, struct qd_error *error)
{
    struct import import = {.options = options, .arena = arena, .error = error};
    import.opsets.arena = import.pieces.arena = arena;
    import.outputs.arena = import.fed.arena = arena;
    enum qd_status status =
        qd_model_file_map(options->model, &import.model.bytes, &import.model.size, error);
    if (status != QD_OK)
        return status;
    status = run(&import, kase);
    qd_model_file_unmap(import.model.bytes, import.model.size);
    return status;
}

enum qd_status qd_import_feed_parse(const char *text, struct qd_arena *arena,
                                    struct qd_import_feed *feed, struct qd_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return qd_fail(error, QD_USAGE, "--input %s: NAME=FILE is wanted", text);
    struct qd_import_feed made = {.path = equals + 1};
    made.name = qd_arena_printf(arena, "%.*s", (int)(equals - text), text);
    if (!made.name)
        return qd_fail(error, QD_NO_MEMORY, "no memory for --input");
    *feed = made;
    return QD_OK;
}
