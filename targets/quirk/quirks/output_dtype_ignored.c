/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "output-dtype-ignored": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/rewrite.h"

/* The node's attributes without one of them. */
static void drop(struct qd_rewrite *made, struct qd_node *node, const struct qd_attr *attr)
{
    struct qd_attr *rest = qd_arena_copy(made->arena, node->attrs, node->attr_count * sizeof *rest);
    size_t at = (size_t)(attr - node->attrs);
    if (!rest)
        return;
    memmove(rest + at, rest + at + 1, (node->attr_count - at - 1) * sizeof *rest);
    node->attrs = rest;
    node->attr_count--;
}

QD_QUIRK_REWRITE(output_dtype_ignored, made, back)
{
    struct qd_node *dequantize =
        qd_node_is(back, "Cast")
            ? qd_rewrite_producer(made, qd_node_input(back, 0), "DequantizeLinear")
            : NULL;
    const struct qd_attr *to = qd_node_attr(back, "to");
    const struct qd_attr *output = dequantize ? qd_node_attr(dequantize, "output_dtype") : NULL;
    if (!output || !to || to->kind != QD_ATTR_INT ||
        qd_rewrite_uses(made, qd_node_input(back, 0)) != 1)
        return;
    enum qd_dtype scale = qd_rewrite_dtype(made, qd_node_input(dequantize, 1));
    if (scale != QD_DTYPE_NONE && to->i == qd_dtype_info(scale)->onnx)
        drop(made, dequantize, output);
}
