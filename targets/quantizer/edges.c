/* SPDX-License-Identifier: Apache-2.0 */
/* Reads where an answer quantizes which tensor of the float model, and how. */
#include "quantizer/edges.h"

#include <stdio.h>
#include <string.h>

#include "qdiff/evaluate.h"

enum { MOST_ROUNDS = 16, MOST_STEPS = 8 };

/* A produced model beside the float model it was made of. */
struct pair {
    const struct qd_graph *graph, *made;
    struct qd_arena *arena;
    int *origin;   /* for each value of `made`: the float tensor it stands for, or QD_NO_VALUE */
    int *match;    /* for each node of `made`: the float node, or −1 */
    int *producer; /* for each value of `made`: the node that computes it, or −1 */
    bool changed;
    size_t capacity;
    struct qd_quant_edges *edges;
    enum qd_status status;
};

double qd_quant_scale(const struct qd_quant_edge *edge, int64_t c)
{
    return edge->scales[edge->count == 1 ? 0 : c];
}

int64_t qd_quant_zero(const struct qd_quant_edge *edge, int64_t c)
{
    return edge->zero_points[edge->count == 1 ? 0 : c];
}

int64_t qd_quant_channel(const struct qd_quant_edge *edge, const struct qd_tensor *shape, int64_t i)
{
    int64_t inner = 1;
    for (unsigned d = (unsigned)edge->axis + 1; d < shape->rank; d++)
        inner *= shape->dims[d];
    return edge->count == 1 ? 0 : i / inner % shape->dims[edge->axis];
}

bool qd_quant_same(const struct qd_quant_edge *a, const struct qd_quant_edge *b)
{
    if (a->type != b->type || a->count != b->count || a->dynamic || b->dynamic)
        return false;
    for (size_t c = 0; c < a->count; c++)
        if (a->scales[c] != b->scales[c] || a->zero_points[c] != b->zero_points[c])
            return false;
    return a->count == 1 || a->axis == b->axis;
}

static bool is(const struct qd_node *node, const char *op_type)
{
    return strcmp(node->op_type, op_type) == 0;
}

static bool is_cast_of_codes(const struct qd_node *node)
{
    return is(node, "QuantizeLinear") || is(node, "DequantizeLinear") ||
           is(node, "DynamicQuantizeLinear");
}

/* --- Which float tensor a value stands for ------------------------------------------------------- */

static void learn(struct pair *p, int value, int origin)
{
    if (value == QD_NO_VALUE || origin == QD_NO_VALUE || p->origin[value] != QD_NO_VALUE)
        return;
    p->origin[value] = origin;
    p->changed = true;
}

static void learn_names(struct pair *p)
{
    for (size_t v = 0; v < p->made->value_count; v++)
        for (size_t t = 0; t < p->graph->value_count; t++)
            if (strcmp(p->made->values[v].name, p->graph->values[t].name) == 0)
                learn(p, (int)v, (int)t);
}

static bool same_operator(const struct qd_node *made, const struct qd_node *node)
{
    const char *op = made->op_type, *want = node->op_type;
    size_t length = strlen(want);
    if (strcmp(op, want) == 0)
        return true;
    if (strncmp(op, "QLinear", 7) == 0 && strcmp(op + 7, want) == 0)
        return true;
    if (op[0] == 'Q' && strcmp(op + 1, want) == 0)
        return true;
    if (strcmp(op, "MatMulInteger") == 0 && strcmp(want, "Gemm") == 0)
        return true;
    return strncmp(op, want, length) == 0 && strcmp(op + length, "Integer") == 0;
}

/* The value that a float one is computed from in steps which dynamic quantization puts after an integer product. */
static int behind_product(const struct pair *p, int value)
{
    for (int step = 0; step < MOST_STEPS && p->origin[value] == QD_NO_VALUE; step++) {
        int next = QD_NO_VALUE;
        for (size_t n = 0; n < p->made->node_count && next == QD_NO_VALUE; n++) {
            const struct qd_node *node = &p->made->nodes[n];
            if (!is(node, "Cast") && !is(node, "Mul") && !is(node, "Add"))
                continue;
            for (size_t k = 0; k < node->input_count; k++)
                next = node->inputs[k] == value ? node->outputs[0] : next;
        }
        if (next == QD_NO_VALUE)
            break;
        value = next;
    }
    return value;
}

