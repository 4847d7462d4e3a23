/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/case_edit.h"

#include <stdio.h>
#include <string.h>

#include "qdiff/build.h"

/* --- Taking apart ----------------------------------------------------------------------------- */

static enum qd_status check_room(const struct qd_graph *graph, struct qd_error *error)
{
    if (graph->node_count > QD_CASE_EDIT_MAX_NODES ||
        graph->value_count > QD_CASE_EDIT_MAX_VALUES ||
        graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS)
        return qd_fail(error, QD_LIMIT,
                       "%zu nodes, %zu values, %zu outputs: at most %d, %d and %d can be edited",
                       graph->node_count, graph->value_count, graph->output_count,
                       QD_CASE_EDIT_MAX_NODES, QD_CASE_EDIT_MAX_VALUES, QD_CASE_EDIT_MAX_OUTPUTS);
    return QD_OK;
}

static enum qd_status check_node(const struct qd_node *node, struct qd_error *error)
{
    if (node->input_count > QD_MAX_OPERANDS || node->output_count > QD_MAX_OPERANDS ||
        node->attr_count > QD_CASE_EDIT_MAX_ATTRS)
        return qd_fail(error, QD_LIMIT, "node '%.80s' has too many operands or attributes to edit",
                       node->name);
    if (*node->domain && strcmp(node->domain, "com.microsoft") != 0)
        return qd_fail(error, QD_UNSUPPORTED, "node '%.80s' is of domain '%.80s'", node->name,
                       node->domain);
    for (size_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].kind == QD_ATTR_OTHER)
            return qd_fail(error, QD_UNSUPPORTED, "attribute '%.80s' cannot be written again",
                           node->attrs[i].name);
    return QD_OK;
}

static enum qd_status take_nodes(const struct qd_graph *graph, struct qd_case_edit *edit,
                                 struct qd_error *error)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct qd_node *node = &graph->nodes[i];
        enum qd_status status = check_node(node, error);
        if (status != QD_OK)
            return status;
        struct qd_case_edit_node *made = &edit->nodes[i];
        *made = (struct qd_case_edit_node){.domain = node->domain,
                                           .op_type = node->op_type,
                                           .input_count = node->input_count,
                                           .output_count = node->output_count,
                                           .attr_count = node->attr_count};
        for (size_t j = 0; j < node->input_count; j++)
            made->inputs[j] = node->inputs[j];
        for (size_t j = 0; j < node->output_count; j++)
            made->outputs[j] = node->outputs[j];
        for (size_t j = 0; j < node->attr_count; j++)
            made->attrs[j] = node->attrs[j];
    }
    edit->node_count = graph->node_count;
    return QD_OK;
}

static void take_values(const struct qd_case *kase, struct qd_case_edit *edit)
{
    const struct qd_graph *graph = kase->graph;
    for (size_t i = 0; i < graph->value_count; i++)
        edit->values[i] = (struct qd_case_edit_value){
            .name = strchr(graph->values[i].name, ',') ? "" : graph->values[i].name,
            .tensor = graph->values[i].initializer,
            .of_steps = -1,
            .declared_dtype = graph->values[i].declared_dtype,
            .declared_rank = graph->values[i].declared_rank};
    for (size_t i = 0; i < graph->input_count; i++) {
        edit->values[graph->inputs[i]].tensor = &kase->inputs[i];
        edit->values[graph->inputs[i]].of_steps = (int)i;
        edit->values[graph->inputs[i]].is_input = true;
        edit->values[graph->inputs[i]].open_axes =
            qd_graph_open_axes(&graph->values[graph->inputs[i]]);
    }
    for (size_t i = 0; i < graph->output_count; i++)
        edit->outputs[i] = graph->outputs[i];
    edit->output_count = graph->output_count;
    edit->value_count = graph->value_count;
}

