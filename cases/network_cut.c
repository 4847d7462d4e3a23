/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts nodes out of a network: a model of their own, with what they read. */
#include <string.h>

#include "case_codec.h"
#include "graph_wire.h"
#include "model_file.h"
#include "network_source.h"
#include "qdiff/network.h"
#include "tensor_codec.h"
#include "unpack.h"

/* --- Constants -------------------------------------------------------------------------------- */

/* The tensor of a Constant node. */
static enum qd_status constant_of_node(const struct qd_network *network, const char *name,
                                       const Onnx__AttributeProto *attribute,
                                       struct qd_arena *arena, struct qd_tensor *tensor,
                                       struct qd_error *error)
{
    bool ints = attribute->n_ints > 0 || attribute->has_i;
    bool list = attribute->n_ints > 0 || attribute->n_floats > 0;
    int64_t count = attribute->n_ints > 0     ? (int64_t)attribute->n_ints
                    : attribute->n_floats > 0 ? (int64_t)attribute->n_floats
                                              : 1;
    if (attribute->t)
        return qd_model_file_tensor(network->path, attribute->t, arena, tensor, error);
    enum qd_status status =
        qd_tensor_init(tensor, arena, ints ? QD_S64 : QD_F32, list, &count, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "constant '%.80s'", name);
    if (attribute->n_ints > 0)
        memcpy(tensor->data, attribute->ints, attribute->n_ints * sizeof *attribute->ints);
    else if (attribute->n_floats > 0)
        memcpy(tensor->data, attribute->floats, attribute->n_floats * sizeof *attribute->floats);
    else if (ints)
        memcpy(tensor->data, &attribute->i, sizeof attribute->i);
    else
        memcpy(tensor->data, &attribute->f, sizeof attribute->f);
    return QD_OK;
}

enum qd_status qd_network_constant(const struct qd_network *network, int value,
                                   struct qd_arena *arena, struct qd_tensor *tensor,
                                   struct qd_error *error)
{
    const struct qd_network_value *wanted = &network->values[value];
    struct qd_slice bytes = network->source->initializers[value];
    ProtobufCMessage *message;
    if (wanted->producer >= 0)
        return constant_of_node(network, wanted->name,
                                network->source->pieces[wanted->producer].proto->attribute[0],
                                arena, tensor, error);
    enum qd_status status =
        qd_unpack(&onnx__tensor_proto__descriptor, bytes.bytes, bytes.size, arena, &message, error);
    if (status == QD_OK)
        status = qd_model_file_tensor(network->path, (const Onnx__TensorProto *)message, arena,
                                      tensor, error);
    return status == QD_OK ? QD_OK
                           : qd_fail_context(error, status, "initializer '%.80s'", wanted->name);
}

/* --- A model of some nodes -------------------------------------------------------------------- */

struct cutting {
    const struct qd_network *network;
    const struct qd_network_cut *cut;
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_wire_out graph, fed;
    const struct qd_network_feed **inputs; /* feeds that became graph inputs, in order */
    size_t input_count;
    bool calls; /* a node calls a function */
};

static enum qd_status put_constant(struct cutting *c, int value)
{
    struct qd_tensor tensor;
    enum qd_status status = qd_network_constant(c->network, value, c->arena, &tensor, c->error);
    if (status != QD_OK)
        return status;
    size_t mark = qd_wire_begin(&c->graph, QD_GRAPH_INITIALIZER);
    qd_tensor_put(&c->graph, &tensor, c->network->values[value].name);
    qd_wire_end(&c->graph, mark);
    return QD_OK;
}

