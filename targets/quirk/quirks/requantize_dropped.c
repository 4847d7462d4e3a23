/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "requantize-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

QD_QUIRK_REWRITE(requantize_dropped, made, quantize)
{
    const struct qd_node *dequantize =
        qd_node_is(quantize, "QuantizeLinear")
            ? qd_rewrite_producer(made, qd_node_input(quantize, 0), "DequantizeLinear")
            : NULL;
    enum qd_dtype codes = qd_rewrite_dtype(made, qd_node_output(quantize, 0));
    if (dequantize && codes != QD_DTYPE_NONE &&
        codes == qd_rewrite_dtype(made, qd_node_input(dequantize, 0)))
        qd_rewrite_use(made, qd_node_output(quantize, 0), qd_node_input(dequantize, 0));
}
