/* SPDX-License-Identifier: Apache-2.0 */
/* If nodes of a constant condition, replaced by the nodes of the branch that it takes. */
#include <stdlib.h>
#include <string.h>

#include "model_file.h"
#include "network_source.h"

/* One If: the names inside the branch become names of the graph. `names` are those that the branch defines, sorted. */
struct branch {
    const Onnx__NodeProto *node;
    const Onnx__GraphProto *graph;
    struct qd_network_functions *functions;
    size_t number, name_count;
    const char **names;
};

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static enum qd_status no_room(const struct branch *branch)
{
    return qd_fail(branch->functions->error, QD_NO_MEMORY, "%s: no room for the nodes of an If",
                   branch->functions->path);
}

/* --- The condition ---------------------------------------------------------------------------- */

static const Onnx__TensorProto *constant_node(const struct qd_network_functions *functions,
                                              const char *name)
{
    const struct qd_network_source *source = functions->source;

    for (size_t i = source->piece_count; i-- > 0;) {
        const Onnx__NodeProto *proto = source->pieces[i].proto;

        if (proto->n_output == 1 && strcmp(text_of(proto->output[0]), name) == 0)
            return strcmp(text_of(proto->op_type), "Constant") == 0 && proto->n_attribute == 1
                       ? proto->attribute[0]->t
                       : NULL;
    }
    return NULL;
}

static bool read_condition(const struct qd_network_functions *functions,
                           const Onnx__TensorProto *proto, bool *condition)
{
    struct qd_error error;
    struct qd_tensor tensor;

    if (!proto ||
        qd_model_file_tensor(functions->path, proto, functions->arena, &tensor, &error) != QD_OK ||
        tensor.dtype != QD_BOOL || tensor.count != 1)
        return false;
    *condition = qd_tensor_get(&tensor, 0) != 0;
    return true;
}

/* --- The branch ------------------------------------------------------------------------------- */

static const Onnx__GraphProto *graph_of(const Onnx__NodeProto *node, const char *name)
{
    for (size_t i = 0; i < node->n_attribute; i++)
        if (strcmp(text_of(node->attribute[i]->name), name) == 0)
            return node->attribute[i]->g;
    return NULL;
}

/* Subgraphs inside would read names that change. */
static bool is_simple(const Onnx__NodeProto *node, const Onnx__GraphProto *graph)
{
    if (graph->n_input > 0 || graph->n_sparse_initializer > 0 || graph->n_output != node->n_output)
        return false;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t j = 0; j < graph->node[i]->n_attribute; j++)
            if (graph->node[i]->attribute[j]->g || graph->node[i]->attribute[j]->n_graphs > 0)
                return false;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool collect_names(struct branch *branch)
{
    const Onnx__GraphProto *graph = branch->graph;
    size_t capacity = graph->n_initializer;

    for (size_t i = 0; i < graph->n_node; i++)
        capacity += graph->node[i]->n_output;
    branch->names = qd_arena_array(branch->functions->arena, capacity + 1, sizeof *branch->names);
    if (!branch->names)
        return false;
    for (size_t i = 0; i < graph->n_initializer; i++)
        branch->names[branch->name_count++] = text_of(graph->initializer[i]->name);
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t j = 0; j < graph->node[i]->n_output; j++)
            branch->names[branch->name_count++] = text_of(graph->node[i]->output[j]);
    qsort(branch->names, branch->name_count, sizeof *branch->names, compare_names);
    return true;
}

/* What the branch defines gets the If's number; the rest is the graph's around it. */
static char *rename_value(const struct branch *branch, const char *name)
{
    struct qd_arena *arena = branch->functions->arena;
    bool inside = *name != '\0' && bsearch(&name, branch->names, branch->name_count,
                                           sizeof *branch->names, compare_names);

    return inside ? qd_arena_printf(arena, "If#%zu/%s", branch->number, name)
                  : qd_arena_string(arena, name);
}

static char **rename_all(const struct branch *branch, char *const *names, size_t count)
{
    char **made = qd_arena_array(branch->functions->arena, count + 1, sizeof *made);

    for (size_t i = 0; made && i < count; i++) {
        made[i] = rename_value(branch, text_of(names[i]));
        if (!made[i])
            return NULL;
    }
    return made;
}

