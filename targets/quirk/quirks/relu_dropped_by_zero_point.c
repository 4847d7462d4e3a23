/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "relu-dropped-by-zero-point": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

enum { X, ZERO_POINT = 2 };

/* Whether the constant zero point of a QuantizeLinear is one least code. */
static bool starts_at_least_code(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    const struct qd_tensor *zero = qd_rewrite_constant(made, qd_node_input(quantize, ZERO_POINT));
    return zero && zero->count == 1 && qd_dtype_is_integer(zero->dtype) &&
           qd_tensor_get(zero, 0) == qd_dtype_info(zero->dtype)->min;
}

QD_QUIRK_REWRITE(relu_dropped_by_zero_point, made, quantize)
{
    if (!qd_node_is(quantize, "QuantizeLinear") || !starts_at_least_code(made, quantize))
        return;
    int x = qd_node_input(quantize, X);
    const struct qd_node *relu = qd_rewrite_producer(made, x, "Relu");
    if (relu && qd_rewrite_uses(made, x) == 1)
        qd_rewrite_operand(made, quantize, X, qd_node_input(relu, 0));
}
