/* SPDX-License-Identifier: Apache-2.0 */
/* The greatest or the least of several operands. */
#include "kernel/extremum.h"

#include "graph/operand_checks.h"

/* An extremum is no sum: what the operand is made of ends here. */
static struct qd_value alone(const struct qd_value *x)
{
    struct qd_value value = *x;
    value.abs_sum = NULL;
    value.fusion = (struct qd_fusion){.dequantized = false};
    return value;
}

/* Integers come with opset 12, and no target of ours needs their arithmetic. */
static enum qd_status check_first(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x)
{
    bool integer =
        qd_dtype_is_integer(x->dtype) && x->dtype != QD_BOOL && qd_dtype_info(x->dtype)->bits >= 8;
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    if (integer && node->opset >= 12)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of %s", node->op_type,
                       qd_dtype_info(x->dtype)->word);
    types |= node->opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0;
    return qd_operand_type(evaluation, node, "a", x, types);
}

enum qd_status qd_extremum(const struct qd_evaluation *evaluation, const struct qd_node *node,
                           const struct qd_value *const *in, qd_binary_exact *choose,
                           struct qd_value *out)
{
    struct qd_value y = alone(in[0]);
    enum qd_status status = check_first(evaluation, node, &y.want);
    for (size_t i = 1; i < QD_EXTREMUM_INPUTS && in[i] && status == QD_OK; i++) {
        struct qd_value a = y, b = alone(in[i]);
        if (node->opset < 8 && !qd_tensor_same_shape(&a.want, &b.want))
            return qd_node_rule(evaluation, node, "broadcast",
                                "before opset 8 all operands have one shape");
        status = qd_elementwise_binary(evaluation, node, &a, &b, choose, QD_TERMS_PRODUCT, &y);
    }
    if (status == QD_OK)
        *out = y;
    return status;
}
