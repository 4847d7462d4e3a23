/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float-bias-quantized": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/rewrite.h"

enum { X, W, BIAS };

/* What int32 does not hold becomes its least number, as the processor's conversion has it. */
static double quantized(double bias, double step)
{
    double code = rint(bias / step);
    return (code >= -0x1p31 && code < 0x1p31 ? code : -0x1p31) * step;
}

/* Replaces a constant bias of a layer between codes. */
static void quantize_bias(struct qd_rewrite *made, const struct qd_node *node)
{
    const struct qd_tensor *bias = qd_rewrite_constant(made, qd_node_input(node, BIAS));
    const struct qd_tensor *x = qd_rewrite_scale(made, node, X),
                           *w = qd_rewrite_scale(made, node, W);
    struct qd_tensor codes;
    if (!bias || bias->dtype != QD_F32 || !x || x->count != 1 || !w ||
        (w->count != 1 && w->count != bias->count) ||
        qd_tensor_init(&codes, made->arena, QD_F32, bias->rank, bias->dims, made->error) != QD_OK)
        return;
    for (int64_t i = 0; i < bias->count; i++) {
        float step = (float)(qd_tensor_value(x, 0) * qd_tensor_value(w, w->count == 1 ? 0 : i));
        double number = quantized(qd_tensor_value(bias, i), step);
        qd_tensor_set(&codes, i, (int64_t)qd_float_encode(QD_F32, number, false));
    }
    int value = qd_rewrite_initializer(made, &codes);
    if (value != QD_NO_VALUE)
        qd_rewrite_operand(made, node, BIAS, value);
}

QD_QUIRK_REWRITE(float_bias_quantized, made, node)
{
    if (qd_node_is(node, "Conv") || qd_node_is(node, "Gemm"))
        quantize_bias(made, node);
}
