/* SPDX-License-Identifier: Apache-2.0 */
/* The greatest or the least of several operands. */
#include "kernel/extremum.h"

/* An extremum is no sum: what the operand is made of ends here. */
static struct qd_value alone(const struct qd_value *x)
{
    struct qd_value value = *x;
    value.abs_sum = NULL;
    value.fusion = (struct qd_fusion){.dequantized = false};
    return value;
}

enum qd_status qd_extremum(const struct qd_evaluation *evaluation, const struct qd_node *node,
                           const struct qd_value *const *in, qd_binary_exact *choose,
                           struct qd_value *out)
{
    struct qd_value y = alone(in[0]);
    enum qd_status status = QD_OK;
    if (qd_dtype_is_integer(y.want.dtype) && y.want.dtype != QD_BOOL)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of %s", node->op_type,
                       qd_dtype_info(y.want.dtype)->word);
    for (size_t i = 1; i < QD_EXTREMUM_INPUTS && in[i] && status == QD_OK; i++) {
        struct qd_value a = y, b = alone(in[i]);
        status = qd_elementwise_binary(evaluation, node, &a, &b, choose, QD_TERMS_PRODUCT, &y);
    }
    if (status == QD_OK)
        *out = y;
    return status;
}
