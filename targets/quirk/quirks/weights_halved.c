/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "weights-halved": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t halve(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code / 2 * 2;
}

QD_QUIRK_EDIT(weights_halved, edit)
{
    int w = qd_operand_find(edit, QD_W);
    if (w >= 0 && edit->in[w]->want.dtype == QD_S8)
        qd_edit_map(edit, w, QD_S8, halve);
}
