/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the interval in which every right quantized form of a float model has to answer. */
#include "quantizer/fidelity.h"

#include <math.h>
#include <string.h>

#include "qdiff/interval.h"
#include "qdiff/override.h"

/* The override that quantizes operands and results of the float model. */
struct quantized_model {
    struct qd_override override;
    const struct qd_graph *graph;
    const struct qd_quant_edges *edges;
};

double qd_half_step(const struct qd_quant_edge *edge)
{
    bool wide = edge->type == QD_U16 || edge->type == QD_S16;
    double slack = wide ? 0x1p-7 : 0x1p-15;
    /* Dividing and multiplying round in the scale's type: two units of its last place at the greatest code. */
    if (edge->scale_type == QD_F16 || edge->scale_type == QD_BF16)
        slack = (double)(edge->qmax - edge->qmin) * (edge->scale_type == QD_F16 ? 0x1p-10 : 0x1p-7);
    return 0.5 + slack;
}

static const struct qd_quant_edge *find_edge(const struct qd_quant_edges *edges, int node,
                                             uint32_t input)
{
    for (size_t i = edges->count; i-- > 0;)
        if (edges->items[i].node == node && edges->items[i].input == input)
            return &edges->items[i];
    return NULL;
}

double qd_bias_scale(const struct qd_quant_edges *edges, int node, int64_t c)
{
    const struct qd_quant_edge *x = find_edge(edges, node, 0), *w = find_edge(edges, node, 1);
    if (!x || !w || x->dynamic || w->dynamic || x->implied || w->implied || x->count != 1 ||
        (w->count != 1 && c >= (int64_t)w->count))
        return (double)NAN;
    return qd_quant_scale(x, 0) * qd_quant_scale(w, c);
}

double qd_bias_factor(const struct qd_graph *graph, int node)
{
    const struct qd_node *gemm = &graph->nodes[node];
    float alpha = 1, beta = 1;
    if (strcmp(gemm->op_type, "Gemm") == 0 &&
        (qd_node_float(gemm, "alpha", 1, &alpha, NULL) != QD_OK ||
         qd_node_float(gemm, "beta", 1, &beta, NULL) != QD_OK))
        return (double)NAN;
    return (double)alpha / (double)beta;
}

/* A weight's own real number, as the answer has it, exact and as DequantizeLinear rounds them. */
static struct qd_interval dequantize(const struct qd_quant_edge *edge, enum qd_dtype dtype,
                                     int64_t i)
{
    int64_t c = qd_quant_channel(edge, edge->codes, i);
    double exact =
        (double)(qd_tensor_get(edge->codes, i) - qd_quant_zero(edge, c)) * qd_quant_scale(edge, c);
    double rounded = qd_float_round(dtype, QD_NEAREST_EVEN, exact);
    return (struct qd_interval){fmin(exact, rounded), fmax(exact, rounded)};
}

static struct qd_interval clip_and_widen(const struct qd_quant_edge *edge, double scale,
                                         int64_t zero, struct qd_interval x)
{
    double lo = scale * (double)(edge->qmin - zero), hi = scale * (double)(edge->qmax - zero);
    struct qd_interval clipped = {fmin(fmax(x.lo, lo), hi), fmax(fmin(x.hi, hi), lo)};
    double by = qd_half_step(edge) * scale;
    if (edge->type == QD_S32) /* a code of 32 bits is rounded when it becomes a float */
        by += fmax(fabs(clipped.lo), fabs(clipped.hi)) * 0x1p-22;
    return qd_interval_widen(clipped, by);
}

/* How far DynamicQuantizeLinear moves an element of the tensor at most: half a step of the greatest scale that it can
 * choose. A subnormal scale is off by 2^-150 at most, which half a step and
 * the 255 steps to the far end are short of. */
static double dynamic_error(const struct qd_value *value)
{
    double lo = 0, hi = 0;
    for (int64_t i = 0; i < value->want.count; i++) {
        struct qd_interval x = qd_interval_of(value, i);
        lo = fmin(lo, x.lo);
        hi = fmax(hi, x.hi);
    }
    double scale = (hi - lo) / 255;
    return (0.5 + 0x1p-7) * scale + (scale < 0x1p-126 ? 256 * 0x1p-150 : 0);
}

/* A weight enters as the answer's own number where that lies within half a step of the float one: codes of another axis
 * or of another tensor do not. */
static struct qd_interval quantize_element(const struct quantized_model *model,
                                           const struct qd_quant_edge *edge,
                                           const struct qd_value *value, int64_t i, double dynamic)
{
    struct qd_interval x = qd_interval_of(value, i);
    if (edge->dynamic)
        return qd_interval_widen(x, dynamic);
    if (edge->implied) /* a bias runs along the output's channels, whatever w's axis is */
        return clip_and_widen(edge,
                              qd_bias_scale(model->edges, edge->node, i) *
                                  qd_bias_factor(model->graph, edge->node),
                              0, x);
    int64_t c = qd_quant_channel(edge, &value->want, i);
    struct qd_interval near =
        clip_and_widen(edge, qd_quant_scale(edge, c), qd_quant_zero(edge, c), x);
    if (!edge->codes || edge->type == QD_S32)
        return near;
    struct qd_interval own = dequantize(edge, value->want.dtype, i);
    return own.lo >= near.lo && own.hi <= near.hi ? own : near;
}

