/* SPDX-License-Identifier: Apache-2.0 */
/* Relu
 *
 * Source      ONNX Relu-1, -6, -13, -14.
 * Inputs      X f32|f16 (13: bf16; 14: s8, s16, s32, s64); f64 is UNSUPPORTED; other types are
 *             rule x-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = max(0, X)
 * Edge cases  NaN stays NaN. */
#include "graph/operand_checks.h"
#include "kernel/elementwise.h"

static double relu(const void *context, double x)
{
    (void)context;
    return x > 0 ? x : 0;
}

static bool relu_of_code(const void *context, int64_t x, int64_t *y)
{
    (void)context;
    *y = x > 0 ? x : 0;
    return true;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_dtype dtype = in[0]->want.dtype;
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= node->opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0;
    if (node->opset >= 14)
        types |=
            QD_TYPE_BIT(QD_S8) | QD_TYPE_BIT(QD_S16) | QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    enum qd_status status = qd_operand_type(evaluation, node, "x", &in[0]->want, types);
    if (status == QD_OK && dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Relu of f64");
    if (status != QD_OK)
        return status;
    return dtype == QD_S64 ? qd_elementwise_codes(evaluation, in[0], relu_of_code, NULL, &out[0])
                           : qd_elementwise_monotone(evaluation, in[0], relu, NULL, NULL, &out[0]);
}

const struct qd_op qd_op_relu = {
    .domain = "",
    .name = "Relu",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause =
        "14: the rectified linear function, y = max(0, x), is applied to the tensor elementwise.",
    .attributes = "consumed_inputs:-5",
    .rules = "x-type",
    .evaluate = evaluate,
};
