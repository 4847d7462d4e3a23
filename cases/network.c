/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a model as a network: its nodes, values and who reads what, without its constants. */
#include "qdiff/network.h"

#include <string.h>

#include "graph_wire.h"
#include "model_file.h"
#include "network_source.h"
#include "qdiff/evaluate.h"
#include "unpack.h"

struct opening {
    struct qd_network *network;
    struct qd_network_source *source;
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_slice graph;
    struct qd_network_functions functions;
    struct qd_network_value *values;
    struct qd_slice *initializers;
    struct qd_network_node *nodes;
    size_t value_count, value_capacity;
    int *inputs, *outputs;
};

static enum qd_status no_room(const struct opening *o)
{
    return qd_fail(o->error, QD_NO_MEMORY, "%s: no room for its graph", o->network->path);
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* --- Names ------------------------------------------------------------------------------------ */

static size_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* The place of a name in the table: its own, or the free one where it belongs. */
static size_t place_of(const struct qd_network_source *source,
                       const struct qd_network_value *values, const char *name)
{
    size_t at = hash_of(name) & (source->table_size - 1);
    while (source->table[at] >= 0 && strcmp(values[source->table[at]].name, name) != 0)
        at = (at + 1) & (source->table_size - 1);
    return at;
}

int qd_network_find(const struct qd_network *network, const char *name)
{
    return network->source->table[place_of(network->source, network->values, name)];
}

static int find(const struct opening *o, const char *name)
{
    return o->source->table[place_of(o->source, o->values, name)];
}

static bool make_table(struct opening *o, size_t size)
{
    struct qd_network_source *source = o->source;
    source->table = qd_arena_array(o->arena, size, sizeof *source->table);
    if (!source->table)
        return false;
    source->table_size = size;
    memset(source->table, 0xFF, size * sizeof *source->table);
    for (size_t i = 0; i < o->value_count; i++)
        source->table[place_of(source, o->values, o->values[i].name)] = (int)i;
    return true;
}

static bool grow(struct opening *o)
{
    size_t capacity = o->value_capacity ? 2 * o->value_capacity : 512;
    struct qd_network_value *values = qd_arena_array(o->arena, capacity, sizeof *values);
    struct qd_slice *initializers = qd_arena_array(o->arena, capacity, sizeof *initializers);
    if (!values || !initializers)
        return false;
    if (o->value_count > 0) {
        memcpy(values, o->values, o->value_count * sizeof *values);
        memcpy(initializers, o->initializers, o->value_count * sizeof *initializers);
    }
    o->values = values;
    o->initializers = initializers;
    o->value_capacity = capacity;
    return make_table(o, 2 * capacity);
}

/* A new value; the name is the arena's. */
static enum qd_status define(struct opening *o, const char *name, int *value)
{
    if (o->value_count == o->value_capacity && !grow(o))
        return no_room(o);
    *value = (int)o->value_count++;
    o->values[*value] = (struct qd_network_value){.name = name, .producer = -1, .rank = -1};
    o->source->table[place_of(o->source, o->values, name)] = *value;
    return QD_OK;
}

/* --- The model -------------------------------------------------------------------------------- */

static enum qd_status unpack(struct opening *o, const ProtobufCMessageDescriptor *descriptor,
                             struct qd_slice bytes, ProtobufCMessage **message)
{
    enum qd_status status =
        qd_unpack(descriptor, bytes.bytes, bytes.size, o->arena, message, o->error);
    return status == QD_OK ? QD_OK : qd_fail_context(o->error, status, "%s", o->network->path);
}

static enum qd_status take_model_field(struct opening *o, const struct qd_wire_field *field)
{
    struct qd_network_source *source = o->source;
    if (field->number == QD_MODEL_IR_VERSION && field->type == QD_WIRE_VARINT)
        source->ir_version = (int64_t)field->value;
    if (field->type != QD_WIRE_BYTES)
        return QD_OK;
    if (field->number == QD_MODEL_GRAPH && o->graph.bytes)
        return qd_fail(o->error, QD_MALFORMED, "%s: the model has two graphs", o->network->path);
    if (field->number == QD_MODEL_GRAPH)
        o->graph = (struct qd_slice){field->bytes, field->size};
    if (field->number == QD_MODEL_OPSET_IMPORT)
        qd_wire_put_bytes(&source->opsets, QD_MODEL_OPSET_IMPORT, field->bytes, field->size);
    if (field->number == QD_MODEL_FUNCTION) {
        qd_wire_put_bytes(&source->functions, QD_MODEL_FUNCTION, field->bytes, field->size);
        o->functions.count++;
    }
    return QD_OK;
}

static enum qd_status read_model(struct opening *o)
{
    struct qd_wire wire = {.bytes = o->source->file.bytes, .size = o->source->file.size};
    struct qd_wire_field field;
    enum qd_status status = QD_OK;
    while (status == QD_OK && qd_wire_next(&wire, &field))
        status = take_model_field(o, &field);
    if (status != QD_OK)
        return status;
    if (wire.problem)
        return qd_fail(o->error, QD_MALFORMED, "%s at byte %zu: %s", o->network->path, field.start,
                       wire.problem);
    if (!o->graph.bytes)
        return qd_fail(o->error, QD_INVALID, "%s: no ONNX model, it has no graph",
                       o->network->path);
    return o->source->opsets.failed || o->source->functions.failed ? no_room(o) : QD_OK;
}

/* Functions and opset imports, unpacked. */
static enum qd_status read_functions(struct opening *o)
{
    struct qd_network_functions *functions = &o->functions;
    struct qd_wire wire = {.bytes = o->source->functions.bytes, .size = o->source->functions.size};
    struct qd_wire_field field;
    ProtobufCMessage *message;
    functions->items = qd_arena_array(o->arena, functions->count, sizeof *functions->items);
    if (!functions->items)
        return no_room(o);
    enum qd_status status =
        unpack(o, &onnx__model_proto__descriptor,
               (struct qd_slice){o->source->opsets.bytes, o->source->opsets.size}, &message);
    if (status == QD_OK)
        functions->imports = (const Onnx__ModelProto *)message;
    for (size_t i = 0; status == QD_OK && qd_wire_next(&wire, &field); i++) {
        status = unpack(o, &onnx__function_proto__descriptor,
                        (struct qd_slice){field.bytes, field.size}, &message);
        if (status == QD_OK)
            functions->items[i].proto = (const Onnx__FunctionProto *)message;
    }
    if (status == QD_OK)
        qd_network_judge_functions(functions);
    return status;
}

/* --- The graph -------------------------------------------------------------------------------- */

/* Calls `take` for each submessage `number` of the graph. */
static enum qd_status each(struct opening *o, uint32_t number,
                           enum qd_status (*take)(struct opening *o, struct qd_slice bytes))
{
    struct qd_wire wire = {.bytes = o->graph.bytes, .size = o->graph.size};
    struct qd_wire_field field;
    enum qd_status status = QD_OK;
    while (status == QD_OK && qd_wire_next(&wire, &field))
        if (field.number == number && field.type == QD_WIRE_BYTES)
            status = take(o, (struct qd_slice){field.bytes, field.size});
    if (status == QD_OK && wire.problem)
        return qd_fail(o->error, QD_MALFORMED, "%s, graph at byte %zu: %s", o->network->path,
                       field.start, wire.problem);
    return status;
}

static void read_declaration(const Onnx__TypeProto *type, struct qd_network_value *value)
{
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return;
    const Onnx__TensorShapeProto *shape = type->tensor_type->shape;
    value->dtype = qd_dtype_of_onnx(type->tensor_type->elem_type);
    if (!shape || shape->n_dim > QD_MAX_RANK)
        return;
    value->rank = (int)shape->n_dim;
    for (size_t i = 0; i < shape->n_dim; i++) {
        bool fixed =
            shape->dim[i]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        value->dims[i] = fixed && shape->dim[i]->dim_value >= 0 ? shape->dim[i]->dim_value : -1;
    }
}

static enum qd_status take_input(struct opening *o, struct qd_slice bytes)
{
    ProtobufCMessage *message;
    int value;
    enum qd_status status = unpack(o, &onnx__value_info_proto__descriptor, bytes, &message);
    if (status != QD_OK)
        return status;
    const Onnx__ValueInfoProto *proto = (const Onnx__ValueInfoProto *)message;
    if (*text_of(proto->name) == '\0')
        return qd_fail(o->error, QD_INVALID, "%s: a graph input has no name", o->network->path);
    if (o->value_count > 0 && find(o, proto->name) != QD_NO_VALUE)
        return qd_fail(o->error, QD_INVALID, "%s: the graph input '%.80s' occurs twice",
                       o->network->path, proto->name);
    status = define(o, proto->name, &value);
    if (status != QD_OK)
        return status;
    o->values[value].is_input = true;
    read_declaration(proto->type, &o->values[value]);
    return QD_OK;
}

/* An initializer's name, without unpacking what may be megabytes. */
static enum qd_status take_initializer(struct opening *o, struct qd_slice bytes)
{
    struct qd_wire wire = {.bytes = bytes.bytes, .size = bytes.size};
    struct qd_wire_field field;
    const char *name = NULL;
    int value = QD_NO_VALUE;
    while (qd_wire_next(&wire, &field))
        if (field.number == QD_TENSOR_NAME && field.type == QD_WIRE_BYTES &&
            !memchr(field.bytes, 0, field.size))
            name = qd_arena_printf(o->arena, "%.*s", (int)field.size, (const char *)field.bytes);
    if (wire.problem || !name || *name == '\0')
        return qd_fail(o->error, wire.problem ? QD_MALFORMED : QD_INVALID, "%s: an initializer %s",
                       o->network->path, wire.problem ? wire.problem : "has no name");
    if (o->value_count > 0)
        value = find(o, name);
    if (value != QD_NO_VALUE && o->values[value].is_constant)
        return qd_fail(o->error, QD_INVALID, "%s: the initializer '%.80s' occurs twice",
                       o->network->path, name);
    enum qd_status status = value == QD_NO_VALUE ? define(o, name, &value) : QD_OK;
    if (status != QD_OK)
        return status;
    o->values[value].is_input = false;
    o->values[value].is_constant = true;
    o->initializers[value] = bytes;
    return QD_OK;
}

/* Bytes of one bool with its name. */
enum { LARGEST_CONDITION = 4096 };

/* The initializer that an If's condition is; NULL: it is none. */
static enum qd_status read_condition(struct opening *o, const Onnx__NodeProto *node,
                                     const Onnx__TensorProto **initializer)
{
    ProtobufCMessage *message;
    const char *name = node->n_input > 0 ? text_of(node->input[0]) : "";
    int value = *name && o->value_count > 0 ? find(o, name) : QD_NO_VALUE;
    *initializer = NULL;
    if (value == QD_NO_VALUE || !o->values[value].is_constant ||
        o->initializers[value].size > LARGEST_CONDITION)
        return QD_OK;
    enum qd_status status =
        unpack(o, &onnx__tensor_proto__descriptor, o->initializers[value], &message);
    if (status == QD_OK)
        *initializer = (const Onnx__TensorProto *)message;
    return status;
}

static enum qd_status take_if(struct opening *o, const Onnx__NodeProto *node, bool *added)
{
    const Onnx__TensorProto *initializer;
    *added = false;
    if (strcmp(text_of(node->op_type), "If") != 0 || *text_of(node->domain) != '\0')
        return QD_OK;
    enum qd_status status = read_condition(o, node, &initializer);
    return status == QD_OK ? qd_network_add_if(&o->functions, node, initializer, added) : status;
}

static enum qd_status take_node(struct opening *o, struct qd_slice bytes)
{
    ProtobufCMessage *message;
    bool added = false;
    enum qd_status status = unpack(o, &onnx__node_proto__descriptor, bytes, &message);
    if (status == QD_OK)
        status = take_if(o, (const Onnx__NodeProto *)message, &added);
    return status == QD_OK && !added
               ? qd_network_add(&o->functions, (const Onnx__NodeProto *)message, bytes)
               : status;
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* Nothing gives the value yet: another node does later, or none. */
static enum qd_status fail_unknown(const struct opening *o, const Onnx__NodeProto *node,
                                   const char *name)
{
    for (size_t i = 0; i < o->source->piece_count; i++) {
        const Onnx__NodeProto *other = o->source->pieces[i].proto;
        for (size_t j = 0; j < other->n_output; j++)
            if (strcmp(text_of(other->output[j]), name) == 0)
                return qd_fail(o->error, QD_INVALID,
                               "%s: node '%.60s' (%.40s) reads '%.80s', which node '%.60s' (%.40s) "
                               "gives later: the nodes are not sorted, or form a cycle",
                               o->network->path, text_of(node->name), text_of(node->op_type), name,
                               text_of(other->name), text_of(other->op_type));
    }
    return qd_fail(o->error, QD_INVALID,
                   "%s: node '%.60s' (%.40s) reads '%.80s', which nothing gives", o->network->path,
                   text_of(node->name), text_of(node->op_type), name);
}

static enum qd_status read_operands(struct opening *o, const Onnx__NodeProto *proto,
                                    struct qd_network_node *node)
{
    int *inputs = qd_arena_array(o->arena, proto->n_input, sizeof *inputs);
    if (!inputs)
        return no_room(o);
    for (size_t i = 0; i < proto->n_input; i++) {
        const char *name = text_of(proto->input[i]);
        inputs[i] = *name && o->value_count > 0 ? find(o, name) : QD_NO_VALUE;
        if (*name && inputs[i] == QD_NO_VALUE)
            return fail_unknown(o, proto, name);
        if (inputs[i] != QD_NO_VALUE)
            o->values[inputs[i]].readers++;
    }
    node->inputs = inputs;
    node->input_count = proto->n_input;
    return QD_OK;
}

static enum qd_status define_outputs(struct opening *o, int number, const Onnx__NodeProto *proto,
                                     struct qd_network_node *node)
{
    int *outputs = qd_arena_array(o->arena, proto->n_output, sizeof *outputs);
    if (!outputs)
        return no_room(o);
    for (size_t i = 0; i < proto->n_output; i++) {
        const char *name = text_of(proto->output[i]);
        outputs[i] = QD_NO_VALUE;
        if (*name == '\0')
            continue;
        if (o->value_count > 0 && find(o, name) != QD_NO_VALUE)
            return qd_fail(o->error, QD_INVALID,
                           "%s: node '%.60s' (%.40s) gives '%.80s', which something else gives "
                           "already",
                           o->network->path, text_of(proto->name), text_of(proto->op_type), name);
        enum qd_status status = define(o, name, &outputs[i]);
        if (status != QD_OK)
            return status;
        o->values[outputs[i]].producer = number;
    }
    node->outputs = outputs;
    node->output_count = proto->n_output;
    return QD_OK;
}

/* What the subgraphs of a node read of the graph around it. Messages nest at most QD_CASE_MAX_DEPTH deep. */
struct captures {
    struct opening *o;
    size_t count, capacity;
    int *values;
    bool failed;
};

static void capture(struct captures *captures, const char *name)
{
    struct opening *o = captures->o;
    int value = *name && o->value_count > 0 ? find(o, name) : QD_NO_VALUE;
    for (size_t i = 0; i < captures->count; i++)
        if (captures->values[i] == value)
            return;
    if (value == QD_NO_VALUE)
        return;
    if (captures->count == captures->capacity) {
        size_t capacity = captures->capacity ? 2 * captures->capacity : 16;
        int *values = qd_arena_array(o->arena, capacity, sizeof *values);
        captures->failed = captures->failed || !values;
        if (!values)
            return;
        if (captures->count > 0)
            memcpy(values, captures->values, captures->count * sizeof *values);
        captures->values = values;
        captures->capacity = capacity;
    }
    captures->values[captures->count++] = value;
    o->values[value].readers++;
}

static void capture_node(struct captures *captures, const Onnx__NodeProto *node);

static void capture_graph(struct captures *captures, const Onnx__GraphProto *graph)
{
    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t j = 0; j < graph->node[i]->n_input; j++)
            capture(captures, text_of(graph->node[i]->input[j]));
        capture_node(captures, graph->node[i]);
    }
    for (size_t i = 0; i < graph->n_output; i++)
        capture(captures, text_of(graph->output[i]->name));
}

