/* SPDX-License-Identifier: Apache-2.0 */
/* GraphLayers: one to three layers with weights, as quantizers leave them: convolutions and matrix products with what
 * is fused after them, with biases on the grid of the sum and off it, quantized
 * in between once or twice. Pairs of features. */
#include "families/graph_draft.h"

#include <stdio.h>

enum factor { LAYER, DEPTH, TYPES, ZERO, BIAS, WEIGHTS, BETWEEN, OPSET, FACTORS };

enum layer {
    CONV,
    CONV_RELU,
    CONV_CLIP,
    CONV_LEAKY_RELU,
    DEPTHWISE,
    CONV_TRANSPOSE,
    BATCH_NORMALIZATION,
    GEMM,
    GEMM_TRANSPOSED,
    MATMUL_ADD,
    MATMUL_ADD_RELU,
    LAYERS
};
#define IS_MATRIX(layer) ((layer) >= GEMM)
#define WITH_ADD (1 << MATMUL_ADD | 1 << MATMUL_ADD_RELU)

enum between { ONCE, TWICE, NOT_AT_ALL, OUTPUT_TOO };

#define CHANNELS 4
#define FEATURES 12

static const struct qd_factor factors[] = {
    [LAYER] = {.name = "layer",
               QD_LEVELS("conv", "conv-relu", "conv-clip", "conv-leaky-relu", "depthwise",
                         "conv-transpose", "batch-normalization", "gemm", "gemm-transposed",
                         "matmul-add", "matmul-add-relu")},
    [DEPTH] = {.name = "layers", QD_LEVELS("1", "2", "3")},
    [TYPES] = {.name = "types", QD_LEVELS(QD_GRAPH_TYPE_WORDS)},
    [ZERO] = {.name = "zero points", QD_LEVELS(QD_GRAPH_ZERO_WORDS)},
    [BIAS] = {.name = "bias", QD_LEVELS(QD_GRAPH_BIAS_WORDS)},
    [WEIGHTS] = {.name = "weight parameters", QD_LEVELS(NULL, "per_channel")},
    [BETWEEN] = {.name = "between layers", QD_LEVELS(NULL, "twice", "unquantized", "visible")},
    [OPSET] = {.name = "opset", QD_LEVELS(QD_GRAPH_OPSET_WORDS)},
};