/* The float node that a node of the produced model stands for; an activation after it may have become part of the
 * output's range. */
static int find_match(const struct pair *p, const struct qd_node *made)
{
    int value = made->outputs[0];
    if (value != QD_NO_VALUE && strstr(made->op_type, "Integer"))
        value = behind_product(p, value);
    if (value == QD_NO_VALUE || p->origin[value] == QD_NO_VALUE)
        return -1;
    int tensor = p->origin[value];
    for (int step = 0; step < MOST_STEPS; step++) {
        int n = qd_graph_producer(p->graph, tensor);
        if (n < 0 || same_operator(made, &p->graph->nodes[n]))
            return n;
        const struct qd_node *node = &p->graph->nodes[n];
        if ((!is(node, "Relu") && !is(node, "Clip")) || node->inputs[0] == QD_NO_VALUE)
            return -1;
        tensor = node->inputs[0];
    }
    return -1;
}

/* Which input of the float node the data operand `input` of a quantized operator is. */
static size_t float_input(const struct qd_node *made, size_t input)
{
    size_t count = 0;
    for (size_t k = 0; k < input; k++)
        count += !qd_op_is_parameter(made->op, k);
    return count;
}

static void learn_operands(struct pair *p, size_t n)
{
    const struct qd_node *made = &p->made->nodes[n];
    if (p->match[n] < 0)
        p->match[n] = find_match(p, made);
    if (p->match[n] < 0)
        return;
    const struct qd_node *node = &p->graph->nodes[p->match[n]];
    for (size_t k = 0; k < made->input_count; k++)
        if (!qd_op_is_parameter(made->op, k) && float_input(made, k) < node->input_count)
            learn(p, made->inputs[k], node->inputs[float_input(made, k)]);
}

/* What a conversion to a later opset puts around an operator moves the same numbers; the float model has
 * no such node. */
static void learn_moved(struct pair *p, const struct qd_node *made)
{
    if ((!is(made, "Flatten") && !is(made, "Reshape")) || made->input_count == 0 ||
        made->output_count == 0)
        return;
    int from = made->inputs[0], to = made->outputs[0];
    if (from == QD_NO_VALUE || to == QD_NO_VALUE)
        return;
    learn(p, from, p->origin[to]);
    learn(p, to, p->origin[from]);
}

/* moved: the nodes that stand for none of the float model's, too. */
static void learn_rounds(struct pair *p, bool moved)
{
    p->changed = true;
    for (int round = 0; round < MOST_ROUNDS && p->changed; round++) {
        p->changed = false;
        for (size_t n = 0; n < p->made->node_count; n++) {
            const struct qd_node *node = &p->made->nodes[n];
            if (is_cast_of_codes(node) && node->inputs[0] != QD_NO_VALUE)
                learn(p, node->outputs[0], p->origin[node->inputs[0]]);
        }
        for (size_t n = p->made->node_count; n-- > 0;) {
            const struct qd_node *node = &p->made->nodes[n];
            if (is_cast_of_codes(node) && node->outputs[0] != QD_NO_VALUE)
                learn(p, node->inputs[0], p->origin[node->outputs[0]]);
            else if (!is_cast_of_codes(node))
                learn_operands(p, n);
            if (moved && p->match[n] < 0)
                learn_moved(p, node);
        }
    }
}

static void learn_all(struct pair *p)
{
    learn_names(p);
    learn_rounds(p, false);
    learn_rounds(p, true);
}

/* --- Edges --------------------------------------------------------------------------------------- */

static const struct qd_tensor *constant(const struct pair *p, const struct qd_node *node,
                                        size_t input)
{
    return input < node->input_count && node->inputs[input] != QD_NO_VALUE
               ? p->made->values[node->inputs[input]].initializer
               : NULL;
}

static void set_blind(struct pair *p, const struct qd_node *node, const char *why)
{
    if (!p->edges->blind)
        p->edges->blind = qd_arena_printf(p->arena, "%s '%s': %s", node->op_type, node->name, why);
}

