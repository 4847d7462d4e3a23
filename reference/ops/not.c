/* SPDX-License-Identifier: Apache-2.0 */
/* Not
 *
 * Source      ONNX Not-1.
 * Inputs      X bool.
 * Outputs     Y bool of X's shape.
 * Arithmetic  Y = 1 - X
 * Edge cases  None.
 * Latitude    None: where X may be either, Y may. */
#include "graph/operand_checks.h"

static struct qd_code negation(const struct qd_value *x, int64_t i)
{
    return (struct qd_code){.want = !qd_tensor_get(&x->want, i),
                            .lo = qd_value_hi(x, i) == 0,
                            .hi = qd_value_lo(x, i) == 0,
                            .flags = qd_value_flags(x, i)};
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    struct qd_value y;
    enum qd_status status = qd_operand_type(evaluation, node, "X", x, QD_TYPE_BIT(QD_BOOL));
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, QD_BOOL, x->rank, x->dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < x->count; i++)
        status = qd_value_set_code(&y, i, negation(in[0], i), evaluation->arena, evaluation->error);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_not = {
    .domain = "",
    .name = "Not",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .gives = QD_BOOL,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "1: Returns the negation of the input tensor element-wise.",
    .attributes = "",
    .rules = "X-type",
    .evaluate = evaluate,
};
