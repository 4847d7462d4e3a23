/* The quirk "int16-sign-confused": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int data = qd_operand_find(node, in, QD_X),
        zero_point = qd_operand_find(node, in, QD_X_ZERO_POINT);
    if (data >= 0 && in[data]->want.dtype == QD_U16) {
        qd_edit_reinterpret(&edit, data, QD_S16);
        qd_edit_reinterpret(&edit, zero_point, QD_S16);
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_int16_sign_confused = {.node = evaluate};