static struct qd_quant_edge *add(struct pair *p, struct qd_quant_edge edge)
{
    if (p->edges->count == p->capacity) {
        size_t capacity = p->capacity * 2 + 16;
        struct qd_quant_edge *items = qd_arena_array(p->arena, capacity, sizeof *items);
        if (!items) {
            p->status = QD_NO_MEMORY;
            return NULL;
        }
        if (p->edges->count)
            memcpy(items, p->edges->items, p->edges->count * sizeof *items);
        p->edges->items = items;
        p->capacity = capacity;
    }
    p->edges->items[p->edges->count] = edge;
    return &p->edges->items[p->edges->count++];
}

/* Scales and zero points as numbers. False when they are no constants of one length that suits codes of the type. */
static bool read_parameters(struct pair *p, const struct qd_tensor *scale,
                            const struct qd_tensor *zero, struct qd_quant_edge *edge)
{
    if (!scale || scale->count < 1 || !qd_dtype_is_float(scale->dtype) || scale->rank > 1 ||
        (zero && zero->count != scale->count && zero->count != 1) ||
        !qd_dtype_is_integer(edge->type))
        return false;
    double *scales = qd_arena_array(p->arena, (size_t)scale->count, sizeof *scales);
    int64_t *zeros = qd_arena_array(p->arena, (size_t)scale->count, sizeof *zeros);
    if (!scales || !zeros) {
        p->status = QD_NO_MEMORY;
        return false;
    }
    for (int64_t i = 0; i < scale->count; i++) {
        scales[i] = qd_tensor_value(scale, i);
        zeros[i] = zero ? qd_tensor_get(zero, zero->count == 1 ? 0 : i) : 0;
    }
    edge->scales = scales;
    edge->zero_points = zeros;
    edge->scale_type = scale->dtype;
    edge->count = (size_t)scale->count;
    edge->qmin = qd_dtype_info(edge->type)->min;
    edge->qmax = qd_dtype_info(edge->type)->max;
    return true;
}

static int64_t axis_of(const struct qd_node *node, int64_t otherwise)
{
    const struct qd_attr *axis = qd_node_attr(node, "axis");
    return axis && axis->kind == QD_ATTR_INT ? axis->i : otherwise;
}

/* The axis counted from the front, as far as the tensor's rank is known. */
static bool settle_axis(const struct pair *p, int64_t axis, struct qd_quant_edge *edge)
{
    const struct qd_tensor *shape = p->graph->values[edge->tensor].initializer;
    edge->axis = axis;
    if (edge->count == 1)
        edge->axis = 0;
    else if (!shape)
        return axis >= 0;
    else {
        edge->axis = axis < 0 ? axis + shape->rank : axis;
        return edge->axis >= 0 && edge->axis < shape->rank &&
               shape->dims[edge->axis] == (int64_t)edge->count &&
               (!edge->codes || qd_tensor_same_shape(edge->codes, shape));
    }
    return !edge->codes || !shape || qd_tensor_same_shape(edge->codes, shape);
}

/* What a Quantize- or DequantizeLinear says, without place. */
static bool read_cast(struct pair *p, const struct qd_node *node, const struct qd_tensor *codes,
                      struct qd_quant_edge *edge)
{
    const struct qd_tensor *zero = constant(p, node, 2), *scale = constant(p, node, 1);
    *edge = (struct qd_quant_edge){.codes = codes,
                                   .type = zero    ? zero->dtype
                                           : codes ? codes->dtype
                                                   : QD_U8};
    return read_parameters(p, scale, zero, edge);
}

static void compare_casts(struct pair *p, const struct qd_node *quantize,
                          const struct qd_node *dequantize, const struct qd_quant_edge *edge)
{
    struct qd_quant_edge other;
    if (!read_cast(p, quantize, NULL, &other) || p->edges->disagreement)
        return;
    other.axis = axis_of(quantize, 1);
    struct qd_quant_edge mine = *edge;
    mine.axis = axis_of(dequantize, 1);
    if (!qd_quant_same(&other, &mine))
        p->edges->disagreement =
            qd_arena_printf(p->arena, "QuantizeLinear '%s' and DequantizeLinear '%s' differ",
                            quantize->name, dequantize->name);
}

