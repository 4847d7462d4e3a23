/* SPDX-License-Identifier: Apache-2.0 */
/* ReduceSum
 *
 * Source      ONNX ReduceSum-1, -11, -13.
 * Inputs      data f32|f16 (13: bf16); f64, s32 and s64 are UNSUPPORTED; axes (13), optional, s64.
 * Outputs     reduced of data's type; the axes have size 1 (keepdims) or are left out.
 * Attributes  axes (up to 12), keepdims (1), noop_with_empty_axes (13): reduction_axes.h.
 * Domain      rules data-type and those of reduction_axes.h.
 * Arithmetic  the sum, rounded once; without axes of all, or, with noop_with_empty_axes, each
 *             element itself.
 * Edge cases  of none: 0.
 * Latitude    every order of summation: float_sum.h. */
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "kernel/reduction_axes.h"

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x)
{
    if (x->dtype == QD_S32 || x->dtype == QD_S64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "ReduceSum of %s",
                       qd_dtype_info(x->dtype)->word);
    return qd_real_operand_type(evaluation, node, "data", x, 13);
}

static enum qd_status element(const struct qd_evaluation *evaluation, const struct qd_reduction *r,
                              const struct qd_float_operand *x, struct qd_value *y, int64_t i)
{
    struct qd_float_sum sum = QD_FLOAT_SUM_EMPTY;
    int64_t first = qd_reduction_first(r, i);
    for (int64_t t = 0; t < r->terms; t++)
        qd_float_sum_term(&sum, x, first + r->offset[t]);
    return qd_float_sum_store(evaluation, &sum, 0, y, i);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_reduction r;
    struct qd_value y;
    struct qd_float_operand x;
    struct qd_node like =
        *node; /* the axes are an input since opset 13, of other reductions since 18 */
    like.opset = node->opset >= 13 && node->opset < 18 ? 18 : node->opset;
    const struct qd_float_operand *operand = &x;
    enum qd_status status = check(evaluation, node, &in[0]->want);
    if (status == QD_OK)
        status = qd_reduction_read(evaluation, &like, &in[0]->want, in[1], &r);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, in[0]->want.dtype, r.rank, r.dims,
                               evaluation->error);
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, in[0], &x);
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, &operand, 1, &y);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++)
        status = element(evaluation, &r, &x, &y, i);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_reduce_sum = {
    .domain = "",
    .name = "ReduceSum",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MANY,
    .operands = "data,axes:control",
    .clause = "13: Computes the sum of the input tensor's elements along the provided axes.",
    .attributes = "axes:-12,keepdims,noop_with_empty_axes:13-",
    .rules = "data-type," QD_REDUCTION_RULES,
    .evaluate = evaluate,
};
