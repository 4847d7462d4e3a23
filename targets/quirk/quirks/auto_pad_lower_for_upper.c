/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "auto-pad-lower-for-upper": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

QD_QUIRK_EDIT(auto_pad_lower_for_upper, edit)
{
    const char *word = "";
    if (edit->status == QD_OK)
        edit->status = qd_node_string(&edit->node, "auto_pad", "", &word, edit->evaluation.error);
    if (strcmp(word, "SAME_UPPER") == 0)
        qd_edit_word(edit, "auto_pad", "SAME_LOWER");
    if (strcmp(word, "SAME_LOWER") == 0)
        qd_edit_word(edit, "auto_pad", "SAME_UPPER");
}