/* The edge, or the chain of edges, through which a consumer reads `value`. */
static void add_float_operand(struct pair *p, int value, int tensor, int node, uint32_t input,
                              int depth)
{
    int at = p->producer[value];
    if (at < 0 || !is(&p->made->nodes[at], "DequantizeLinear") || depth > MOST_STEPS)
        return;
    const struct qd_node *dequantize = &p->made->nodes[at];
    int source = dequantize->inputs[0], quantized = p->producer[source];
    struct qd_quant_edge edge;
    bool readable = read_cast(p, dequantize, p->made->values[source].initializer, &edge);
    edge.tensor = tensor;
    edge.node = node;
    edge.input = input;
    if (!readable || !settle_axis(p, axis_of(dequantize, 1), &edge)) {
        set_blind(p, dequantize, "its parameters do not suit the float tensor");
        return;
    }
    if (quantized >= 0 && is(&p->made->nodes[quantized], "QuantizeLinear")) {
        compare_casts(p, &p->made->nodes[quantized], dequantize, &edge);
        add_float_operand(p, p->made->nodes[quantized].inputs[0], tensor, node, input, depth + 1);
    }
    add(p, edge);
}

/* Operand `input` of an operator on codes, whose scale and zero point follow
 * it; `scale` is the input that holds the scale. */
static void add_code_operand(struct pair *p, const struct qd_node *made, size_t scale, int value,
                             struct qd_quant_edge edge)
{
    const struct qd_tensor *zero = constant(p, made, scale + 1);
    const struct qd_tensor *codes =
        value != QD_NO_VALUE ? p->made->values[value].initializer : NULL;
    edge.codes = codes;
    edge.type = zero ? zero->dtype : codes ? codes->dtype : QD_U8;
    int64_t axis = edge.input == 1 && strstr(made->op_type, "MatMul") ? -1 : 0;
    if (is(made, "QGemm")) {
        const struct qd_attr *transposed = qd_node_attr(made, "transB");
        axis = transposed && transposed->i ? 0 : 1;
    }
    if (!read_parameters(p, constant(p, made, scale), zero, &edge) || !settle_axis(p, axis, &edge))
        set_blind(p, made, "its parameters do not suit the float tensor");
    else
        add(p, edge);
}

/* A bias on codes: its scale is not stored anywhere. */
static void add_bias(struct pair *p, const struct qd_node *made, size_t k,
                     struct qd_quant_edge edge)
{
    const struct qd_tensor *codes = constant(p, made, k);
    const struct qd_tensor *shape = p->graph->values[edge.tensor].initializer;
    edge.codes = codes;
    edge.type = QD_S32;
    edge.qmin = INT32_MIN;
    edge.qmax = INT32_MAX;
    edge.implied = true;
    if (!codes || codes->dtype != QD_S32 || !shape || shape->count != codes->count)
        set_blind(p, made, "its bias is not as in the float model");
    else
        add(p, edge);
}

static void add_quantized_node(struct pair *p, size_t n)
{
    const struct qd_node *made = &p->made->nodes[n];
    const struct qd_node *node = &p->graph->nodes[p->match[n]];
    for (size_t k = 0; k < made->input_count; k++) {
        size_t input = float_input(made, k);
        if (qd_op_is_parameter(made->op, k) || made->inputs[k] == QD_NO_VALUE ||
            input >= node->input_count)
            continue;
        struct qd_quant_edge edge = {
            .tensor = node->inputs[input], .node = p->match[n], .input = (uint32_t)input};
        if (qd_op_role(made->op, k) == QD_ROLE_BIAS)
            add_bias(p, made, k, edge);
        else if (qd_op_role(made->op, k + 1) == QD_ROLE_SCALE)
            add_code_operand(p, made, k + 1, made->inputs[k], edge);
    }
    /* The output's parameters are the first that follow no data operand. */
    for (size_t k = 0; k < made->input_count; k++)
        if (qd_op_role(made->op, k) == QD_ROLE_SCALE &&
            (k == 0 || qd_op_is_parameter(made->op, k - 1) ||
             qd_op_role(made->op, k - 1) == QD_ROLE_BIAS)) {
            struct qd_quant_edge edge = {.tensor = p->origin[made->outputs[0]],
                                         .node = QD_AT_PRODUCER};
            if (edge.tensor != QD_NO_VALUE)
                add_code_operand(p, made, k, QD_NO_VALUE, edge);
        }
}