static void capture_node(struct captures *captures, const Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        if (node->attribute[i]->g)
            capture_graph(captures, node->attribute[i]->g);
        for (size_t j = 0; j < node->attribute[i]->n_graphs; j++)
            capture_graph(captures, node->attribute[i]->graphs[j]);
    }
}

/* A Constant node whose tensor can be read: network_cut.c. */
static bool is_constant(const Onnx__NodeProto *proto)
{
    const Onnx__AttributeProto *attribute = proto->n_attribute == 1 ? proto->attribute[0] : NULL;
    return attribute && strcmp(text_of(proto->op_type), "Constant") == 0 &&
           *text_of(proto->domain) == '\0' && proto->n_output == 1 && proto->n_input == 0 &&
           (attribute->t || attribute->has_i || attribute->has_f || attribute->n_ints > 0 ||
            attribute->n_floats > 0);
}

static enum qd_status read_node(struct opening *o, int number)
{
    const Onnx__NodeProto *proto = o->source->pieces[number].proto;
    struct qd_network_node *node = &o->nodes[number];
    struct captures captures = {.o = o};
    node->name = text_of(proto->name);
    node->op_type = text_of(proto->op_type);
    node->domain = strcmp(text_of(proto->domain), "ai.onnx") == 0 ? "" : text_of(proto->domain);
    node->op = o->source->pieces[number].calls ? NULL : qd_op_find(node->domain, node->op_type);
    enum qd_status status = read_operands(o, proto, node);
    if (status != QD_OK)
        return status;
    capture_node(&captures, proto);
    if (captures.failed)
        return no_room(o);
    node->captures = captures.values;
    node->capture_count = captures.count;
    status = define_outputs(o, number, proto, node);
    if (status == QD_OK && is_constant(proto) && node->outputs[0] != QD_NO_VALUE)
        o->values[node->outputs[0]].is_constant = true;
    return status;
}

