/* The quirk "w-uint8-read-as-int8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int data = qd_operand_find(node, in, QD_W),
        zero_point = qd_operand_find(node, in, QD_W_ZERO_POINT);
    if (data >= 0 && in[data]->want.dtype == QD_U8) {
        qd_edit_reinterpret(&edit, data, QD_S8);
        qd_edit_reinterpret(&edit, zero_point, QD_S8);
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_w_uint8_read_as_int8 = {.node = evaluate};
