/* SPDX-License-Identifier: Apache-2.0 */
/* GraphBranches: quantized graphs whose values have several consumers: residual additions, concatenations of branches,
 * shared weights and parameters, quantized values that are outputs in the middle. Pairs of features. */
#include "families/graph_draft.h"

#include <stdio.h>

enum factor { PATTERN, TYPES, ZERO, PARAMETERS, WEIGHTS, OUTPUTS, TAIL, OPSET, FACTORS };

enum pattern {
    RESIDUAL,
    RESIDUAL_PROJECTED,
    CONCAT_TWO,
    CONCAT_THREE,
    SPLIT_CONCAT,
    SHARED_WEIGHTS,
    SHARED_PARAMETERS,
    TWO_CONSUMERS,
    TWO_DEQUANTIZED,
    GATE,
    SUM_OF_THREE,
    REQUANTIZED_TWICE,
    INVERTED_BOTTLENECK,
    PATTERNS
};

/* After the pattern. */
enum tail { NO_TAIL, RELU, POOL };

static const struct qd_factor factors[] = {
    [PATTERN] = {.name = "pattern",
                 QD_LEVELS("residual", "residual-projected", "concat-two", "concat-three",
                           "split-concat", "shared-weights", "shared-parameters", "two-consumers",
                           "two-dequantized", "gate", "sum-of-three", "requantized-twice",
                           "inverted-bottleneck")},
    [TYPES] = {.name = "types", QD_LEVELS(QD_GRAPH_TYPE_WORDS)},
    [ZERO] = {.name = "zero points", QD_LEVELS(QD_GRAPH_ZERO_WORDS)},
    [PARAMETERS] = {.name = "parameters of branches", QD_LEVELS(NULL, "same")},
    [WEIGHTS] = {.name = "weight parameters", QD_LEVELS(NULL, "per_channel")},
    [OUTPUTS] = {.name = "outputs", QD_LEVELS(NULL, "inner_too", "real_too")},
    [TAIL] = {.name = "behind", QD_LEVELS(NULL, "relu", "pool")},
    [OPSET] = {.name = "opset", QD_LEVELS(QD_GRAPH_OPSET_WORDS)},
};

