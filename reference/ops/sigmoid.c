/* SPDX-License-Identifier: Apache-2.0 */
/* Sigmoid
 *
 * Source      ONNX Sigmoid-1, -6, -13.
 * Inputs      X f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = RN(1/(1 + e^−X))
 * Edge cases  NaN stays NaN; ±Inf gives 1 and 0, 0 gives ½.
 * Latitude    6 ulp of f32 (transcendental.h), then one rounding to f16 or bf16. */
#include "kernel/elementwise.h"
#include "kernel/transcendental.h"

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    *exact = qd_enclose_logistic(x);
    return qd_interval_ulps(*exact, QD_ULPS_LOGISTIC);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_elementwise_function(evaluation, node, "X", in[0], image, &out[0]);
}

const struct qd_op qd_op_sigmoid = {
    .domain = "",
    .name = "Sigmoid",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause =
        "13: the sigmoid function, y = 1 / (1 + exp(-x)), is applied to the tensor elementwise.",
    .approximate = true,
    .attributes = "consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
