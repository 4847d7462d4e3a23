/* SPDX-License-Identifier: Apache-2.0 */
/* Min
 *
 * Source      ONNX Min-1, -6, -8, -12, -13 (before opset 8 the shapes are equal).
 * Inputs      data_0, data_1 … of one type f32|f16 (12: u8 s8 u16 s16 s32 s64; 13: bf16); f64 of
 *             several operands is UNSUPPORTED.
 * Outputs     min of the same type, shapes broadcast.
 * Arithmetic  the least of the elements at one place.
 * Edge cases  NaN among them gives NaN. Of zeros of both signs either.
 * Latitude    None: nothing rounds. Of intervals the least lower end to the least upper end. */
#include <math.h>

#include "kernel/extremum.h"

static struct qd_interval least(struct qd_interval a, struct qd_interval b)
{
    return (struct qd_interval){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
}

static bool least_code(int64_t a, int64_t b, int64_t *y)
{
    *y = a < b ? a : b;
    return true;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_extremum(evaluation, node, in, least, least_code, &out[0]);
}

const struct qd_op qd_op_min = {
    .domain = "",
    .name = "Min",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = QD_EXTREMUM_INPUTS,
    .outputs = 1,
    .variadic = true,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "*data",
    .clause = "13: Element-wise min of each of the input tensors (with Numpy-style broadcasting "
              "support).",
    .attributes = "consumed_inputs:-5",
    .rules = "a-type,b-type,broadcast",
    .evaluate = evaluate,
};
