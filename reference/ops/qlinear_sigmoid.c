/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearSigmoid (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearSigmoid-1.
 * Inputs, outputs, domain   those of QLinearLeakyRelu (qlinear_leaky_relu.c).
 * Attributes  none.
 * Arithmetic  v = (X − X_zero_point)·X_scale; Y = saturate(round_half_even(1/(1 + e^−v)/Y_scale) +
 *             Y_zero_point)
 * Edge cases  a scale that is NaN or infinite, Y_scale = 0: unspecified. v = 0: exactly ½.
 * Latitude    1/(1 + e^−v) in float32 within 8 ulp (relative 2^−21), then a float32 division by
 *             Y_scale. No canonical code where the enclosure of exponential.h, 2^−43 wide, does not
 *             decide it.
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "number/exponential.h"
#include "quantize/qlinear.h"

static struct qd_code sigmoid(const void *context, const struct qd_output_quantizer *quantizer,
                              int16_t q, double scale, double y_scale, struct qd_ratio *real)
{
    struct qd_interval exact = qd_logistic(q * scale);
    (void)context;
    return qd_code_of_interval(quantizer, exact, exact.lo == exact.hi ? 0 : 0x1p-21, y_scale, real);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_qlinear_unary(evaluation, node, in, sigmoid, NULL, &out[0]);
}

const struct qd_op qd_op_qlinear_sigmoid = {
    .domain = "com.microsoft",
    .name = "QLinearSigmoid",
    .since = 1,
    .min_inputs = 4,
    .max_inputs = 5,
    .outputs = 1,
    .optional = 1 << 2,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X,X_scale,X_zero_point,Y_scale,Y_zero_point",
    .clause = "1: the function f(x) = quantize(Sigmoid(dequantize(x))), is applied to the data "
              "tensor elementwise. ... the function Sigmoid(x) = 1 / (1 + exp(-x))",
    .approximate = true,
    .attributes = "",
    .rules = "x-type,x_scale-type,y_scale-type,x_zero_point-type,y_zero_point-type,"
             "x_scale-shape,y_scale-shape,x_zero_point-shape,y_zero_point-shape",
    .evaluate = evaluate,
};