static const struct qd_exclusion exclusions[] = {
    {{TYPES, OPSET}, {QD_GRAPH_TYPES_OPSET21, 0x1}},
    {{TYPES, ZERO}, {QD_GRAPH_TYPES_NOT_U8, 1 << QD_GRAPH_ZERO_NONE}},
    {{LAYER, BIAS}, {WITH_ADD, 0x1}},
    {{DEPTH, BETWEEN}, {0x4, 1 << NOT_AT_ALL}}, /* too many digits for ties */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static struct qd_flow put_clip(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    struct qd_flow low = qd_graph_scalar(draft, 0), high = qd_graph_scalar(draft, 6);
    char more[24];
    snprintf(more, sizeof more, ",%s,%s", low.name, high.name);
    return qd_graph_node(draft, "Clip", x, more);
}

static struct qd_flow put_activation(struct qd_graph_draft *draft, enum layer layer,
                                     const struct qd_flow *x)
{
    switch (layer) {
    case CONV_RELU:
    case MATMUL_ADD_RELU: return qd_graph_node(draft, "Relu", x, "");
    case CONV_CLIP: return put_clip(draft, x);
    case CONV_LEAKY_RELU: {
        struct qd_flow y = qd_graph_node(draft, "LeakyRelu", x, "");
        qd_build_attr_float(draft->maker.builder, "alpha", 0.25F);
        y.unit -= 2;
        y.reach *= 4;
        return y;
    }
    default: return *x;
    }
}

static struct qd_flow put_weights(struct qd_graph_draft *draft, const uint8_t *row)
{
    enum layer layer = (enum layer)row[LAYER];
    int64_t channels = IS_MATRIX(layer) ? FEATURES : CHANNELS;
    int64_t axis = IS_MATRIX(layer) ? layer != GEMM_TRANSPOSED : layer == CONV_TRANSPOSE;
    const int64_t matrix[] = {FEATURES, FEATURES};
    const int64_t filters[] = {CHANNELS, layer == DEPTHWISE ? 1 : CHANNELS, 3, 3};
    int64_t count = row[WEIGHTS] ? channels : 1;
    struct qd_flow w = qd_graph_constant(draft, draft->weight_type, IS_MATRIX(layer) ? 2 : 4,
                                         IS_MATRIX(layer) ? matrix : filters, axis, count);
    return qd_graph_dequantize(draft, &w);
}

static struct qd_flow put_matrix(struct qd_graph_draft *draft, enum layer layer,
                                 const struct qd_flow *x, const struct qd_flow *w,
                                 const struct qd_flow *bias)
{
    bool gemm = layer == GEMM || layer == GEMM_TRANSPOSED;
    char more[32];
    snprintf(more, sizeof more, ",%s%s%s", w->name, gemm && bias ? "," : "",
             gemm && bias ? bias->name : "");
    struct qd_flow y = qd_graph_node(draft, gemm ? "Gemm" : "MatMul", x, more);
    if (layer == GEMM_TRANSPOSED)
        qd_build_attr_int(draft->maker.builder, "transB", 1);
    qd_graph_product(&y, x, w, FEATURES);
    return gemm || !bias ? y : qd_graph_add(draft, &y, bias);
}

static struct qd_flow put_conv_transpose(struct qd_graph_draft *draft, const struct qd_flow *x,
                                         const struct qd_flow *w, const struct qd_flow *bias)
{
    static const int64_t pads[] = {1, 1, 1, 1};
    char more[32];
    snprintf(more, sizeof more, ",%s%s%s", w->name, bias ? "," : "", bias ? bias->name : "");
    struct qd_flow y = qd_graph_node(draft, "ConvTranspose", x, more);
    qd_build_attr_ints(draft->maker.builder, "pads", pads, 4);
    qd_graph_product(&y, x, w, 9 * (int64_t)CHANNELS);
    return y;
}

/* Statistics of which every number is a power of two, except for epsilon. */
static struct qd_flow put_batch_normalization(struct qd_graph_draft *draft, const struct qd_flow *x)
{
    static const char *const names[] = {"bn_scale", "bn_bias", "bn_mean", "bn_var"};
    static const double values[][CHANNELS] = {
        {1, 0.5, 2, 1}, {0, 0.25, -0.5, 1}, {0, 0.5, 0.25, -1}, {1, 4, 0.25, 1}};
    for (size_t p = 0; p < 4; p++) {
        int64_t bits[CHANNELS];
        for (size_t c = 0; c < CHANNELS; c++)
            bits[c] = qd_qdq_float_code(values[p][c]);
        qd_qdq_put_list(&draft->maker, names[p], QD_F32, 1, bits, CHANNELS);
    }
    return qd_graph_node(draft, "BatchNormalization", x, ",bn_scale,bn_bias,bn_mean,bn_var");
}

static struct qd_flow put_layer(struct qd_graph_draft *draft, const uint8_t *row,
                                const struct qd_flow *x)
{
    enum layer layer = (enum layer)row[LAYER];
    enum qd_graph_bias kind = (enum qd_graph_bias)row[BIAS];
    struct qd_flow w = put_weights(draft, row), bias = {0}, y;
    int64_t channels = IS_MATRIX(layer) ? FEATURES : CHANNELS;
    if (kind != QD_BIAS_NONE)
        bias = qd_graph_bias(draft, kind, channels, x, &w);
    const struct qd_flow *with = kind != QD_BIAS_NONE ? &bias : NULL;
    const struct qd_graph_conv conv = {CHANNELS, 3,  1,   1, layer == DEPTHWISE ? CHANNELS : 1,
                                       false,    &w, with};
    if (IS_MATRIX(layer))
        y = put_matrix(draft, layer, x, &w, with);
    else if (layer == CONV_TRANSPOSE)
        y = put_conv_transpose(draft, x, &w, with);
    else
        y = qd_graph_conv(draft, x, &conv);
    return put_activation(draft, layer, &y);
}

static struct qd_flow put_between(struct qd_graph_draft *draft, enum between between,
                                  const struct qd_flow *y)
{
    if (between == NOT_AT_ALL)
        return *y;
    struct qd_flow codes = qd_graph_quantize(draft, y);
    if (between == OUTPUT_TOO)
        qd_graph_output(draft, &codes);
    struct qd_flow real = qd_graph_dequantize(draft, &codes);
    return between == TWICE ? qd_graph_through(draft, &real) : real;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    static const int64_t image[] = {1, CHANNELS, 5, 5}, matrix[] = {5, FEATURES};
    char slug[256];
    enum layer layer = (enum layer)row[LAYER];
    const struct qd_graph_choice choice = {row[TYPES], row[ZERO], row[OPSET]};
    struct qd_graph_draft draft =
        qd_graph_begin("GraphLayers", &table, row, values, draw, choice, arena, error, slug);
    struct qd_flow x =
        qd_graph_input(&draft, IS_MATRIX(layer) ? 2 : 4, IS_MATRIX(layer) ? matrix : image, NULL);
    struct qd_flow y = qd_graph_dequantize(&draft, &x);
    for (unsigned depth = 0; depth <= row[DEPTH]; depth++) {
        if (depth > 0)
            y = put_between(&draft, (enum between)row[BETWEEN], &y);
        y = put_layer(&draft, row, &y);
    }
    if (layer == BATCH_NORMALIZATION)
        y = put_batch_normalization(&draft, &y);
    y = qd_graph_quantize(&draft, &y);
    qd_graph_output(&draft, &y);
    return qd_graph_finish(&draft, slug, kase);
}

const struct qd_family qd_family_graph_layers = {
    .name = "GraphLayers",
    .meaning =
        "one to three quantized layers with weights, what is fused after them, and their biases",
    .table = &table,
    .strength = 2,
    .values = QD_GRAPH_VALUES,
    .smoke_stride = 3,
    .make = make,
};
