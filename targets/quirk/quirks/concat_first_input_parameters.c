/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "concat-first-input-parameters": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

QD_QUIRK_REWRITE(concat_first_input_parameters, made, concat)
{
    if (!qd_node_is(concat, "Concat"))
        return;
    const struct qd_node *first =
        qd_rewrite_producer(made, qd_node_input(concat, 0), "DequantizeLinear");
    for (size_t k = 1; first && k < concat->input_count; k++)
        qd_rewrite_share(made, first,
                         qd_rewrite_producer(made, qd_node_input(concat, k), "DequantizeLinear"),
                         true);
}
