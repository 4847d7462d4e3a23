/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "softmax-axis-alone": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

enum { OF_ALL_AXES = 12, OF_ONE_AXIS = 13 };

QD_QUIRK_EDIT(softmax_axis_alone, edit)
{
    if (strcmp(edit->node.op_type, "QLinearSoftmax") == 0) {
        qd_edit_int(edit, "opset", OF_ONE_AXIS);
        return;
    }
    if (edit->node.opset > OF_ALL_AXES)
        return;
    if (!qd_node_attr(&edit->node, "axis"))
        qd_edit_int(edit, "axis", 1);
    edit->node.opset = OF_ONE_AXIS;
}
