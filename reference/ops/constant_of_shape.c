/* SPDX-License-Identifier: Apache-2.0 */
/* ConstantOfShape
 *
 * Source      ONNX ConstantOfShape-9, -20, -21, -23, -24, -25.
 * Inputs      input s64 [r]: the output's shape; [0] gives a scalar.
 * Outputs     output of value's type and the shape.
 * Attributes  value: a tensor of one element, of any type but the narrow ones (20: bf16, float8; 21: u4 s4;
 *             23: f4e2m1; 24: f8e8m0; 25: u2 s2). Without it the float32 0.
 * Domain      rules input-type, input-rank, input-value (a negative dimension), value-count, value-type.
 * Arithmetic  every element is value's.
 * Edge cases  A dimension of 0 gives no elements.
 * Latitude    None. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

static enum qd_status read_value(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 enum qd_dtype *dtype, int64_t *bits)
{
    const struct qd_attr *attr = qd_node_attr(node, "value");
    if (!attr)
        return QD_OK;
    if (attr->kind != QD_ATTR_TENSOR)
        return qd_node_rule(evaluation, node, "attribute-type", "value is no tensor");
    const struct qd_tensor *value = attr->tensor;
    if (value->count != 1)
        return qd_node_rule(evaluation, node, "value-count", "value has %lld elements, want 1",
                            (long long)value->count);
    enum qd_status status = qd_movement_type(evaluation, node, "value", value, 9, 20);
    if (status != QD_OK)
        return status;
    if (value->dtype == QD_BF16 && node->opset < 20)
        return qd_node_rule(evaluation, node, "value-type", "bf16 exists since opset 20");
    *dtype = value->dtype;
    *bits = qd_tensor_get(value, 0);
    return QD_OK;
}

static enum qd_status read_shape(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *input, struct qd_list *list)
{
    enum qd_status status =
        qd_list_read(evaluation, node, "input", input, 9, QD_TYPE_BIT(QD_S64), list);
    if (status == QD_OK && list->count > QD_MAX_RANK)
        return qd_fail(evaluation->error, QD_LIMIT, "rank %zu is more than %d", list->count,
                       QD_MAX_RANK);
    for (size_t i = 0; status == QD_OK && i < list->count; i++)
        if (list->values[i] < 0)
            return qd_node_rule(evaluation, node, "input-value", "input[%zu] is %lld", i,
                                (long long)list->values[i]);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_dtype dtype = QD_F32;
    int64_t bits = 0;
    struct qd_list list;
    struct qd_value y;
    enum qd_status status = read_shape(evaluation, node, in[0], &list);
    if (status == QD_OK)
        status = read_value(evaluation, node, &dtype, &bits);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, dtype, (unsigned)list.count, list.values,
                               evaluation->error);
    if (status == QD_OK)
        status = qd_spend(evaluation, (double)y.want.count);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++)
        qd_tensor_set(&y.want, i, bits);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_constant_of_shape = {
    .domain = "",
    .name = "ConstantOfShape",
    .since = 9,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .gives = QD_F32, /* without value */
    .form = QD_FORM_MANY,
    .operands = "input:control",
    .clause = "25: Generate a tensor with given value and shape.",
    .attributes = "value",
    .rules = "input-type,input-rank,input-value,value-count,value-type",
    .evaluate = evaluate,
};
