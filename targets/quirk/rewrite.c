/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/rewrite.h"

#include <string.h>

static int *copy_list(struct qd_arena *arena, const int *list, size_t count)
{
    return qd_arena_copy(arena, list, count * sizeof *list);
}

static int *list_producers(const struct qd_graph *graph, struct qd_arena *arena)
{
    int *producers = qd_arena_array(arena, graph->value_count, sizeof *producers);
    for (size_t v = 0; producers && v < graph->value_count; v++)
        producers[v] = -1;
    for (size_t i = 0; producers && i < graph->node_count; i++)
        for (size_t o = 0; o < graph->nodes[i].output_count; o++)
            if (graph->nodes[i].outputs[o] != QD_NO_VALUE)
                producers[graph->nodes[i].outputs[o]] = (int)i;
    return producers;
}

enum qd_status qd_rewrite_begin(struct qd_rewrite *rewrite, const struct qd_graph *graph,
                                struct qd_arena *arena, struct qd_error *error)
{
    struct qd_rewrite made = {.graph = graph, .made = *graph, .arena = arena, .error = error};
    made.nodes = qd_arena_copy(arena, graph->nodes, graph->node_count * sizeof *graph->nodes);
    made.outputs = copy_list(arena, graph->outputs, graph->output_count);
    made.inputs = qd_arena_array(arena, graph->node_count, sizeof *made.inputs);
    made.producers = list_producers(graph, arena);
    bool room = made.nodes && made.outputs && made.inputs && made.producers;
    for (size_t i = 0; room && i < graph->node_count; i++) {
        const struct qd_node *node = &graph->nodes[i];
        made.inputs[i] = copy_list(arena, node->inputs, node->input_count);
        made.nodes[i].inputs = made.inputs[i];
        room = made.inputs[i] != NULL;
    }
    if (!room) {
        qd_fail(error, QD_NO_MEMORY, "no room for %zu nodes", graph->node_count);
        return QD_NO_MEMORY;
    }
    made.made.nodes = made.nodes;
    made.made.outputs = made.outputs;
    *rewrite = made;
    return QD_OK;
}

static bool is_output(const struct qd_rewrite *rewrite, int value)
{
    for (size_t i = 0; i < rewrite->made.output_count; i++)
        if (rewrite->outputs[i] == value)
            return true;
    return false;
}

/* Whether a node after number `at` reads the value. */
static bool is_read(const struct qd_rewrite *rewrite, size_t at, int value)
{
    for (size_t i = at + 1; i < rewrite->made.node_count; i++)
        for (size_t k = 0; k < rewrite->nodes[i].input_count; k++)
            if (rewrite->nodes[i].inputs[k] == value)
                return true;
    return false;
}

static bool is_needed(const struct qd_rewrite *rewrite, size_t at)
{
    const struct qd_node *node = &rewrite->nodes[at];
    for (size_t o = 0; o < node->output_count; o++)
        if (node->outputs[o] != QD_NO_VALUE &&
            (is_output(rewrite, node->outputs[o]) || is_read(rewrite, at, node->outputs[o])))
            return true;
    return false;
}

/* From the last node on, so that what only those left out have read goes too. */
static void leave_out(struct qd_rewrite *rewrite)
{
    for (size_t i = rewrite->made.node_count; i-- > 0;) {
        if (is_needed(rewrite, i))
            continue;
        rewrite->made.node_count--;
        memmove(&rewrite->nodes[i], &rewrite->nodes[i + 1],
                (rewrite->made.node_count - i) * sizeof *rewrite->nodes);
    }
}

enum qd_status qd_rewrite_finish(struct qd_rewrite *rewrite, const struct qd_graph **rewritten)
{
    leave_out(rewrite);
    const struct qd_graph *made =
        qd_arena_copy(rewrite->arena, &rewrite->made, sizeof rewrite->made);
    if (!made)
        return qd_fail(rewrite->error, QD_NO_MEMORY, "no room for a graph");
    enum qd_status status = qd_graph_check(made, rewrite->error);
    if (status == QD_OK)
        *rewritten = made;
    return status;
}

