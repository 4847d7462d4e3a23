/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "scale-inverted-twice": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

/* The output's elements from the axis on; without an axis, from the second one. */
static int64_t count_inner(const struct qd_edit *edit)
{
    const struct qd_tensor *x = &edit->in[qd_operand_find(edit, QD_X)]->want;
    const struct qd_attr *attr = qd_node_attr(&edit->node, "axis");
    bool quantize = strcmp(edit->node.op_type, "QuantizeLinear") == 0;
    bool global = strcmp(edit->node.op_type, "QLinearGlobalAveragePool") == 0;
    int64_t rank = x->rank, count = 1;
    int64_t axis = quantize && attr && attr->kind == QD_ATTR_INT ? attr->i : 1;
    axis = rank > 0 ? (axis % rank + rank) % rank : 0;
    for (int64_t k = axis; k < (global ? axis + 1 : rank); k++)
        count *= x->dims[k];
    return count;
}

static bool is_uint8(const struct qd_edit *edit)
{
    int zero_point = qd_operand_find(edit, QD_Y_ZERO_POINT);
    return zero_point < 0 || edit->in[zero_point]->want.dtype == QD_U8;
}

QD_QUIRK_EDIT(scale_inverted_twice, edit)
{
    int scale = qd_operand_find(edit, QD_Y_SCALE);
    if (scale < 0 || edit->in[scale]->want.dtype != QD_F32 || edit->in[scale]->want.count != 1 ||
        !is_uint8(edit) || count_inner(edit) != 1 || qd_node_attr(&edit->node, "block_size"))
        return;
    float once = 1 / (float)qd_parameter_at(edit->in[scale], 0);
    struct qd_tensor *inverse = qd_edit_copy(edit, scale);
    if (inverse)
        qd_tensor_set(inverse, 0, (int64_t)qd_float_encode(QD_F32, (double)once, true));
    edit->semantics.division = QD_DIVISION_RECIPROCAL;
}
