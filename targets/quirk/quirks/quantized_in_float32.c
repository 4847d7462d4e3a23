/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-in-float32": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X, SCALE };

static void widen(struct qd_edit *edit, int i)
{
    const struct qd_tensor *from = &edit->in[i]->want;
    if (from->dtype != QD_F16 && from->dtype != QD_BF16)
        return;
    struct qd_tensor *to = qd_edit_new(edit, i, QD_F32, from->rank, from->dims);
    for (int64_t e = 0; to && e < to->count; e++)
        qd_tensor_set(to, e, (int64_t)qd_float_encode(QD_F32, qd_tensor_value(from, e), false));
}

QD_QUIRK_EDIT(quantized_in_float32, edit)
{
    widen(edit, X);
    widen(edit, SCALE);
    qd_edit_drop(edit, "precision");
}
