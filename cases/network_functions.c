/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a model's own functions, replaced by the functions' nodes. */
#include <string.h>

#include "network_source.h"
#include "qdiff/evaluate.h"

/* Functions call functions; deeper than this they call themselves. */
enum { MOST_CALLS = 16 };

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static bool same_domain(const char *a, const char *b)
{
    a = strcmp(text_of(a), "ai.onnx") == 0 ? "" : text_of(a);
    b = strcmp(text_of(b), "ai.onnx") == 0 ? "" : text_of(b);
    return strcmp(a, b) == 0;
}

static bool has_subgraph(const Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->g || node->attribute[i]->n_graphs > 0)
            return true;
    return false;
}

/* The model has the operators of the function in the same version. */
static bool has_imports(const Onnx__ModelProto *model, const Onnx__FunctionProto *function)
{
    for (size_t i = 0; i < function->n_opset_import; i++) {
        bool found = false;
        for (size_t j = 0; j < model->n_opset_import && !found; j++)
            found =
                same_domain(model->opset_import[j]->domain, function->opset_import[i]->domain) &&
                model->opset_import[j]->version == function->opset_import[i]->version;
        if (!found)
            return false;
    }
    return true;
}

void qd_network_judge_functions(struct qd_network_functions *functions)
{
    enum { ATTRIBUTE_PROTO = 11 };
    for (size_t i = 0; i < functions->count; i++) {
        const Onnx__FunctionProto *proto = functions->items[i].proto;
        bool simple = has_imports(functions->imports, proto);
        for (size_t j = 0; j < proto->base.n_unknown_fields; j++)
            simple = simple && proto->base.unknown_fields[j].tag != ATTRIBUTE_PROTO;
        for (size_t j = 0; j < proto->n_node; j++)
            simple = simple && !has_subgraph(proto->node[j]);
        functions->items[i].simple = simple;
    }
}

static const struct qd_network_function *find(const struct qd_network_functions *functions,
                                              const Onnx__NodeProto *node)
{
    for (size_t i = 0; i < functions->count; i++)
        if (strcmp(text_of(functions->items[i].proto->name), text_of(node->op_type)) == 0 &&
            same_domain(functions->items[i].proto->domain, node->domain))
            return &functions->items[i];
    return NULL;
}

/* --- Renaming --------------------------------------------------------------------------------- */

/* One call: the names inside become names of the graph. */
struct call {
    const Onnx__NodeProto *node;
    const Onnx__FunctionProto *function;
    size_t number;
};

static const char *formal(char *const *names, size_t count, char *const *actual,
                          size_t actual_count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text_of(names[i]), name) == 0)
            return i < actual_count ? actual[i] : "";
    return NULL;
}

static char *rename_value(const struct call *call, const char *name, struct qd_arena *arena)
{
    const Onnx__NodeProto *node = call->node;
    const Onnx__FunctionProto *function = call->function;
    if (*name == '\0')
        return qd_arena_string(arena, "");
    const char *found =
        formal(function->input, function->n_input, node->input, node->n_input, name);
    if (!found)
        found = formal(function->output, function->n_output, node->output, node->n_output, name);
    if (found && *found)
        return qd_arena_string(arena, found);
    if (found && formal(function->input, function->n_input, node->input, node->n_input, name))
        return qd_arena_string(arena, "");
    return qd_arena_printf(arena, "%s#%zu/%s", text_of(function->name), call->number, name);
}

static char **rename_all(const struct call *call, char *const *names, size_t count,
                         struct qd_arena *arena)
{
    char **made = qd_arena_array(arena, count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        made[i] = rename_value(call, text_of(names[i]), arena);
        if (!made[i])
            return NULL;
    }
    return made;
}

/* Attributes that refer to one of the call take its value, or are left out where the call has none. */
static Onnx__AttributeProto **bind_attributes(const struct call *call, const Onnx__NodeProto *node,
                                              size_t *count, struct qd_arena *arena)
{
    Onnx__AttributeProto **made = qd_arena_array(arena, node->n_attribute + 1, sizeof *made);
    *count = 0;
    for (size_t i = 0; made && i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        if (*text_of(attribute->ref_attr_name) == '\0') {
            made[(*count)++] = node->attribute[i];
            continue;
        }
        for (size_t j = 0; j < call->node->n_attribute; j++) {
            if (strcmp(text_of(call->node->attribute[j]->name), attribute->ref_attr_name) != 0)
                continue;
            Onnx__AttributeProto *copy =
                qd_arena_copy(arena, call->node->attribute[j], sizeof *copy);
            if (!copy)
                return NULL;
            copy->name = attribute->name;
            made[(*count)++] = copy;
            break;
        }
    }
    return made;
}

