/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearGlobalAveragePool (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearGlobalAveragePool-1.
 * Inputs      X u8|s8 [N, C, D1…Dn], or [N, D1…Dn, C], n ≥ 1; x_scale f32, x_zero_point like X,
 *             y_scale f32, y_zero_point like X, each a scalar or [1].
 * Outputs     Y like X, [N, C, 1…1] or [N, 1…1, C].
 * Attributes  channels_last 0|1 (0).
 * Domain      rules x-type, x-rank, x_scale-type, x_scale-shape, x_zero_point-…, y_scale-…,
 *             y_zero_point-….
 * Arithmetic  Y = saturate(round_half_even(x_scale·Σ(X − x_zero_point)/(n·y_scale)) + y_zero_point)
 *             over all n elements of a channel.
 * Edge cases  n = 0, a scale that is NaN or infinite, y_scale = 0: unspecified.
 * Latitude    qd_mean_store in qlinear.h.
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "quantize/qlinear.h"

enum { X, X_SCALE, X_ZERO_POINT, Y_SCALE, Y_ZERO_POINT };

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_qlinear x, y;
    const struct qd_tensor *t = &in[X]->want;
    int64_t last = 0;
    bool reduced[QD_MAX_RANK] = {false};
    enum qd_status status = qd_qlinear_read(evaluation, node, "x", in[X], in[X_SCALE],
                                            in[X_ZERO_POINT], QD_DTYPE_NONE, QD_SCALAR_OR_ONE, &x);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "y", NULL, in[Y_SCALE], in[Y_ZERO_POINT],
                                 t->dtype, QD_SCALAR_OR_ONE, &y);
    if (status == QD_OK && t->rank < 3)
        return qd_node_rule(evaluation, node, "x-rank", "x has rank %u, want at least 3", t->rank);
    if (status == QD_OK)
        status = qd_node_int(node, "channels_last", 0, &last, evaluation->error);
    if (status != QD_OK)
        return status;
    for (unsigned i = 1; i < t->rank; i++)
        reduced[i] = last != 0 ? i + 1 < t->rank : i > 1;
    return qd_qlinear_reduce_mean(evaluation, &x, &y, reduced, true, &out[0]);
}

const struct qd_op qd_op_qlinear_global_average_pool = {
    .domain = "com.microsoft",
    .name = "QLinearGlobalAveragePool",
    .since = 1,
    .min_inputs = 5,
    .max_inputs = 5,
    .outputs = 1,
    .form = QD_FORM_MEAN,
    .operands = "X,x_scale,x_zero_point,y_scale,y_zero_point",
    .clause = "1: applies Average pooling across the values in the same channel. ... Scale of "
              "quantized input 'X'. ... Scale of quantized output 'Y'.",
    .rounding_open = true,
    .attributes = "channels_last",
    .flags = "channels_last",
    .rules = "x-type,x_scale-type,y_scale-type,x_zero_point-type,y_zero_point-type,"
             "x_scale-shape,y_scale-shape,x_zero_point-shape,y_zero_point-shape,x-rank",
    .evaluate = evaluate,
};
