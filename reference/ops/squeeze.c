/* SPDX-License-Identifier: Apache-2.0 */
/* Squeeze
 *
 * Source      ONNX Squeeze-1, -11, -13, -21, -23, -24, -25.
 * Inputs      data of any type: movement.h with float8 since 21; axes (13), optional, s64 [n].
 * Outputs     squeezed: data without the given dimensions of size 1, all of them if axes are not
 *             given.
 * Attributes  axes (up to 12): non-negative up to 10.
 * Domain      rules data-type, axes-type, axes-rank, axes-range, axes-size (the dimension is not
 *             1), attribute-unknown. An axis
 *             named twice is UNSUPPORTED: the specification does not mention it.
 * Arithmetic  moves elements.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

static enum qd_status mark(const struct qd_evaluation *evaluation, const struct qd_node *node,
                           const struct qd_tensor *x, int64_t entry, bool *gone)
{
    int64_t axis;
    if (entry < 0 && node->opset < 11)
        return qd_node_rule(evaluation, node, "axes-range", "axes has %lld, want no negative axis",
                            (long long)entry);
    enum qd_status status = qd_axis_read(evaluation, node, "axes-range", entry, x->rank, 11, &axis);
    if (status != QD_OK)
        return status;
    if (x->dims[axis] != 1)
        return qd_node_rule(evaluation, node, "axes-size", "dimension %lld is %lld, not 1",
                            (long long)axis, (long long)x->dims[axis]);
    if (gone[axis])
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: axis %lld is named twice",
                       node->op_type, (long long)axis);
    gone[axis] = true;
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    bool gone[QD_MAX_RANK] = {false};
    int64_t dims[QD_MAX_RANK];
    unsigned rank = 0;
    struct qd_list axes;
    enum qd_status status = qd_movement_type(evaluation, node, "data", x, 1, 21);
    if (status == QD_OK)
        status = qd_list_read(evaluation, node, "axes", in[1], 13, QD_TYPE_BIT(QD_S64), &axes);
    for (size_t i = 0; status == QD_OK && i < axes.count; i++)
        status = mark(evaluation, node, x, axes.values[i], gone);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0; i < x->rank; i++)
        if (axes.present ? !gone[i] : x->dims[i] != 1)
            dims[rank++] = x->dims[i];
    return qd_move_reshape(evaluation, in[0], rank, dims, &out[0]);
}

const struct qd_op qd_op_squeeze = {
    .domain = "",
    .name = "Squeeze",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data,axes:control",
    .clause = "25: Remove single-dimensional entries from the shape of a tensor. ... Reshaped "
              "tensor with same data as input.",
    .attributes = "axes:-12",
    .rules = "data-type,axes-type,axes-rank,axes-range,axes-size",
    .evaluate = evaluate,
};
