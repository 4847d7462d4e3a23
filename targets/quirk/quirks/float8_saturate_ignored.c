/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float8-saturate-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(float8_saturate_ignored, edit)
{
    int64_t saturate;
    if (edit->node.opset >= 19 &&
        qd_node_int(&edit->node, "saturate", 1, &saturate, edit->evaluation.error) == QD_OK)
        qd_edit_int(edit, "saturate", !saturate);
}
