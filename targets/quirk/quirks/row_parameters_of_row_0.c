/* The quirk "row-parameters-of-row-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    const enum qd_operand parameters[] = {QD_X_SCALE, QD_X_ZERO_POINT};
    for (int i = 0; i < 2; i++) {
        struct qd_tensor *t = qd_edit_copy(&edit, qd_operand_find(node, in, parameters[i]));
        if (t && t->count > 1)
            qd_tensor_fill(t, qd_tensor_get(t, 0));
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_row_parameters_of_row_0 = {.node = evaluate};
