/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "fused-int16-pair-saturation": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/rewrite.h"

/* How a QLinearConv is marked that was made of a Conv between codes. */
static const char mark[] = "(fused convolution)";

enum { CODES, SCALE, ZERO_POINT };
enum { X, W, BIAS };
enum { QX, QX_SCALE, QX_ZERO_POINT, QW, QW_SCALE, QW_ZERO_POINT, QY_SCALE, QY_ZERO_POINT, QBIAS };

/* A block of nodes: dequantize, convolve, quantize. */
struct block {
    const struct qd_node *x, *w, *bias, *conv; /* bias: NULL if there is none */
    const struct qd_node *quantize;
};

static const struct qd_node *operand(const struct qd_rewrite *made, const struct qd_node *conv,
                                     size_t i)
{
    return qd_rewrite_producer(made, qd_node_input(conv, i), "DequantizeLinear");
}

/* Whether a quantization to these codes cuts off what a Relu does. */
static bool starts_at_zero(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    int value = qd_node_input(quantize, ZERO_POINT);
    const struct qd_tensor *zero = qd_rewrite_constant(made, value);
    if (value == QD_NO_VALUE)
        return true;
    return zero && zero->count == 1 && qd_tensor_get(zero, 0) == (zero->dtype == QD_U8 ? 0 : -128);
}

/* The Conv whose output is quantized, a Relu between them that changes nothing left out. */
static const struct qd_node *convolution(const struct qd_rewrite *made,
                                         const struct qd_node *quantize)
{
    int value = qd_node_input(quantize, 0);
    const struct qd_node *relu = qd_rewrite_producer(made, value, "Relu");
    if (relu && qd_rewrite_uses(made, value) == 1 && starts_at_zero(made, quantize))
        value = qd_node_input(relu, 0);
    return qd_rewrite_uses(made, value) == 1 ? qd_rewrite_producer(made, value, "Conv") : NULL;
}

/* Whether the weights have one scale, or one for each filter. */
static bool is_by_filter(const struct qd_rewrite *made, const struct qd_node *w)
{
    int64_t axis = 1;
    return qd_rewrite_single(made, qd_node_input(w, SCALE)) ||
           (qd_node_int(w, "axis", 1, &axis, made->error) == QD_OK && axis == 0);
}

static const struct qd_tensor *scale_of(const struct qd_rewrite *made, const struct qd_node *node)
{
    return qd_rewrite_constant(made, qd_node_input(node, SCALE));
}

/* Whether the bias counts in steps of x_scale·w_scale, or so nearly that it is taken to. */
static bool is_bias_in_steps(const struct qd_rewrite *made, const struct block *block)
{
    const struct qd_tensor *x = scale_of(made, block->x), *w = scale_of(made, block->w);
    const struct qd_tensor *bias = scale_of(made, block->bias);
    if (!x || !w || !bias || x->count != 1)
        return false;
    for (int64_t i = 0; i < w->count; i++) {
        double step = qd_tensor_value(x, 0) * qd_tensor_value(w, i);
        double have = qd_tensor_value(bias, bias->count == w->count ? i : 0);
        if (!(fabs(have - step) <= fabs(step) / 100))
            return false;
    }
    return true;
}

static bool find_block(const struct qd_rewrite *made, const struct qd_node *quantize,
                       struct block *block)
{
    struct block found = {.quantize = quantize, .conv = convolution(made, quantize)};
    if (!found.conv)
        return false;
    found.x = operand(made, found.conv, X);
    found.w = operand(made, found.conv, W);
    found.bias = operand(made, found.conv, BIAS);
    bool has_bias = qd_node_input(found.conv, BIAS) != QD_NO_VALUE;
    *block = found;
    return found.x && found.w && (!has_bias || (found.bias && is_bias_in_steps(made, &found))) &&
           is_by_filter(made, found.w) && qd_rewrite_single(made, qd_node_input(quantize, SCALE));
}

/* The zero point of a quantization; zeros like its scale where it has none. */
static int zero_point(struct qd_rewrite *made, const struct qd_node *node, enum qd_dtype type)
{
    const struct qd_tensor *scale = scale_of(made, node);
    struct qd_tensor zeros;
    int value = qd_node_input(node, ZERO_POINT);
    if (value != QD_NO_VALUE || !scale || type == QD_DTYPE_NONE ||
        qd_tensor_init(&zeros, made->arena, type, scale->rank, scale->dims, made->error) != QD_OK)
        return value;
    return qd_rewrite_initializer(made, &zeros);
}

/* What DequantizeLinear takes, and where QLinearConv wants it. */
static void put(struct qd_rewrite *made, const struct qd_node *dequantize, int *inputs)
{
    int codes = qd_node_input(dequantize, CODES);
    inputs[CODES] = codes;
    inputs[SCALE] = qd_node_input(dequantize, SCALE);
    inputs[ZERO_POINT] = zero_point(made, dequantize, qd_rewrite_dtype(made, codes));
}

/* Makes the quantization the whole convolution. */
static void fuse(struct qd_rewrite *made, const struct block *block)
{
    int *inputs = qd_arena_array(made->arena, QBIAS + 1, sizeof *inputs);
    struct qd_node *node = &made->nodes[block->quantize - made->nodes];
    if (!inputs)
        return;
    put(made, block->x, inputs + QX);
    put(made, block->w, inputs + QW);
    inputs[QY_SCALE] = qd_node_input(node, SCALE);
    inputs[QY_ZERO_POINT] = zero_point(made, node, QD_U8);
    inputs[QBIAS] = block->bias ? qd_node_input(block->bias, CODES) : QD_NO_VALUE;
    for (int i = QX; i < QBIAS; i++)
        if (inputs[i] == QD_NO_VALUE)
            return;
    node->name = mark;
    node->op_type = "QLinearConv";
    node->op = qd_op_find("", node->op_type);
    node->attrs = block->conv->attrs;
    node->attr_count = block->conv->attr_count;
    node->input_count = block->bias ? QBIAS + 1 : QBIAS;
    node->inputs = inputs;
    made->inputs[node - made->nodes] = inputs;
}

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct block block;
    if (qd_node_is(node, "QuantizeLinear") && find_block(made, node, &block))
        fuse(made, &block);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_nodes(graph, visit, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.accumulator = QD_ACC_PAIR_SAT16_LAST;
    return qd_evaluate_marked(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_fused_int16_pair_saturation = {.graph = rewrite,
                                                                 .node = evaluate};
