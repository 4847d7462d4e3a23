/* SPDX-License-Identifier: Apache-2.0 */
/* Unsqueeze
 *
 * Source      ONNX Unsqueeze-1, -11, -13, -21, -23, -24, -25.
 * Inputs      data of any type: movement.h with float8 since 21; axes (13) s64 [n].
 * Outputs     expanded: data with dimensions of size 1 at `axes`, which count in the output.
 * Attributes  axes (up to 12): non-negative up to 10.
 * Domain      rules data-type, axes-missing, axes-type, axes-rank, axes-range, axes-duplicate,
 *             attribute-unknown.
 * Arithmetic  moves elements.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

static enum qd_status mark(const struct qd_evaluation *evaluation, const struct qd_node *node,
                           unsigned rank, int64_t entry, bool *added)
{
    int64_t axis;
    if (entry < 0 && node->opset < 11)
        return qd_node_rule(evaluation, node, "axes-range", "axes has %lld, want no negative axis",
                            (long long)entry);
    enum qd_status status = qd_axis_read(evaluation, node, "axes-range", entry, rank, 11, &axis);
    if (status != QD_OK)
        return status;
    if (added[axis])
        return qd_node_rule(evaluation, node, "axes-duplicate", "axes names axis %lld twice",
                            (long long)axis);
    added[axis] = true;
    return QD_OK;
}

static enum qd_status read_axes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct qd_list *axes)
{
    struct qd_list list;
    enum qd_status status =
        qd_list_read(evaluation, node, "axes", in[1], 13, QD_TYPE_BIT(QD_S64), &list);
    if (status != QD_OK)
        return status;
    if (!list.present)
        return qd_node_rule(evaluation, node, "axes-missing", "no axes are given");
    if (list.count > QD_MAX_RANK - in[0]->want.rank)
        return qd_fail(evaluation->error, QD_LIMIT, "%s: a rank of more than %d", node->op_type,
                       QD_MAX_RANK);
    *axes = list;
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    bool added[QD_MAX_RANK] = {false};
    int64_t dims[QD_MAX_RANK];
    struct qd_list axes = {.present = false};
    enum qd_status status = qd_movement_type(evaluation, node, "data", x, 1, 21);
    if (status == QD_OK)
        status = read_axes(evaluation, node, in, &axes);
    if (status != QD_OK)
        return status;
    unsigned rank = x->rank + (unsigned)axes.count;
    for (size_t i = 0; status == QD_OK && i < axes.count; i++)
        status = mark(evaluation, node, rank, axes.values[i], added);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0, from = 0; i < rank; i++)
        dims[i] = added[i] ? 1 : x->dims[from++];
    return qd_move_reshape(evaluation, in[0], rank, dims, &out[0]);
}

const struct qd_op qd_op_unsqueeze = {
    .domain = "",
    .name = "Unsqueeze",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data,axes:control",
    .clause = "25: Insert single-dimensional entries to the shape of an input tensor (data). ... "
              "Reshaped tensor with same data as input."
              "\n1<11: Insert single-dimensional entries to the shape of a tensor. ... Reshaped "
              "tensor with same data as input.",
    .attributes = "axes:-12",
    .rules = "data-type,axes-missing,axes-type,axes-rank,axes-range,axes-duplicate",
    .evaluate = evaluate,
};
