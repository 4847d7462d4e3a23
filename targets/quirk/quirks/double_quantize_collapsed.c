/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "double-quantize-collapsed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

QD_QUIRK_REWRITE(double_quantize_collapsed, made, second)
{
    const struct qd_node *dequantize =
        qd_node_is(second, "QuantizeLinear")
            ? qd_rewrite_producer(made, qd_node_input(second, 0), "DequantizeLinear")
            : NULL;
    const struct qd_node *first =
        dequantize ? qd_rewrite_producer(made, qd_node_input(dequantize, 0), "QuantizeLinear")
                   : NULL;
    if (first)
        qd_rewrite_operand(made, second, 0, qd_node_input(first, 0));
}
