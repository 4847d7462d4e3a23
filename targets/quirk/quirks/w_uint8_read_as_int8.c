/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-uint8-read-as-int8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(w_uint8_read_as_int8, edit)
{
    qd_edit_read_as(edit, QD_W, QD_W_ZERO_POINT, QD_U8, QD_S8);
}
