/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of nodes between codes as the one operator that targets make of them: QLinearConv, QLinearMatMul, QGemm,
 * MatMulIntegerToFloat, QLinearAdd, QLinearMul, QLinearLeakyRelu, QLinearSoftmax. */
#include "quirk/fuse.h"

#include <math.h>
#include <string.h>

/* --- Convolutions -------------------------------------------------------------------------------- */

enum { CODES, SCALE, ZERO_POINT };
enum { X, W, BIAS };
enum { QX, QX_SCALE, QX_ZERO_POINT, QW, QW_SCALE, QW_ZERO_POINT, QY_SCALE, QY_ZERO_POINT, QBIAS };

/* A block of nodes: dequantize, convolve, quantize. */
struct block {
    const struct qd_node *x, *w, *conv;
    int bias; /* its codes, QD_NO_VALUE if there is none */
    const struct qd_node *quantize;
    bool is_moved; /* between the two */
};

/* Targets remove an Identity before they look for blocks. */
static const struct qd_node *operand(const struct qd_rewrite *made, const struct qd_node *conv,
                                     size_t i)
{
    int value = qd_node_input(conv, i);
    const struct qd_node *identity;
    while ((identity = qd_rewrite_producer(made, value, "Identity")))
        value = qd_node_input(identity, 0);
    return qd_rewrite_producer(made, value, "DequantizeLinear");
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

/* The operator whose output is quantized, a Relu between them that changes nothing left out; NULL if it is another. */
static const struct qd_node *before(const struct qd_rewrite *made, const struct qd_node *quantize,
                                    const char *op_type)
{
    int value = qd_node_input(quantize, 0);
    const struct qd_node *relu = qd_rewrite_producer(made, value, "Relu");
    if (relu && qd_rewrite_uses(made, value) == 1 && starts_at_zero(made, quantize))
        value = qd_node_input(relu, 0);
    return qd_rewrite_uses(made, value) == 1 ? qd_rewrite_producer(made, value, op_type) : NULL;
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
static bool is_bias_in_steps(const struct qd_rewrite *made, const struct block *block,
                             const struct qd_node *dequantize)
{
    const struct qd_tensor *x = scale_of(made, block->x), *w = scale_of(made, block->w);
    const struct qd_tensor *bias = scale_of(made, dequantize);
    if (!x || !w || !bias || x->count != 1 || (bias->count != 1 && bias->count != w->count))
        return false;
    for (int64_t i = 0; i < w->count; i++) {
        double step = qd_tensor_value(x, 0) * qd_tensor_value(w, i);
        double have = qd_tensor_value(bias, bias->count == 1 ? 0 : i);
        if (!(fabs(have - step) <= fabs(step) / 100))
            return false;
    }
    return true;
}

/* The codes of a float bias in steps of x_scale·w_scale; QD_NO_VALUE where int32 does not hold them. */
static int quantize_bias(struct qd_rewrite *made, const struct block *block,
                         const struct qd_tensor *bias)
{
    const struct qd_tensor *x = scale_of(made, block->x), *w = scale_of(made, block->w);
    struct qd_tensor codes;
    if (bias->dtype != QD_F32 || !x || !w || x->count != 1 ||
        (w->count != 1 && w->count != bias->count) ||
        qd_tensor_init(&codes, made->arena, QD_S32, bias->rank, bias->dims, made->error) != QD_OK)
        return QD_NO_VALUE;
    for (int64_t i = 0; i < bias->count; i++) {
        double code = rint(qd_tensor_value(bias, i) /
                           (qd_tensor_value(x, 0) * qd_tensor_value(w, w->count == 1 ? 0 : i)));
        if (!(fabs(code) < 0x1p31))
            return QD_NO_VALUE;
        qd_tensor_set(&codes, i, (int64_t)code);
    }
    return qd_rewrite_initializer(made, &codes);
}

/* Finds the codes of the block's bias; false if it has a bias and none. */
static bool find_bias(struct qd_rewrite *made, struct block *block)
{
    int value = qd_node_input(block->conv, BIAS);
    const struct qd_node *dequantize = operand(made, block->conv, BIAS);
    const struct qd_tensor *constant = qd_rewrite_constant(made, value);
    block->bias = QD_NO_VALUE;
    if (value == QD_NO_VALUE)
        return true;
    if (dequantize && is_bias_in_steps(made, block, dequantize))
        block->bias = qd_node_input(dequantize, CODES);
    else if (!dequantize && constant)
        block->bias = quantize_bias(made, block, constant);
    return block->bias != QD_NO_VALUE;
}

/* The type of codes; a quantization without a zero point gives uint8. */
static enum qd_dtype type_of(const struct qd_rewrite *made, int codes)
{
    const struct qd_node *quantize = qd_rewrite_producer(made, codes, "QuantizeLinear");
    bool by_default = quantize && qd_node_input(quantize, ZERO_POINT) == QD_NO_VALUE;
    return by_default ? QD_U8 : qd_rewrite_dtype(made, codes);
}

static bool reads(const struct qd_node *node, int value)
{
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] == value)
            return true;
    return false;
}

