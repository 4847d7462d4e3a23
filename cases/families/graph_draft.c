/* SPDX-License-Identifier: Apache-2.0 */
#include "families/graph_draft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *qd_graph_values_word(size_t values)
{
    static const char *const words[] = {"random", "tie", "saturation"};
    return words[values];
}

struct qd_graph_draft qd_graph_begin(const char *family, const struct qd_factor_table *table,
                                     const uint8_t *row, size_t values, uint64_t draw,
                                     struct qd_graph_choice choice, struct qd_arena *arena,
                                     struct qd_error *error, char slug[256])
{
    static const enum qd_dtype types[][2] = {{QD_U8, QD_U8},  {QD_U8, QD_S8},  {QD_S8, QD_S8},
                                             {QD_U16, QD_S8}, {QD_S16, QD_S8}, {QD_U8, QD_U4},
                                             {QD_S8, QD_S4}};
    char features[192];
    int64_t opset = choice.opset ? 21 : 13;
    qd_covering_describe(table, row, features, sizeof features);
    snprintf(slug, 256, "%s/%s-%s", family, qd_graph_values_word(values), features);
    struct qd_graph_draft draft = {
        .maker = {arena, error, qd_build_begin(arena, opset), QD_OK},
        .random = qd_random_seed(slug, draw),
        .values = (enum qd_graph_values)values,
        .type = types[choice.types][0],
        .weight_type = types[choice.types][1],
        .zero = choice.zero,
        .opset = opset,
    };
    if (!draft.maker.builder)
        draft.maker.status = qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    return draft;
}

enum qd_status qd_graph_finish(struct qd_graph_draft *draft, const char *slug, struct qd_case *kase)
{
    struct qd_qdq_maker *m = &draft->maker;
    if (m->status != QD_OK)
        return m->status;
    qd_build_tag(m->builder, qd_graph_values_word(draft->values));
    return qd_build_finish(m->builder, slug, true, kase, m->error);
}

static void name_next(struct qd_graph_draft *draft, const char *prefix, char name[8])
{
    snprintf(name, 8, "%s%u", prefix, draft->count++ % 1000);
}

/* ---- Codes and their parameters -------------------------------------------------------------- */

static double draw_scale(struct qd_graph_draft *draft, int exponent)
{
    if (draft->values == QD_GRAPH_TIE)
        return ldexp(1.0, exponent);
    return qd_linear_scale(QD_F32, false, exponent, &draft->random);
}

struct qd_grid qd_graph_grid(struct qd_graph_draft *draft, enum qd_dtype type, int exponent,
                             int64_t count)
{
    struct qd_grid grid = {.type = type, .count = count};
    bool none = draft->zero == QD_GRAPH_ZERO_NONE;
    int64_t role = draft->count++;
    grid.without_zero_point = none;
    for (int64_t c = 0; c < count; c++) {
        int shift = count > 1 ? (int)(c % 3) : 0;
        grid.scale[c] = draw_scale(draft, exponent + shift);
        if (!none && type != QD_S32)
            grid.zero[c] = qd_qdq_clamp(
                type, qd_qdq_zero_of(type, (enum qd_qdq_zero)draft->zero, role + 4 * c));
    }
    return grid;
}

static void set_dims(struct qd_flow *flow, unsigned rank, const int64_t *dims)
{
    flow->rank = rank;
    memcpy(flow->dims, dims, rank * sizeof *dims);
}

/* How far from their zero points codes are drawn; in sums of products that must have ties, not far. */
static int64_t reach_of(const struct qd_graph_draft *draft, enum qd_dtype type, bool weight)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    if (type == QD_S32)
        return draft->values == QD_GRAPH_TIE ? 20 : 2000;
    if (draft->values == QD_GRAPH_TIE)
        return weight ? 3 : 60;
    return info->max - info->min;
}

static int64_t draw_code(struct qd_graph_draft *draft, enum qd_dtype type, int64_t zero,
                         int64_t reach)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    int64_t code = qd_random_range(&draft->random, zero - reach, zero + reach);
    int64_t anywhere = qd_random_range(&draft->random, 0, 65535);
    bool far = type != QD_S32 && reach == info->max - info->min;
    if (far && draft->values == QD_GRAPH_SATURATION && anywhere % 10 < 3)
        return anywhere % 2 ? info->min : info->max;
    return far ? info->min + anywhere % (reach + 1) : qd_qdq_clamp(type, code);
}

