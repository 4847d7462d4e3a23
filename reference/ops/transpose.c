/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose
 *
 * Source      ONNX Transpose-1, -13, -21, -23, -24, -25.
 * Inputs      data of any type and shape: movement.h with float8 since 21.
 * Outputs     transposed; axis i is axis perm[i] of data.
 * Attributes  perm (all axes in reverse).
 * Domain      rules data-type, perm-length, perm-range, perm-duplicate.
 * Arithmetic  moves elements.
 * Latitude    none. */
#include "qdiff/movement.h"

static enum qd_status read_perm(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                int64_t rank, int64_t *perm)
{
    const int64_t *values;
    size_t count;
    bool used[QD_MAX_RANK] = {false};
    enum qd_status status = qd_node_ints(node, "perm", &values, &count, evaluation->error);
    if (status != QD_OK)
        return status;
    bool given = qd_node_attr(node, "perm") != NULL;
    if (given && count != (size_t)rank)
        return qd_node_rule(evaluation, node, "perm-length", "perm has %zu entries, data rank %lld",
                            count, (long long)rank);
    for (int64_t i = 0; i < rank; i++) {
        int64_t axis = given ? values[i] : rank - 1 - i;
        if (axis < 0 || axis >= rank)
            return qd_node_rule(evaluation, node, "perm-range", "perm[%lld] is %lld", (long long)i,
                                (long long)axis);
        if (used[axis])
            return qd_node_rule(evaluation, node, "perm-duplicate", "perm names axis %lld twice",
                                (long long)axis);
        used[axis] = true;
        perm[i] = axis;
    }
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t perm[QD_MAX_RANK] = {0}, strides[QD_MAX_RANK], dims[QD_MAX_RANK], stride[QD_MAX_RANK];
    enum qd_status status = qd_movement_type(evaluation, node, "data", x, 1, 21);
    if (status == QD_OK)
        status = read_perm(evaluation, node, x->rank, perm);
    if (status != QD_OK)
        return status;
    qd_strides_of(x, strides);
    for (unsigned i = 0; i < x->rank; i++) {
        dims[i] = x->dims[perm[i]];
        stride[i] = strides[perm[i]];
    }
    return qd_move_strided(evaluation, in[0], x->rank, dims, 0, stride, &out[0]);
}

const struct qd_op qd_op_transpose = {
    .domain = "",
    .name = "Transpose",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data",
    .clause =
        "25: Axis i of the output tensor corresponds to the axis perm[i] of the input tensor.",
    .attributes = "perm",
    .rules = "data-type,perm-length,perm-range,perm-duplicate",
    .evaluate = evaluate,
};