enum qd_status qd_case_edit_begin(const struct qd_case *kase, struct qd_arena *arena,
                                  struct qd_case_edit *edit, struct qd_error *error)
{
    enum qd_status status = check_room(kase->graph, error);
    if (status != QD_OK)
        return status;
    struct qd_case_edit made = {.arena = arena, .opset = kase->opset, .metadata = *kase};
    /* Most of the room stays unused: each is set when it is added. */
    made.values = qd_arena_raw(arena, QD_CASE_EDIT_MAX_VALUES * sizeof *made.values);
    made.nodes = qd_arena_raw(arena, QD_CASE_EDIT_MAX_NODES * sizeof *made.nodes);
    if (!made.values || !made.nodes)
        return qd_fail(error, QD_NO_MEMORY, "no room to edit a case");
    take_values(kase, &made);
    status = take_nodes(kase->graph, &made, error);
    if (status == QD_OK)
        *edit = made;
    return status;
}

/* --- Changing --------------------------------------------------------------------------------- */

int qd_case_edit_add_value(struct qd_case_edit *edit, const struct qd_tensor *tensor, bool is_input)
{
    if (edit->value_count == QD_CASE_EDIT_MAX_VALUES)
        return QD_NO_VALUE;
    edit->values[edit->value_count] = (struct qd_case_edit_value){
        .name = "", .tensor = tensor, .is_input = is_input, .of_steps = -1};
    return (int)edit->value_count++;
}

struct qd_case_edit_node *qd_case_edit_add_node(struct qd_case_edit *edit, size_t at,
                                                const char *domain, const char *op_type)
{
    if (edit->node_count == QD_CASE_EDIT_MAX_NODES)
        return NULL;
    struct qd_case_edit_node *node = &edit->nodes[at];
    memmove(node + 1, node, (edit->node_count - at) * sizeof *node);
    *node = (struct qd_case_edit_node){.domain = domain, .op_type = op_type};
    edit->node_count++;
    return node;
}

void qd_case_edit_remove_node(struct qd_case_edit *edit, size_t at)
{
    struct qd_case_edit_node *node = &edit->nodes[at];
    edit->node_count--;
    memmove(node, node + 1, (edit->node_count - at) * sizeof *node);
}

void qd_case_edit_replace(struct qd_case_edit *edit, int from, int to)
{
    for (size_t i = 0; i < edit->node_count; i++)
        for (size_t j = 0; j < edit->nodes[i].input_count; j++)
            if (edit->nodes[i].inputs[j] == from)
                edit->nodes[i].inputs[j] = to;
    for (size_t i = 0; to != QD_NO_VALUE && i < edit->output_count; i++)
        if (edit->outputs[i] == from)
            edit->outputs[i] = to;
}

struct qd_case_edit_node *qd_case_edit_producer(const struct qd_case_edit *edit, int value)
{
    for (size_t i = 0; i < edit->node_count; i++)
        for (size_t j = 0; j < edit->nodes[i].output_count; j++)
            if (edit->nodes[i].outputs[j] == value)
                return &edit->nodes[i];
    return NULL;
}

void qd_case_edit_remove_attr(struct qd_case_edit_node *node, const char *name)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0) {
            node->attr_count--;
            memmove(&node->attrs[i], &node->attrs[i + 1],
                    (node->attr_count - i) * sizeof *node->attrs);
            return;
        }
}

bool qd_case_edit_set_attr(struct qd_case_edit_node *node, const struct qd_attr *attr)
{
    qd_case_edit_remove_attr(node, attr->name);
    if (node->attr_count == QD_CASE_EDIT_MAX_ATTRS)
        return false;
    node->attrs[node->attr_count++] = *attr;
    return true;
}

struct qd_tensor *qd_case_edit_copy_tensor(const struct qd_case_edit *edit,
                                           const struct qd_tensor *tensor)
{
    struct qd_tensor *copy = qd_arena_alloc(edit->arena, sizeof *copy);
    void *data = copy ? qd_arena_alloc(edit->arena, qd_tensor_bytes(tensor)) : NULL;
    if (!data)
        return NULL;
    *copy = *tensor;
    if (qd_tensor_bytes(tensor) > 0)
        memcpy(data, tensor->data, qd_tensor_bytes(tensor));
    copy->data = data;
    return copy;
}

