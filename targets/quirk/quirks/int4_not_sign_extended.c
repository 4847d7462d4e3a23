/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "int4-not-sign-extended": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t mask(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code & 15;
}

static int64_t same(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code;
}

QD_QUIRK_EDIT(int4_not_sign_extended, edit)
{
    for (int i = 0; i < 3; i += 2) /* x and its zero point; int8 has room for both */
        if (edit->in[i] && edit->in[i]->want.dtype == QD_S4)
            qd_edit_map(edit, i, QD_S8, i == 0 ? mask : same);
}
