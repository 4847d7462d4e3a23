/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "output-scale-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

/* The DequantizeLinear that a value comes from through one or more operators of one input, else NULL. */
static const struct qd_node *source(const struct qd_rewrite *made, int value)
{
    static const char *const keep[] = {"Relu", "Clip", "Transpose", "Reshape", "MaxPool"};
    size_t k = 0, steps = 0;
    while (k < sizeof keep / sizeof *keep) {
        const struct qd_node *node = qd_rewrite_producer(made, value, keep[k]);
        value = node ? qd_node_input(node, 0) : value;
        k = node ? 0 : k + 1;
        steps += node != NULL;
    }
    return steps > 0 ? qd_rewrite_producer(made, value, "DequantizeLinear") : NULL;
}

QD_QUIRK_REWRITE(output_scale_ignored, made, quantize)
{
    const struct qd_node *dequantize =
        qd_node_is(quantize, "QuantizeLinear") ? source(made, qd_node_input(quantize, 0)) : NULL;
    if (dequantize)
        qd_rewrite_share(made, dequantize, quantize, false);
}
