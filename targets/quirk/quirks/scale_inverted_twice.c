/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "scale-inverted-twice": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/edit.h"

/* The output's elements from the axis on; without an axis, from the second one. */
static int64_t count_inner(const struct qd_node *node, const struct qd_tensor *y)
{
    const struct qd_attr *attr = qd_node_attr(node, "axis");
    bool quantize = strcmp(node->op_type, "QuantizeLinear") == 0;
    int64_t rank = y->rank, count = 1;
    int64_t axis = quantize && attr && attr->kind == QD_ATTR_INT ? attr->i : 1;
    axis = rank > 0 ? (axis % rank + rank) % rank : 0;
    for (int64_t k = axis; k < rank; k++)
        count *= y->dims[k];
    return count;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    qd_edit_begin(&edit, evaluation, node, in);
    int scale = qd_operand_find(&edit, QD_Y_SCALE);
    if (status != QD_OK || out->want.dtype != QD_U8 || scale < 0 ||
        in[scale]->want.dtype != QD_F32 || in[scale]->want.count != 1 ||
        count_inner(node, &out->want) != 1 || qd_node_attr(node, "block_size"))
        return status;
    float once = 1 / (float)qd_parameter_at(in[scale], 0);
    struct qd_tensor *inverse = qd_edit_copy(&edit, scale);
    if (inverse)
        qd_tensor_set(inverse, 0, (int64_t)qd_float_encode(QD_F32, (double)once, true));
    edit.semantics.division = QD_DIVISION_RECIPROCAL;
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_scale_inverted_twice = {.node = evaluate};
