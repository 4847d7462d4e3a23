/* SPDX-License-Identifier: Apache-2.0 */
/* The greatest or the least of several operands. */
#include "kernel/extremum.h"

#include "graph/operand_checks.h"

/* An extremum is no sum: what the operand is made of ends here. */
static struct qd_value alone(const struct qd_value *x)
{
    struct qd_value value = *x;
    value.abs_sum = NULL;
    value.factor = value.common = NULL;
    value.fusion = (struct qd_fusion){.dequantized = false};
    return value;
}

static uint32_t types_of(int64_t opset)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= opset >= 12 ? QD_INTEGER_TYPES : 0;
    return opset >= 13 ? types | QD_TYPE_BIT(QD_BF16) : types;
}

enum qd_status qd_extremum(const struct qd_evaluation *evaluation, const struct qd_node *node,
                           const struct qd_value *const *in, qd_binary_exact *choose,
                           qd_binary_codes *choose_code, struct qd_value *out)
{
    const struct qd_binary binary = {choose, choose_code, QD_TERMS_PRODUCT};
    uint32_t types = types_of(node->opset);
    struct qd_value y = alone(in[0]);
    enum qd_status status = qd_operand_type(evaluation, node, "a", &y.want, types);
    for (size_t i = 1; i < QD_EXTREMUM_INPUTS && in[i] && status == QD_OK; i++) {
        struct qd_value a = y, b = alone(in[i]);
        if (node->opset < 8 && !qd_tensor_same_shape(&a.want, &b.want))
            return qd_node_rule(evaluation, node, "broadcast",
                                "before opset 8 all operands have one shape");
        status = qd_elementwise_binary(evaluation, node, &a, &b, types, &binary, &y);
    }
    if (status == QD_OK)
        *out = y;
    return status;
}