static enum qd_status read_nodes(struct opening *o)
{
    enum qd_status status = QD_OK;
    size_t count = o->source->piece_count;
    o->nodes = qd_arena_array(o->arena, count, sizeof *o->nodes);
    if (!o->nodes)
        return no_room(o);
    for (size_t i = 0; i < count && status == QD_OK; i++)
        status = read_node(o, (int)i);
    return status;
}

static enum qd_status take_output(struct opening *o, struct qd_slice bytes)
{
    ProtobufCMessage *message;
    enum qd_status status = unpack(o, &onnx__value_info_proto__descriptor, bytes, &message);
    if (status != QD_OK)
        return status;
    const char *name = text_of(((const Onnx__ValueInfoProto *)message)->name);
    int value = o->value_count > 0 ? find(o, name) : QD_NO_VALUE;
    if (value == QD_NO_VALUE)
        return qd_fail(o->error, QD_INVALID, "%s: nothing gives the graph output '%.80s'",
                       o->network->path, name);
    o->values[value].is_output = true;
    return QD_OK;
}

/* --- All -------------------------------------------------------------------------------------- */

/* Numbers of the values for which the field is set, in order. */
static enum qd_status list_ends(struct opening *o)
{
    struct qd_network *network = o->network;
    o->inputs = qd_arena_array(o->arena, o->value_count, sizeof *o->inputs);
    o->outputs = qd_arena_array(o->arena, o->value_count, sizeof *o->outputs);
    if (!o->inputs || !o->outputs)
        return no_room(o);
    for (size_t i = 0; i < o->value_count; i++) {
        if (o->values[i].is_input)
            o->inputs[network->input_count++] = (int)i;
        if (o->values[i].is_output)
            o->outputs[network->output_count++] = (int)i;
    }
    return QD_OK;
}

