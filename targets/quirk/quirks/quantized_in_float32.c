/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-in-float32": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X, SCALE };

QD_QUIRK_EDIT(quantized_in_float32, edit)
{
    qd_edit_widen(edit, X);
    qd_edit_widen(edit, SCALE);
    qd_edit_drop(edit, "precision");
}
