/* SPDX-License-Identifier: Apache-2.0 */
#include "moved_back.h"

#include <string.h>

static const struct qd_node *producer(const struct qd_graph *graph, int value, const char *op_type)
{
    int node = value == QD_NO_VALUE ? -1 : qd_graph_producer(graph, value);
    return node >= 0 && strcmp(graph->nodes[node].op_type, op_type) == 0 ? &graph->nodes[node]
                                                                         : NULL;
}

/* Without a perm both reverse the axes. */
static bool are_inverse(const struct qd_node *first, const struct qd_node *second)
{
    return qd_transpose_undoes(second, first) ||
           (!qd_node_attr(first, "perm") && !qd_node_attr(second, "perm"));
}

static bool gives_shape(const struct qd_case *kase, const struct qd_node *reshape,
                        const struct qd_tensor *tensor)
{
    const struct qd_tensor *shape =
        reshape->input_count > 1 ? qd_case_tensor(kase, reshape->inputs[1]) : NULL;
    if (!shape || !tensor || shape->dtype != QD_S64 || shape->count != (int64_t)tensor->rank)
        return false;
    for (unsigned i = 0; i < tensor->rank; i++)
        if (qd_tensor_get(shape, i) != tensor->dims[i])
            return false;
    return true;
}

static int64_t axis_of(const struct qd_node *node)
{
    const struct qd_attr *axis = qd_node_attr(node, "axis");
    return axis ? axis->i : 0;
}

static bool joins(const struct qd_node *split, const struct qd_node *concat)
{
    bool all = split->output_count == concat->input_count && axis_of(split) == axis_of(concat);
    for (size_t i = 0; all && i < split->output_count; i++)
        all = split->outputs[i] == concat->inputs[i];
    return all;
}

static int operand(const struct qd_node *node)
{
    return node && node->input_count > 0 ? node->inputs[0] : QD_NO_VALUE;
}

/* Where axis i of what the Transpose gives comes from; −1: it does not say. */
static int64_t axis_from(const struct qd_node *transpose, int64_t i)
{
    const struct qd_attr *perm = qd_node_attr(transpose, "perm");
    return perm && i >= 0 && (size_t)i < perm->count ? perm->ints[i] : -1;
}

/* The value that three Transposes with a perm leave with all axes where they were. */
static int transposed_thrice(const struct qd_graph *graph, int value)
{
    const struct qd_node *third = producer(graph, value, "Transpose");
    const struct qd_node *second = producer(graph, operand(third), "Transpose");
    const struct qd_node *first = producer(graph, operand(second), "Transpose");
    const struct qd_attr *perm = first ? qd_node_attr(third, "perm") : NULL;
    for (size_t i = 0; perm && i < perm->count; i++)
        if (axis_from(first, axis_from(second, axis_from(third, (int64_t)i))) != (int64_t)i)
            return QD_NO_VALUE;
    return perm ? operand(first) : QD_NO_VALUE;
}

int qd_moved_back(const struct qd_case *kase, int value)
{
    const struct qd_graph *graph = kase->graph;
    const struct qd_node *back, *there;
    if ((back = producer(graph, value, "Transpose")) &&
        (there = producer(graph, operand(back), "Transpose")) && are_inverse(there, back))
        return operand(there);
    if ((back = producer(graph, value, "Concat")) &&
        (there = producer(graph, operand(back), "Split")) && joins(there, back))
        return operand(there);
    if ((back = producer(graph, value, "Reshape")) &&
        (there = producer(graph, operand(back), "Reshape")) &&
        gives_shape(kase, back, qd_case_tensor(kase, operand(there))))
        return operand(there);
    return transposed_thrice(graph, value);
}
