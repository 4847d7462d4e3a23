/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearLeakyRelu (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearLeakyRelu-1.
 * Inputs      X u8|s8; X_scale f32, X_zero_point like X (optional: 0), Y_scale f32, Y_zero_point
 *             like X (optional: 0), each a scalar or [1].
 * Outputs     Y like X.
 * Attributes  alpha (0.01, the float32 nearest to it).
 * Domain      rules x-type, x_scale-type, x_scale-shape, x_zero_point-…, y_scale-…, y_zero_point-….
 * Arithmetic  q = X − X_zero_point; Y = saturate(round_half_even(q·X_scale·a/Y_scale) +
 *             Y_zero_point), a = alpha where q·X_scale < 0, else 1
 * Edge cases  a scale or alpha that is NaN or infinite, Y_scale = 0: unspecified.
 * Latitude    below 0 the orders of the product q·X_scale·alpha/Y_scale, requantize.h; else
 *             (q·X_scale)/Y_scale, q·(X_scale/Y_scale).
 * Quirks      rounding, zero_point_order, range, zero_points, requantize. */
#include <math.h>

#include "quantize/qlinear.h"

static struct qd_code leaky(const void *context, const struct qd_output_quantizer *quantizer,
                            int16_t q, double scale, double y_scale, struct qd_ratio *real)
{
    double alpha = *(const double *)context;
    if (scale < 0 ? q <= 0 : q >= 0)
        return qd_qlinear_rescale(quantizer, q, scale, y_scale, real);
    if (isfinite(alpha)) {
        *real = qd_ratio_multiply(qd_ratio_of_integer(q), qd_ratio_of_double(scale));
        *real = qd_ratio_multiply(*real, qd_ratio_of_double(alpha));
        *real = qd_ratio_divide(*real, qd_ratio_of_double(y_scale));
    }
    struct qd_code code;
    if (quantizer->semantics->requantize == QD_REQUANTIZE_REAL && qd_scale_is_moderate(scale) &&
        qd_scale_is_moderate(alpha) && qd_scale_is_moderate(y_scale) &&
        qd_output_quantizer_settles(quantizer, *real, &code))
        return code;
    struct qd_requantizer leaking = qd_requantizer_make(*quantizer, QD_F32, scale, alpha, y_scale);
    return qd_requantize(&leaking, q);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    float value;
    enum qd_status status = qd_node_float(node, "alpha", 0.01f, &value, evaluation->error);
    const double alpha = (double)value;
    return status == QD_OK ? qd_qlinear_unary(evaluation, node, in, leaky, &alpha, &out[0])
                           : status;
}

const struct qd_op qd_op_qlinear_leaky_relu = {
    .domain = "com.microsoft",
    .name = "QLinearLeakyRelu",
    .since = 1,
    .min_inputs = 4,
    .max_inputs = 5,
    .outputs = 1,
    .optional = 1 << 2,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X,X_scale,X_zero_point,Y_scale,Y_zero_point",
    .clause = "1: the function f(x) = quantize(alpha * dequantize(x)) for dequantize(x) < 0, f(x) "
              "= quantize(dequantize(x)) for dequantize(x) >= 0, is applied to the data tensor "
              "elementwise.",
    .attributes = "alpha",
    .rules = "x-type,x_scale-type,y_scale-type,x_zero_point-type,y_zero_point-type,"
             "x_scale-shape,y_scale-shape,x_zero_point-shape,y_zero_point-shape",
    .evaluate = evaluate,
};
