/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-times-w-scale": targets/include/qdiff/quirks.def says what it is.
 *
 * The node with scales of 1 for B, its bias included, and the answer multiplied by the scales. */
#include "quirk/edit.h"

static enum qd_status multiply(const struct qd_override *self, struct qd_edit *edit,
                               const struct qd_value *scale, struct qd_value *out)
{
    struct qd_value sum;
    const struct qd_value *in[QD_MAX_OPERANDS] = {&sum, scale};
    struct qd_node node = edit->node;
    node.domain = "";
    node.op_type = "Mul";
    node.op = qd_op_find("", "Mul");
    node.opset = 13;
    node.attrs = NULL;
    node.attr_count = 0;
    enum qd_status status = qd_edit_run(edit, self, &sum);
    return status == QD_OK ? qd_override_node(&edit->evaluation, self->next, &node, in, out)
                           : status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    /* What is wrong with the node is for its operator to say. */
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK)
        return status;
    qd_edit_begin(&edit, evaluation, node, in);
    int w = qd_operand_find(&edit, QD_W), scale = qd_operand_find(&edit, QD_W_SCALE),
        bias = qd_operand_find(&edit, QD_BIAS);
    if (bias < 0 || in[w]->want.rank < 3 || in[scale]->want.count < 2)
        return QD_OK;
    struct qd_tensor *ones = qd_edit_copy(&edit, scale);
    if (ones)
        qd_tensor_fill(ones, (int64_t)qd_float_encode(ones->dtype, 1, true));
    return multiply(self, &edit, in[scale], out);
}

const struct qd_override qd_quirk_bias_times_w_scale = {.node = evaluate};
