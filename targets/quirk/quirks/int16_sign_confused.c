/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "int16-sign-confused": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(int16_sign_confused, edit)
{
    qd_edit_read_as(edit, QD_X, QD_X_ZERO_POINT, QD_U16, QD_S16);
}
