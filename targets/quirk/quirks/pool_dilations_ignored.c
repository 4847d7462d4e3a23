/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "pool-dilations-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(pool_dilations_ignored, edit)
{
    qd_edit_drop(edit, "dilations");
}
