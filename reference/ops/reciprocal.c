/* SPDX-License-Identifier: Apache-2.0 */
/* Reciprocal
 *
 * Source      ONNX Reciprocal-1, -6, -13.
 * Inputs      X f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = RN(1 / X)
 * Edge cases  NaN stays NaN; by IEEE 754 a zero gives the infinity of its sign, ±Inf a zero.
 * Latitude    None of its own: a division, of 1 by the code and by its scale apart too
 *             (qd_elementwise_unary). Of an interval that 0 lies in, every number. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    bool point = x.lo == x.hi;
    if (point && (x.lo == 0 || isinf(x.lo)))
        *exact = (struct qd_interval){1 / x.lo, 1 / x.lo};
    else if ((x.lo <= 0 && x.hi >= 0) || isinf(x.lo) || isinf(x.hi))
        *exact = (struct qd_interval){-INFINITY, INFINITY};
    else
        *exact = qd_interval_divide((struct qd_interval){1, 1}, x);
    return *exact;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_real_operand_type(evaluation, node, "X", &in[0]->want, 13);
    return status == QD_OK ? qd_elementwise_unary(evaluation, in[0], image, NULL, &out[0]) : status;
}

const struct qd_op qd_op_reciprocal = {
    .domain = "",
    .name = "Reciprocal",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "13: the reciprocal is, y = 1/x, is applied to the tensor elementwise.",
    .attributes = "consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
