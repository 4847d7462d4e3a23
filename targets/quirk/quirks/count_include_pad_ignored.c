/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "count-include-pad-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(count_include_pad_ignored, edit)
{
    qd_edit_drop(edit, "count_include_pad");
}
