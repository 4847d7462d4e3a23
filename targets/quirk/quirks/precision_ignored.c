/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "precision-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(precision_ignored, edit)
{
    qd_edit_drop(edit, "precision");
}
