/* SPDX-License-Identifier: Apache-2.0 */
/* Expand
 *
 * Source      ONNX Expand-8, -13; ONNX docs/Broadcasting.md.
 * Inputs      input of any type but those below 8 bits and float8: movement.h; shape s64 [R].
 * Outputs     output of the common shape of input and `shape`.
 * Domain      rules input-type, shape-type, shape-rank, shape-value (negative), shape-mismatch
 *             (does not broadcast).
 * Arithmetic  moves elements.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/broadcast.h"
#include "qdiff/movement.h"

static enum qd_status read_shape(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *shape, struct qd_list *list)
{
    enum qd_status status =
        qd_list_read(evaluation, node, "shape", shape, 8, QD_TYPE_BIT(QD_S64), list);
    if (status == QD_OK && list->count > QD_MAX_RANK)
        return qd_fail(evaluation->error, QD_LIMIT, "rank %zu is more than %d", list->count,
                       QD_MAX_RANK);
    for (size_t i = 0; status == QD_OK && i < list->count; i++)
        if (list->values[i] < 0)
            return qd_node_rule(evaluation, node, "shape-value", "shape[%zu] is %lld", i,
                                (long long)list->values[i]);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    struct qd_list list;
    int64_t dims[QD_MAX_RANK], strides[QD_MAX_RANK], stride[QD_MAX_RANK];
    unsigned rank;
    enum qd_status status = qd_movement_type(evaluation, node, "input", x, 8, 0);
    if (status == QD_OK)
        status = read_shape(evaluation, node, in[1], &list);
    if (status != QD_OK)
        return status;
    if (!qd_broadcast_shape(x->rank, x->dims, (unsigned)list.count, list.values, &rank, dims))
        return qd_node_rule(evaluation, node, "shape-mismatch",
                            "input and shape do not broadcast together");
    qd_strides_of(x, strides);
    for (unsigned i = 0; i < rank; i++) {
        unsigned from = i - (rank - x->rank);
        stride[i] = i < rank - x->rank || x->dims[from] == 1 ? 0 : strides[from];
    }
    return qd_move_strided(evaluation, in[0], rank, dims, 0, stride, &out[0]);
}

const struct qd_op qd_op_expand = {
    .domain = "",
    .name = "Expand",
    .since = 8,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "input,shape:control",
    .clause = "13: Broadcast the input tensor following the given shape and the broadcast rule. "
              "The broadcast rule is similar to numpy.array(input) * numpy.ones(shape)",
    .attributes = "",
    .rules = "input-type,shape-type,shape-rank,shape-value,shape-mismatch",
    .evaluate = evaluate,
};
