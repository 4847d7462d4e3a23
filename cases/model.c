/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "qdiff/evaluate.h"
#include "tensor_codec.h"

/* Where a value's name is defined. The values are numbered in the order of their first definition. */
enum definition_kind { GRAPH_INPUT, INITIALIZER, NODE_OUTPUT };

struct definition {
    const char *name;
    size_t order; /* of all definitions; the first one of a name stands for the value */
    enum definition_kind kind;
    int value;
};

struct reader {
    const Onnx__ModelProto *model;
    const Onnx__GraphProto *proto;
    struct qd_arena *arena;
    struct qd_error *error;
    size_t definition_count;
    struct definition *definitions; /* sorted by name, then order */
    struct qd_graph_value *values;
    struct qd_node *nodes;
    int *inputs, *outputs;
    struct qd_graph graph;
};

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static void *take(struct reader *reader, size_t count, size_t size, enum qd_status *status)
{
    void *bytes = qd_arena_array(reader->arena, count, size);
    if (!bytes)
        *status =
            qd_fail(reader->error, QD_NO_MEMORY, "no room for %zu entries of the graph", count);
    return bytes;
}

/* --- Opset imports ---------------------------------------------------------------------------- */

static const char *canonical_domain(const char *domain)
{
    return !domain || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

/* Bounds the quadratic check of duplicates. ONNX Runtime's own quantizer writes about ten. */
#define MAX_IMPORTS 64

/* The imported version of a domain, 0 when it is not imported. */
static int64_t imported(const Onnx__ModelProto *model, const char *domain)
{
    for (size_t i = 0; i < model->n_opset_import; i++)
        if (strcmp(canonical_domain(model->opset_import[i]->domain), domain) == 0)
            return model->opset_import[i]->version;
    return 0;
}

static enum qd_status check_imports(const struct reader *reader)
{
    const Onnx__ModelProto *model = reader->model;
    if (model->n_opset_import > MAX_IMPORTS)
        return qd_fail(reader->error, QD_LIMIT, "%zu opset imports, at most %d are read",
                       model->n_opset_import, MAX_IMPORTS);
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const char *domain = canonical_domain(model->opset_import[i]->domain);
        if (model->opset_import[i]->version < 1)
            return qd_fail_rule(reader->error, "model/opset-version",
                                "opset_import of '%.80s' has version %lld", domain,
                                (long long)model->opset_import[i]->version);
        for (size_t j = 0; j < i; j++)
            if (strcmp(canonical_domain(model->opset_import[j]->domain), domain) == 0)
                return qd_fail_rule(reader->error, "model/opset-twice",
                                    "opset_import of '%.80s' occurs twice", domain);
    }
    return QD_OK;
}

/* IR versions: 3 brought opset_import; 13 (int2) is the newest that ONNX Runtime 1.26 to 1.31 take; 14, which onnx 1.23
 * writes, adds types alone. */
#define MIN_IR_VERSION 3
#define MAX_IR_VERSION 14

static enum qd_status check_model(const struct reader *reader)
{
    const Onnx__ModelProto *model = reader->model;
    struct qd_error *error = reader->error;
    if (!model->has_ir_version || model->ir_version < 1)
        return qd_fail_rule(error, "model/ir-version", "ir_version is not set");
    if (model->ir_version < MIN_IR_VERSION || model->ir_version > MAX_IR_VERSION)
        return qd_fail(error, QD_UNSUPPORTED, "ir_version %lld is not one of %d to %d",
                       (long long)model->ir_version, MIN_IR_VERSION, MAX_IR_VERSION);
    if (model->n_functions > 0)
        return qd_fail(error, QD_UNSUPPORTED, "model-local function '%.80s'",
                       text_of(model->functions[0]->name));
    if (model->n_training_info > 0)
        return qd_fail(error, QD_UNSUPPORTED, "training_info");
    if (!model->graph)
        return qd_fail_rule(error, "model/graph", "the model has no graph");
    if (model->graph->n_sparse_initializer > 0)
        return qd_fail(error, QD_UNSUPPORTED, "sparse initializer '%.80s'",
                       model->graph->sparse_initializer[0]->values
                           ? text_of(model->graph->sparse_initializer[0]->values->name)
                           : "");
    return check_imports(reader);
}