/* Whether in the graph as given a QuantizeLinear makes these codes and nothing but DequantizeLinear reads them. */
static bool is_between_pairs(const struct qd_graph *given, int codes)
{
    bool is_made = false;
    for (size_t i = 0; i < given->node_count; i++) {
        const struct qd_node *node = &given->nodes[i];
        if (reads(node, codes) && !qd_node_is(node, "DequantizeLinear"))
            return false;
        is_made |= qd_node_is(node, "QuantizeLinear") && qd_node_output(node, 0) == codes;
    }
    for (size_t i = 0; i < given->output_count; i++)
        if (given->outputs[i] == codes)
            return false;
    return is_made;
}

/* Whether codes are uint8, or int8 that targets turn into uint8. */
static bool is_unsigned(const struct qd_rewrite *made, int codes)
{
    return type_of(made, codes) != QD_S8 || is_between_pairs(made->graph, codes);
}

/* The Conv whose output is quantized after it was moved about: targets quantize before a Reshape or Transpose. */
static const struct qd_node *before_moves(const struct qd_rewrite *made,
                                          const struct qd_node *quantize)
{
    static const char *const moves[] = {"Reshape", "Transpose"};
    int value = qd_node_input(quantize, 0);
    for (size_t i = 0; i < sizeof moves / sizeof *moves && qd_rewrite_uses(made, value) == 1;) {
        const struct qd_node *move = qd_rewrite_producer(made, value, moves[i]);
        if (move)
            value = qd_node_input(move, 0);
        i = move ? 0 : i + 1;
    }
    return qd_rewrite_uses(made, value) == 1 ? qd_rewrite_producer(made, value, "Conv") : NULL;
}

static bool find_block(struct qd_rewrite *made, const struct qd_node *quantize,
                       const struct qd_fuse_rule *rule, struct block *block)
{
    struct block found = {.quantize = quantize, .conv = before(made, quantize, "Conv")};
    if (!found.conv) {
        found.conv = before_moves(made, quantize);
        found.is_moved = true;
    }
    if (!found.conv)
        return false;
    found.x = operand(made, found.conv, X);
    found.w = operand(made, found.conv, W);
    bool fits = found.x && found.w && is_by_filter(made, found.w) &&
                (!rule->as_unsigned || (is_unsigned(made, qd_node_input(found.x, CODES)) &&
                                        is_unsigned(made, qd_node_output(quantize, 0)))) &&
                qd_rewrite_single(made, qd_node_input(quantize, SCALE)) && find_bias(made, &found);
    *block = found;
    return fits;
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
    inputs[ZERO_POINT] = zero_point(made, dequantize, type_of(made, codes));
}

/* Makes a node another operator's, with the attributes of a third. */
static void become(struct qd_rewrite *made, struct qd_node *node, const struct qd_node *from,
                   const char *op_type, int *inputs, size_t count)
{
    node->op_type = op_type;
    node->op = qd_op_find(node->domain, op_type);
    node->attrs = from->attrs;
    node->attr_count = from->attr_count;
    node->input_count = count;
    node->inputs = inputs;
    made->inputs[node - made->nodes] = inputs;
}

/* Makes the quantization the whole convolution; where its numbers are moved first, the Conv, and it changes nothing. */
static void fuse(struct qd_rewrite *made, const struct block *block,
                 const struct qd_fuse_rule *rule)
{
    int *inputs = qd_arena_array(made->arena, QBIAS + 1, sizeof *inputs);
    struct qd_node *node = &made->nodes[block->quantize - made->nodes];
    if (!inputs)
        return;
    put(made, block->x, inputs + QX);
    put(made, block->w, inputs + QW);
    inputs[QY_SCALE] = qd_node_input(node, SCALE);
    inputs[QY_ZERO_POINT] = zero_point(made, node, QD_U8);
    inputs[QBIAS] = block->bias;
    for (int i = QX; i < QBIAS; i++)
        if (inputs[i] == QD_NO_VALUE)
            return;
    if (block->is_moved) {
        become(made, node, node, "Identity", made->inputs[node - made->nodes], 1);
        node = &made->nodes[block->conv - made->nodes];
    }
    become(made, node, block->conv, "QLinearConv", inputs,
           block->bias == QD_NO_VALUE ? QBIAS : QBIAS + 1);
    node->name = rule->mark;
}

