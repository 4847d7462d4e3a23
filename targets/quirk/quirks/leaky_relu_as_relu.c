/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "leaky-relu-as-relu": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(leaky_relu_as_relu, edit)
{
    qd_edit_drop(edit, "alpha");
    if (edit->node.attr_count < QD_EDIT_ATTRS)
        edit->attrs[edit->node.attr_count++] =
            (struct qd_attr){.name = "alpha", .kind = QD_ATTR_FLOAT, .f = 0};
}
