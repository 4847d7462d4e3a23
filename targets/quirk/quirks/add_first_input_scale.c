/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "add-first-input-scale": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

QD_QUIRK_REWRITE(add_first_input_scale, made, node)
{
    if (qd_node_is(node, "Add") || qd_node_is(node, "Mul"))
        qd_rewrite_share(
            made, qd_rewrite_producer(made, qd_node_input(node, 0), "DequantizeLinear"),
            qd_rewrite_producer(made, qd_node_input(node, 1), "DequantizeLinear"), false);
}