/* The function's node as a node of the graph. */
static Onnx__NodeProto *instantiate(const struct call *call, const Onnx__NodeProto *node,
                                    struct qd_arena *arena)
{
    Onnx__NodeProto *made = qd_arena_copy(arena, node, sizeof *made);
    if (!made)
        return NULL;
    made->input = rename_all(call, node->input, node->n_input, arena);
    made->output = rename_all(call, node->output, node->n_output, arena);
    made->attribute = bind_attributes(call, node, &made->n_attribute, arena);
    made->name = qd_arena_printf(arena, "%s#%zu/%s", text_of(call->function->name), call->number,
                                 text_of(node->name));
    return made->input && made->output && made->attribute && made->name ? made : NULL;
}

/* --- Adding ----------------------------------------------------------------------------------- */

static enum qd_status no_room(const struct qd_network_functions *functions)
{
    return qd_fail(functions->error, QD_NO_MEMORY, "%s: no room for its nodes", functions->path);
}

static enum qd_status append(struct qd_network_functions *functions, struct qd_network_piece piece)
{
    struct qd_network_source *source = functions->source;
    if (source->piece_count == QD_NETWORK_MAX_NODES)
        return qd_fail(functions->error, QD_LIMIT, "%s: more than %d nodes", functions->path,
                       QD_NETWORK_MAX_NODES);
    if (source->piece_count == source->piece_capacity) {
        size_t capacity = source->piece_capacity ? 2 * source->piece_capacity : 256;
        struct qd_network_piece *pieces =
            qd_arena_array(functions->arena, capacity, sizeof *pieces);
        if (!pieces)
            return no_room(functions);
        if (source->piece_count > 0)
            memcpy(pieces, source->pieces, source->piece_count * sizeof *pieces);
        source->pieces = pieces;
        source->piece_capacity = capacity;
    }
    source->pieces[source->piece_count++] = piece;
    return QD_OK;
}

static enum qd_status pack(struct qd_network_functions *functions, const Onnx__NodeProto *node,
                           struct qd_slice *bytes)
{
    size_t size = onnx__node_proto__get_packed_size(node);
    uint8_t *packed = qd_arena_raw(functions->arena, size + 1);
    if (!packed)
        return no_room(functions);
    *bytes = (struct qd_slice){packed, onnx__node_proto__pack(node, packed)};
    return QD_OK;
}

static enum qd_status add(struct qd_network_functions *functions, const Onnx__NodeProto *node,
                          struct qd_slice bytes, int depth)
{
    const struct qd_network_function *function = find(functions, node);
    if (!function || !function->simple)
        return append(functions, (struct qd_network_piece){node, bytes, function != NULL});
    if (depth == MOST_CALLS)
        return qd_fail(functions->error, QD_LIMIT,
                       "%s: calls of functions nest more than %d deep: '%.80s' calls itself",
                       functions->path, MOST_CALLS, text_of(function->proto->name));
    if (functions->inlined == QD_NETWORK_MAX_NODES)
        return qd_fail(functions->error, QD_LIMIT, "%s: more than %d calls of functions",
                       functions->path, QD_NETWORK_MAX_NODES);
    struct call call = {node, function->proto, functions->inlined++};
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < function->proto->n_node && status == QD_OK; i++) {
        const Onnx__NodeProto *made =
            instantiate(&call, function->proto->node[i], functions->arena);
        struct qd_slice packed = {0};
        if (!made)
            return no_room(functions);
        status = pack(functions, made, &packed);
        if (status == QD_OK)
            status = add(functions, made, packed, depth + 1);
    }
    return status;
}

enum qd_status qd_network_add(struct qd_network_functions *functions, const Onnx__NodeProto *node,
                              struct qd_slice bytes)
{
    return add(functions, node, bytes, 0);
}

enum qd_status qd_network_add_made(struct qd_network_functions *functions,
                                   const Onnx__NodeProto *node)
{
    struct qd_slice packed = {0};
    enum qd_status status = pack(functions, node, &packed);
    return status == QD_OK ? add(functions, node, packed, 0) : status;
}
