/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "constant-zero-points-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"
#include "quirk/rewrite.h"

enum { X, SCALE, ZERO_POINT };

/* As many zero points, each in the middle of the codes: 0, or of an unsigned type half of their number. */
static int put_middle(struct qd_rewrite *made, const struct qd_tensor *zero)
{
    const struct qd_dtype_info *info = qd_dtype_info(zero->dtype);
    struct qd_tensor middle;
    if (qd_tensor_init(&middle, made->arena, zero->dtype, zero->rank, zero->dims, made->error) !=
        QD_OK)
        return QD_NO_VALUE;
    qd_tensor_fill(&middle, (info->min + info->max + 1) / 2);
    return qd_rewrite_initializer(made, &middle);
}

QD_QUIRK_REWRITE(constant_zero_points_ignored, made, node)
{
    const struct qd_tensor *zero = qd_rewrite_constant(made, qd_node_input(node, ZERO_POINT));
    if (!qd_node_is(node, "DequantizeLinear") ||
        !qd_rewrite_constant(made, qd_node_input(node, X)) || !zero || zero->count < 2 ||
        qd_dtype_info(zero->dtype)->kind == QD_CLASS_FLOAT)
        return;
    int middle = put_middle(made, zero);
    if (middle != QD_NO_VALUE)
        qd_rewrite_operand(made, node, ZERO_POINT, middle);
}