/* --- Putting together ------------------------------------------------------------------------- */

struct writer {
    const struct qd_case_edit *edit;
    struct qd_builder *builder;
    const char **names; /* per value; NULL: nobody uses it */
    bool failed;        /* out of memory */
};

static bool is_used(const struct qd_case_edit *edit, int value)
{
    bool used = false;
    for (size_t i = 0; i < edit->output_count; i++)
        used = used || edit->outputs[i] == value;
    for (size_t i = 0; i < edit->node_count; i++) {
        const struct qd_case_edit_node *node = &edit->nodes[i];
        for (size_t j = 0; !used && j < node->input_count; j++)
            used = node->inputs[j] == value;
        for (size_t j = 0; !used && j < node->output_count; j++)
            used = node->outputs[j] == value;
    }
    return used;
}

static void name_values(struct writer *w)
{
    for (size_t i = 0; i < w->edit->value_count; i++) {
        const struct qd_case_edit_value *value = &w->edit->values[i];
        if (!is_used(w->edit, (int)i))
            continue;
        w->names[i] = *value->name ? value->name : qd_arena_printf(w->edit->arena, "edit_%zu", i);
        w->failed = w->failed || !w->names[i];
    }
}

/* "a,,b": what the builder takes for the operands of a node. */
static const char *operand_list(struct writer *w, const int *operands, size_t count)
{
    size_t size = count + 1, used = 0;
    for (size_t i = 0; i < count; i++)
        size += operands[i] == QD_NO_VALUE ? 0 : strlen(w->names[operands[i]]);
    char *list = qd_arena_alloc(w->edit->arena, size);
    w->failed = w->failed || !list;
    for (size_t i = 0; list && i < count; i++) {
        const char *name = operands[i] == QD_NO_VALUE ? "" : w->names[operands[i]];
        used += (size_t)snprintf(list + used, size - used, "%s%s", i > 0 ? "," : "", name);
    }
    return list ? list : "";
}

static void put_attr(struct qd_builder *builder, const struct qd_attr *attr)
{
    switch (attr->kind) {
    case QD_ATTR_INT: qd_build_attr_int(builder, attr->name, attr->i); break;
    case QD_ATTR_FLOAT: qd_build_attr_float(builder, attr->name, attr->f); break;
    case QD_ATTR_STRING: qd_build_attr_string(builder, attr->name, attr->s); break;
    case QD_ATTR_INTS: qd_build_attr_ints(builder, attr->name, attr->ints, attr->count); break;
    case QD_ATTR_FLOATS:
        qd_build_attr_floats(builder, attr->name, attr->floats, attr->count);
        break;
    case QD_ATTR_TENSOR: qd_build_attr_tensor(builder, attr->name, attr->tensor); break;
    case QD_ATTR_OTHER: break; /* refused by qd_case_edit_begin */
    }
}

static void put_node(struct writer *w, const struct qd_case_edit_node *node)
{
    const char *inputs = operand_list(w, node->inputs, node->input_count);
    const char *outputs = operand_list(w, node->outputs, node->output_count);
    qd_build_node(w->builder, node->domain, node->op_type, inputs, outputs);
    for (size_t i = 0; i < node->attr_count; i++)
        put_attr(w->builder, &node->attrs[i]);
}

static bool is_fed(const struct writer *w, size_t value)
{
    return w->names[value] && w->edit->values[value].tensor && w->edit->values[value].is_input;
}

/* Whether the case declares the types and ranks of all outputs. */
static bool declares_ranks(const struct qd_case_edit *edit)
{
    bool all = true;
    for (size_t i = 0; i < edit->output_count; i++) {
        const struct qd_case_edit_value *output = &edit->values[edit->outputs[i]];
        all = all && output->declared_dtype != QD_DTYPE_NONE && output->declared_rank >= 0;
    }
    return all;
}

