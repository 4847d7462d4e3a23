/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "max-pool-uint8-as-int8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    bool wrong = node->input_count > 0 && in[0] && in[0]->want.dtype == QD_U8;
    if (wrong)
        qd_edit_reinterpret(&edit, 0, QD_S8);
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status == QD_OK && wrong)
        qd_value_flip_sign(&out[0]);
    return status;
}

const struct qd_override qd_quirk_max_pool_uint8_as_int8 = {.node = evaluate};
