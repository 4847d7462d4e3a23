/* SPDX-License-Identifier: Apache-2.0 */
#include "quantize/vendor_linear.h"

#include <stdio.h>

#include "graph/operand_checks.h"
#include "qdiff/granularity.h"

static enum qd_status broken_shape(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const char *scale_name,
                                   const struct qd_tensor *scale, const char *want)
{
    char slug[40], text[96];
    snprintf(slug, sizeof slug, "%s-shape", scale_name);
    return qd_node_rule(evaluation, node, slug, "%s is %s, want %s", scale_name,
                        qd_tensor_describe(scale, text, sizeof text), want);
}

static enum qd_status check_axis(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, const struct qd_tensor *scale,
                                 const char *scale_name)
{
    int64_t axis = 0;
    if (!qd_node_attr(node, "axis"))
        return scale->rank == 0 || (scale->rank == 1 && scale->count == 1)
                   ? QD_OK
                   : broken_shape(evaluation, node, scale_name, scale, "a scalar without axis");
    enum qd_status status = qd_node_int(node, "axis", 0, &axis, evaluation->error);
    if (status != QD_OK)
        return status;
    if (axis >= -(int64_t)x->rank && axis < 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: the specification does not mention negative axes", node->op_type);
    if (axis < 0 || axis >= (int64_t)x->rank)
        return qd_node_rule(evaluation, node, "axis-range", "axis is %lld, x has rank %u",
                            (long long)axis, x->rank);
    if (scale->rank != 1 || scale->dims[0] != x->dims[axis])
        return broken_shape(evaluation, node, scale_name, scale,
                            "one element for each index of axis");
    return QD_OK;
}

enum qd_status qd_vendor_linear(struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, const char *scale_name,
                                const struct qd_op *op, struct qd_value *out)
{
    enum qd_status status = check_axis(evaluation, node, &in[0]->want, &in[1]->want, scale_name);
    if (status != QD_OK)
        return status;
    struct qd_node like = qd_linear_as_onnx(node);
    return op->evaluate(evaluation, &like, in, out);
}