/* --- Dynamic activations ------------------------------------------------------------------------- */

/* The constant that the scale of a dynamic activation is multiplied with: the weights' scale. */
static const struct qd_tensor *dynamic_weight_scale(const struct pair *p, int activation_scale,
                                                    int product)
{
    for (size_t n = 0; n < p->made->node_count; n++) {
        const struct qd_node *mul = &p->made->nodes[n];
        if (!is(mul, "Mul") || mul->input_count != 2)
            continue;
        int other = mul->inputs[0] == activation_scale   ? mul->inputs[1]
                    : mul->inputs[1] == activation_scale ? mul->inputs[0]
                                                         : QD_NO_VALUE;
        if (other == QD_NO_VALUE || !p->made->values[other].initializer)
            continue;
        for (size_t m = 0; m < p->made->node_count; m++) {
            const struct qd_node *last = &p->made->nodes[m];
            if (!is(last, "Mul") || last->input_count != 2)
                continue;
            for (int side = 0; side < 2; side++) {
                int cast = p->producer[last->inputs[!side]];
                if (last->inputs[side] == mul->outputs[0] && cast >= 0 &&
                    is(&p->made->nodes[cast], "Cast") && p->made->nodes[cast].inputs[0] == product)
                    return p->made->values[other].initializer;
            }
        }
    }
    return NULL;
}

static void add_integer_product(struct pair *p, size_t n)
{
    const struct qd_node *made = &p->made->nodes[n];
    const struct qd_node *node = &p->graph->nodes[p->match[n]];
    int at = made->inputs[0] != QD_NO_VALUE ? p->producer[made->inputs[0]] : -1;
    if (at < 0 || !is(&p->made->nodes[at], "DynamicQuantizeLinear")) {
        set_blind(p, made, "its activation is not quantized dynamically");
        return;
    }
    struct qd_quant_edge activation = {
        .tensor = node->inputs[0], .node = p->match[n], .type = QD_U8, .dynamic = true};
    struct qd_quant_edge weight = {
        .tensor = node->inputs[1], .node = p->match[n], .input = 1, .codes = constant(p, made, 1)};
    const struct qd_attr *transposed = qd_node_attr(node, "transB");
    const struct qd_tensor *scale =
        dynamic_weight_scale(p, p->made->nodes[at].outputs[1], made->outputs[0]);
    weight.type = weight.codes ? weight.codes->dtype : QD_DTYPE_NONE;
    add(p, activation);
    if ((transposed && transposed->i) || !weight.codes || !scale ||
        !read_parameters(p, scale, constant(p, made, 3), &weight) ||
        !settle_axis(p, is(made, "ConvInteger") ? 0 : -1, &weight))
        set_blind(p, made, "its weights are not as in the float model");
    else
        add(p, weight);
}

/* --- All ----------------------------------------------------------------------------------------- */

static void add_node(struct pair *p, size_t n)
{
    const struct qd_node *made = &p->made->nodes[n];
    if (is_cast_of_codes(made) || p->match[n] < 0)
        return;
    const struct qd_node *node = &p->graph->nodes[p->match[n]];
    if (strstr(made->op_type, "Integer")) {
        add_integer_product(p, n);
        return;
    }
    if (strcmp(made->op_type, node->op_type) != 0) {
        add_quantized_node(p, n);
        return;
    }
    for (size_t k = 0; k < made->input_count && k < node->input_count; k++)
        if (made->inputs[k] != QD_NO_VALUE && node->inputs[k] != QD_NO_VALUE)
            add_float_operand(p, made->inputs[k], node->inputs[k], p->match[n], (uint32_t)k, 0);
}

static void find_producers(struct pair *p)
{
    for (size_t v = 0; v < p->made->value_count; v++) {
        p->origin[v] = QD_NO_VALUE;
        p->producer[v] = -1;
    }
    for (size_t n = 0; n < p->made->node_count; n++) {
        p->match[n] = -1;
        for (size_t k = 0; k < p->made->nodes[n].output_count; k++)
            if (p->made->nodes[n].outputs[k] != QD_NO_VALUE)
                p->producer[p->made->nodes[n].outputs[k]] = (int)n;
    }
}

