/* The quirk "w-zero-point-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    qd_tensor_fill(qd_edit_copy(&edit, qd_operand_find(node, in, QD_W_ZERO_POINT)), 0);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_w_zero_point_ignored = {.node = evaluate};
