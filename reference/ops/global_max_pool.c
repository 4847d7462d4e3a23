/* SPDX-License-Identifier: Apache-2.0 */
/* GlobalMaxPool
 *
 * Source      ONNX GlobalMaxPool-1, -22.
 * Inputs      X f32|f16 (22: bf16) [N, C, D1…Dn], n ≥ 1; f64 is UNSUPPORTED.
 * Outputs     Y like X [N, C, 1…1].
 * Domain      rules x-type, x-rank.
 * Arithmetic  Y = the greatest element of each channel.
 * Edge cases  A channel without elements, NaN among them: unspecified.
 * Latitude    none of its own: the hull is the greatest lower end to the greatest upper end. */
#include "graph/operand_checks.h"
#include "kernel/maximum.h"

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x)
{
    enum qd_status status = qd_real_operand_type(evaluation, node, "x", x, 22);
    if (status == QD_OK && x->rank < 3)
        return qd_node_rule(evaluation, node, "x-rank",
                            "x has rank %u, want at least 3 (N, C, D1…)", x->rank);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    struct qd_value y;
    int64_t dims[QD_MAX_RANK], plane = 1;
    for (unsigned i = 0; i < x->rank; i++) {
        dims[i] = i < 2 ? x->dims[i] : 1;
        plane *= i < 2 ? 1 : x->dims[i];
    }
    enum qd_status status = check(evaluation, node, x);
    if (status == QD_OK)
        status = qd_maximum_begin(evaluation, in[0], x->rank, dims, &y);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++) {
        struct qd_maximum maximum = QD_MAXIMUM_EMPTY;
        for (int64_t t = 0; t < plane; t++)
            qd_maximum_include(&maximum, in[0], i * plane + t);
        status = qd_maximum_store(evaluation, &maximum, in[0], &y, i);
    }
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_global_max_pool = {
    .domain = "",
    .name = "GlobalMaxPool",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_LARGEST,
    .operands = "X",
    .clause =
        "22: applies max pooling across the values in the same channel. This is equivalent to "
        "MaxPool with kernel size equal to the spatial dimension of input tensor.",
    .attributes = "",
    .rules = "x-type,x-rank",
    .evaluate = evaluate,
};
