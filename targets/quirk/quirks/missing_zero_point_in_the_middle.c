/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "missing-zero-point-in-the-middle": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

/* The middle of the type in place of operand i, in the shape of its scale, unless it is there. */
static void put(struct qd_edit *edit, int i, enum qd_dtype dtype, const struct qd_tensor *scale)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    if (edit->in[i] || info->kind != QD_CLASS_UINT)
        return;
    struct qd_tensor *z =
        qd_edit_new(edit, i, dtype, scale ? scale->rank : 0, scale ? scale->dims : NULL);
    qd_tensor_fill(z, (info->max + 1) / 2);
}

QD_QUIRK_EDIT(missing_zero_point_in_the_middle, edit)
{
    if (strcmp(edit->node.op_type, "DequantizeLinear") == 0)
        put(edit, 2, edit->in[0]->want.dtype, &edit->in[1]->want);
    if (strcmp(edit->node.op_type, "QuantizeLinear") == 0 &&
        !qd_node_attr(&edit->node, "output_dtype"))
        put(edit, 2, QD_U8, &edit->in[1]->want);
    if (strcmp(edit->node.op_type, "ConvInteger") == 0 ||
        strcmp(edit->node.op_type, "MatMulInteger") == 0) {
        put(edit, 2, edit->in[0]->want.dtype, NULL);
        put(edit, 3, edit->in[1]->want.dtype, NULL);
    }
}
