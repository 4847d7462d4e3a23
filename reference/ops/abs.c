/* SPDX-License-Identifier: Apache-2.0 */
/* Abs
 *
 * Source      ONNX Abs-1, -6, -13.
 * Inputs      X f32|f16 (13: bf16; f64 and the integer types are UNSUPPORTED).
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = |X|
 * Edge cases  NaN stays NaN, −0 becomes +0.
 * Latitude    None: nothing rounds. */
#include <math.h>

#include "kernel/elementwise.h"

static struct qd_interval magnitude(const void *context, struct qd_interval x,
                                    struct qd_interval *exact)
{
    (void)context;
    double lo = fabs(x.lo), hi = fabs(x.hi);
    bool crosses = x.lo < 0 && x.hi > 0;
    *exact = (struct qd_interval){crosses ? 0 : fmin(lo, hi), fmax(lo, hi)};
    return *exact;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_dtype dtype = in[0]->want.dtype;
    if (qd_dtype_is_integer(dtype) && dtype != QD_BOOL)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Abs of %s", qd_dtype_info(dtype)->word);
    return qd_elementwise_function(evaluation, node, "x", in[0], magnitude, &out[0]);
}

const struct qd_op qd_op_abs = {
    .domain = "",
    .name = "Abs",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "13: absolute value, y = abs(x), is applied to the tensor elementwise.",
    .attributes = "consumed_inputs:-5",
    .rules = "x-type",
    .evaluate = evaluate,
};
