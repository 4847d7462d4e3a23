/* SPDX-License-Identifier: Apache-2.0 */
/* Flatten
 *
 * Source      ONNX Flatten-1, -9, -11, -13, -21, -23, -24, -25.
 * Inputs      input of any type (1: floats only): movement.h, all types since 9, float8 since 21.
 * Outputs     output [d_0·…·d_(axis−1), d_axis·…·d_n].
 * Attributes  axis (1): 0 to rank; since 11 also −rank to −1.
 * Domain      rules input-type, axis-range.
 * Arithmetic  moves elements.
 * Latitude    none. */
#include "qdiff/movement.h"

static enum qd_status read_axis(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                int64_t rank, int64_t *axis)
{
    int64_t value, least = node->opset < 11 ? 0 : -rank;
    enum qd_status status = qd_node_int(node, "axis", 1, &value, evaluation->error);
    if (status != QD_OK)
        return status;
    if (value < least || value > rank)
        return qd_node_rule(evaluation, node, "axis-range", "axis is %lld, want %lld to %lld",
                            (long long)value, (long long)least, (long long)rank);
    *axis = value < 0 ? value + rank : value;
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t axis = 0, dims[2] = {1, 1};
    enum qd_status status = qd_movement_type(evaluation, node, "input", x, 9, 21);
    if (status == QD_OK)
        status = read_axis(evaluation, node, x->rank, &axis);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0; i < x->rank; i++)
        dims[i < axis ? 0 : 1] *= x->dims[i];
    return qd_move_reshape(evaluation, in[0], 2, dims, &out[0]);
}

const struct qd_op qd_op_flatten = {
    .domain = "",
    .name = "Flatten",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "input",
    .clause = "25: A 2D tensor with the contents of the input tensor, with input dimensions up to "
              "axis flattened to the outer dimension of the output",
    .attributes = "axis",
    .rules = "input-type,axis-range",
    .evaluate = evaluate,
};
