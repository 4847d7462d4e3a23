/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "negative-saturates": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { A, B };

/* b whose negative is the saturated one of `code`. */
static int64_t negatable(int64_t code, enum qd_dtype dtype)
{
    int64_t least = qd_dtype_info(dtype)->min;
    return code == least ? least + 1 : code;
}

QD_QUIRK_EDIT(negative_saturates, edit)
{
    if (edit->in[B]->want.dtype == QD_S8)
        qd_edit_map(edit, B, QD_S8, negatable);
}