static struct qd_tensor draw_codes(struct qd_graph_draft *draft, const struct qd_flow *flow,
                                   int64_t reach)
{
    struct qd_tensor tensor = {0};
    int64_t inner = 1;
    struct qd_qdq_maker *m = &draft->maker;
    if (m->status == QD_OK)
        m->status =
            qd_tensor_init(&tensor, m->arena, flow->grid.type, flow->rank, flow->dims, m->error);
    for (unsigned k = (unsigned)flow->axis + 1; k < flow->rank; k++)
        inner *= flow->dims[k];
    for (int64_t i = 0; m->status == QD_OK && i < tensor.count; i++) {
        int64_t c = flow->grid.count > 1 ? i / inner % flow->grid.count : 0;
        qd_tensor_set(&tensor, i, draw_code(draft, flow->grid.type, flow->grid.zero[c], reach));
    }
    return tensor;
}

static int exponent_of(const struct qd_grid *grid)
{
    int exponent;
    frexp(grid->scale[0], &exponent);
    return exponent - 1;
}

/* Codes on a grid; `axis` of its parameters may be negative. */
static struct qd_flow codes_on(struct qd_graph_draft *draft, const struct qd_grid *grid,
                               unsigned rank, const int64_t *dims, int64_t axis, bool at_run_time)
{
    struct qd_flow flow = {.axis = axis < 0 ? axis + rank : axis, .grid = *grid};
    int64_t reach = reach_of(draft, grid->type, !at_run_time);
    set_dims(&flow, rank, dims);
    flow.unit = exponent_of(grid);
    flow.reach = (double)reach * (grid->count > 1 ? 4 : 1);
    name_next(draft, at_run_time ? "x" : "w", flow.name);
    memcpy(flow.parameters, flow.name, sizeof flow.name);
    struct qd_tensor codes = draw_codes(draft, &flow, reach);
    flow.axis = axis;
    if (draft->maker.status != QD_OK)
        return flow;
    qd_build_tensor(draft->maker.builder, flow.name, &codes, at_run_time);
    qd_qdq_put_grid(&draft->maker, flow.parameters, &flow.grid);
    return flow;
}

struct qd_flow qd_graph_input(struct qd_graph_draft *draft, unsigned rank, const int64_t *dims,
                              const struct qd_grid *grid)
{
    struct qd_grid fresh;
    if (!grid)
        fresh = qd_graph_grid(draft, draft->type, (int)qd_random_range(&draft->random, -6, -3), 1);
    return codes_on(draft, grid ? grid : &fresh, rank, dims, 0, true);
}

struct qd_flow qd_graph_input_axis(struct qd_graph_draft *draft, unsigned rank, const int64_t *dims,
                                   int64_t axis)
{
    int exponent = (int)qd_random_range(&draft->random, -6, -3);
    struct qd_grid grid =
        qd_graph_grid(draft, draft->type, exponent, dims[axis < 0 ? axis + rank : axis]);
    return codes_on(draft, &grid, rank, dims, axis, true);
}

struct qd_flow qd_graph_constant(struct qd_graph_draft *draft, enum qd_dtype type, unsigned rank,
                                 const int64_t *dims, int64_t axis, int64_t count)
{
    int exponent = (int)qd_random_range(&draft->random, -7, -5);
    struct qd_grid grid = qd_graph_grid(draft, type, exponent, count);
    return codes_on(draft, &grid, rank, dims, axis, false);
}

/* A constant of real numbers, multiples of 2^unit. */
static struct qd_flow put_reals(struct qd_graph_draft *draft, int64_t channels, int unit)
{
    struct qd_flow flow = {.rank = 1, .dims = {channels}, .unit = unit, .reach = 20};
    int64_t bits[QD_QDQ_CHANNELS];
    for (int64_t c = 0; c < channels; c++)
        bits[c] = qd_qdq_float_code(ldexp((double)qd_random_range(&draft->random, -20, 20), unit));
    name_next(draft, "f", flow.name);
    qd_qdq_put_list(&draft->maker, flow.name, QD_F32, 1, bits, channels);
    return flow;
}

struct qd_flow qd_graph_bias(struct qd_graph_draft *draft, enum qd_graph_bias kind,
                             int64_t channels, const struct qd_flow *x, const struct qd_flow *w)
{
    static const double factors[] = {0, 1, 4, 0.25};
    if (kind == QD_BIAS_FLOAT)
        return put_reals(draft, channels, x->unit + w->unit);
    struct qd_grid grid =
        qd_graph_grid(draft, QD_S32, (int)qd_random_range(&draft->random, -9, -7), w->grid.count);
    for (int64_t c = 0; kind != QD_BIAS_FREE && c < grid.count; c++)
        grid.scale[c] = qd_float_round(QD_F32, QD_NEAREST_EVEN,
                                       factors[kind] * x->grid.scale[0] * w->grid.scale[c]);
    struct qd_flow codes = codes_on(draft, &grid, 1, &channels, 0, false);
    return qd_graph_dequantize(draft, &codes);
}

