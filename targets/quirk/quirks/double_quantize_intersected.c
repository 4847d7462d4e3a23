/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "double-quantize-intersected": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/rewrite.h"

enum { X, SCALE, ZERO_POINT, OPERANDS };

struct pair {
    const struct qd_node *quantize, *dequantize;
};

/* The constant of one element that an operand is, NULL if there is none. */
static const struct qd_tensor *constant(const struct qd_rewrite *made, const struct qd_node *node,
                                        size_t operand)
{
    const struct qd_tensor *t = qd_rewrite_constant(made, qd_node_input(node, operand));
    return t && t->count == 1 ? t : NULL;
}

static bool same_constant(const struct qd_rewrite *made, const struct pair *pair, size_t operand)
{
    const struct qd_tensor *a = constant(made, pair->quantize, operand),
                           *b = constant(made, pair->dequantize, operand);
    return a && b && a->dtype == b->dtype && qd_tensor_value(a, 0) == qd_tensor_value(b, 0);
}

/* Whether the pair has one float32 scale and one zero point of 8 or 16 bits. */
static bool is_simple(const struct qd_rewrite *made, const struct pair *pair)
{
    if (!same_constant(made, pair, SCALE) || !same_constant(made, pair, ZERO_POINT))
        return false;
    unsigned bits = qd_dtype_info(constant(made, pair->quantize, ZERO_POINT)->dtype)->bits;
    return constant(made, pair->quantize, SCALE)->dtype == QD_F32 && (bits == 8 || bits == 16);
}

/* Float32 arithmetic throughout. */
struct grid {
    float scale, low, high; /* the least and the greatest number */
};

static struct grid grid_of(const struct qd_rewrite *made, const struct pair *pair)
{
    const struct qd_tensor *zero = constant(made, pair->quantize, ZERO_POINT);
    const struct qd_dtype_info *info = qd_dtype_info(zero->dtype);
    struct grid grid = {.scale = (float)qd_tensor_value(constant(made, pair->quantize, SCALE), 0)};
    grid.low = (float)(info->min - qd_tensor_get(zero, 0)) * grid.scale;
    grid.high = (float)(info->max - qd_tensor_get(zero, 0)) * grid.scale;
    return grid;
}

/* A constant like `like`, of that value. */
static int put_constant(struct qd_rewrite *made, const struct qd_tensor *like, int64_t code)
{
    struct qd_tensor tensor;
    if (qd_tensor_init(&tensor, made->arena, like->dtype, like->rank, like->dims, made->error) !=
        QD_OK)
        return QD_NO_VALUE;
    qd_tensor_set(&tensor, 0, code);
    return qd_rewrite_initializer(made, &tensor);
}

static bool dequantizes(const struct qd_rewrite *made, size_t node, int codes)
{
    return qd_node_is(&made->nodes[node], "DequantizeLinear") &&
           qd_node_input(&made->nodes[node], X) == codes;
}

/* Whether all that reads the codes of `second` dequantizes them, as it does. */
static bool is_only_dequantized(const struct qd_rewrite *made, const struct pair *second)
{
    int codes = qd_node_output(second->quantize, 0);
    size_t readers = 0;
    for (size_t i = 0; i < made->made.node_count; i++) {
        const struct pair other = {second->quantize, &made->nodes[i]};
        readers += dequantizes(made, i, codes) && is_simple(made, &other);
    }
    return qd_rewrite_uses(made, codes) == readers;
}

static void dequantize_by(struct qd_rewrite *made, const struct qd_node *node,
                          const int *parameters, int codes)
{
    for (size_t k = SCALE; k < OPERANDS; k++)
        qd_rewrite_operand(made, node, k, parameters[k]);
    qd_rewrite_operand(made, node, X, codes);
}

/* The outer ones get the parameters of the intersection, the inner two go. */
static void merge(struct qd_rewrite *made, const struct pair *first, const struct pair *second)
{
    const struct qd_tensor *zero = constant(made, first->quantize, ZERO_POINT);
    const struct qd_dtype_info *info = qd_dtype_info(zero->dtype);
    struct grid a = grid_of(made, first), b = grid_of(made, second);
    float low = fmaxf(a.low, b.low), high = fminf(a.high, b.high);
    float scale = (high - low) / (float)(info->max - info->min);
    float z = roundf((float)info->min - low / scale);
    if (scale == 0 || !(z >= (float)info->min && z <= (float)info->max))
        return;
    int parameters[OPERANDS] = {[SCALE] =
                                    put_constant(made, constant(made, first->quantize, SCALE),
                                                 (int64_t)qd_float_encode(QD_F32, scale, true)),
                                [ZERO_POINT] = put_constant(made, zero, (int64_t)z)};
    if (parameters[SCALE] == QD_NO_VALUE || parameters[ZERO_POINT] == QD_NO_VALUE)
        return;
    for (size_t k = SCALE; k < OPERANDS; k++)
        qd_rewrite_operand(made, first->quantize, k, parameters[k]);
    int codes = qd_node_output(second->quantize, 0);
    for (size_t i = 0; i < made->made.node_count; i++)
        if (dequantizes(made, i, codes))
            dequantize_by(made, &made->nodes[i], parameters, qd_node_output(first->quantize, 0));
    qd_rewrite_operand(made, first->dequantize, X,
                       qd_node_input(first->quantize, X)); /* left out */
}

static bool shares_parameters(const struct pair *a, const struct pair *b)
{
    return qd_node_input(a->dequantize, SCALE) == qd_node_input(b->quantize, SCALE) &&
           qd_node_input(a->dequantize, ZERO_POINT) == qd_node_input(b->quantize, ZERO_POINT);
}

/* The pair that ends with a value only one node reads; both NULL if there is none. */
static struct pair pair_before(const struct qd_rewrite *made, int value)
{
    struct pair pair = {NULL, NULL};
    pair.dequantize = qd_rewrite_producer(made, value, "DequantizeLinear");
    if (pair.dequantize)
        pair.quantize = qd_rewrite_producer(made, pair.dequantize->inputs[X], "QuantizeLinear");
    return pair;
}

static void look_at(struct qd_rewrite *made, const struct qd_node *dequantize)
{
    struct pair second = {qd_rewrite_producer(made, qd_node_input(dequantize, X), "QuantizeLinear"),
                          dequantize};
    if (!second.quantize)
        return;
    int between = qd_node_input(second.quantize, X);
    struct pair first = pair_before(made, between);
    bool chain = first.quantize && qd_rewrite_uses(made, between) == 1 &&
                 qd_rewrite_uses(made, qd_node_output(first.quantize, 0)) == 1 &&
                 is_only_dequantized(made, &second);
    if (chain && !shares_parameters(&first, &second) && is_simple(made, &first) &&
        is_simple(made, &second) &&
        constant(made, first.quantize, ZERO_POINT)->dtype ==
            constant(made, second.quantize, ZERO_POINT)->dtype)
        merge(made, &first, &second);
}

QD_QUIRK_REWRITE(double_quantize_intersected, made, node)
{
    if (qd_node_is(node, "DequantizeLinear"))
        look_at(made, node);
}
