/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft DequantizeLinear
 *
 * Source      ONNX Runtime, ContribOperators, com.microsoft.DequantizeLinear version 1.
 * Inputs      x u8 s8 u16 s16 s32 u4 s4; x_scale f32|f16: scalar|[1] or, with axis, [D_axis];
 *             x_zero_point like x, optional, of x_scale's shape.
 * Outputs     y of x's shape and x_scale's type.
 * Attributes  axis: "if it's not specified, it means per-tensor quantization".
 * Domain      vendor_linear.h; rules x-type, x_scale-type, x_zero_point-type, x_zero_point-shape.
 * Arithmetic  y = (x − x_zero_point)·x_scale
 * Edge cases, latitude, quirks: ONNX's DequantizeLinear-21 (dequantize_linear.c). */
#include "graph/operand_checks.h"
#include "quantize/vendor_linear.h"

extern const struct qd_op qd_op_dequantize_linear;

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const uint32_t floats = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16);
    const uint32_t codes = QD_8BIT_TYPES | QD_TYPE_BIT(QD_U16) | QD_TYPE_BIT(QD_S16) |
                           QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_U4) | QD_TYPE_BIT(QD_S4);
    enum qd_status status = qd_operand_type(evaluation, node, "x", &in[0]->want, codes);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "x_scale", &in[1]->want, floats);
    return status == QD_OK
               ? qd_vendor_linear(evaluation, node, in, "x_scale", &qd_op_dequantize_linear, out)
               : status;
}

const struct qd_op qd_op_vendor_dequantize_linear = {
    .domain = "com.microsoft",
    .name = "DequantizeLinear",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_DEQUANTIZES,
    .operands = "x,x_scale,x_zero_point",
    .clause = "1: The dequantization formula is y = (x - x_zero_point) * x_scale.",
    .attributes = "axis",
    .rules = "x-type,x_scale-type,x_zero_point-type,x_scale-shape,x_zero_point-shape,axis-range",
    .evaluate = evaluate,
};
