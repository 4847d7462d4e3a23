/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which tensors a quantizer has to give the same parameters. */
#include <string.h>

#include "quantizer/check.h"

/* Operators that move codes, whoever promises what. */
static const char *const moving[] = {"Concat",  "Expand",    "Flatten",   "Gather", "Identity",
                                     "MaxPool", "Reshape",   "Slice",     "Split",  "Squeeze",
                                     "Tile",    "Transpose", "Unsqueeze", NULL};

static bool among(const char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

const struct qd_node *qd_quant_only_reader(const struct qd_quant_check *check, int value)
{
    const struct qd_node *found = NULL;
    for (size_t n = 0; n < check->graph->node_count; n++)
        for (size_t k = 0; k < check->graph->nodes[n].input_count; k++) {
            if (check->graph->nodes[n].inputs[k] != value)
                continue;
            if (found)
                return NULL;
            found = &check->graph->nodes[n];
        }
    for (size_t k = 0; k < check->graph->output_count; k++)
        if (check->graph->outputs[k] == value)
            return NULL;
    return found;
}

/* Whether the tool makes one operator of a Relu and what computes its input, which nobody else reads. */
static bool is_fused(const struct qd_quant_check *check, const struct qd_node *node)
{
    int n =
        strcmp(node->op_type, "Relu") == 0 ? qd_graph_producer(check->graph, node->inputs[0]) : -1;
    return n >= 0 && among(check->question->profile->fuses_relu, check->graph->nodes[n].op_type) &&
           qd_quant_only_reader(check, node->inputs[0]) == node;
}

/* Whether it reads a constant that the tool quantizes for it. */
static bool moves_constant(const struct qd_quant_check *check, const struct qd_node *node)
{
    return among(check->question->profile->shares_constants, node->op_type) &&
           check->graph->values[node->inputs[0]].initializer;
}

/* Whether a Pad, of opset 11 or later, puts in numbers that the range of its input holds: 0 or its own. */
static bool pads_within_range(const struct qd_quant_check *check, const struct qd_node *node)
{
    const struct qd_attr *mode = qd_node_attr(node, "mode");
    if (mode && mode->kind == QD_ATTR_STRING && strcmp(mode->s, "constant") != 0)
        return true;
    if (node->input_count < 3 || node->inputs[2] == QD_NO_VALUE)
        return true;
    const struct qd_tensor *fill = check->graph->values[node->inputs[2]].initializer;
    return fill && fill->count == 1 && qd_tensor_value(fill, 0) == 0;
}

static bool is_too_early(const struct qd_quant_check *check, const struct qd_node *node)
{
    const struct qd_quantizer_since *since = check->question->profile->shares_since;
    for (; since && since->op_type; since++)
        if (strcmp(since->op_type, node->op_type) == 0)
            return node->opset < since->opset;
    return false;
}

static bool moves(const struct qd_quant_check *check, const struct qd_node *node)
{
    const struct qd_quantizer_request *request = check->question->request;
    if (strcmp(node->op_type, "Pad") == 0 && !pads_within_range(check, node))
        return false;
    return (among(check->question->profile->shares[request->options.format], node->op_type) ||
            moves_constant(check, node)) &&
           !is_too_early(check, node) && !among(request->options.exclude, node->name);
}

/* Whether the answer gives parameters to what the operator reads: where that
 * is computed, or where the operator reads it. */
static bool is_quantized_in_answer(const struct qd_quant_check *check, const struct qd_node *node)
{
    for (size_t i = 0; i < check->edges.count; i++) {
        const struct qd_quant_edge *edge = &check->edges.items[i];
        bool here = edge->node >= 0 && &check->graph->nodes[edge->node] == node;
        if (edge->tensor == node->inputs[0] && (edge->node == QD_AT_PRODUCER || here))
            return true;
    }
    return false;
}

/* Whether what computes an operator's input, past other moving ones, is
 * among those that the tool moves codes behind. */
static bool is_behind(const struct qd_quant_check *check, const struct qd_node *node)
{
    const struct qd_quantizer_question *question = check->question;
    int n = qd_graph_producer(check->graph, node->inputs[0]);
    while (n >= 0 && moves(check, &check->graph->nodes[n]))
        n = qd_graph_producer(check->graph, check->graph->nodes[n].inputs[0]);
    return n >= 0 && among(question->profile->shares_behind, check->graph->nodes[n].op_type) &&
           !among(question->request->options.exclude, check->graph->nodes[n].name);
}

/* Whether what a moving operator reads has parameters before the operator is looked at. */
static bool is_quantized_before(const struct qd_quant_check *check, const struct qd_node *node)
{
    const struct qd_quantizer_profile *profile = check->question->profile;
    if (among(profile->shares_whatever, node->op_type) || moves_constant(check, node))
        return true;
    if (profile->shares_always && !among(profile->shares_always, node->op_type))
        return is_quantized_in_answer(check, node);
    return !profile->shares_behind || is_behind(check, node);
}

static bool shares(const struct qd_quant_check *check, const struct qd_node *node)
{
    return moves(check, node) && !is_fused(check, node) && is_quantized_before(check, node);
}

bool qd_quant_is_anchor(const struct qd_quant_check *check, int value)
{
    int n = qd_graph_producer(check->graph, value);
    return n >= 0 && !shares(check, &check->graph->nodes[n]);
}

static void join(const struct qd_quant_check *check, int a, int b)
{
    int from = check->group[a] > check->group[b] ? check->group[a] : check->group[b];
    int to = check->group[a] > check->group[b] ? check->group[b] : check->group[a];
    for (size_t v = 0; v < check->graph->value_count; v++)
        if (check->group[v] == from)
            check->group[v] = to;
}

/* How many inputs of a moving operator are data. */
static size_t data_inputs(const struct qd_node *node)
{
    return strcmp(node->op_type, "Concat") == 0 ? node->input_count : 1;
}

enum qd_status qd_quant_group(struct qd_quant_check *check, struct qd_error *error)
{
    const struct qd_graph *graph = check->graph;
    check->group = qd_arena_array(check->arena, graph->value_count, sizeof *check->group);
    if (!check->group)
        return qd_fail(error, QD_NO_MEMORY, "no memory for groups of tensors");
    for (size_t v = 0; v < graph->value_count; v++)
        check->group[v] = (int)v;
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct qd_node *node = &graph->nodes[n];
        if (!shares(check, node))
            continue;
        for (size_t k = 0; k < data_inputs(node) && k < node->input_count; k++)
            for (size_t o = 0; o < node->output_count; o++)
                if (node->inputs[k] != QD_NO_VALUE && node->outputs[o] != QD_NO_VALUE)
                    join(check, node->inputs[k], node->outputs[o]);
    }
    return QD_OK;
}

