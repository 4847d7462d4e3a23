/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "int4-excess-8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t excess(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return (code & 15) - 8;
}

QD_QUIRK_EDIT(int4_excess_8, edit)
{
    if (edit->in[0]->want.dtype == QD_S4)
        qd_edit_map(edit, 0, QD_S4, excess);
}