enum qd_status qd_rewrite_nodes(const struct qd_graph *graph, qd_node_visit *visit,
                                struct qd_arena *arena, const struct qd_graph **rewritten,
                                struct qd_error *error)
{
    struct qd_rewrite made;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        visit(&made, &made.nodes[i]);
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

bool qd_node_is(const struct qd_node *node, const char *op_type)
{
    return *node->domain == '\0' && strcmp(node->op_type, op_type) == 0;
}

int qd_node_input(const struct qd_node *node, size_t i)
{
    return i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
}

int qd_node_output(const struct qd_node *node, size_t i)
{
    return i < node->output_count ? node->outputs[i] : QD_NO_VALUE;
}

struct qd_node *qd_rewrite_producer(const struct qd_rewrite *rewrite, int value,
                                    const char *op_type)
{
    int i = value == QD_NO_VALUE ? -1 : rewrite->producers[value];
    return i >= 0 && qd_node_is(&rewrite->nodes[i], op_type) ? &rewrite->nodes[i] : NULL;
}

int qd_rewrite_source(const struct qd_rewrite *rewrite, int value)
{
    const struct qd_node *identity = qd_rewrite_producer(rewrite, value, "Identity");
    return identity ? qd_rewrite_source(rewrite, qd_node_input(identity, 0)) : value;
}

void qd_rewrite_operand(struct qd_rewrite *rewrite, const struct qd_node *node, size_t i, int value)
{
    if (i < node->input_count)
        rewrite->inputs[node - rewrite->nodes][i] = value;
}

int qd_rewrite_initializer(struct qd_rewrite *rewrite, const struct qd_tensor *tensor)
{
    size_t count = rewrite->made.value_count;
    struct qd_graph_value *values = qd_arena_array(rewrite->arena, count + 1, sizeof *values);
    int *producers = qd_arena_array(rewrite->arena, count + 1, sizeof *producers);
    const struct qd_tensor *copy = qd_arena_copy(rewrite->arena, tensor, sizeof *tensor);
    if (!values || !producers || !copy)
        return QD_NO_VALUE;
    memcpy(values, rewrite->made.values, count * sizeof *values);
    memcpy(producers, rewrite->producers, count * sizeof *producers);
    values[count] =
        (struct qd_graph_value){.name = "(made)", .declared_rank = -1, .initializer = copy};
    producers[count] = -1;
    rewrite->made.values = values;
    rewrite->made.value_count = count + 1;
    rewrite->producers = producers;
    return (int)count;
}

size_t qd_rewrite_uses(const struct qd_rewrite *rewrite, int value)
{
    size_t uses = 0;
    for (size_t i = 0; i < rewrite->made.node_count; i++)
        for (size_t k = 0; k < rewrite->nodes[i].input_count; k++)
            uses += rewrite->nodes[i].inputs[k] == value;
    for (size_t i = 0; i < rewrite->made.output_count; i++)
        uses += rewrite->outputs[i] == value;
    return uses;
}

void qd_rewrite_use(struct qd_rewrite *rewrite, int from, int to)
{
    if (from == QD_NO_VALUE || to == QD_NO_VALUE)
        return;
    for (size_t i = 0; i < rewrite->made.node_count; i++)
        for (size_t k = 0; k < rewrite->nodes[i].input_count; k++)
            if (rewrite->nodes[i].inputs[k] == from)
                qd_rewrite_operand(rewrite, &rewrite->nodes[i], k, to);
    for (size_t i = 0; i < rewrite->made.output_count; i++)
        if (rewrite->outputs[i] == from)
            rewrite->outputs[i] = to;
}

enum qd_dtype qd_rewrite_dtype(const struct qd_rewrite *rewrite, int value)
{
    if (value == QD_NO_VALUE)
        return QD_DTYPE_NONE;
    const struct qd_graph_value *facts = &rewrite->made.values[value];
    if (facts->initializer)
        return facts->initializer->dtype;
    const struct qd_node *quantize = qd_rewrite_producer(rewrite, value, "QuantizeLinear");
    if (facts->declared_dtype != QD_DTYPE_NONE || !quantize)
        return facts->declared_dtype;
    return qd_rewrite_dtype(rewrite, qd_node_input(quantize, 2));
}

const struct qd_tensor *qd_rewrite_constant(const struct qd_rewrite *rewrite, int value)
{
    return value == QD_NO_VALUE ? NULL : rewrite->made.values[value].initializer;
}

const struct qd_tensor *qd_rewrite_scale(const struct qd_rewrite *rewrite,
                                         const struct qd_node *node, size_t i)
{
    enum { SCALE = 1 };
    const struct qd_node *dequantize =
        qd_rewrite_producer(rewrite, qd_node_input(node, i), "DequantizeLinear");
    return dequantize ? qd_rewrite_constant(rewrite, qd_node_input(dequantize, SCALE)) : NULL;
}

bool qd_rewrite_single(const struct qd_rewrite *rewrite, int value)
{
    const struct qd_tensor *t = qd_rewrite_constant(rewrite, value);
    return !t || t->count == 1;
}

void qd_rewrite_share(struct qd_rewrite *rewrite, const struct qd_node *from,
                      const struct qd_node *to, bool zero_point_too)
{
    enum { X, SCALE, ZERO_POINT };
    if (!from || !to || from == to || qd_node_input(from, SCALE) == QD_NO_VALUE ||
        !qd_rewrite_single(rewrite, qd_node_input(from, SCALE)) ||
        !qd_rewrite_single(rewrite, qd_node_input(to, SCALE)))
        return;
    qd_rewrite_operand(rewrite, to, SCALE, qd_node_input(from, SCALE));
    if (zero_point_too && from->input_count > ZERO_POINT &&
        qd_rewrite_dtype(rewrite, qd_node_input(from, X)) ==
            qd_rewrite_dtype(rewrite, qd_node_input(to, X)))
        qd_rewrite_operand(rewrite, to, ZERO_POINT, qd_node_input(from, ZERO_POINT));
}
