/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "auto-pad-ignores-dilation": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(auto_pad_ignores_dilation, edit)
{
    qd_edit_pad_same(edit, 0);
}
