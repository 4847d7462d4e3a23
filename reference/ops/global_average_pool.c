/* SPDX-License-Identifier: Apache-2.0 */
/* GlobalAveragePool
 *
 * Source      ONNX GlobalAveragePool-1, -22.
 * Inputs      X f32|f16 (22: bf16) [N, C, D1…Dn], n ≥ 1; f64 is UNSUPPORTED.
 * Outputs     Y like X [N, C, 1…1].
 * Domain      rules x-type, x-rank.
 * Arithmetic  Y = the mean of each channel, rounded once.
 * Edge cases  A channel without elements: unspecified.
 * Latitude    every order of summation, then a division or a product with the reciprocal:
 *             float_sum.h. */
#include "kernel/reduction.h"

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_reduction reduction;
    enum qd_status status = qd_reduction_of_channels(evaluation, node, &in[0]->want, &reduction);
    return status == QD_OK ? qd_reduction_mean(evaluation, &reduction, in[0], &out[0]) : status;
}

const struct qd_op qd_op_global_average_pool = {
    .domain = "",
    .name = "GlobalAveragePool",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MEAN,
    .operands = "X",
    .clause =
        "22: applies average pooling across the values in the same channel. This is equivalent to "
        "AveragePool with kernel size equal to the spatial dimension of input tensor.",
    .attributes = "",
    .rules = "x-type,x-rank",
    .evaluate = evaluate,
};