/* --- Names ------------------------------------------------------------------------------------ */

static int compare_definitions(const void *a, const void *b)
{
    const struct definition *left = a, *right = b;
    int names = strcmp(left->name, right->name);
    return names != 0 ? names : (left->order > right->order) - (left->order < right->order);
}

static enum qd_status define(struct reader *reader, const char *name, enum definition_kind kind)
{
    if (!name || !*name)
        return qd_fail_rule(reader->error, "graph/no-name", "%s has no name",
                            kind == GRAPH_INPUT ? "a graph input" : "an initializer");
    struct definition *definition = &reader->definitions[reader->definition_count];
    *definition = (struct definition){name, reader->definition_count, kind, QD_NO_VALUE};
    reader->definition_count++;
    return QD_OK;
}

static enum qd_status collect_definitions(struct reader *reader)
{
    const Onnx__GraphProto *proto = reader->proto;
    enum qd_status status = QD_OK;
    size_t room = proto->n_input + proto->n_initializer;
    for (size_t i = 0; i < proto->n_node; i++)
        room += proto->node[i]->n_output;
    reader->definitions = take(reader, room, sizeof *reader->definitions, &status);
    for (size_t i = 0; status == QD_OK && i < proto->n_input; i++)
        status = define(reader, proto->input[i]->name, GRAPH_INPUT);
    for (size_t i = 0; status == QD_OK && i < proto->n_initializer; i++)
        status = define(reader, proto->initializer[i]->name, INITIALIZER);
    for (size_t i = 0; status == QD_OK && i < proto->n_node; i++)
        for (size_t k = 0; status == QD_OK && k < proto->node[i]->n_output; k++)
            if (*proto->node[i]->output[k])
                status = define(reader, proto->node[i]->output[k], NODE_OUTPUT);
    return status;
}

/* An initializer may have the name of a graph input (it is its default); nothing else may occur twice. */
static enum qd_status check_twice(const struct reader *reader, const struct definition *first,
                                  const struct definition *again)
{
    if (again->kind == INITIALIZER && first->kind == GRAPH_INPUT && again == first + 1)
        return QD_OK;
    if (again->kind == NODE_OUTPUT)
        return qd_fail_rule(reader->error, "graph/two-producers", "'%.80s' is given twice",
                            again->name);
    return qd_fail_rule(reader->error, "graph/name-twice", "%s '%.80s' occurs twice",
                        again->kind == GRAPH_INPUT ? "the graph input" : "the initializer",
                        again->name);
}

static enum qd_status number_values(struct reader *reader)
{
    struct definition *all = reader->definitions;
    size_t count = reader->definition_count;
    enum qd_status status = QD_OK;
    qsort(all, count, sizeof *all, compare_definitions);
    int *number = take(reader, count, sizeof *number, &status); /* by order; 0 for a second one */
    size_t first = 0, value_count = 0;
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        bool again = i > 0 && strcmp(all[first].name, all[i].name) == 0;
        if (again) {
            status = check_twice(reader, &all[first], &all[i]);
        } else {
            first = i;
            number[all[i].order] = 1;
            all[value_count++] = all[i];
        }
    }
    for (size_t i = 0, next = 0; status == QD_OK && i < count; i++)
        number[i] = number[i] ? (int)next++ : QD_NO_VALUE;
    reader->graph.value_count = value_count;
    reader->values = take(reader, value_count, sizeof *reader->values, &status);
    for (size_t i = 0; status == QD_OK && i < value_count; i++) {
        all[i].value = number[all[i].order];
        reader->values[all[i].value].name = all[i].name;
        reader->values[all[i].value].declared_rank = -1;
    }
    reader->definition_count = value_count;
    return status;
}

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, ((const struct definition *)element)->name);
}

static int find_value(const struct reader *reader, const char *name)
{
    if (reader->definition_count == 0)
        return QD_NO_VALUE;
    const struct definition *found = bsearch(name, reader->definitions, reader->definition_count,
                                             sizeof *reader->definitions, compare_name);
    return found ? found->value : QD_NO_VALUE;
}

