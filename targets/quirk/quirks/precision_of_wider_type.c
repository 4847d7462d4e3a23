/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "precision-of-wider-type": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X, SCALE };

QD_QUIRK_EDIT(precision_of_wider_type, edit)
{
    int64_t given = 0;
    struct qd_error ignored;
    enum qd_dtype scale = edit->in[SCALE]->want.dtype;
    bool narrow = scale == QD_F16 || scale == QD_BF16;
    bool absent = qd_node_int(&edit->node, "precision", 0, &given, &ignored) == QD_OK && given == 0;
    if (edit->node.opset >= 23 && absent && narrow && edit->in[X]->want.dtype != scale)
        qd_edit_int(edit, "precision", qd_dtype_info(QD_F32)->onnx);
}
