/* SPDX-License-Identifier: Apache-2.0 */
/* ReduceMax
 *
 * Source      ONNX ReduceMax-1, -11, -12, -13, -18, -20.
 * Inputs      data f32 f16 f64 s32 s64 (12: u8 s8; 13: bf16; 20: bool); axes (18), optional, s64.
 * Outputs     reduced of data's type; the axes have size 1 (keepdims) or are left out.
 * Attributes  axes (up to 17), keepdims (1), noop_with_empty_axes (18): reduction.h.
 * Domain      rules data-type and those of reduction.h.
 * Arithmetic  the greatest element; without axes of all, or, with noop_with_empty_axes, of each
 *             alone.
 * Edge cases  of none: −Inf or the type's least value; NaN among them: unspecified.
 * Latitude    none of its own: the hull is the greatest lower end to the greatest upper end. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/reduction.h"
#include "qdiff/interval.h"

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64) |
                     QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    types |= node->opset >= 12 ? QD_8BIT_TYPES : 0;
    types |= node->opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0;
    types |= node->opset >= 20 ? QD_TYPE_BIT(QD_BOOL) : 0;
    return qd_operand_type(evaluation, node, "data", x, types);
}

/* The maximum of no element. */
static enum qd_status store_least(const struct qd_evaluation *evaluation, struct qd_value *y)
{
    enum qd_dtype type = y->want.dtype;
    int64_t least = qd_dtype_is_float(type)
                        ? (int64_t)qd_float_encode(type, -(double)INFINITY, false)
                        : qd_dtype_info(type)->min;
    enum qd_status status =
        qd_value_init(y, evaluation->arena, type, y->want.rank, y->want.dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        qd_tensor_set(&y->want, i, least);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_reduction reduction;
    struct qd_value y;
    enum qd_status status = check(evaluation, node, &in[0]->want);
    if (status == QD_OK)
        status = qd_reduction_read(evaluation, node, &in[0]->want, in[1], 18, &reduction);
    if (status == QD_OK)
        status = qd_reduction_maximum(evaluation, &reduction, in[0], &y);
    if (status == QD_OK && reduction.terms == 0)
        status = store_least(evaluation, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_reduce_max = {
    .domain = "",
    .name = "ReduceMax",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_LARGEST,
    .operands = "data,axes:control",
    .clause = "20: Computes the max of the input tensor's elements along the provided axes."
              "\n12<13: Computes the max of the input tensor's element along the provided axes.",
    .attributes = QD_REDUCTION_ATTRIBUTES,
    .flags = QD_REDUCTION_FLAGS,
    .rules = "data-type," QD_REDUCTION_RULES,
    .evaluate = evaluate,
};
