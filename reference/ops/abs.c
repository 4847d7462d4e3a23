/* SPDX-License-Identifier: Apache-2.0 */
/* Abs
 *
 * Source      ONNX Abs-1, -6, -13.
 * Inputs      X f32|f16 (6: u8 s8 u16 s16 s32 s64; 13: bf16); f64 is UNSUPPORTED.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = |X|
 * Edge cases  NaN stays NaN, −0 becomes +0. The least integer of a signed type, whose magnitude the
 *             type does not hold: unspecified.
 * Latitude    None: nothing rounds. */
#include <math.h>

#include "graph/operand_checks.h"
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

static bool magnitude_of_code(const void *context, int64_t x, int64_t *y)
{
    (void)context;
    *y = x < 0 && x > INT64_MIN ? -x : x;
    return x > INT64_MIN;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    if (node->opset >= 6 && QD_INTEGER_TYPES & QD_TYPE_BIT(in[0]->want.dtype))
        return qd_elementwise_codes(evaluation, in[0], magnitude_of_code, NULL, &out[0]);
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
    .clause = "13: absolute value, y = abs(x), is applied to the tensor elementwise."
              "\n6<13: the absolute is, y = abs(x), is applied to the tensor elementwise.",
    .attributes = "consumed_inputs:-5",
    .rules = "x-type",
    .evaluate = evaluate,
};
