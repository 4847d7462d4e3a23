/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "divided-by-reciprocal": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { B = 1 };

QD_QUIRK_EDIT(divided_by_reciprocal, edit)
{
    struct qd_tensor *b = edit->in[B]->want.dtype == QD_F32 ? qd_edit_copy(edit, B) : NULL;
    if (!b)
        return;
    for (int64_t i = 0; i < b->count; i++) {
        float reciprocal = 1 / (float)qd_tensor_value(b, i);
        qd_tensor_set(b, i, (int64_t)qd_float_encode(QD_F32, (double)reciprocal, false));
    }
    edit->node.op_type = "Mul";
    edit->node.op = qd_op_find("", "Mul");
}
