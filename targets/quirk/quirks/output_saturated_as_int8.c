/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "output-saturated-as-int8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int zero_point = qd_operand_find(&edit, QD_Y_ZERO_POINT);
    bool wrong = zero_point >= 0 && in[zero_point]->want.dtype == QD_U8;
    if (wrong)
        qd_edit_reinterpret(&edit, zero_point, QD_S8);
    qd_edit_drop(&edit, wrong ? "output_dtype" : "");
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status == QD_OK && wrong)
        qd_value_flip_sign(&out[0]);
    return status;
}

const struct qd_override qd_quirk_output_saturated_as_int8 = {.node = evaluate};
