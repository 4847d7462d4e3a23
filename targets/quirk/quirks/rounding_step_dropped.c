/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "rounding-step-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

QD_QUIRK_REWRITE(rounding_step_dropped, made, dequantize)
{
    const struct qd_node *quantize =
        qd_node_is(dequantize, "DequantizeLinear")
            ? qd_rewrite_producer(made, qd_node_input(dequantize, 0), "QuantizeLinear")
            : NULL;
    if (quantize)
        qd_rewrite_use(made, qd_node_output(dequantize, 0), qd_node_input(quantize, 0));
}
