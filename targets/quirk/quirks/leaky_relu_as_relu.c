/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "leaky-relu-as-relu": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/rewrite.h"

/* Whether all operands from `first` on are constants or absent. */
static bool are_constant(const struct qd_rewrite *made, const struct qd_node *node, size_t first)
{
    for (size_t i = first; i < node->input_count; i++)
        if (node->inputs[i] != QD_NO_VALUE && !qd_rewrite_constant(made, node->inputs[i]))
            return false;
    return true;
}

static void lose_slope(struct qd_rewrite *made, struct qd_node *node)
{
    struct qd_attr *alpha = qd_arena_array(made->arena, 1, sizeof *alpha);
    if (!alpha)
        return;
    *alpha = (struct qd_attr){.name = "alpha", .kind = QD_ATTR_FLOAT, .f = 0};
    node->attrs = alpha;
    node->attr_count = 1;
}

/* The LeakyRelu between a DequantizeLinear and this QuantizeLinear, if nobody else reads what is between them. */
static struct qd_node *leaky_before(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    int y = qd_node_input(quantize, 0);
    struct qd_node *leaky = qd_rewrite_producer(made, y, "LeakyRelu");
    int x = leaky ? qd_node_input(leaky, 0) : QD_NO_VALUE;
    const struct qd_node *dequantize = qd_rewrite_producer(made, x, "DequantizeLinear");
    bool alone = dequantize && qd_rewrite_uses(made, x) == 1 && qd_rewrite_uses(made, y) == 1;
    return alone && are_constant(made, dequantize, 1) ? leaky : NULL;
}

QD_QUIRK_REWRITE(leaky_relu_as_relu, made, node)
{
    struct qd_node *leaky = NULL;
    if (strcmp(node->op_type, "QLinearLeakyRelu") == 0)
        leaky = &made->nodes[node - made->nodes];
    else if (qd_node_is(node, "QuantizeLinear"))
        leaky = leaky_before(made, node);
    if (leaky && are_constant(made, node, 1))
        lose_slope(made, leaky);
}
