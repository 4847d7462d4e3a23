/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "x-uint8-read-as-int8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(x_uint8_read_as_int8, edit)
{
    qd_edit_read_as(edit, QD_X, QD_X_ZERO_POINT, QD_U8, QD_S8);
}