/* --- Declared types --------------------------------------------------------------------------- */

static enum qd_status read_dim(const struct reader *reader, const char *name,
                               const Onnx__TensorShapeProto__Dimension *dim, int64_t *declared)
{
    if (dim->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE) {
        *declared = -1;
        return QD_OK;
    }
    if (dim->dim_value == -1) { /* what some exporters write for an open dimension */
        *declared = -1;
        return QD_OK;
    }
    if (dim->dim_value < 0)
        return qd_fail_rule(reader->error, "graph/declared-shape",
                            "'%.80s' is declared with a dimension of %lld", name,
                            (long long)dim->dim_value);
    *declared = dim->dim_value;
    return QD_OK;
}

static enum qd_status read_declared_shape(const struct reader *reader,
                                          const Onnx__TensorShapeProto *shape,
                                          struct qd_graph_value *value)
{
    if (!shape)
        return QD_OK;
    if (shape->n_dim > QD_MAX_RANK)
        return qd_fail(reader->error, QD_LIMIT,
                       "'%.80s' is declared with %zu dimensions, at most %d are read", value->name,
                       shape->n_dim, QD_MAX_RANK);
    value->declared_rank = (int)shape->n_dim;
    for (size_t i = 0; i < shape->n_dim; i++) {
        enum qd_status status =
            read_dim(reader, value->name, shape->dim[i], &value->declared_dims[i]);
        if (status != QD_OK)
            return status;
    }
    return QD_OK;
}

