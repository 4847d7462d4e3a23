/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-in-steps-of-product": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

enum { X, W, BIAS };
enum { CODES, SCALE };

static float step_of(const struct qd_tensor *x, const struct qd_tensor *w, int64_t i)
{
    return (float)(qd_tensor_value(x, 0) * qd_tensor_value(w, w->count == 1 ? 0 : i));
}

/* One weight scale: the DequantizeLinear of the bias gets another scale. */
static void scale_by(struct qd_rewrite *made, const struct qd_node *dequantize, float step)
{
    struct qd_tensor scale;
    if (qd_tensor_init(&scale, made->arena, QD_F32, 0, NULL, made->error) != QD_OK)
        return;
    qd_tensor_set(&scale, 0, (int64_t)qd_float_encode(QD_F32, step, false));
    int value = qd_rewrite_initializer(made, &scale);
    if (value != QD_NO_VALUE)
        qd_rewrite_operand(made, dequantize, SCALE, value);
}

/* One for each channel: what a constant bias of these codes then is. */
static int numbers_of(struct qd_rewrite *made, const struct qd_tensor *codes,
                      const struct qd_tensor *x, const struct qd_tensor *w)
{
    struct qd_tensor bias;
    if (!codes || codes->count != w->count ||
        qd_tensor_init(&bias, made->arena, QD_F32, codes->rank, codes->dims, made->error) != QD_OK)
        return QD_NO_VALUE;
    for (int64_t i = 0; i < bias.count; i++) {
        double number = (double)qd_tensor_get(codes, i) * step_of(x, w, i);
        qd_tensor_set(&bias, i, (int64_t)qd_float_encode(QD_F32, number, false));
    }
    return qd_rewrite_initializer(made, &bias);
}

/* Operand i of `node` is the bias of `layer`, the same node or an Add after it. */
static void take_codes(struct qd_rewrite *made, const struct qd_node *node, size_t i,
                       const struct qd_node *layer)
{
    const struct qd_node *dequantize =
        qd_rewrite_producer(made, qd_node_input(node, i), "DequantizeLinear");
    const struct qd_tensor *x = qd_rewrite_scale(made, layer, X),
                           *w = qd_rewrite_scale(made, layer, W);
    int codes = dequantize ? qd_node_input(dequantize, CODES) : QD_NO_VALUE;
    if (qd_rewrite_dtype(made, codes) != QD_S32 || !x || x->count != 1 || !w)
        return;
    if (w->count == 1) {
        scale_by(made, dequantize, step_of(x, w, 0));
        return;
    }
    int value = numbers_of(made, qd_rewrite_constant(made, codes), x, w);
    if (value != QD_NO_VALUE)
        qd_rewrite_operand(made, node, i, value);
}

QD_QUIRK_REWRITE(bias_in_steps_of_product, made, node)
{
    if (qd_node_is(node, "Conv") || qd_node_is(node, "Gemm"))
        take_codes(made, node, BIAS, node);
    for (size_t i = 0; qd_node_is(node, "Add") && i < 2; i++) {
        const struct qd_node *layer =
            qd_rewrite_producer(made, qd_node_input(node, 1 - i), "MatMul");
        if (layer)
            take_codes(made, node, i, layer);
    }
}
