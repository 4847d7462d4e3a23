/* SPDX-License-Identifier: Apache-2.0 */
/* Shape
 *
 * Source      ONNX Shape-1, -13, -15, -19, -21, -23, -24, -25.
 * Inputs      data of any type: movement.h with float8 since 19.
 * Outputs     shape s64 [n]: the dimensions from start to end.
 * Attributes  start (0), end (the rank) since 15: negative ones count from the end, what lies
 *             outside is clamped.
 * Domain      rule data-type.
 * Arithmetic  none.
 * Edge cases  start ≥ end gives no dimensions.
 * Latitude    None. */
#include "qdiff/movement.h"

/* From 0 to the rank. */
static int64_t clamp(int64_t at, int64_t rank)
{
    at = at < 0 ? at + rank : at;
    return at < 0 ? 0 : at > rank ? rank : at;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    int64_t rank = in[0]->want.rank, start = 0, end = rank, count;
    struct qd_value y;
    enum qd_status status = qd_movement_type(evaluation, node, "data", &in[0]->want, 1, 19);
    if (status == QD_OK)
        status = qd_node_int(node, "start", 0, &start, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "end", rank, &end, evaluation->error);
    if (status != QD_OK)
        return status;
    start = clamp(start, rank);
    end = clamp(end, rank);
    count = end > start ? end - start : 0;
    status = qd_value_init(&y, evaluation->arena, QD_S64, 1, &count, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        qd_tensor_set(&y.want, i, in[0]->want.dims[start + i]);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_shape = {
    .domain = "",
    .name = "Shape",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .gives = QD_S64,
    .form = QD_FORM_MANY,
    .operands = "data",
    .clause =
        "25: Takes a tensor as input and outputs an 1D int64 tensor containing the shape of the "
        "input tensor.",
    .attributes = "start:15-,end:15-",
    .rules = "data-type",
    .evaluate = evaluate,
};
