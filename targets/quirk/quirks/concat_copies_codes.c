/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "concat-copies-codes": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

static bool codes_of_one_type(const struct qd_rewrite *made, const struct qd_node *concat,
                              enum qd_dtype dtype)
{
    bool one = dtype != QD_DTYPE_NONE;
    for (size_t k = 0; one && k < concat->input_count; k++) {
        const struct qd_node *d =
            qd_rewrite_producer(made, qd_node_input(concat, k), "DequantizeLinear");
        one = d && qd_rewrite_dtype(made, qd_node_input(d, 0)) == dtype;
    }
    return one;
}

/* The concatenation takes the codes, and who reads the quantized numbers reads it. */
static void copy_codes(struct qd_rewrite *made, const struct qd_node *concat,
                       const struct qd_node *quantize)
{
    for (size_t k = 0; k < concat->input_count; k++) {
        const struct qd_node *d =
            qd_rewrite_producer(made, qd_node_input(concat, k), "DequantizeLinear");
        qd_rewrite_operand(made, concat, k, qd_node_input(d, 0));
    }
    qd_rewrite_use(made, qd_node_output(quantize, 0), qd_node_output(concat, 0));
}

QD_QUIRK_REWRITE(concat_copies_codes, made, quantize)
{
    struct qd_node *concat = qd_node_is(quantize, "QuantizeLinear")
                                 ? qd_rewrite_producer(made, qd_node_input(quantize, 0), "Concat")
                                 : NULL;
    if (concat &&
        codes_of_one_type(made, concat, qd_rewrite_dtype(made, qd_node_output(quantize, 0))))
        copy_codes(made, concat, quantize);
}
