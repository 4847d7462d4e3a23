/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "zero-point-low-byte": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t low_byte(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code & 255;
}

QD_QUIRK_EDIT(zero_point_low_byte, edit)
{
    if (edit->in[2] && qd_dtype_info(edit->in[2]->want.dtype)->bits == 16)
        qd_edit_map(edit, 2, edit->in[2]->want.dtype, low_byte);
}
