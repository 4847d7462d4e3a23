/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "x-int8-read-as-uint8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(x_int8_read_as_uint8, edit)
{
    qd_edit_read_as(edit, QD_X, QD_X_ZERO_POINT, QD_S8, QD_U8);
}