static enum qd_status open_graph(struct opening *o)
{
    enum qd_status status = read_model(o);
    if (status == QD_OK)
        status = read_functions(o);
    if (status == QD_OK && !grow(o))
        status = no_room(o);
    if (status == QD_OK)
        status = each(o, QD_GRAPH_INPUT, take_input);
    if (status == QD_OK)
        status = each(o, QD_GRAPH_INITIALIZER, take_initializer);
    if (status == QD_OK)
        status = each(o, QD_GRAPH_NODE, take_node);
    if (status == QD_OK)
        status = read_nodes(o);
    if (status == QD_OK)
        status = each(o, QD_GRAPH_OUTPUT, take_output);
    return status == QD_OK ? list_ends(o) : status;
}

enum qd_status qd_network_read(const char *path, const uint8_t *bytes, size_t size,
                               struct qd_arena *arena, struct qd_network *network,
                               struct qd_error *error)
{
    struct qd_network made = {.path = path};
    struct qd_network_source *source = qd_arena_alloc(arena, sizeof *source);
    if (!source)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its graph", path);
    struct opening o = {.network = &made, .source = source, .arena = arena, .error = error};
    source->file = (struct qd_slice){bytes, size};
    source->opsets.arena = source->functions.arena = arena;
    made.source = source;
    o.functions = (struct qd_network_functions){
        .path = path, .arena = arena, .error = error, .source = source};
    enum qd_status status = open_graph(&o);
    if (status != QD_OK)
        return status;
    source->initializers = o.initializers;
    made.values = o.values;
    made.value_count = o.value_count;
    made.nodes = o.nodes;
    made.node_count = source->piece_count;
    made.inputs = o.inputs;
    made.outputs = o.outputs;
    made.inlined = o.functions.inlined;
    made.branches = o.functions.branches;
    *network = made;
    return QD_OK;
}

enum qd_status qd_network_open(const char *path, struct qd_arena *arena, struct qd_network *network,
                               struct qd_error *error)
{
    const uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_model_file_map(path, &bytes, &size, error);
    if (status != QD_OK)
        return status;
    status = qd_network_read(path, bytes, size, arena, network, error);
    if (status == QD_OK)
        network->source->mapped = true;
    else
        qd_model_file_unmap(bytes, size);
    return status;
}

void qd_network_close(struct qd_network *network)
{
    if (network->source && network->source->mapped)
        qd_model_file_unmap(network->source->file.bytes, network->source->file.size);
    *network = (struct qd_network){.path = NULL};
}
