/* SPDX-License-Identifier: Apache-2.0 */
/* ReduceMax
 *
 * Source      ONNX ReduceMax-1, -11, -12, -13, -18, -20.
 * Inputs      data f32 f16 f64 s32 s64 (12: u8 s8; 13: bf16; 20: bool); axes (18), optional, s64.
 * Outputs     reduced of data's type; the axes have size 1 (keepdims) or are left out.
 * Attributes  axes (up to 17), keepdims (1), noop_with_empty_axes (18): reduction_axes.h.
 * Domain      rules data-type and those of reduction_axes.h.
 * Arithmetic  the greatest element; without axes of all, or, with noop_with_empty_axes, of each
 *             alone.
 * Edge cases  of none: −Inf or the type's least value; NaN among them: unspecified.
 * Latitude    none of its own: the hull is the greatest lower end to the greatest upper end. */
#include "graph/operand_checks.h"
#include "kernel/maximum.h"
#include "kernel/reduction_axes.h"
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

static int64_t least_code(enum qd_dtype type)
{
    return qd_dtype_is_float(type) ? (int64_t)qd_float_encode(type, -(double)INFINITY, false)
                                   : qd_dtype_info(type)->min;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_value *x = in[0];
    struct qd_reduction r;
    struct qd_value y;
    enum qd_status status = check(evaluation, node, &x->want);
    if (status == QD_OK)
        status = qd_reduction_read(evaluation, node, &x->want, in[1], &r);
    if (status == QD_OK)
        status = qd_maximum_begin(evaluation, x, r.rank, r.dims, &y);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++) {
        struct qd_maximum maximum = QD_MAXIMUM_EMPTY;
        int64_t first = qd_reduction_first(&r, i);
        for (int64_t t = 0; t < r.terms; t++)
            qd_maximum_include(&maximum, x, first + r.offset[t]);
        if (r.terms > 0)
            status = qd_maximum_store(evaluation, &maximum, x, &y, i);
        else
            qd_tensor_set(&y.want, i, least_code(y.want.dtype));
    }
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
    .clause = "20: Computes the max of the input tensor's elements along the provided axes.",
    .attributes = QD_REDUCTION_ATTRIBUTES,
    .rules = "data-type," QD_REDUCTION_RULES,
    .evaluate = evaluate,
};
