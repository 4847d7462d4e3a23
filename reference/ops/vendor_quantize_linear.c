/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft QuantizeLinear
 *
 * Source      ONNX Runtime, ContribOperators, com.microsoft.QuantizeLinear version 1.
 * Inputs      x f32|f16; y_scale like x: scalar|[1] or, with axis, [D_axis]; y_zero_point u8 s8 u16
 *             s16 u4 s4, optional, of y_scale's shape.
 * Outputs     y of x's shape and y_zero_point's type, u8 without one.
 * Attributes  axis: "if it's not specified, it means per-tensor quantization".
 * Domain      vendor_linear.h; rules x-type, y_scale-type, y_zero_point-type, y_zero_point-shape.
 * Arithmetic  y = saturate(round_half_even(x / y_scale) + y_zero_point)
 * Edge cases, latitude, quirks: ONNX's QuantizeLinear-21 (quantize_linear.c). */
#include "graph/operand_checks.h"
#include "quantize/vendor_linear.h"

extern const struct qd_op qd_op_quantize_linear;

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const uint32_t floats = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16);
    const uint32_t codes = QD_8BIT_TYPES | QD_TYPE_BIT(QD_U16) | QD_TYPE_BIT(QD_S16) |
                           QD_TYPE_BIT(QD_U4) | QD_TYPE_BIT(QD_S4);
    enum qd_status status = qd_operand_type(evaluation, node, "x", &in[0]->want, floats);
    if (status == QD_OK && in[2])
        status = qd_operand_type(evaluation, node, "y_zero_point", &in[2]->want, codes);
    return status == QD_OK
               ? qd_vendor_linear(evaluation, node, in, "y_scale", &qd_op_quantize_linear, out)
               : status;
}

const struct qd_op qd_op_vendor_quantize_linear = {
    .domain = "com.microsoft",
    .name = "QuantizeLinear",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_QUANTIZES,
    .operands = "x,y_scale,y_zero_point",
    .clause = "1: The quantization formula is y = saturate ((x / y_scale) + y_zero_point). ... For "
              "(x / y_scale), it's rounding to nearest ties to even.",
    .attributes = "axis",
    .rules = "x-type,y_scale-type,y_zero_point-type,y_scale-shape,y_zero_point-shape,axis-range",
    .evaluate = evaluate,
};
