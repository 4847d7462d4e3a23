/* The quirk "bias-of-channel-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *bias = qd_edit_copy(&edit, qd_operand_find(node, in, QD_BIAS));
    if (bias && bias->count > 1)
        qd_tensor_fill(bias, qd_tensor_get(bias, 0));
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_bias_of_channel_0 = {.node = evaluate};
