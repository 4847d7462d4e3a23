/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "unsigned-as-signed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_dtype signed_of(enum qd_dtype dtype)
{
    return dtype == QD_U8 || dtype == QD_U16 ? qd_other_sign(dtype) : QD_DTYPE_NONE;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    bool wrong = node->input_count > 0 && in[0] && signed_of(in[0]->want.dtype) != QD_DTYPE_NONE;
    for (size_t i = 0; wrong && i < node->input_count; i++)
        if (in[i])
            qd_edit_reinterpret(&edit, (int)i, signed_of(in[i]->want.dtype));
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status == QD_OK && wrong)
        qd_value_flip_sign(&out[0]);
    return status;
}

const struct qd_override qd_quirk_unsigned_as_signed = {.node = evaluate};