static void put_feed(struct cutting *c, const struct qd_network_feed *feed)
{
    const char *name = c->network->values[feed->value].name;
    if (feed->as_constant) {
        size_t mark = qd_wire_begin(&c->graph, QD_GRAPH_INITIALIZER);
        qd_tensor_put(&c->graph, &feed->tensor, name);
        qd_wire_end(&c->graph, mark);
        return;
    }
    qd_wire_put_info(&c->graph, QD_GRAPH_INPUT, name, feed->tensor.dtype, &feed->tensor);
    size_t mark = qd_wire_begin(&c->fed, QD_CASE_FIELD_INPUT);
    qd_tensor_put(&c->fed, &feed->tensor, "");
    qd_wire_end(&c->fed, mark);
    c->inputs[c->input_count++] = feed;
}

static bool gives(const struct cutting *c, int node)
{
    size_t low = 0, high = c->cut->node_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->cut->nodes[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->cut->node_count && c->cut->nodes[low] == node;
}

/* What a node reads: given inside the cut, fed, or a constant. `seen` (per value) holds what the model has already. */
static enum qd_status put_operand(struct cutting *c, int value, bool *seen)
{
    if (value == QD_NO_VALUE || seen[value])
        return QD_OK;
    const struct qd_network_value *read = &c->network->values[value];
    seen[value] = true;
    for (size_t i = 0; i < c->cut->feed_count; i++)
        if (c->cut->feeds[i].value == value) {
            put_feed(c, &c->cut->feeds[i]);
            return QD_OK;
        }
    if (read->producer >= 0 && gives(c, read->producer))
        return QD_OK;
    if (read->is_constant)
        return put_constant(c, value);
    return qd_fail(c->error, QD_USAGE, "%s: nothing gives '%.80s' to the cut", c->network->path,
                   read->name);
}

static enum qd_status put_nodes(struct cutting *c)
{
    bool *seen = qd_arena_array(c->arena, c->network->value_count, sizeof *seen);
    enum qd_status status = QD_OK;
    if (!seen)
        return qd_fail(c->error, QD_NO_MEMORY, "%s: no room for a cut", c->network->path);
    for (size_t i = 0; i < c->cut->node_count && status == QD_OK; i++) {
        const struct qd_network_node *node = &c->network->nodes[c->cut->nodes[i]];
        const struct qd_network_piece *piece = &c->network->source->pieces[c->cut->nodes[i]];
        qd_wire_put_bytes(&c->graph, QD_GRAPH_NODE, piece->bytes.bytes, piece->bytes.size);
        c->calls = c->calls || piece->calls;
        for (size_t j = 0; j < node->input_count && status == QD_OK; j++)
            status = put_operand(c, node->inputs[j], seen);
        for (size_t j = 0; j < node->capture_count && status == QD_OK; j++)
            status = put_operand(c, node->captures[j], seen);
    }
    return status;
}

static void put_outputs(struct cutting *c, const struct qd_tensor *shapes)
{
    for (size_t i = 0; i < c->cut->output_count; i++)
        qd_wire_put_info(&c->graph, QD_GRAPH_OUTPUT, c->network->values[c->cut->outputs[i]].name,
                         shapes ? shapes[i].dtype : QD_DTYPE_NONE, shapes ? &shapes[i] : NULL);
}

/* The fields of the ModelProto. */
static enum qd_status put_model(struct cutting *c, const struct qd_tensor *shapes,
                                struct qd_wire_out *out)
{
    const struct qd_network_source *source = c->network->source;
    qd_wire_put_varint(out, QD_MODEL_IR_VERSION,
                       (uint64_t)qd_ir_version_of_cut(source->ir_version));
    enum qd_status status = put_nodes(c);
    if (status != QD_OK)
        return status;
    qd_wire_put_text(&c->graph, QD_GRAPH_NAME, "cut");
    put_outputs(c, shapes);
    size_t graph = qd_wire_begin(out, QD_MODEL_GRAPH);
    qd_wire_put_raw(out, c->graph.bytes, c->graph.size);
    qd_wire_end(out, graph);
    qd_wire_put_raw(out, source->opsets.bytes, source->opsets.size);
    if (c->calls)
        qd_wire_put_raw(out, source->functions.bytes, source->functions.size);
    out->failed = out->failed || c->graph.failed || c->fed.failed;
    return QD_OK;
}

static enum qd_status begin(struct cutting *c)
{
    c->graph.arena = c->fed.arena = c->arena;
    c->inputs = qd_arena_array(c->arena, c->cut->feed_count, sizeof(struct qd_network_feed *));
    return c->inputs ? QD_OK
                     : qd_fail(c->error, QD_NO_MEMORY, "%s: no room for a cut", c->network->path);
}

enum qd_status qd_network_cut_case(const struct qd_network *network,
                                   const struct qd_network_cut *cut, const struct qd_tensor *shapes,
                                   struct qd_arena *arena, struct qd_case *kase,
                                   struct qd_error *error)
{
    struct cutting c = {.network = network, .cut = cut, .arena = arena, .error = error};
    struct qd_case metadata = qd_case_default();
    struct qd_wire_out out = {.arena = arena};
    uint8_t *bytes;
    size_t size;
    metadata.id = cut->id;
    qd_case_put_metadata(&out, &metadata);
    enum qd_status status = begin(&c);
    size_t model = qd_wire_begin(&out, QD_CASE_FIELD_MODEL);
    if (status == QD_OK)
        status = put_model(&c, shapes, &out);
    if (status != QD_OK)
        return status;
    qd_wire_end(&out, model);
    qd_wire_put_raw(&out, c.fed.bytes, c.fed.size);
    status = qd_wire_finish(&out, &bytes, &size, error);
    return status == QD_OK ? qd_case_decode(bytes, size, arena, kase, error) : status;
}

/* A graph of inputs and outputs only. */
static enum qd_status describe_ends(const struct cutting *c, struct qd_case *kase)
{
    size_t count = c->input_count + c->cut->output_count;
    struct qd_graph *graph = qd_arena_alloc(c->arena, sizeof *graph);
    struct qd_graph_value *values = qd_arena_array(c->arena, count, sizeof *values);
    struct qd_tensor *inputs = qd_arena_array(c->arena, c->input_count, sizeof *inputs);
    int *numbers = qd_arena_array(c->arena, count, sizeof *numbers);
    if (!graph || !values || !inputs || !numbers)
        return qd_fail(c->error, QD_NO_MEMORY, "%s: no room for a cut", c->network->path);
    for (size_t i = 0; i < count; i++) {
        bool is_input = i < c->input_count;
        int value = is_input ? c->inputs[i]->value : c->cut->outputs[i - c->input_count];
        values[i] =
            (struct qd_graph_value){.name = c->network->values[value].name, .declared_rank = -1};
        if (is_input)
            inputs[i] = c->inputs[i]->tensor;
        numbers[i] = (int)i;
    }
    *graph = (struct qd_graph){.value_count = count,
                               .input_count = c->input_count,
                               .output_count = c->cut->output_count,
                               .values = values,
                               .inputs = numbers,
                               .outputs = numbers + c->input_count};
    kase->graph = graph;
    kase->inputs = inputs;
    kase->input_count = c->input_count;
    return QD_OK;
}

enum qd_status qd_network_cut_blind(const struct qd_network *network,
                                    const struct qd_network_cut *cut, struct qd_arena *arena,
                                    struct qd_case *kase, struct qd_error *error)
{
    struct cutting c = {.network = network, .cut = cut, .arena = arena, .error = error};
    struct qd_case made = qd_case_default();
    struct qd_wire_out out = {.arena = arena};
    uint8_t *bytes;
    made.id = cut->id;
    enum qd_status status = begin(&c);
    if (status == QD_OK)
        status = put_model(&c, NULL, &out);
    if (status == QD_OK)
        status = qd_wire_finish(&out, &bytes, &made.model_size, error);
    if (status == QD_OK)
        status = describe_ends(&c, &made);
    if (status != QD_OK)
        return status;
    made.model = bytes;
    *kase = made;
    return QD_OK;
}