struct qd_flow qd_graph_dequantize(struct qd_graph_draft *draft, const struct qd_flow *codes)
{
    struct qd_flow flow = *codes;
    name_next(draft, "r", flow.name);
    qd_qdq_put_node(&draft->maker, "DequantizeLinear", codes->name, flow.name, codes->parameters,
                    &codes->grid, codes->axis);
    return flow;
}

/* The exponent of a scale by which `real` fits the type: with ties in mind at least twice as coarse as its numbers. */
static int fitting_exponent(const struct qd_graph_draft *draft, const struct qd_flow *real)
{
    int bits = (int)qd_dtype_info(draft->type)->bits, width = (int)ceil(log2(real->reach + 1));
    if (draft->values == QD_GRAPH_TIE)
        return real->unit + (width > 9 ? width - 8 : 1);
    int drop = draft->values == QD_GRAPH_SATURATION ? -2 : 0;
    return real->unit + width - bits + 1 + drop;
}

static struct qd_flow quantize_to(struct qd_graph_draft *draft, const struct qd_flow *real,
                                  const struct qd_grid *grid, const char *parameters, int64_t axis)
{
    struct qd_flow flow = *real;
    const struct qd_dtype_info *info = qd_dtype_info(grid->type);
    flow.grid = *grid;
    flow.axis = axis;
    flow.unit = exponent_of(grid);
    flow.reach =
        fmin((double)(info->max - info->min), ldexp(real->reach, real->unit - flow.unit) + 1);
    name_next(draft, "q", flow.name);
    snprintf(flow.parameters, sizeof flow.parameters, "%s", parameters ? parameters : flow.name);
    if (!parameters)
        qd_qdq_put_grid(&draft->maker, flow.parameters, grid);
    qd_qdq_put_node(&draft->maker, "QuantizeLinear", real->name, flow.name, flow.parameters, grid,
                    axis);
    return flow;
}

struct qd_flow qd_graph_quantize(struct qd_graph_draft *draft, const struct qd_flow *real)
{
    struct qd_grid grid = qd_graph_grid(draft, draft->type, fitting_exponent(draft, real), 1);
    return quantize_to(draft, real, &grid, NULL, 0);
}

struct qd_flow qd_graph_quantize_like(struct qd_graph_draft *draft, const struct qd_flow *real,
                                      const struct qd_flow *like)
{
    return quantize_to(draft, real, &like->grid, like->parameters, like->axis);
}

struct qd_flow qd_graph_quantize_axis(struct qd_graph_draft *draft, const struct qd_flow *real,
                                      int64_t axis)
{
    struct qd_grid grid = qd_graph_grid(draft, draft->type, fitting_exponent(draft, real) - 1,
                                        real->dims[axis < 0 ? axis + real->rank : axis]);
    struct qd_flow flow = quantize_to(draft, real, &grid, NULL, axis);
    flow.reach *= 4;
    return flow;
}