enum qd_status qd_fuse_convolutions(const struct qd_graph *graph, const struct qd_fuse_rule *rule,
                                    struct qd_arena *arena, const struct qd_graph **rewritten,
                                    struct qd_error *error)
{
    struct qd_rewrite made;
    struct block block;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        if (qd_node_is(&made.nodes[i], "QuantizeLinear") &&
            find_block(&made, &made.nodes[i], rule, &block))
            fuse(&made, &block, rule);
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

/* --- Products of matrices ------------------------------------------------------------------------ */

/* Where QLinearMatMul, QGemm and MatMulIntegerToFloat want what. */
enum { MY_SCALE = 6, MY_ZERO_POINT, MATMUL_INPUTS };
enum { GC = 6, GY_SCALE, GY_ZERO_POINT, GEMM_INPUTS };
enum {
    TO_FLOAT_A,
    TO_FLOAT_B,
    TO_FLOAT_A_SCALE,
    TO_FLOAT_B_SCALE,
    TO_FLOAT_A_ZERO,
    TO_FLOAT_B_ZERO,
    TO_FLOAT_INPUTS
};

static bool find_product(struct qd_rewrite *made, const struct qd_node *product,
                         const struct qd_fuse_rule *rule, struct block *block)
{
    struct block found = {
        .conv = product, .x = operand(made, product, X), .w = operand(made, product, W)};
    bool fits = found.x && found.w &&
                (!rule->as_unsigned || is_unsigned(made, qd_node_input(found.x, CODES))) &&
                find_bias(made, &found);
    *block = found;
    return fits;
}

/* Makes `node`, the product or the quantization after it, another operator with both operands' codes. */
static void become_product(struct qd_rewrite *made, const struct block *block, struct qd_node *node,
                           const char *op_type, const int *operands, size_t count,
                           const struct qd_fuse_rule *rule)
{
    bool is_vendor = strcmp(op_type, "QLinearMatMul") != 0;
    int *inputs = qd_arena_copy(made->arena, operands, count * sizeof *inputs);
    if (!inputs)
        return;
    if (is_vendor) {
        node->domain = "com.microsoft";
        node->opset = 1;
    }
    become(made, node, block->conv, op_type, inputs, count);
    node->name = rule->mark;
}

/* [x, scale, zero point, w, scale, zero point]; false if one of them is not there. */
static bool put_both(struct qd_rewrite *made, const struct block *block, int *inputs)
{
    put(made, block->x, inputs + QX);
    put(made, block->w, inputs + QW);
    for (int i = QX; i <= QW_ZERO_POINT; i++)
        if (inputs[i] == QD_NO_VALUE)
            return false;
    return true;
}

/* A product whose output is quantized. */
static void fuse_quantized(struct qd_rewrite *made, struct qd_node *node,
                           const struct qd_fuse_rule *rule)
{
    const struct qd_node *matmul = before(made, node, "MatMul"), *gemm = before(made, node, "Gemm");
    struct block block;
    int in[GEMM_INPUTS];
    if ((!matmul && !gemm) || !find_product(made, matmul ? matmul : gemm, rule, &block) ||
        !put_both(made, &block, in))
        return;
    int scale = qd_node_input(node, SCALE), zero = zero_point(made, node, QD_U8);
    if (matmul) {
        in[MY_SCALE] = scale;
        in[MY_ZERO_POINT] = zero;
        become_product(made, &block, node, "QLinearMatMul", in, MATMUL_INPUTS, rule);
    } else {
        in[GC] = block.bias;
        in[GY_SCALE] = scale;
        in[GY_ZERO_POINT] = zero;
        become_product(made, &block, node, "QGemm", in, GEMM_INPUTS, rule);
    }
}

/* One whose output stays as it is. */
static void fuse_real(struct qd_rewrite *made, struct qd_node *node,
                      const struct qd_fuse_rule *rule)
{
    struct block block;
    int in[GEMM_INPUTS];
    if (!find_product(made, node, rule, &block) || !put_both(made, &block, in))
        return;
    const struct qd_node product = *node;
    block.conv = &product;
    if (qd_node_is(node, "Gemm")) {
        in[GC] = block.bias;
        become_product(made, &block, node, "QGemm", in, block.bias == QD_NO_VALUE ? GC : GC + 1,
                       rule);
    } else {
        const int to_float[TO_FLOAT_INPUTS] = {
            [TO_FLOAT_A] = in[QX],
            [TO_FLOAT_B] = in[QW],
            [TO_FLOAT_A_SCALE] = in[QX_SCALE],
            [TO_FLOAT_B_SCALE] = in[QW_SCALE],
            [TO_FLOAT_A_ZERO] = in[QX_ZERO_POINT],
            [TO_FLOAT_B_ZERO] = in[QW_ZERO_POINT],
        };
        become_product(made, &block, node, "MatMulIntegerToFloat", to_float, TO_FLOAT_INPUTS, rule);
    }
}

enum qd_status qd_fuse_products(const struct qd_graph *graph, const struct qd_fuse_rule *rule,
                                struct qd_arena *arena, const struct qd_graph **rewritten,
                                struct qd_error *error)
{
    struct qd_rewrite made;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        if (qd_node_is(&made.nodes[i], "QuantizeLinear"))
            fuse_quantized(&made, &made.nodes[i], rule);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        if (qd_node_is(&made.nodes[i], "MatMul") || qd_node_is(&made.nodes[i], "Gemm"))
            fuse_real(&made, &made.nodes[i], rule);
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

/* --- Evaluation ---------------------------------------------------------------------------------- */

enum qd_status qd_evaluate_fused(const struct qd_override *self, struct qd_evaluation *evaluation,
                                 const char *mark, const struct qd_semantics *changed,
                                 const struct qd_node *node, const struct qd_value *const *in,
                                 struct qd_value *out)
{
    struct qd_value settled[QD_MAX_OPERANDS];
    const struct qd_value *operands[QD_MAX_OPERANDS] = {NULL};
    if (!qd_is_marked(node, mark))
        return qd_evaluate_marked(self, evaluation, mark, changed, node, in, out);
    for (size_t i = 0; i < node->input_count; i++) {
        if (in[i])
            settled[i] = qd_value_of_tensor(&in[i]->want);
        operands[i] = in[i] ? &settled[i] : NULL;
    }
    return qd_evaluate_marked(self, evaluation, mark, changed, node, operands, out);
}

/* --- Additions, products, slopes ---------------------------------------------------------------------------------- */

enum { A, B, SUM = 6, SUM_ZERO_POINT, SUM_INPUTS };

static void fuse_pair(struct qd_rewrite *made, struct qd_node *node, const struct qd_node *from,
                      const char *op_type)
{
    const struct qd_node *a = operand(made, from, A), *b = operand(made, from, B);
    int *inputs = qd_arena_array(made->arena, SUM_INPUTS, sizeof *inputs);
    if (!inputs || !a || !b)
        return;
    put(made, a, inputs);
    put(made, b, inputs + 3);
    inputs[SUM] = qd_node_input(node, SCALE);
    inputs[SUM_ZERO_POINT] = zero_point(made, node, QD_U8);
    for (int i = 0; i < SUM_INPUTS; i++)
        if (inputs[i] == QD_NO_VALUE)
            return;
    node->domain = "com.microsoft";
    node->opset = 1;
    become(made, node, from, op_type, inputs, SUM_INPUTS);
}

static void fuse_addition(struct qd_rewrite *made, struct qd_node *node, const struct qd_node *add)
{
    fuse_pair(made, node, add, "QLinearAdd");
}

typedef void fuse_operator(struct qd_rewrite *made, struct qd_node *quantize,
                           const struct qd_node *before);

/* Fuses each QuantizeLinear after such an operator with it. */
static enum qd_status fuse_each(const struct qd_graph *graph, const char *op_type,
                                fuse_operator *fuse_with, struct qd_arena *arena,
                                const struct qd_graph **rewritten, struct qd_error *error)
{
    struct qd_rewrite made;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        struct qd_node *node = &made.nodes[i];
        const struct qd_node *found =
            qd_node_is(node, "QuantizeLinear") ? before(&made, node, op_type) : NULL;
        if (found)
            fuse_with(&made, node, found);
    }
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

enum qd_status qd_fuse_additions(const struct qd_override *self, const struct qd_graph *graph,
                                 struct qd_arena *arena, const struct qd_graph **rewritten,
                                 struct qd_error *error)
{
    (void)self;
    return fuse_each(graph, "Add", fuse_addition, arena, rewritten, error);
}

static void fuse_product(struct qd_rewrite *made, struct qd_node *node, const struct qd_node *mul)
{
    fuse_pair(made, node, mul, "QLinearMul");
}

enum { LY_SCALE = 3, LY_ZERO_POINT, SLOPE_INPUTS };

static void fuse_slope(struct qd_rewrite *made, struct qd_node *node, const struct qd_node *leaky)
{
    const struct qd_node *x = operand(made, leaky, X);
    int *inputs = qd_arena_array(made->arena, SLOPE_INPUTS, sizeof *inputs);
    if (!inputs || !x)
        return;
    put(made, x, inputs);
    inputs[LY_SCALE] = qd_node_input(node, SCALE);
    inputs[LY_ZERO_POINT] = zero_point(made, node, QD_U8);
    if (inputs[ZERO_POINT] == QD_NO_VALUE || inputs[LY_ZERO_POINT] == QD_NO_VALUE)
        return;
    node->domain = "com.microsoft";
    node->opset = 1;
    become(made, node, leaky, "QLinearLeakyRelu", inputs, SLOPE_INPUTS);
}

enum qd_status qd_fuse_elementwise(const struct qd_override *self, const struct qd_graph *graph,
                                   struct qd_arena *arena, const struct qd_graph **rewritten,
                                   struct qd_error *error)
{
    static const struct {
        const char *op_type;
        fuse_operator *fuse_with;
    } blocks[] = {{"Add", fuse_addition}, {"Mul", fuse_product}, {"LeakyRelu", fuse_slope}};
    enum qd_status status = QD_OK;
    (void)self;
    for (size_t i = 0; status == QD_OK && i < sizeof blocks / sizeof *blocks; i++) {
        status = fuse_each(graph, blocks[i].op_type, blocks[i].fuse_with, arena, rewritten, error);
        graph = *rewritten;
    }
    return status;
}

/* --- Softmax ------------------------------------------------------------------------------------- */

enum { PY_SCALE = 3, PY_ZERO_POINT, SOFTMAX_INPUTS };

/* The attributes of a QLinearSoftmax that does what a Softmax does; NULL without memory. */
static const struct qd_attr *softmax_attributes(struct qd_rewrite *made,
                                                const struct qd_node *softmax)
{
    struct qd_attr *attrs = qd_arena_array(made->arena, 2, sizeof *attrs);
    int64_t axis = softmax->opset < 13 ? 1 : -1;
    if (!attrs || qd_node_int(softmax, "axis", axis, &axis, made->error) != QD_OK)
        return NULL;
    attrs[0] = (struct qd_attr){.name = "axis", .kind = QD_ATTR_INT, .i = axis};
    attrs[1] = (struct qd_attr){.name = "opset", .kind = QD_ATTR_INT, .i = softmax->opset};
    return attrs;
}

static void fuse_normalized(struct qd_rewrite *made, struct qd_node *node,
                            const struct qd_node *softmax)
{
    const struct qd_node *x = operand(made, softmax, X);
    const struct qd_attr *attrs = softmax_attributes(made, softmax);
    int *inputs = qd_arena_array(made->arena, SOFTMAX_INPUTS, sizeof *inputs);
    enum qd_dtype type = type_of(made, qd_node_output(node, 0));
    enum qd_dtype of_x = type_of(made, x ? qd_node_input(x, CODES) : QD_NO_VALUE);
    if (!inputs || !attrs || !x || (type != QD_U8 && type != QD_S8) ||
        (of_x != type && of_x != QD_DTYPE_NONE)) /* of what an operator computes nobody says it */
        return;
    put(made, x, inputs);
    inputs[PY_SCALE] = qd_node_input(node, SCALE);
    inputs[PY_ZERO_POINT] = zero_point(made, node, QD_U8);
    for (int i = 0; i < SOFTMAX_INPUTS; i++)
        if ((inputs[i] == QD_NO_VALUE && i != ZERO_POINT) ||
            (i > 0 && !qd_rewrite_single(made, inputs[i])))
            return;
    struct qd_node from = {.attrs = attrs, .attr_count = 2};
    node->domain = "com.microsoft";
    node->opset = 1;
    become(made, node, &from, "QLinearSoftmax", inputs, SOFTMAX_INPUTS);
}

enum qd_status qd_fuse_softmax(const struct qd_override *self, const struct qd_graph *graph,
                               struct qd_arena *arena, const struct qd_graph **rewritten,
                               struct qd_error *error)
{
    (void)self;
    return fuse_each(graph, "Softmax", fuse_normalized, arena, rewritten, error);
}