/* Whether the edge's parameters fit the value: hostile answers have any axis and any number of scales. */
static bool fits(const struct quantized_model *model, const struct qd_quant_edge *edge,
                 const struct qd_value *value)
{
    const struct qd_tensor *shape = &value->want;
    if (edge->codes && !qd_tensor_same_shape(edge->codes, shape))
        return false;
    if (edge->implied) {
        const struct qd_quant_edge *w = find_edge(model->edges, edge->node, 1);
        return w && (w->count == 1 || (int64_t)w->count == shape->count) &&
               qd_bias_scale(model->edges, edge->node, 0) *
                       qd_bias_factor(model->graph, edge->node) >
                   0;
    }
    if (edge->dynamic || edge->count == 1)
        return true;
    return edge->axis < (int64_t)shape->rank && shape->dims[edge->axis] == (int64_t)edge->count;
}

static enum qd_status quantize_value(const struct quantized_model *model,
                                     const struct qd_quant_edge *edge, struct qd_arena *arena,
                                     struct qd_value *value, struct qd_error *error)
{
    const struct qd_tensor *shape = &value->want;
    struct qd_value made;
    if (!qd_dtype_is_float(shape->dtype) || !fits(model, edge, value))
        return qd_fail(error, QD_UNSUPPORTED, "tensor '%s': its parameters do not fit its shape",
                       model->graph->values[edge->tensor].name);
    enum qd_status status =
        qd_value_init(&made, arena, shape->dtype, shape->rank, shape->dims, error);
    double dynamic = edge->dynamic ? dynamic_error(value) : 0;
    for (int64_t i = 0; i < shape->count && status == QD_OK; i++) {
        uint8_t flags = qd_value_flags(value, i);
        struct qd_interval x = {0, 0};
        if (!(flags & (QD_UNSPECIFIED | QD_NOT_NUMBER)))
            x = quantize_element(model, edge, value, i, dynamic);
        if (flags & (QD_UNSPECIFIED | QD_NOT_NUMBER) || !isfinite(x.lo) || !isfinite(x.hi))
            status = qd_interval_store_flag(&made, i, QD_UNSPECIFIED, arena, error);
        else
            status = qd_interval_store(&made, i, x, qd_interval_open(x), arena, error);
    }
    if (status == QD_OK)
        *value = made;
    return status;
}

/* Whether the tensor's producer quantizes it in the same way already: once more changes nothing. */
static bool is_done(const struct quantized_model *model, const struct qd_quant_edge *edge)
{
    for (size_t i = 0; i < model->edges->count; i++) {
        const struct qd_quant_edge *other = &model->edges->items[i];
        if (other->node == QD_AT_PRODUCER && other->tensor == edge->tensor && other != edge &&
            edge->node != QD_AT_PRODUCER && qd_quant_same(other, edge))
            return true;
    }
    return false;
}

/* Applies the edges of one place in their order. */
static enum qd_status quantize_at(const struct quantized_model *model, int node, int tensor,
                                  uint32_t input, struct qd_arena *arena, struct qd_value *value,
                                  struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < model->edges->count && status == QD_OK; i++) {
        const struct qd_quant_edge *edge = &model->edges->items[i];
        if (edge->node == node && edge->tensor == tensor && edge->input == input &&
            !is_done(model, edge))
            status = quantize_value(model, edge, arena, value, error);
    }
    return status;
}

static enum qd_status evaluate_node(const struct qd_override *self,
                                    struct qd_evaluation *evaluation, const struct qd_node *node,
                                    const struct qd_value *const *in, struct qd_value *out)
{
    const struct quantized_model *model = (const struct quantized_model *)(const void *)self;
    struct qd_value operands[QD_MAX_OPERANDS];
    const struct qd_value *changed[QD_MAX_OPERANDS] = {NULL};
    int index = (int)(node - model->graph->nodes);
    enum qd_status status = QD_OK;
    for (size_t k = 0; k < node->input_count && k < QD_MAX_OPERANDS && status == QD_OK; k++) {
        if (!in[k])
            continue;
        operands[k] = *in[k];
        changed[k] = &operands[k];
        status = quantize_at(model, index, node->inputs[k], (uint32_t)k, evaluation->arena,
                             &operands[k], evaluation->error);
    }
    if (status == QD_OK)
        status = qd_override_node(evaluation, self->next, node, changed, out);
    for (size_t k = 0; k < node->output_count && status == QD_OK; k++)
        if (node->outputs[k] != QD_NO_VALUE)
            status = quantize_at(model, QD_AT_PRODUCER, node->outputs[k], 0, evaluation->arena,
                                 &out[k], evaluation->error);
    return status;
}

enum qd_status qd_fidelity_evaluate(const struct qd_case *kase, const struct qd_quant_edges *edges,
                                    struct qd_arena *arena, struct qd_value *values,
                                    struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    struct quantized_model model = {
        .override = {.node = evaluate_node}, .graph = graph, .edges = edges};
    struct qd_semantics semantics = {.override = &model.override};
    enum qd_status status =
        qd_graph_evaluate(graph, kase->inputs, &semantics, arena, values, error);
    for (size_t k = 0; k < graph->output_count && status == QD_OK; k++)
        status = quantize_at(&model, QD_AT_OUTPUT, graph->outputs[k], (uint32_t)k, arena,
                             &values[k], error);
    return status;
}