struct qd_flow qd_graph_through(struct qd_graph_draft *draft, const struct qd_flow *real)
{
    struct qd_flow codes = qd_graph_quantize(draft, real);
    return qd_graph_dequantize(draft, &codes);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

struct qd_flow qd_graph_node(struct qd_graph_draft *draft, const char *op_type,
                             const struct qd_flow *x, const char *more)
{
    struct qd_flow y = *x;
    char inputs[64];
    name_next(draft, "v", y.name);
    snprintf(inputs, sizeof inputs, "%s%s", x->name, more);
    qd_build_node(draft->maker.builder, "", op_type, inputs, y.name);
    return y;
}

struct qd_flow qd_graph_node2(struct qd_graph_draft *draft, const char *op_type,
                              const struct qd_flow *x, const struct qd_flow *w)
{
    char more[16];
    snprintf(more, sizeof more, ",%s", w->name);
    return qd_graph_node(draft, op_type, x, more);
}

/* The finer unit of the two, and both reaches in it. */
static void join(struct qd_flow *y, const struct qd_flow *x, const struct qd_flow *w, bool sum)
{
    y->unit = x->unit < w->unit ? x->unit : w->unit;
    double a = ldexp(x->reach, x->unit - y->unit), b = ldexp(w->reach, w->unit - y->unit);
    y->reach = sum ? a + b : fmax(a, b);
}

struct qd_flow qd_graph_add(struct qd_graph_draft *draft, const struct qd_flow *x,
                            const struct qd_flow *w)
{
    struct qd_flow y = qd_graph_node2(draft, "Add", x, w);
    join(&y, x, w, true);
    return y;
}

struct qd_flow qd_graph_concat(struct qd_graph_draft *draft, const struct qd_flow *x,
                               const struct qd_flow *w, int64_t axis)
{
    struct qd_flow y = qd_graph_node2(draft, "Concat", x, w);
    qd_build_attr_int(draft->maker.builder, "axis", axis);
    join(&y, x, w, false);
    y.dims[axis] = x->dims[axis] + w->dims[axis];
    return y;
}

struct qd_flow qd_graph_list(struct qd_graph_draft *draft, const int64_t *values, int64_t count)
{
    struct qd_flow flow = {.rank = 1, .dims = {count}};
    name_next(draft, "i", flow.name);
    qd_qdq_put_list(&draft->maker, flow.name, QD_S64, 1, values, count);
    return flow;
}

struct qd_flow qd_graph_scalar(struct qd_graph_draft *draft, double value)
{
    struct qd_flow flow = {.rank = 0};
    int64_t bits = qd_qdq_float_code(value);
    name_next(draft, "s", flow.name);
    qd_qdq_put_list(&draft->maker, flow.name, QD_F32, 0, &bits, 1);
    return flow;
}

struct qd_flow qd_graph_reshape(struct qd_graph_draft *draft, const struct qd_flow *x,
                                unsigned rank, const int64_t *dims)
{
    struct qd_flow shape = qd_graph_list(draft, dims, rank);
    struct qd_flow y = qd_graph_node2(draft, "Reshape", x, &shape);
    set_dims(&y, rank, dims);
    return y;
}

struct qd_flow qd_graph_transpose(struct qd_graph_draft *draft, const struct qd_flow *x,
                                  const int64_t *perm)
{
    struct qd_flow y = qd_graph_node(draft, "Transpose", x, "");
    qd_build_attr_ints(draft->maker.builder, "perm", perm, x->rank);
    for (unsigned i = 0; i < x->rank; i++)
        y.dims[i] = x->dims[perm[i]];
    return y;
}

void qd_graph_product(struct qd_flow *y, const struct qd_flow *x, const struct qd_flow *w,
                      int64_t terms)
{
    y->unit = x->unit + w->unit;
    y->reach = pow((double)terms, 0.75) * x->reach * w->reach / 4 + 1;
}

void qd_graph_output(struct qd_graph_draft *draft, const struct qd_flow *flow)
{
    enum qd_dtype type = strchr("xq", flow->name[0]) ? flow->grid.type : QD_F32;
    qd_build_output(draft->maker.builder, flow->name, type, (int)flow->rank, flow->dims);
}

struct qd_flow qd_graph_conv(struct qd_graph_draft *draft, const struct qd_flow *x,
                             const struct qd_graph_conv *conv)
{
    const int64_t dims[] = {conv->filters, x->dims[1] / conv->group, conv->kernel, conv->kernel};
    const int64_t strides[] = {conv->stride, conv->stride};
    const int64_t pads[] = {conv->pad, conv->pad, conv->pad, conv->pad};
    struct qd_flow w = {0};
    char more[32];
    if (conv->weights)
        w = *conv->weights;
    else {
        w = qd_graph_constant(draft, draft->weight_type, 4, dims, 0,
                              conv->per_channel ? conv->filters : 1);
        w = qd_graph_dequantize(draft, &w);
    }
    snprintf(more, sizeof more, conv->bias ? ",%s,%s" : ",%s%s", w.name,
             conv->bias ? conv->bias->name : "");
    struct qd_flow y = qd_graph_node(draft, "Conv", x, more);
    qd_build_attr_ints(draft->maker.builder, "strides", strides, 2);
    qd_build_attr_ints(draft->maker.builder, "pads", pads, 4);
    qd_build_attr_int(draft->maker.builder, "group", conv->group);
    qd_graph_product(&y, x, &w, dims[1] * conv->kernel * conv->kernel);
    y.dims[1] = conv->filters;
    for (int k = 2; k < 4; k++)
        y.dims[k] = (x->dims[k] + 2 * conv->pad - conv->kernel) / conv->stride + 1;
    return y;
}
