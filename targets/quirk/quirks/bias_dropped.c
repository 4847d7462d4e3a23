/* The quirk "bias-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int bias = qd_operand_find(node, in, QD_BIAS);
    if (bias >= 0)
        edit.in[bias] = NULL;
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_bias_dropped = {.node = evaluate};
