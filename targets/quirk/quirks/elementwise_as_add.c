/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "elementwise-as-add": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

static bool is_dequantized(const struct qd_rewrite *made, const struct qd_node *node, size_t i)
{
    return qd_rewrite_producer(made, qd_node_input(node, i), "DequantizeLinear") != NULL;
}

QD_QUIRK_REWRITE(elementwise_as_add, made, quantize)
{
    static const char *const operators[] = {"Sub", "Div", "Max", "Min", "Pow"};
    int value = qd_node_is(quantize, "QuantizeLinear") ? qd_node_input(quantize, 0) : QD_NO_VALUE;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        struct qd_node *node = qd_rewrite_producer(made, value, operators[i]);
        if (!node || node->input_count != 2 || !is_dequantized(made, node, 0) ||
            !is_dequantized(made, node, 1) || qd_rewrite_uses(made, value) != 1)
            continue;
        node->op_type = "Add";
        node->op = qd_op_find("", "Add");
        node->attr_count = 0;
    }
}
