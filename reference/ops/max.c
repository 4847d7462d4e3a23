/* SPDX-License-Identifier: Apache-2.0 */
/* Max
 *
 * Source      ONNX Max-1, -6, -8, -12, -13 (before opset 8 the shapes are equal).
 * Inputs      data_0, data_1 … of one type f32|f16 (12: u8 s8 u16 s16 s32 s64; 13: bf16); f64 of
 *             several operands is UNSUPPORTED.
 * Outputs     max of the same type, shapes broadcast.
 * Arithmetic  the greatest of the elements at one place.
 * Edge cases  NaN among them gives NaN. Of zeros of both signs either.
 * Latitude    None: nothing rounds. Of intervals the greatest lower end to the greatest upper end. */
#include <math.h>

#include "kernel/extremum.h"

static struct qd_interval greatest(struct qd_interval a, struct qd_interval b)
{
    return (struct qd_interval){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
}

static bool greatest_code(int64_t a, int64_t b, int64_t *y)
{
    *y = a > b ? a : b;
    return true;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_extremum(evaluation, node, in, greatest, greatest_code, &out[0]);
}

const struct qd_op qd_op_max = {
    .domain = "",
    .name = "Max",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = QD_EXTREMUM_INPUTS,
    .outputs = 1,
    .variadic = true,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "*data",
    .clause = "13: Element-wise max of each of the input tensors (with Numpy-style broadcasting "
              "support).",
    .attributes = "consumed_inputs:-5",
    .rules = "a-type,b-type,broadcast",
    .evaluate = evaluate,
};
