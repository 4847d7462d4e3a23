/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/reduction_axes.h"

#include "graph/operand_checks.h"
#include "qdiff/movement.h"

static enum qd_status read_axes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_tensor *x, const struct qd_value *value,
                                bool *reduced)
{
    struct qd_list axes;
    int64_t noop = 0;
    enum qd_status status =
        qd_list_read(evaluation, node, "axes", value, 18, QD_TYPE_BIT(QD_S64), &axes);
    if (status == QD_OK)
        status = qd_node_int(node, "noop_with_empty_axes", 0, &noop, evaluation->error);
    if (status != QD_OK)
        return status;
    if (node->opset < 18 && axes.present && axes.count == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: attribute axes without an axis",
                       node->op_type);
    for (unsigned i = 0; i < x->rank && axes.count == 0; i++)
        reduced[i] = noop == 0;
    for (size_t i = 0; status == QD_OK && i < axes.count; i++) {
        int64_t axis;
        status = qd_axis_read(evaluation, node, "axes-range", axes.values[i], x->rank, 11, &axis);
        if (status == QD_OK && reduced[axis])
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: axis %lld is named twice",
                           node->op_type, (long long)axis);
        if (status == QD_OK)
            reduced[axis] = true;
    }
    return status;
}

/* Positions of all combinations of the reduced axes' coordinates. */
static enum qd_status make_offsets(const struct qd_evaluation *evaluation,
                                   const struct qd_tensor *x, const int64_t *stride,
                                   const bool *reduced, struct qd_reduction *r)
{
    int64_t *offset = qd_arena_array(evaluation->arena, (size_t)r->terms, sizeof *offset);
    if (!offset && r->terms > 0)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld positions",
                       (long long)r->terms);
    for (int64_t t = 0; t < r->terms; t++) {
        int64_t rest = t, index = 0;
        for (unsigned i = x->rank; i-- > 0;) {
            if (!reduced[i])
                continue;
            index += rest % x->dims[i] * stride[i];
            rest /= x->dims[i];
        }
        offset[t] = index;
    }
    r->offset = offset;
    return QD_OK;
}

enum qd_status qd_reduction_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, const struct qd_value *axes,
                                 struct qd_reduction *reduction)
{
    struct qd_reduction r = {.terms = 1};
    bool reduced[QD_MAX_RANK] = {false};
    int64_t keep = 1, stride[QD_MAX_RANK];
    enum qd_status status = read_axes(evaluation, node, x, axes, reduced);
    if (status == QD_OK)
        status = qd_node_int(node, "keepdims", 1, &keep, evaluation->error);
    if (status != QD_OK)
        return status;
    qd_strides_of(x, stride);
    for (unsigned i = 0; i < x->rank; i++) {
        r.terms *= reduced[i] ? x->dims[i] : 1;
        if (!reduced[i] || keep) {
            r.dims[r.rank] = reduced[i] ? 1 : x->dims[i];
            r.stride[r.rank++] = reduced[i] ? 0 : stride[i];
        }
    }
    status = qd_spend(evaluation, QD_WORK_POOL * (double)x->count);
    if (status == QD_OK)
        status = make_offsets(evaluation, x, stride, reduced, &r);
    if (status == QD_OK)
        *reduction = r;
    return status;
}

int64_t qd_reduction_first(const struct qd_reduction *r, int64_t i)
{
    int64_t index = 0;
    for (unsigned axis = r->rank; axis-- > 0;) {
        index += i % r->dims[axis] * r->stride[axis];
        i /= r->dims[axis];
    }
    return index;
}