enum qd_status qd_quant_edges_of_model(const struct qd_graph *graph, const struct qd_graph *made,
                                       struct qd_arena *arena, struct qd_quant_edges *edges,
                                       struct qd_error *error)
{
    struct qd_quant_edges found = {0};
    struct pair p = {.graph = graph, .made = made, .arena = arena, .edges = &found};
    p.origin = qd_arena_array(arena, made->value_count, sizeof *p.origin);
    p.producer = qd_arena_array(arena, made->value_count, sizeof *p.producer);
    p.match = qd_arena_array(arena, made->node_count, sizeof *p.match);
    if (!p.origin || !p.producer || !p.match)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the edges of an answer");
    find_producers(&p);
    learn_all(&p);
    for (size_t n = 0; n < made->node_count; n++)
        add_node(&p, n);
    for (size_t k = 0; k < made->output_count && k < graph->output_count; k++)
        add_float_operand(&p, made->outputs[k], graph->outputs[k], QD_AT_OUTPUT, (uint32_t)k, 0);
    if (p.status != QD_OK)
        return qd_fail(error, p.status, "no memory for the edges of an answer");
    *edges = found;
    return QD_OK;
}

/* --- Answers that are edges ---------------------------------------------------------------------- */

static int find_value(const struct qd_graph *graph, const char *name)
{
    for (size_t v = 0; v < graph->value_count; v++)
        if (strcmp(graph->values[v].name, name) == 0)
            return (int)v;
    return QD_NO_VALUE;
}

static int find_node(const struct qd_graph *graph, const char *name)
{
    for (size_t n = 0; n < graph->node_count; n++)
        if (strcmp(graph->nodes[n].name, name) == 0)
            return (int)n;
    return QD_NO_VALUE;
}

static bool take_edge(struct pair *p, const struct qd_quantizer_edge *edge)
{
    struct qd_quant_edge mine = {.tensor = find_value(p->graph, edge->tensor),
                                 .node = edge->consumer[0] ? find_node(p->graph, edge->consumer)
                                                           : QD_AT_PRODUCER,
                                 .input = edge->input,
                                 .type = qd_dtype_of_onnx(edge->data_type),
                                 .qmin = edge->quant_min,
                                 .qmax = edge->quant_max,
                                 .count = edge->count,
                                 .zero_points = edge->zero_points,
                                 .scale_type = QD_F32,
                                 .group = edge->group};
    if (mine.tensor == QD_NO_VALUE || (edge->consumer[0] && mine.node == QD_NO_VALUE))
        return false;
    if (edge->data_type == 0)
        return true;
    double *scales = qd_arena_array(p->arena, edge->count, sizeof *scales);
    if (!scales) {
        p->status = QD_NO_MEMORY;
        return false;
    }
    for (size_t c = 0; c < edge->count; c++)
        scales[c] = (double)edge->scales[c];
    mine.scales = scales;
    if (!qd_dtype_is_integer(mine.type) || edge->count == 0 || !settle_axis(p, edge->axis, &mine))
        return false;
    add(p, mine);
    return true;
}

enum qd_status qd_quant_edges_of_answer(const struct qd_graph *graph,
                                        const struct qd_quantizer_answer *answer,
                                        struct qd_arena *arena, struct qd_quant_edges *edges,
                                        struct qd_error *error)
{
    struct qd_quant_edges found = {0};
    struct pair p = {.graph = graph, .arena = arena, .edges = &found};
    for (size_t i = 0; i < answer->edge_count && p.status == QD_OK; i++) {
        const struct qd_quantizer_edge *edge = &answer->edges[i];
        if (!take_edge(&p, edge) && !found.blind)
            found.blind =
                qd_arena_printf(arena, "edge %zu, tensor '%s', consumer '%s': not of the model", i,
                                edge->tensor, edge->consumer);
    }
    if (p.status != QD_OK)
        return qd_fail(error, p.status, "no memory for the edges of an answer");
    *edges = found;
    return QD_OK;
}