/* One observer for tensors that nothing joins: the range of one becomes part of the other's. */
static void find_stranger(struct qd_quant_check *check, const struct qd_quant_edge *a)
{
    for (size_t j = 0; j < check->edges.count; j++) {
        const struct qd_quant_edge *b = &check->edges.items[j];
        if (b == a || b->group != a->group)
            continue;
        if (check->group[a->tensor] != check->group[b->tensor])
            qd_quant_find(check, QD_VERDICT_WRONG_SHARING,
                          "%s and %s, which nothing makes share their parameters, both belong to "
                          "observer %llu",
                          qd_quant_place(check, b), qd_quant_place(check, a),
                          (unsigned long long)a->group);
        return; /* the first of the observer stands for the others */
    }
}

/* A constant is quantized anew for whatever else reads it: as a weight, for example. */
static bool is_shared_kind(const struct qd_quant_check *check, const struct qd_quant_edge *edge)
{
    bool apart = check->graph->values[edge->tensor].initializer && edge->node >= 0 &&
                 !shares(check, &check->graph->nodes[edge->node]);
    return edge->count == 1 && !edge->dynamic && edge->type != QD_S32 && !apart;
}

/* Two edges of a group: one observer and one scale, zero point and type. */
static void compare(struct qd_quant_check *check, const struct qd_quant_edge *a,
                    const struct qd_quant_edge *b)
{
    if (!qd_quant_same(a, b))
        qd_quant_find(check, QD_VERDICT_WRONG_SHARING,
                      "%s has scale %.9g, zero point %lld (%s); %s, which shares its parameters, "
                      "has %.9g, %lld (%s)",
                      qd_quant_place(check, a), a->scales[0], (long long)a->zero_points[0],
                      qd_dtype_info(a->type)->word, qd_quant_place(check, b), b->scales[0],
                      (long long)b->zero_points[0], qd_dtype_info(b->type)->word);
    else if (a->group != 0 && b->group != 0 && a->group != b->group)
        qd_quant_find(check, QD_VERDICT_WRONG_SHARING,
                      "%s belongs to observer %llu, %s to %llu: equal by chance, not shared",
                      qd_quant_place(check, a), (unsigned long long)a->group,
                      qd_quant_place(check, b), (unsigned long long)b->group);
}

/* Input and output of a moving operator about which nothing was promised. */
static void note_difference(struct qd_quant_check *check, const struct qd_node *node)
{
    const struct qd_quant_edges *edges = &check->edges;
    for (size_t i = 0; i < edges->count; i++)
        for (size_t j = 0; j < edges->count; j++) {
            const struct qd_quant_edge *a = &edges->items[i], *b = &edges->items[j];
            if (a->tensor == node->inputs[0] && a->node >= 0 &&
                &check->graph->nodes[a->node] == node && b->tensor == node->outputs[0] &&
                is_shared_kind(check, a) && is_shared_kind(check, b) && !qd_quant_same(a, b)) {
                qd_quant_note(check, "%s '%s': %s and %s differ, and nothing is promised",
                              node->op_type, node->name, qd_quant_place(check, a),
                              qd_quant_place(check, b));
                return;
            }
        }
}

void qd_quant_check_sharing(struct qd_quant_check *check)
{
    const struct qd_quant_edges *edges = &check->edges;
    for (size_t i = 0; i < edges->count; i++) {
        const struct qd_quant_edge *a = &edges->items[i];
        size_t first = edges->count;
        for (size_t j = 0; j < i && first == edges->count; j++) {
            const struct qd_quant_edge *b = &edges->items[j];
            if (is_shared_kind(check, b) && check->group[b->tensor] == check->group[a->tensor])
                first = j;
        }
        if (is_shared_kind(check, a) && first < edges->count)
            compare(check, &edges->items[first], a);
        if (a->group != 0)
            find_stranger(check, a);
    }
    for (size_t n = 0; n < check->graph->node_count; n++) {
        const struct qd_node *node = &check->graph->nodes[n];
        if (among(moving, node->op_type) && !shares(check, node) && node->input_count > 0)
            note_difference(check, node);
    }
}
