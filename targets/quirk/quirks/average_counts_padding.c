/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "average-counts-padding": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(average_counts_padding, edit)
{
    qd_edit_int(edit, "count_include_pad", 1);
}
