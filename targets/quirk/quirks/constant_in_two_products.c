/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "constant-in-two-products": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/rewrite.h"
#include "quirk/two_products.h"

enum { X, SCALE, ZERO_POINT };

/* The numbers of the codes as a new constant; no value where one of them is not finite. */
static int dequantized(struct qd_rewrite *made, const struct qd_tensor *codes, double s, double z)
{
    struct qd_tensor numbers;
    if (qd_tensor_init(&numbers, made->arena, QD_F32, codes->rank, codes->dims, made->error) !=
        QD_OK)
        return QD_NO_VALUE;
    for (int64_t i = 0; i < codes->count; i++) {
        double number = qd_two_products(codes, i, s, z);
        if (!isfinite(number))
            return QD_NO_VALUE;
        qd_tensor_set(&numbers, i, (int64_t)qd_float_encode(QD_F32, number, true));
    }
    return qd_rewrite_initializer(made, &numbers);
}

QD_QUIRK_REWRITE(constant_in_two_products, made, node)
{
    const struct qd_tensor *codes = qd_rewrite_constant(made, qd_node_input(node, X)),
                           *scale = qd_rewrite_constant(made, qd_node_input(node, SCALE)),
                           *zero = qd_rewrite_constant(made, qd_node_input(node, ZERO_POINT));
    if (!qd_node_is(node, "DequantizeLinear") || !codes || !scale || !zero ||
        codes->dtype != QD_S8 || scale->dtype != QD_F32 || scale->count != 1)
        return;
    int numbers = dequantized(made, codes, qd_tensor_value(scale, 0), qd_tensor_value(zero, 0));
    qd_rewrite_use(made, qd_node_output(node, 0), numbers);
}