static void put_outputs(struct writer *w)
{
    const struct qd_case_edit *edit = w->edit;
    bool opens = edit->opens && declares_ranks(edit);
    int64_t open[QD_MAX_RANK];
    memset(open, -1, sizeof open);
    for (size_t i = 0; i < edit->output_count; i++) {
        const struct qd_case_edit_value *output = &edit->values[edit->outputs[i]];
        const char *name = w->names[edit->outputs[i]];
        if (edit->infers && !opens)
            qd_build_output_inferred(w->builder, name, output->declared_dtype);
        else
            qd_build_output(w->builder, name, output->declared_dtype,
                            opens ? output->declared_rank : -1, open);
    }
}

static void put_values(struct writer *w)
{
    for (size_t i = 0; i < w->edit->value_count; i++) {
        const struct qd_case_edit_value *value = &w->edit->values[i];
        if (is_fed(w, i))
            qd_build_open_input(w->builder, w->names[i], value->tensor, value->open_axes);
        else if (w->names[i] && value->tensor)
            qd_build_initializer(w->builder, w->names[i], value->tensor);
    }
    put_outputs(w);
}

/* What a step with the case's own model feeds to the inputs that there are now. */
static const struct qd_tensor *inputs_of(struct writer *w, const struct qd_case_step *step,
                                         size_t count)
{
    struct qd_tensor *inputs = qd_arena_array(w->edit->arena, count, sizeof *inputs);
    size_t n = 0;
    for (size_t i = 0; inputs && i < w->edit->value_count; i++)
        if (is_fed(w, i)) {
            const struct qd_case_edit_value *value = &w->edit->values[i];
            inputs[n++] = value->of_steps < 0 ? *value->tensor : step->inputs[value->of_steps];
        }
    w->failed = w->failed || !inputs;
    return inputs;
}

static void put_steps(struct writer *w)
{
    const struct qd_case *old = &w->edit->metadata;
    struct qd_graph *now = qd_arena_alloc(w->edit->arena, sizeof *now); /* its inputs count */
    struct qd_case_step *steps =
        qd_arena_copy(w->edit->arena, old->steps, old->step_count * sizeof *steps);
    w->failed = w->failed || !now || !steps;
    for (size_t i = 0; !w->failed && i < w->edit->value_count; i++)
        now->input_count += is_fed(w, i);
    for (size_t i = 0; !w->failed && i < old->step_count; i++)
        if (steps[i].model_size == 0) {
            steps[i].graph = now;
            if (steps[i].runs > 0)
                steps[i].inputs = inputs_of(w, &old->steps[i], now->input_count);
        }
    if (!w->failed)
        qd_build_steps(w->builder, steps, old->step_count);
}

static void put_metadata(struct qd_builder *builder, const struct qd_case *kase)
{
    for (size_t i = 0; i < kase->tag_count; i++)
        qd_build_tag(builder, kase->tags[i]);
    qd_build_origin(builder, kase->spec, kase->issue, kase->note);
    qd_build_seed(builder, kase->seed, kase->generator);
    qd_build_request(builder, kase->request, kase->request_size);
    if (kase->expect == QD_EXPECT_MUST_REJECT)
        qd_build_must_reject(builder, kase->rule, kase->twin);
}

enum qd_status qd_case_edit_finish(const struct qd_case_edit *edit, const char *id, bool hashed,
                                   struct qd_case *kase, struct qd_error *error)
{
    struct writer w = {.edit = edit,
                       .builder = qd_build_begin(edit->arena, edit->opset),
                       .names = qd_arena_array(edit->arena, edit->value_count, sizeof *w.names)};
    if (!w.builder || !w.names)
        return qd_fail(error, QD_NO_MEMORY, "no room to rebuild a case");
    name_values(&w);
    if (!w.failed)
        put_values(&w);
    for (size_t i = 0; !w.failed && i < edit->node_count; i++)
        put_node(&w, &edit->nodes[i]);
    if (!w.failed && edit->metadata.step_count > 0)
        put_steps(&w);
    if (w.failed)
        return qd_fail(error, QD_NO_MEMORY, "no room to rebuild a case");
    put_metadata(w.builder, &edit->metadata);
    return qd_build_finish(w.builder, id, hashed, kase, error);
}