/* --- Adding ----------------------------------------------------------------------------------- */

static enum qd_status add_node(const struct branch *branch, const Onnx__NodeProto *node)
{
    Onnx__NodeProto *made = qd_arena_copy(branch->functions->arena, node, sizeof *made);

    if (!made)
        return no_room(branch);
    made->input = rename_all(branch, node->input, node->n_input);
    made->output = rename_all(branch, node->output, node->n_output);
    made->name =
        qd_arena_printf(branch->functions->arena, "If#%zu/%s", branch->number, text_of(node->name));
    return made->input && made->output && made->name ? qd_network_add_made(branch->functions, made)
                                                     : no_room(branch);
}

/* "input" may be NULL. */
static Onnx__NodeProto *new_node(const struct branch *branch, const char *op_type, char *input,
                                 char *output)
{
    struct qd_arena *arena = branch->functions->arena;
    const Onnx__NodeProto empty = ONNX__NODE_PROTO__INIT;
    Onnx__NodeProto *made = qd_arena_copy(arena, &empty, sizeof empty);
    char **ends = qd_arena_array(arena, 2, sizeof *ends);

    if (!made || !ends || !output || !(made->op_type = qd_arena_string(arena, op_type)))
        return NULL;
    ends[0] = input;
    ends[1] = output;
    made->n_input = input != NULL;
    made->input = ends;
    made->n_output = 1;
    made->output = ends + 1;
    return made;
}

/* An initializer of the branch: a Constant node. */
static enum qd_status add_constant(const struct branch *branch, Onnx__TensorProto *tensor)
{
    struct qd_arena *arena = branch->functions->arena;
    const Onnx__AttributeProto empty = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__NodeProto *made =
        new_node(branch, "Constant", NULL, rename_value(branch, text_of(tensor->name)));
    Onnx__AttributeProto *attribute = qd_arena_copy(arena, &empty, sizeof empty);
    Onnx__AttributeProto **list = qd_arena_array(arena, 1, sizeof *list);

    if (!made || !attribute || !list || !(attribute->name = qd_arena_string(arena, "value")))
        return no_room(branch);
    attribute->has_type = true;
    attribute->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    attribute->t = tensor;
    list[0] = attribute;
    made->n_attribute = 1;
    made->attribute = list;
    return qd_network_add_made(branch->functions, made);
}

/* What the branch gives is what the If gives. */
static enum qd_status add_output(const struct branch *branch, size_t i)
{
    char *to = branch->node->output[i];

    if (*text_of(to) == '\0')
        return QD_OK;
    char *from = rename_value(branch, text_of(branch->graph->output[i]->name));
    Onnx__NodeProto *made = from ? new_node(branch, "Identity", from, to) : NULL;
    return made ? qd_network_add_made(branch->functions, made) : no_room(branch);
}

static enum qd_status add_branch(struct branch *branch)
{
    const Onnx__GraphProto *graph = branch->graph;
    enum qd_status status = collect_names(branch) ? QD_OK : no_room(branch);

    for (size_t i = 0; status == QD_OK && i < graph->n_initializer; i++)
        status = add_constant(branch, graph->initializer[i]);
    for (size_t i = 0; status == QD_OK && i < graph->n_node; i++)
        status = add_node(branch, graph->node[i]);
    for (size_t i = 0; status == QD_OK && i < graph->n_output; i++)
        status = add_output(branch, i);
    return status;
}

enum qd_status qd_network_add_if(struct qd_network_functions *functions,
                                 const Onnx__NodeProto *node, const Onnx__TensorProto *initializer,
                                 bool *added)
{
    bool condition;
    struct branch branch = {.node = node, .functions = functions, .number = functions->branches};

    *added = false;
    if (node->n_input != 1)
        return QD_OK;
    if (!initializer)
        initializer = constant_node(functions, text_of(node->input[0]));
    if (!read_condition(functions, initializer, &condition))
        return QD_OK;
    branch.graph = graph_of(node, condition ? "then_branch" : "else_branch");
    if (!branch.graph || !is_simple(node, branch.graph))
        return QD_OK;
    functions->branches++;
    *added = true;
    return add_branch(&branch);
}
