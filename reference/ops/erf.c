/* SPDX-License-Identifier: Apache-2.0 */
/* Erf
 *
 * Source      ONNX Erf-9, -13.
 * Inputs      input f32|f16 (13: bf16); f64, and the integers of 9, are UNSUPPORTED; other types are rule
 *             input-type.
 * Outputs     output of the input's type and shape.
 * Arithmetic  output = RN(erf(input)), erf(x) = 2/√π · ∫ e^(−t²) dt from 0 to x.
 * Edge cases  NaN stays NaN; ±Inf gives ±1, 0 gives 0 of its sign.
 * Latitude    16 ulp of f32 (transcendental.h), then one rounding to f16 or bf16. */
#include "graph/operand_checks.h"
#include "kernel/elementwise.h"
#include "kernel/transcendental.h"

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    *exact = qd_enclose_erf(x);
    return qd_interval_ulps(*exact, QD_ULPS_ERF);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_dtype dtype = in[0]->want.dtype;
    if (node->opset < 13 && qd_dtype_is_integer(dtype) && dtype != QD_BOOL)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Erf of %s", qd_dtype_info(dtype)->word);
    return qd_elementwise_function(evaluation, node, "input", in[0], image, &out[0]);
}

const struct qd_op qd_op_erf = {
    .domain = "",
    .name = "Erf",
    .since = 9,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "input",
    .clause = "13: Computes the error function of the given input tensor element-wise.",
    .approximate = true,
    .attributes = "",
    .rules = "input-type",
    .evaluate = evaluate,
};
