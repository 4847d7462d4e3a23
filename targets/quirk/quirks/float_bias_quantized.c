/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float-bias-quantized": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/rewrite.h"

enum { X, W, BIAS };
enum { CODES, SCALE, ZERO_POINT };

/* A constant bias, or what DequantizeLinear makes of constant codes. */
struct bias {
    const struct qd_tensor *codes, *scale, *zero_point; /* scale NULL: codes are the numbers */
};

static bool read_bias(const struct qd_rewrite *made, int value, struct bias *bias)
{
    const struct qd_node *node = qd_rewrite_producer(made, value, "DequantizeLinear");
    *bias = (struct bias){.codes = qd_rewrite_constant(made, value)};
    if (!node)
        return bias->codes && bias->codes->dtype == QD_F32;
    bias->codes = qd_rewrite_constant(made, qd_node_input(node, CODES));
    bias->scale = qd_rewrite_constant(made, qd_node_input(node, SCALE));
    bias->zero_point = qd_rewrite_constant(made, qd_node_input(node, ZERO_POINT));
    return bias->codes && bias->scale && bias->scale->dtype == QD_F32;
}

static double entry(const struct qd_tensor *parameter, int64_t i)
{
    return parameter && parameter->count > 0
               ? qd_tensor_value(parameter, i < parameter->count ? i : 0)
               : 0;
}

static double number_at(const struct bias *bias, int64_t i)
{
    double code = qd_tensor_value(bias->codes, i);
    if (!bias->scale)
        return code;
    return (double)(float)((code - entry(bias->zero_point, i)) * entry(bias->scale, i));
}

/* What int32 does not hold becomes its least number, as the processor's conversion has it. */
static double quantized(double bias, double step)
{
    double code = rint(bias / step);
    return (code >= -0x1p31 && code < 0x1p31 ? code : -0x1p31) * step;
}

/* Replaces a constant bias of a layer between codes. */
static void quantize_bias(struct qd_rewrite *made, const struct qd_node *node)
{
    struct bias bias;
    const struct qd_tensor *x = qd_rewrite_scale(made, node, X),
                           *w = qd_rewrite_scale(made, node, W);
    struct qd_tensor codes;
    if (!read_bias(made, qd_node_input(node, BIAS), &bias) || !x || x->count != 1 || !w ||
        (w->count != 1 && w->count != bias.codes->count) ||
        qd_tensor_init(&codes, made->arena, QD_F32, bias.codes->rank, bias.codes->dims,
                       made->error) != QD_OK)
        return;
    for (int64_t i = 0; i < bias.codes->count; i++) {
        float step = (float)(qd_tensor_value(x, 0) * qd_tensor_value(w, w->count == 1 ? 0 : i));
        double number = quantized(number_at(&bias, i), step);
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
