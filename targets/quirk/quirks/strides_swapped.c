/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "strides-swapped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(strides_swapped, edit)
{
    const struct qd_attr *strides = qd_node_attr(&edit->node, "strides");
    if (strides && strides->kind == QD_ATTR_INTS && strides->count == 2)
        qd_edit_ints(edit, "strides", (const int64_t[]){strides->ints[1], strides->ints[0]}, 2);
}
