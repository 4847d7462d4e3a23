/* SPDX-License-Identifier: Apache-2.0 */
/* ReduceSum
 *
 * Source      ONNX ReduceSum-1, -11, -13.
 * Inputs      data f32|f16|s32|s64 (13: bf16); f64 is UNSUPPORTED; axes (13), optional, s64.
 * Outputs     reduced of data's type; the axes have size 1 (keepdims) or are left out.
 * Attributes  axes (up to 12), keepdims (1), noop_with_empty_axes (13): reduction.h.
 * Domain      rules data-type and those of reduction.h.
 * Arithmetic  the sum, rounded once; without axes of all, or, with noop_with_empty_axes, each
 *             element itself.
 * Edge cases  of none: 0. Integers whose sum may leave the type: unspecified.
 * Latitude    every order of summation: float_sum.h. */
#include "kernel/reduction.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_reduction reduction;
    enum qd_status status = qd_reduction_sum_check(evaluation, node, in[0]);
    if (status == QD_OK)
        status = qd_reduction_read(evaluation, node, &in[0]->want, in[1], 13, &reduction);
    return status == QD_OK ? qd_reduction_sum(evaluation, &reduction, in[0], &out[0]) : status;
}

const struct qd_op qd_op_reduce_sum = {
    .domain = "",
    .name = "ReduceSum",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MANY,
    .operands = "data,axes:control",
    .clause = "13: Computes the sum of the input tensor's elements along the provided axes."
              "\n11<13: Computes the sum of the input tensor's element along the provided axes.",
    .attributes = "axes:-12,keepdims,noop_with_empty_axes:13-",
    .flags = QD_REDUCTION_FLAGS,
    .rules = "data-type," QD_REDUCTION_RULES,
    .evaluate = evaluate,
};
