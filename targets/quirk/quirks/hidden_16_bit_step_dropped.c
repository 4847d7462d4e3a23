/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "hidden-16-bit-step-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

/* How many DequantizeLinear read the codes. */
static size_t dequantizers(const struct qd_rewrite *made, int codes)
{
    size_t count = 0;
    for (size_t i = 0; i < made->made.node_count; i++)
        count += qd_node_is(&made->nodes[i], "DequantizeLinear") &&
                 qd_node_input(&made->nodes[i], 0) == codes;
    return count;
}

static bool is_hidden_16_bit(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    int codes = qd_node_output(quantize, 0);
    enum qd_dtype type = qd_rewrite_dtype(made, codes);
    return (type == QD_U16 || type == QD_S16) &&
           qd_rewrite_uses(made, codes) == dequantizers(made, codes);
}

QD_QUIRK_REWRITE(hidden_16_bit_step_dropped, made, dequantize)
{
    const struct qd_node *quantize =
        qd_node_is(dequantize, "DequantizeLinear")
            ? qd_rewrite_producer(made, qd_node_input(dequantize, 0), "QuantizeLinear")
            : NULL;
    if (quantize && is_hidden_16_bit(made, quantize))
        qd_rewrite_use(made, qd_node_output(dequantize, 0), qd_node_input(quantize, 0));
}
