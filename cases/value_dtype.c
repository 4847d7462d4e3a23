/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "qdiff/evaluate.h"
#include "qdiff/features.h"

static int input_of(const struct qd_node *node, size_t i)
{
    return i < node->input_count ? node->inputs[i] : QD_NO_VALUE;
}

static bool is_op(const struct qd_node *node, const char *op_type)
{
    return strcmp(node->op_type, op_type) == 0;
}

/* The type of the output that an attribute says, as a number or by a tensor of that type; NONE without one. */
static enum qd_dtype said_dtype(const struct qd_node *node)
{
    const struct qd_attr *attr = qd_node_attr(node, is_op(node, "Cast") ? "to" : "output_dtype");
    const struct qd_attr *value = qd_node_attr(node, "value");
    if (attr && attr->kind == QD_ATTR_INT)
        return qd_dtype_of_onnx((int32_t)attr->i);
    return value && value->kind == QD_ATTR_TENSOR ? value->tensor->dtype : QD_DTYPE_NONE;
}

static int operand_at(const struct qd_node *node, int i)
{
    return i < 0 ? QD_NO_VALUE : input_of(node, (size_t)i);
}

/* The operand whose type the node's output has. */
static int model_operand(const struct qd_node *node)
{
    int zero_point =
        operand_at(node, qd_op_parameter(node->op, QD_OPERAND_OUTPUT, QD_ROLE_ZERO_POINT));
    int x = qd_op_operand(node->op, QD_ROLE_DATA);
    if (zero_point != QD_NO_VALUE || is_op(node, "QuantizeLinear"))
        return zero_point;
    if (is_op(node, "DequantizeLinear") || is_op(node, "MatMulIntegerToFloat") ||
        is_op(node, "QGemm")) /* real numbers, like the scales */
        return operand_at(node, qd_op_operand(node->op, QD_ROLE_SCALE));
    return operand_at(node, x < 0 ? 0 : x);
}

/* The last of the first `count` nodes that computes the value, -1 if none does. Nodes are in topological order, and
 * most read what one shortly before them computes: from the front a long chain would take the square of its length. */
static int producer_among(const struct qd_graph *graph, int value, size_t count)
{
    for (size_t i = count; i-- > 0;)
        for (size_t j = 0; j < graph->nodes[i].output_count; j++)
            if (graph->nodes[i].outputs[j] == value)
                return (int)i;
    return -1;
}

/* The type of a value, by what the model says alone: it holds for graphs that do not evaluate too. The first `count`
 * nodes count. */
static enum qd_dtype dtype_of(const struct qd_case *kase, int value, size_t count, int depth)
{
    const struct qd_graph *graph = kase->graph;
    const struct qd_tensor *tensor = qd_case_tensor(kase, value);
    if (tensor || value == QD_NO_VALUE || depth > 64)
        return tensor ? tensor->dtype : QD_DTYPE_NONE;
    int producer = producer_among(graph, value, count);
    if (producer < 0)
        return QD_DTYPE_NONE;
    const struct qd_node *node = &graph->nodes[producer];
    enum qd_dtype said = said_dtype(node);
    if (said != QD_DTYPE_NONE)
        return said;
    if (node->op && node->op->gives != QD_DTYPE_NONE)
        return node->op->gives;
    if (is_op(node, "DynamicQuantizeLinear"))
        return node->outputs[1] == value ? QD_F32 : QD_U8;
    enum qd_dtype like = dtype_of(kase, model_operand(node), (size_t)producer, depth + 1);
    return like == QD_DTYPE_NONE && is_op(node, "QuantizeLinear") ? QD_U8 : like;
}

enum qd_dtype qd_case_dtype(const struct qd_case *kase, int value)
{
    return dtype_of(kase, value, kase->graph->node_count, 0);
}

enum qd_dtype qd_node_dtype(const struct qd_case *kase, const struct qd_node *node, int value)
{
    return dtype_of(kase, value, (size_t)(node - kase->graph->nodes) + 1, 0);
}