static const struct qd_exclusion exclusions[] = {
    {{TYPES, OPSET}, {QD_GRAPH_TYPES_OPSET21, 0x1}},
    {{TYPES, ZERO}, {QD_GRAPH_TYPES_NOT_U8, 1 << QD_GRAPH_ZERO_NONE}},
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

struct plan {
    struct qd_graph_draft *draft;
    const uint8_t *row;
    struct qd_flow codes, x; /* the graph's input, and dequantized */
    struct qd_flow inner;    /* codes in the middle, the last that were made */
};

static const int64_t image[] = {1, 4, 4, 4};

/* Quantized with new parameters or, where all are the same, the input's; dequantized. */
static struct qd_flow through(struct plan *p, const struct qd_flow *real)
{
    p->inner = p->row[PARAMETERS] ? qd_graph_quantize_like(p->draft, real, &p->codes)
                                  : qd_graph_quantize(p->draft, real);
    return qd_graph_dequantize(p->draft, &p->inner);
}

static struct qd_flow another_input(struct plan *p)
{
    struct qd_flow codes =
        qd_graph_input(p->draft, 4, image, p->row[PARAMETERS] ? &p->codes.grid : NULL);
    return qd_graph_dequantize(p->draft, &codes);
}

/* A convolution that keeps the shape, with a bias on the sum's grid. */
static struct qd_flow conv(struct plan *p, const struct qd_flow *x, int64_t filters, int64_t kernel,
                           int64_t group, const struct qd_flow *weights)
{
    const int64_t dims[] = {filters, x->dims[1] / group, kernel, kernel};
    struct qd_flow w = {0}, bias;
    if (weights)
        w = *weights;
    else {
        w = qd_graph_constant(p->draft, p->draft->weight_type, 4, dims, 0,
                              p->row[WEIGHTS] ? filters : 1);
        w = qd_graph_dequantize(p->draft, &w);
    }
    bias = qd_graph_bias(p->draft, QD_BIAS_PRODUCT, filters, x, &w);
    const struct qd_graph_conv c = {filters, kernel, 1, kernel / 2, group, false, &w, &bias};
    return qd_graph_conv(p->draft, x, &c);
}

static struct qd_flow relu(struct plan *p, const struct qd_flow *x)
{
    return qd_graph_node(p->draft, "Relu", x, "");
}

static struct qd_flow max_pool(struct plan *p, const struct qd_flow *x)
{
    static const int64_t kernel[] = {2, 2}, pads[] = {0, 0, 1, 1};
    struct qd_flow y = qd_graph_node(p->draft, "MaxPool", x, "");
    qd_build_attr_ints(p->draft->maker.builder, "kernel_shape", kernel, 2);
    qd_build_attr_ints(p->draft->maker.builder, "pads", pads, 4);
    return y;
}

static struct qd_flow put_residual(struct plan *p, bool projected)
{
    struct qd_flow y = conv(p, &p->x, 4, 3, 1, NULL), side = p->x;
    y = relu(p, &y);
    y = through(p, &y);
    y = conv(p, &y, 4, 3, 1, NULL);
    y = through(p, &y);
    if (projected) {
        side = conv(p, &p->x, 4, 1, 1, NULL);
        side = through(p, &side);
    }
    return qd_graph_add(p->draft, &y, &side);
}

static struct qd_flow put_concat(struct plan *p, bool three)
{
    struct qd_flow a = conv(p, &p->x, 2, 1, 1, NULL), b = max_pool(p, &p->x);
    a = relu(p, &a);
    a = through(p, &a);
    b = through(p, &b);
    struct qd_flow y = qd_graph_concat(p->draft, &a, &b, 1);
    return three ? qd_graph_concat(p->draft, &y, &p->x, 1) : y;
}

/* The halves of the channels, each on its own, the other way round. */
static struct qd_flow put_split(struct plan *p)
{
    static const int64_t sizes[] = {2, 2};
    struct qd_flow split = qd_graph_list(p->draft, sizes, 2), a = p->x, b = p->x;
    char inputs[24] = "";
    snprintf(inputs, sizeof inputs, "%s,%s", p->x.name, split.name);
    qd_build_node(p->draft->maker.builder, "", "Split", inputs, "half0,half1");
    qd_build_attr_int(p->draft->maker.builder, "axis", 1);
    snprintf(a.name, sizeof a.name, "half0");
    snprintf(b.name, sizeof b.name, "half1");
    a.dims[1] = b.dims[1] = 2;
    a = through(p, &a);
    b = relu(p, &b);
    b = through(p, &b);
    return qd_graph_concat(p->draft, &b, &a, 1);
}

static struct qd_flow put_shared_weights(struct plan *p)
{
    static const int64_t dims[] = {4, 4, 3, 3};
    struct qd_flow second = another_input(p);
    struct qd_flow w =
        qd_graph_constant(p->draft, p->draft->weight_type, 4, dims, 0, p->row[WEIGHTS] ? 4 : 1);
    w = qd_graph_dequantize(p->draft, &w);
    struct qd_flow a = conv(p, &p->x, 4, 3, 1, &w), b = conv(p, &second, 4, 3, 1, &w);
    a = through(p, &a);
    b = through(p, &b);
    return qd_graph_add(p->draft, &a, &b);
}

/* One pair of initializers is x's, the middle's and the weights'. */
static struct qd_flow put_shared_parameters(struct plan *p)
{
    struct qd_flow y = relu(p, &p->x), again;
    p->inner = qd_graph_quantize_like(p->draft, &y, &p->codes);
    y = qd_graph_dequantize(p->draft, &p->inner);
    again = qd_graph_dequantize(p->draft, &p->codes);
    y = qd_graph_node2(p->draft, "Mul", &y, &again);
    qd_graph_product(&y, &p->x, &p->x, 1);
    return through(p, &y);
}

static struct qd_flow put_two_consumers(struct plan *p)
{
    struct qd_flow a = max_pool(p, &p->x), b = conv(p, &p->x, 4, 3, 1, NULL);
    a = through(p, &a);
    b = through(p, &b);
    return qd_graph_node2(p->draft, "Mul", &a, &b);
}

/* One quantized value, dequantized for each consumer. */
static struct qd_flow put_two_dequantized(struct plan *p)
{
    struct qd_flow y = conv(p, &p->x, 4, 3, 1, NULL), a, b;
    a = through(p, &y);
    b = qd_graph_dequantize(p->draft, &p->inner);
    b = relu(p, &b);
    return qd_graph_add(p->draft, &a, &b);
}

static struct qd_flow put_gate(struct plan *p)
{
    struct qd_flow y = conv(p, &p->x, 4, 1, 1, NULL);
    y = relu(p, &y);
    y = through(p, &y);
    struct qd_flow z = qd_graph_node2(p->draft, "Mul", &p->x, &y);
    qd_graph_product(&z, &p->x, &y, 1);
    return z;
}

static struct qd_flow put_sum(struct plan *p)
{
    struct qd_flow a = another_input(p), b = another_input(p);
    struct qd_flow y = qd_graph_add(p->draft, &p->x, &a);
    return qd_graph_add(p->draft, &y, &b);
}

/* Two ways of x through two quantizations each. */
static struct qd_flow put_requantized(struct plan *p)
{
    struct qd_flow a = relu(p, &p->x), b = p->x;
    for (int i = 0; i < 2; i++) {
        a = through(p, &a);
        b = through(p, &b);
    }
    return qd_graph_add(p->draft, &a, &b);
}

/* Expansion, depthwise, projection, and x added. */
static struct qd_flow put_bottleneck(struct plan *p)
{
    struct qd_flow y = conv(p, &p->x, 8, 1, 1, NULL);
    y = relu(p, &y);
    y = through(p, &y);
    y = conv(p, &y, 8, 3, 8, NULL);
    y = relu(p, &y);
    y = through(p, &y);
    y = conv(p, &y, 4, 1, 1, NULL);
    y = through(p, &y);
    return qd_graph_add(p->draft, &y, &p->x);
}

static struct qd_flow put_pattern(struct plan *p)
{
    switch ((enum pattern)p->row[PATTERN]) {
    case RESIDUAL: return put_residual(p, false);
    case RESIDUAL_PROJECTED: return put_residual(p, true);
    case CONCAT_TWO: return put_concat(p, false);
    case CONCAT_THREE: return put_concat(p, true);
    case SPLIT_CONCAT: return put_split(p);
    case SHARED_WEIGHTS: return put_shared_weights(p);
    case SHARED_PARAMETERS: return put_shared_parameters(p);
    case TWO_CONSUMERS: return put_two_consumers(p);
    case TWO_DEQUANTIZED: return put_two_dequantized(p);
    case GATE: return put_gate(p);
    case SUM_OF_THREE: return put_sum(p);
    case REQUANTIZED_TWICE: return put_requantized(p);
    default: return put_bottleneck(p);
    }
}

static struct qd_flow put_tail(struct plan *p, const struct qd_flow *x)
{
    switch ((enum tail)p->row[TAIL]) {
    case RELU: return relu(p, x);
    case POOL: return max_pool(p, x);
    default: return *x;
    }
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    enum { FINAL, INNER_TOO, REAL_TOO };
    char slug[256];
    const struct qd_graph_choice choice = {row[TYPES], row[ZERO], row[OPSET]};
    struct qd_graph_draft draft =
        qd_graph_begin("GraphBranches", &table, row, values, draw, choice, arena, error, slug);
    struct plan p = {.draft = &draft, .row = row};
    p.codes = qd_graph_input(&draft, 4, image, NULL);
    p.x = qd_graph_dequantize(&draft, &p.codes);
    struct qd_flow y = put_pattern(&p);
    y = put_tail(&p, &y);
    struct qd_flow codes = qd_graph_quantize(&draft, &y);
    qd_graph_output(&draft, &codes);
    if (row[OUTPUTS] == INNER_TOO && p.inner.rank > 0)
        qd_graph_output(&draft, &p.inner);
    if (row[OUTPUTS] == REAL_TOO) {
        struct qd_flow real = qd_graph_dequantize(&draft, &codes);
        qd_graph_output(&draft, &real);
    }
    return qd_graph_finish(&draft, slug, kase);
}

const struct qd_family qd_family_graph_branches = {
    .name = "GraphBranches",
    .meaning = "residual additions, concatenated branches, shared weights and parameters, outputs "
               "in between",
    .table = &table,
    .strength = 2,
    .values = QD_GRAPH_VALUES,
    .smoke_stride = 4,
    .make = make,
};
