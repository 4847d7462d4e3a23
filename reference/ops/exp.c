/* SPDX-License-Identifier: Apache-2.0 */
/* Exp
 *
 * Source      ONNX Exp-1, -6, -13.
 * Inputs      X f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = RN(e^X)
 * Edge cases  NaN stays NaN; ±Inf gives Inf and 0, 0 gives 1.
 * Latitude    3 ulp of f32 (transcendental.h), then one rounding to f16 or bf16. */
#include "kernel/elementwise.h"
#include "kernel/transcendental.h"

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    *exact = qd_enclose_exp(x);
    return qd_interval_ulps(*exact, QD_ULPS_EXP);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_elementwise_function(evaluation, node, "X", in[0], image, &out[0]);
}

const struct qd_op qd_op_exp = {
    .domain = "",
    .name = "Exp",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "13: Calculates the exponential of the given input tensor, element-wise.",
    .approximate = true,
    .attributes = "consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
