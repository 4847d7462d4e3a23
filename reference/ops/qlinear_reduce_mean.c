/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearReduceMean (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearReduceMean-1.
 * Inputs      data u8|s8; data_scale f32 [], data_zero_point like data [] (optional: 0),
 *             reduced_scale f32 [], reduced_zero_point like data [] (optional: 0).
 * Outputs     reduced like data, without the axes (keepdims 0) or with 1 in their place.
 * Attributes  axes (required; none: all axes): −rank to rank − 1; keepdims (required) 0|1.
 * Domain      rules data-type, data_scale-type, data_scale-shape, data_zero_point-…,
 *             reduced_scale-…, reduced_zero_point-…, axes-missing, axes-range, axes-repeated,
 *             keepdims-missing. A vector of one element is no scalar.
 * Arithmetic  reduced = saturate(round_half_even(data_scale·Σ(data −
 *             data_zero_point)/(n·reduced_scale)) + reduced_zero_point)
 * Edge cases  n = 0, a scale that is NaN or infinite, reduced_scale = 0: unspecified.
 * Latitude    qd_mean_store in qlinear.h.
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "quantize/qlinear.h"

enum { DATA, DATA_SCALE, DATA_ZERO_POINT, REDUCED_SCALE, REDUCED_ZERO_POINT };

static enum qd_status read_axes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                int64_t rank, bool *reduced)
{
    const int64_t *axes;
    size_t count;
    if (!qd_node_attr(node, "axes"))
        return qd_node_rule(evaluation, node, "axes-missing", "attribute axes is required");
    enum qd_status status = qd_node_ints(node, "axes", &axes, &count, evaluation->error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < rank; i++)
        reduced[i] = count == 0;
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank)
            return qd_node_rule(evaluation, node, "axes-range", "axes[%zu] is %lld", i,
                                (long long)axes[i]);
        if (reduced[axis])
            return qd_node_rule(evaluation, node, "axes-repeated", "axis %lld occurs twice",
                                (long long)axis);
        reduced[axis] = true;
    }
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_qlinear x, y;
    int64_t keep = 1;
    bool reduced[QD_MAX_RANK] = {false};
    enum qd_status status = qd_qlinear_read(evaluation, node, "data", in[DATA], in[DATA_SCALE],
                                            in[DATA_ZERO_POINT], QD_DTYPE_NONE, QD_SCALAR_ONLY, &x);
    if (status == QD_OK)
        status = qd_qlinear_read(evaluation, node, "reduced", NULL, in[REDUCED_SCALE],
                                 in[REDUCED_ZERO_POINT], in[DATA]->want.dtype, QD_SCALAR_ONLY, &y);
    if (status == QD_OK)
        status = read_axes(evaluation, node, in[DATA]->want.rank, reduced);
    if (status == QD_OK && !qd_node_attr(node, "keepdims"))
        return qd_node_rule(evaluation, node, "keepdims-missing", "attribute keepdims is required");
    if (status == QD_OK)
        status = qd_node_int(node, "keepdims", 1, &keep, evaluation->error);
    return status == QD_OK ? qd_qlinear_reduce_mean(evaluation, &x, &y, reduced, keep != 0, &out[0])
                           : status;
}

const struct qd_op qd_op_qlinear_reduce_mean = {
    .domain = "com.microsoft",
    .name = "QLinearReduceMean",
    .since = 1,
    .min_inputs = 4,
    .max_inputs = 5,
    .outputs = 1,
    .optional = 1 << DATA_ZERO_POINT,
    .form = QD_FORM_MEAN,
    .operands = "data,data_scale,data_zero_point,reduced_scale,reduced_zero_point",
    .clause = "1: Computes the mean of the low-precision input tensor's element along the provided "
              "axes. ... Output = Dequantize(Input) -> ReduceMean on fp32 data -> Quantize(output)",
    .attributes = "axes,keepdims",
    .flags = "keepdims",
    .rules = "data-type,data_scale-type,reduced_scale-type,data_zero_point-type,"
             "reduced_zero_point-type,data_scale-shape,reduced_scale-shape,"
             "data_zero_point-shape,reduced_zero_point-shape,axes-missing,keepdims-missing,"
             "axes-range,axes-repeated",
    .evaluate = evaluate,
};
