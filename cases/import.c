/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case_codec.h"
#include "onnx/onnx.pb-c.h"
#include "qdiff/evaluate.h"
#include "tensor_codec.h"
#include "unpack.h"

/* Field numbers of onnx.proto, as they are read and written. */
enum { MODEL_IR_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET_IMPORT = 8, MODEL_FUNCTION = 25 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { GRAPH_VALUE_INFO = 13 };
enum { NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP_TYPE = 4 };
enum {
    TENSOR_NAME = 8,
    INFO_NAME = 1,
    INFO_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEM = 1,
    TENSOR_TYPE_SHAPE = 2
};
enum { SHAPE_DIM = 1, DIM_VALUE = 1 };

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
        if (field.number == MODEL_IR_VERSION && field.type == QD_WIRE_VARINT)
            import->ir_version = (int64_t)field.value;
        if (field.type != QD_WIRE_BYTES)
            continue;
        if (field.number == MODEL_GRAPH && import->graph.bytes)
            return qd_fail(import->error, QD_MALFORMED, "%s: the model has two graphs",
                           import->options->model);
        if (field.number == MODEL_GRAPH)
            import->graph = slice_of(&field);
        if (field.number == MODEL_OPSET_IMPORT)
            qd_wire_put_bytes(&import->opsets, MODEL_OPSET_IMPORT, field.bytes, field.size);
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
        if (field.number != GRAPH_NODE || field.type != QD_WIRE_BYTES)
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
        if (field.number != MODEL_FUNCTION || field.type != QD_WIRE_BYTES ||
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

static const char *entry(const Onnx__TensorProto *proto, const char *key)
{
    for (size_t i = 0; i < proto->n_external_data; i++)
        if (proto->external_data[i]->key && proto->external_data[i]->value &&
            strcmp(proto->external_data[i]->key, key) == 0)
            return proto->external_data[i]->value;
    return NULL;
}

/* A location may name a file beside the model or below, nothing else. */
static bool is_inside(const char *location)
{
    if (*location == '/' || *location == '\0')
        return false;
    for (const char *part = location; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

static bool parse_size(const char *text, uint64_t otherwise, uint64_t *value)
{
    char *end;
    if (!text) {
        *value = otherwise;
        return true;
    }
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static enum qd_status read_part(const struct import *import, const char *path, uint64_t offset,
                                void *bytes, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum qd_status status = QD_OK;
    if (fd < 0)
        return qd_fail(import->error, QD_IO, "%s: cannot open: %s", path, strerror(errno));
    for (size_t done = 0; status == QD_OK && done < size;) {
        ssize_t n = pread(fd, (uint8_t *)bytes + done, size - done, (off_t)(offset + done));
        if (n == 0)
            status = qd_fail(import->error, QD_INVALID, "%s: ends before byte %llu", path,
                             (unsigned long long)(offset + size));
        else if (n < 0 && errno != EINTR)
            status = qd_fail(import->error, QD_IO, "%s: cannot read: %s", path, strerror(errno));
        else if (n > 0)
            done += (size_t)n;
    }
    close(fd);
    return status;
}

/* The tensor of a message whose elements are in another file. */
static enum qd_status read_external(const struct import *import, const Onnx__TensorProto *proto,
                                    struct qd_tensor *tensor)
{
    const char *location = entry(proto, "location");
    uint64_t offset, length;
    enum qd_dtype dtype = qd_dtype_of_onnx(proto->data_type);
    if (!location || !is_inside(location))
        return qd_fail(import->error, QD_INVALID,
                       "external data at '%.100s', which is not next to the model",
                       location ? location : "");
    if (dtype == QD_DTYPE_NONE || proto->n_dims > QD_MAX_RANK)
        return qd_fail(import->error, QD_UNSUPPORTED, "data_type %d with %zu dimensions",
                       proto->data_type, proto->n_dims);
    enum qd_status status = qd_tensor_init(tensor, import->arena, dtype, (unsigned)proto->n_dims,
                                           proto->dims, import->error);
    if (status != QD_OK)
        return status;
    size_t size = qd_tensor_bytes(tensor);
    if (!parse_size(entry(proto, "offset"), 0, &offset) ||
        !parse_size(entry(proto, "length"), size, &length) || length != size ||
        offset > INT64_MAX - size)
        return qd_fail(import->error, QD_INVALID,
                       "external data: offset or length do not fit %zu bytes", size);
    const char *slash = strrchr(import->options->model, '/');
    int directory = slash ? (int)(slash - import->options->model) + 1 : 0;
    const char *path =
        qd_arena_printf(import->arena, "%.*s%s", directory, import->options->model, location);
    return path ? read_part(import, path, offset, tensor->data, size) : no_room(import);
}

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
        qd_wire_put_bytes(&import->pieces, GRAPH_INITIALIZER, constant.bytes, constant.size);
        return QD_OK;
    }
    struct qd_tensor tensor;
    status = external ? read_external(import, proto, &tensor)
                      : qd_tensor_of_proto(proto, import->arena, &tensor, import->error);
    if (status != QD_OK)
        return status;
    size_t mark = qd_wire_begin(&import->pieces, GRAPH_INITIALIZER);
    qd_tensor_put(&import->pieces, &tensor, name);
    qd_wire_end(&import->pieces, mark);
    return QD_OK;
}

/* The tensor of a Constant node that gives the value: its attribute "value". */
static bool find_constant_node(const struct import *import, const char *name,
                               struct slice *constant)
{
    struct slice node;
    if (!find_message(import, GRAPH_NODE, NODE_OUTPUT, name, &node) ||
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
    static const uint32_t places[] = {GRAPH_INPUT, GRAPH_VALUE_INFO, GRAPH_OUTPUT};
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

static void put_info(struct qd_wire_out *out, uint32_t number, const char *name,
                     enum qd_dtype dtype, const struct qd_tensor *shape)
{
    size_t info = qd_wire_begin(out, number);
    qd_wire_put_text(out, INFO_NAME, name);
    if (dtype != QD_DTYPE_NONE) {
        size_t type = qd_wire_begin(out, INFO_TYPE), tensor = qd_wire_begin(out, TYPE_TENSOR);
        qd_wire_put_varint(out, TENSOR_TYPE_ELEM, (uint64_t)qd_dtype_info(dtype)->onnx);
        if (shape) {
            size_t mark = qd_wire_begin(out, TENSOR_TYPE_SHAPE);
            for (unsigned i = 0; i < shape->rank; i++) {
                size_t dim = qd_wire_begin(out, SHAPE_DIM);
                qd_wire_put_varint(out, DIM_VALUE, (uint64_t)shape->dims[i]);
                qd_wire_end(out, dim);
            }
            qd_wire_end(out, mark);
        }
        qd_wire_end(out, tensor);
        qd_wire_end(out, type);
    }
    qd_wire_end(out, info);
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
    put_info(&import->pieces, GRAPH_INPUT, import->options->feeds[feed].name, tensor.dtype,
             &tensor);
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
    if (!find_message(import, GRAPH_INITIALIZER, TENSOR_NAME, name, &constant) &&
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
    qd_wire_put_bytes(&import->pieces, GRAPH_NODE, import->node.bytes, import->node.size);
    qd_wire_put_text(&import->pieces, GRAPH_NAME, "imported");
    enum qd_status status = put_inputs(import);
    for (size_t i = 0; status == QD_OK && i < proto->n_output; i++)
        if (*proto->output[i])
            put_info(&import->outputs, GRAPH_OUTPUT, proto->output[i],
                     declared_dtype(import, proto->output[i]), NULL);
    return status == QD_OK ? check_feeds(import, "the node") : status;
}

static void put_cut_model(const struct import *import, struct qd_wire_out *out)
{
    /* Before IR version 4 every initializer had to be a graph input too; ours are not. */
    int64_t ir_version = import->ir_version < 4 ? 4 : import->ir_version;
    size_t model = qd_wire_begin(out, QD_CASE_FIELD_MODEL);
    qd_wire_put_varint(out, MODEL_IR_VERSION, (uint64_t)ir_version);
    size_t graph = qd_wire_begin(out, MODEL_GRAPH);
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
        put_info(&import->outputs, GRAPH_OUTPUT, graph->values[graph->outputs[i]].name,
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

/* Maps the file; an empty one is no mapping and no model. */
static enum qd_status map_model(const char *path, int fd, void **mapping, size_t *size,
                                struct qd_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return qd_fail(error, QD_IO, "%s: not a regular file", path);
    if ((uintmax_t)info.st_size > QD_IMPORT_MAX_BYTES)
        return qd_fail(error, QD_LIMIT, "%s: %jd bytes, at most %zu are read", path,
                       (intmax_t)info.st_size, QD_IMPORT_MAX_BYTES);
    if (info.st_size == 0)
        return qd_fail(error, QD_INVALID, "%s: the file is empty", path);
    void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return qd_fail(error, QD_IO, "%s: cannot map: %s", path, strerror(errno));
    *mapping = bytes;
    *size = (size_t)info.st_size;
    return QD_OK;
}

enum qd_status qd_import(const struct qd_import_options *options, struct qd_arena *arena,
                         struct qd_case *kase, struct qd_error *error)
{
    struct import import = {.options = options, .arena = arena, .error = error};
    import.opsets.arena = import.pieces.arena = arena;
    import.outputs.arena = import.fed.arena = arena;
    void *mapping = NULL;
    int fd = open(options->model, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return qd_fail(error, QD_IO, "%s: cannot open: %s", options->model, strerror(errno));
    enum qd_status status = map_model(options->model, fd, &mapping, &import.model.size, error);
    close(fd);
    if (status != QD_OK)
        return status;
    import.model.bytes = mapping;
    status = run(&import, kase);
    munmap(mapping, import.model.size);
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
