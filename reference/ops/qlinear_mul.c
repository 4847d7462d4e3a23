/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearMul (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearMul-1.
 * Inputs, outputs, domain   those of QLinearAdd (qlinear_add.c).
 * Arithmetic  C = saturate(round_half_even((A − A_zero_point)·(B −
 *             B_zero_point)·A_scale·B_scale/C_scale) + C_zero_point)
 * Edge cases  a scale that is NaN or infinite, C_scale = 0: unspecified.
 * Latitude    the orders of one requantized product, requantize.h; and both dequantized in float32,
 *             multiplied, divided by C_scale.
 * Quirks      rounding, zero_point_order, range, zero_points, requantize. */
#include "quantize/qlinear.h"

static struct qd_code multiply(const struct qd_qlinear_binary *binary, int16_t a, int16_t b,
                               struct qd_ratio *real)
{
    double a_scale = binary->a.scale, b_scale = binary->b.scale, c_scale = binary->c.scale;
    int64_t acc = (int64_t)a * b;
    struct qd_code code;
    bool real_product = binary->evaluation->semantics->requantize == QD_REQUANTIZE_REAL;
    *real = qd_ratio_multiply(qd_ratio_of_integer(acc), qd_ratio_of_double(a_scale));
    *real = qd_ratio_multiply(*real, qd_ratio_of_double(b_scale));
    *real = qd_ratio_divide(*real, qd_ratio_of_double(c_scale));
    if (real_product && qd_scale_is_moderate(a_scale) && qd_scale_is_moderate(b_scale) &&
        qd_scale_is_moderate(c_scale) &&
        qd_output_quantizer_settles(&binary->quantizer, *real, &code))
        return code;
    struct qd_requantizer requantizer =
        qd_requantizer_make(binary->quantizer, QD_F32, a_scale, b_scale, c_scale);
    code = qd_requantize(&requantizer, acc);
    if (!real_product)
        return code;
    const struct qd_operands operands = {.a = qd_enclosure_point(a),
                                         .b = qd_enclosure_point(b),
                                         .s = qd_enclosure_point(a_scale),
                                         .t = qd_enclosure_point(b_scale),
                                         .y = qd_enclosure_point(c_scale)};
    const struct qd_code other = qd_code_of_orders(
        &binary->quantizer, *real, &(struct qd_orders_of){&qd_orders_multiply, a}, &operands);
    qd_code_join(&code, &other);
    return code;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_qlinear_binary(evaluation, node, in, multiply, out);
}

const struct qd_op qd_op_qlinear_mul = {
    .domain = "com.microsoft",
    .name = "QLinearMul",
    .since = 1,
    .min_inputs = 7,
    .max_inputs = 8,
    .outputs = 1,
    .optional = 1 << 2 | 1 << 5,
    .form = QD_FORM_MULTIPLIES,
    .operands = "A,A_scale,A_zero_point,B:weight,B_scale,B_zero_point,C_scale,C_zero_point",
    .clause = "1: C = ((A - A_zero_point) * (B - B_zero_point)) * (A_scale * B_scale)/C_scale + "
              "C_zero_point",
    .attributes = "",
    .rules = "a-type,b-type,a_scale-type,b_scale-type,c_scale-type,a_zero_point-type,"
             "b_zero_point-type,c_zero_point-type,a_scale-shape,b_scale-shape,c_scale-shape,"
             "a_zero_point-shape,b_zero_point-shape,c_zero_point-shape,broadcast",
    .evaluate = evaluate,
};
