/* SPDX-License-Identifier: Apache-2.0 */
/* ReduceMean
 *
 * Source      ONNX ReduceMean-1, -11, -13, -18.
 * Inputs      data f32|f16|s32|s64 (13: bf16); f64 is UNSUPPORTED; axes (18), optional, s64.
 * Outputs     reduced of data's type; the axes have size 1 (keepdims) or are left out.
 * Attributes  axes (up to 17), keepdims (1), noop_with_empty_axes (18): reduction.h.
 * Domain      rules data-type and those of reduction.h.
 * Arithmetic  the sum divided by the number of its terms, rounded once; without axes of all, or,
 *             with noop_with_empty_axes, each element itself.
 * Edge cases  of none: unspecified.
 * Latitude    every order of summation, then a division or a product with the reciprocal:
 *             float_sum.h. Of integers, between two of them: either, no sentence says which. */
#include "kernel/reduction.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_reduction reduction;
    enum qd_status status = qd_reduction_sum_check(evaluation, node, in[0]);
    if (status == QD_OK)
        status = qd_reduction_read(evaluation, node, &in[0]->want, in[1], 18, &reduction);
    return status == QD_OK ? qd_reduction_mean(evaluation, &reduction, in[0], &out[0]) : status;
}

const struct qd_op qd_op_reduce_mean = {
    .domain = "",
    .name = "ReduceMean",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MEAN,
    .operands = "data,axes:control",
    .clause = "18: Computes the mean of the input tensor's elements along the provided axes."
              "\n11<13: Computes the mean of the input tensor's element along the provided axes.",
    .attributes = QD_REDUCTION_ATTRIBUTES,
    .flags = QD_REDUCTION_FLAGS,
    .rules = "data-type," QD_REDUCTION_RULES,
    .evaluate = evaluate,
};
