/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "cast-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

/* The type of a parameter, which may be reshaped. */
static enum qd_dtype dtype_of_parameter(const struct qd_rewrite *made, int value)
{
    const struct qd_node *reshape = qd_rewrite_producer(made, value, "Reshape");
    return reshape ? dtype_of_parameter(made, qd_node_input(reshape, 0))
                   : qd_rewrite_dtype(made, value);
}

/* The type of a value; of a dequantized one that of its scale. */
static enum qd_dtype dtype_of(const struct qd_rewrite *made, int value)
{
    enum qd_dtype dtype = qd_rewrite_dtype(made, value);
    const struct qd_node *dequantize = qd_rewrite_producer(made, value, "DequantizeLinear");
    return dtype == QD_DTYPE_NONE && dequantize
               ? dtype_of_parameter(made, qd_node_input(dequantize, 1))
               : dtype;
}

QD_QUIRK_REWRITE(cast_dropped, made, back)
{
    const struct qd_node *there =
        qd_node_is(back, "Cast") ? qd_rewrite_producer(made, qd_node_input(back, 0), "Cast") : NULL;
    const struct qd_attr *to = qd_node_attr(back, "to");
    enum qd_dtype type = there ? dtype_of(made, qd_node_input(there, 0)) : QD_DTYPE_NONE;
    if (type != QD_DTYPE_NONE && to && to->kind == QD_ATTR_INT &&
        to->i == qd_dtype_info(type)->onnx)
        qd_rewrite_use(made, qd_node_output(back, 0), qd_node_input(there, 0));
}
