/* SPDX-License-Identifier: Apache-2.0 */
/* GlobalAveragePool
 *
 * Source      ONNX GlobalAveragePool-1, -22.
 * Inputs      X f32|f16 (22: bf16) [N, C, D1…Dn], n ≥ 1; f64 is UNSUPPORTED.
 * Outputs     Y like X [N, C, 1…1].
 * Domain      rules x-type, x-rank.
 * Arithmetic  Y = the mean of each channel, rounded once.
 * Edge cases  A channel without elements: unspecified.
 * Latitude    every order of summation, then a division or a product with the reciprocal:
 *             float_sum.h. */
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"

static enum qd_status element(const struct qd_evaluation *evaluation,
                              const struct qd_float_operand *x, int64_t plane, struct qd_value *y,
                              int64_t i)
{
    struct qd_float_sum sum = QD_FLOAT_SUM_EMPTY;
    for (int64_t t = 0; t < plane; t++)
        qd_float_sum_term(&sum, x, i * plane + t);
    if (plane == 0)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    return qd_float_sum_store_mean(evaluation, &sum, plane, y, i);
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x)
{
    enum qd_status status = qd_real_operand_type(evaluation, node, "x", x, 22);
    if (status == QD_OK && x->rank < 3)
        return qd_node_rule(evaluation, node, "x-rank",
                            "x has rank %u, want at least 3 (N, C, D1…)", x->rank);
    return status == QD_OK ? qd_spend(evaluation, QD_WORK_POOL * (double)x->count) : status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    struct qd_value y;
    struct qd_float_operand operand;
    const struct qd_float_operand *operands = &operand;
    int64_t dims[QD_MAX_RANK], plane = 1;
    for (unsigned i = 0; i < x->rank; i++) {
        dims[i] = i < 2 ? x->dims[i] : 1;
        plane *= i < 2 ? 1 : x->dims[i];
    }
    enum qd_status status = check(evaluation, node, x);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, x->dtype, x->rank, dims, evaluation->error);
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, in[0], &operand);
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, &operands, 1, &y);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++)
        status = element(evaluation, &operand, plane, &y, i);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_global_average_pool = {
    .domain = "",
    .name = "GlobalAveragePool",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_MEAN,
    .operands = "X",
    .clause =
        "22: applies average pooling across the values in the same channel. This is equivalent to "
        "AveragePool with kernel size equal to the spatial dimension of input tensor.",
    .attributes = "",
    .rules = "x-type,x-rank",
    .evaluate = evaluate,
};