static enum qd_status read_declaration(const struct reader *reader, const Onnx__TypeProto *type,
                                       struct qd_graph_value *value)
{
    if (!type || type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
        return QD_OK;
    if (type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return qd_fail(reader->error, QD_UNSUPPORTED,
                       "'%.80s' is declared as something else than a tensor", value->name);
    int32_t number = type->tensor_type->elem_type;
    value->declared_dtype = qd_dtype_of_onnx(number);
    if (value->declared_dtype == QD_DTYPE_NONE && number != 0)
        return qd_fail(reader->error, QD_UNSUPPORTED, "'%.80s' is declared with element type %d",
                       value->name, number);
    return read_declared_shape(reader, type->tensor_type->shape, value);
}

/* --- Graph ------------------------------------------------------------------------------------ */

static enum qd_status read_initializers(struct reader *reader)
{
    const Onnx__GraphProto *proto = reader->proto;
    enum qd_status status = QD_OK;
    struct qd_tensor *tensors = take(reader, proto->n_initializer, sizeof *tensors, &status);
    for (size_t i = 0; status == QD_OK && i < proto->n_initializer; i++) {
        const char *name = proto->initializer[i]->name;
        status =
            qd_tensor_of_proto(proto->initializer[i], reader->arena, &tensors[i], reader->error);
        if (status != QD_OK)
            return qd_fail_context(reader->error, status, "initializer '%.80s'", name);
        reader->values[find_value(reader, name)].initializer = &tensors[i];
    }
    return status;
}

static enum qd_status read_inputs(struct reader *reader)
{
    const Onnx__GraphProto *proto = reader->proto;
    enum qd_status status = QD_OK;
    reader->inputs = take(reader, proto->n_input, sizeof *reader->inputs, &status);
    for (size_t i = 0; status == QD_OK && i < proto->n_input; i++) {
        int v = find_value(reader, proto->input[i]->name);
        struct qd_graph_value *value = &reader->values[v];
        status = read_declaration(reader, proto->input[i]->type, value);
        if (value->initializer)
            continue;
        if (status == QD_OK && value->declared_dtype == QD_DTYPE_NONE)
            status = qd_fail_rule(reader->error, "graph/input-type",
                                  "the graph input '%.80s' has no type", value->name);
        reader->inputs[reader->graph.input_count++] = v;
    }
    return status;
}

static enum qd_status read_outputs(struct reader *reader)
{
    const Onnx__GraphProto *proto = reader->proto;
    enum qd_status status = QD_OK;
    reader->outputs = take(reader, proto->n_output, sizeof *reader->outputs, &status);
    for (size_t i = 0; status == QD_OK && i < proto->n_output; i++) {
        const char *name = text_of(proto->output[i]->name);
        int v = find_value(reader, name);
        if (v == QD_NO_VALUE)
            return qd_fail_rule(reader->error, "graph/output-missing",
                                "nothing gives the graph output '%.80s'", name);
        status = read_declaration(reader, proto->output[i]->type, &reader->values[v]);
        reader->outputs[reader->graph.output_count++] = v;
    }
    return status;
}

static enum qd_status resolve(struct reader *reader, const struct qd_node *node, char **names,
                              size_t count, const int **indices)
{
    enum qd_status status = QD_OK;
    int *found = take(reader, count, sizeof *found, &status);
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        found[i] = *names[i] ? find_value(reader, names[i]) : QD_NO_VALUE;
        if (*names[i] && found[i] == QD_NO_VALUE)
            status = qd_fail_rule(reader->error, "graph/unknown-value",
                                  "node '%.60s' (%.60s) reads '%.80s', which nothing gives",
                                  node->name, node->op_type, names[i]);
    }
    *indices = found;
    return status;
}

static enum qd_status read_node(struct reader *reader, const Onnx__NodeProto *proto,
                                struct qd_node *node)
{
    node->name = text_of(proto->name);
    node->domain = canonical_domain(proto->domain);
    node->op_type = text_of(proto->op_type);
    node->opset = imported(reader->model, node->domain);
    node->op = qd_op_find(node->domain, node->op_type);
    node->input_count = proto->n_input;
    node->output_count = proto->n_output;
    node->attr_count = proto->n_attribute;
    if (!*node->op_type)
        return qd_fail_rule(reader->error, "graph/no-op-type", "node '%.80s' has no op_type",
                            node->name);
    if (node->opset == 0)
        return qd_fail_rule(
            reader->error, "model/domain-not-imported",
            "node '%.60s' (%.60s) is of domain '%.60s', which the model does not import",
            node->name, node->op_type, node->domain);
    enum qd_status status = resolve(reader, node, proto->input, proto->n_input, &node->inputs);
    if (status == QD_OK)
        status = resolve(reader, node, proto->output, proto->n_output, &node->outputs);
    if (status != QD_OK)
        return status;
    status = qd_attrs_of_node(proto, reader->arena, &node->attrs, reader->error);
    if (status != QD_OK)
        return qd_fail_context(reader->error, status, "node '%.60s' (%.60s)", node->name,
                               node->op_type);
    return QD_OK;
}

static enum qd_status read_nodes(struct reader *reader)
{
    enum qd_status status = QD_OK;
    reader->graph.node_count = reader->proto->n_node;
    reader->nodes = take(reader, reader->proto->n_node, sizeof *reader->nodes, &status);
    for (size_t i = 0; status == QD_OK && i < reader->proto->n_node; i++)
        status = read_node(reader, reader->proto->node[i], &reader->nodes[i]);
    return status;
}

enum qd_status qd_graph_of_model(const Onnx__ModelProto *model, struct qd_arena *arena,
                                 const struct qd_graph **graph, int64_t *opset,
                                 struct qd_error *error)
{
    struct reader reader = {.model = model, .proto = model->graph, .arena = arena, .error = error};
    static enum qd_status (*const steps[])(struct reader *) = {
        collect_definitions, number_values, read_initializers,
        read_inputs,         read_outputs,  read_nodes,
    };
    enum qd_status status = check_model(&reader);
    for (size_t i = 0; status == QD_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&reader);
    struct qd_graph *read = status == QD_OK ? take(&reader, 1, sizeof *read, &status) : NULL;
    if (status != QD_OK)
        return status;
    *read = reader.graph;
    read->values = reader.values;
    read->nodes = reader.nodes;
    read->inputs = reader.inputs;
    read->outputs = reader.outputs;
    status = qd_graph_check(read, error);
    arena->starved = arena->starved || status == QD_NO_MEMORY;
    if (status != QD_OK)
        return status;
    *graph = read;
    *opset = imported(model, "");
    return QD_OK;
}
