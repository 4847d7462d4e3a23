/* SPDX-License-Identifier: Apache-2.0 */
/* Tanh
 *
 * Source      ONNX Tanh-1, -6, -13.
 * Inputs      input f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule input-type.
 * Outputs     output of input's type and shape.
 * Arithmetic  output = RN(tanh(input))
 * Edge cases  NaN stays NaN; ±Inf gives ±1, 0 gives 0.
 * Latitude    5 ulp of f32 (transcendental.h), then one rounding to f16 or bf16. */
#include "kernel/elementwise.h"
#include "kernel/transcendental.h"

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    *exact = qd_enclose_tanh(x);
    return qd_interval_ulps(*exact, QD_ULPS_TANH);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_elementwise_function(evaluation, node, "input", in[0], image, &out[0]);
}

const struct qd_op qd_op_tanh = {
    .domain = "",
    .name = "Tanh",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "input",
    .clause = "13: Calculates the hyperbolic tangent of the given input tensor element-wise.",
    .approximate = true,
    .attributes = "consumed_inputs:-5",
    .rules = "input-type",
    .evaluate = evaluate,
};
