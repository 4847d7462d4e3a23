/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "folded-then-converted-as-in-c": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "qdiff/broadcast.h"
#include "qdiff/convolve.h"
#include "quirk/constants.h"
#include "quirk/edit.h"
#include "quirk/means.h"
#include "quirk/range.h"

static const char mark[] = "(folded) ";

enum { CODES, SCALE, ZERO_POINT, TRIPLE };

/* --- Operands ---------------------------------------------------------------------------------- */

/* Codes and their parameters, and what of them is known before the run. */
struct operand {
    const struct qd_tensor *codes;
    float scale, zero;
    bool parameters, fixed, open; /* constant scale and zero point; the codes, too; open shape */
    bool is_shared;               /* another node subtracts the same zero point */
    bool is_share;                /* the graph has made the codes, of a scale at run time */
};

struct layer {
    const struct qd_value *const *in;
    const struct qd_node *node;
    const char *known; /* of each operand (constants.h) */
    float y_scale, zero;
    bool parameters, open; /* the output's are constant; a shape is open */
    bool
        evaluated; /* where all is constant nothing is compiled: operators are evaluated one by one */
};

static struct operand read_operand(const struct layer *layer, size_t at)
{
    bool parameters =
        qd_known_value(layer->known, at + SCALE) && qd_known_value(layer->known, at + ZERO_POINT);
    return (struct operand){.codes = &layer->in[at]->want,
                            .scale = (float)qd_parameter_at(layer->in[at + SCALE], 0),
                            .zero = (float)qd_parameter_at(layer->in[at + ZERO_POINT], 0),
                            .parameters = parameters,
                            .fixed = parameters && qd_known_value(layer->known, at),
                            .open = qd_open_axes(layer->known, at) != 0,
                            .is_shared = qd_known_shared(layer->known, at) &&
                                         strcmp(layer->node->op_type, "QLinearConcat") != 0,
                            .is_share = !parameters && qd_known_codes(layer->known, at)};
}

/* --- Numbers ----------------------------------------------------------------------------------- */

static float product_and_sum(bool fused, float a, float b, float c)
{
    float product = a * b;
    return fused ? fmaf(a, b, c) : product + c;
}

static float code_at(const struct operand *x, int64_t i)
{
    return (float)qd_tensor_get(x->codes, i);
}

static float centred(const struct operand *x, int64_t i)
{
    return code_at(x, i) - x->zero;
}

/* Whether the zero point comes after the product. */
static bool is_shifted(const struct operand *x)
{
    return x->parameters && !x->fixed && !x->is_shared && x->zero != 0;
}

static float share(const struct operand *x, int64_t i)
{
    struct qd_range_of_codes range = qd_range_of(x->codes->dtype, x->scale, x->zero);
    return qd_share_of_range(&range, code_at(x, i));
}

static float number(const struct operand *x, int64_t i)
{
    float shift = -x->zero * x->scale;
    if (x->is_share)
        return share(x, i);
    return is_shifted(x) ? product_and_sum(!x->open, code_at(x, i), x->scale, shift)
                         : centred(x, i) * x->scale;
}

static float over_scale(const struct layer *layer, float x)
{
    float reciprocal = 1 / layer->y_scale;
    return layer->evaluated ? x / layer->y_scale : x * reciprocal;
}

static float with_zero_point(const struct layer *layer, float x)
{
    float reciprocal = 1 / layer->y_scale, quotient = over_scale(layer, x);
    return layer->evaluated ? quotient + layer->zero
                            : product_and_sum(!layer->open, x, reciprocal, layer->zero);
}

/* All but the code in one factor and one summand. */
static float as_line(const struct layer *layer, bool fused, float code, float slope, float shift)
{
    float factor = over_scale(layer, slope), summand = over_scale(layer, shift) + layer->zero;
    return product_and_sum(fused, code, factor, summand);
}

/* What comes into the line: the code, or what is left of it when the zero point is subtracted for several nodes. */
static float line_code(const struct operand *x, int64_t i)
{
    return x->is_shared ? centred(x, i) : code_at(x, i);
}

static float line_shift(const struct operand *x)
{
    return x->is_shared ? 0 : -x->zero * x->scale;
}

/* Whether what is added last to a number is its product with the scale. */
static bool is_product(const struct operand *x)
{
    return !is_shifted(x) && !x->fixed && !x->is_share;
}

/* A product is fused with the sum unless it was with its zero point. */
static float sum(const struct layer *layer, const struct operand *a, int64_t i,
                 const struct operand *b, int64_t k)
{
    if (!layer->open && is_product(a))
        return fmaf(a->scale, centred(a, i), number(b, k));
    if (!layer->open && is_product(b))
        return fmaf(b->scale, centred(b, k), number(a, i));
    return number(a, i) + number(b, k);
}

/* Of QLinearAdd, or of QLinearMul, with the zero point. */
static float of_two(const struct layer *layer, bool is_sum, const struct operand *a, int64_t i,
                    const struct operand *b, int64_t k)
{
    if (a->fixed && !b->fixed)
        return of_two(layer, is_sum, b, k, a, i);
    float constant = number(b, k), shift = line_shift(a), factor = a->scale * constant;
    if (!b->fixed || a->fixed || !a->parameters || !layer->parameters)
        return with_zero_point(layer, is_sum ? sum(layer, a, i, b, k) : number(a, i) * constant);
    return is_sum ? as_line(layer, !layer->open, line_code(a, i), a->scale, shift + constant)
                  : as_line(layer, true, line_code(a, i), factor, shift * constant);
}

/* --- Codes ------------------------------------------------------------------------------------- */

static int64_t saturated(int64_t code, enum qd_dtype dtype)
{
    const struct qd_dtype_info *type = qd_dtype_info(dtype);
    return code < type->min ? type->min : code > type->max ? type->max : code;
}

/* By way of int32, of which the low bits are kept; of an open shape it saturates. */
static int64_t as_in_c(const struct layer *layer, float x, enum qd_dtype dtype)
{
    const struct qd_dtype_info *type = qd_dtype_info(dtype);
    if (layer->open)
        return (int64_t)fminf(fmaxf(x, (float)type->min), (float)type->max);
    return qd_dtype_wrap(fabsf(x) < 0x1p31F ? (int64_t)x : INT32_MIN, dtype);
}

/* A sum of codes saturates, but not where it is evaluated. */
static int64_t then_zero_point(const struct layer *layer, float x, enum qd_dtype type)
{
    int64_t code = as_in_c(layer, over_scale(layer, x), type) + (int64_t)layer->zero;
    return layer->evaluated ? qd_dtype_wrap(code, type) : saturated(code, type);
}

/* Where y is specified. */
static enum qd_status set(struct qd_evaluation *evaluation, struct qd_value *y, int64_t i,
                          int64_t code)
{
    if (qd_value_flags(y, i) & QD_UNSPECIFIED)
        return QD_OK;
    return qd_value_set_code(y, i, (struct qd_code){.want = code, .lo = code, .hi = code},
                             evaluation->arena, evaluation->error);
}

/* The code of element i of an operand. */
typedef int64_t converter(const struct layer *layer, const struct operand *x, int64_t i,
                          enum qd_dtype type);

static int64_t plain(const struct layer *layer, const struct operand *x, int64_t i,
                     enum qd_dtype type)
{
    return as_in_c(layer, with_zero_point(layer, number(x, i)), type);
}

static int64_t on_line(const struct layer *layer, const struct operand *x, int64_t i,
                       enum qd_dtype type)
{
    float shift = line_shift(x);
    return as_in_c(layer, as_line(layer, !layer->open, line_code(x, i), x->scale, shift), type);
}

static int64_t before_zero_point(const struct layer *layer, const struct operand *x, int64_t i,
                                 enum qd_dtype type)
{
    return then_zero_point(layer, number(x, i), type);
}

static int64_t leaky(const struct layer *layer, const struct operand *x, int64_t i,
                     enum qd_dtype type)
{
    const struct qd_attr *alpha = qd_node_attr(layer->node, "alpha");
    float v = number(x, i), leak = v * (alpha ? alpha->f : 0.01F);
    return then_zero_point(layer, fmaxf(v, leak), type);
}

/* Codes of y's type for those of the operand at `at`. */
static enum qd_status convert(struct qd_evaluation *evaluation, const struct layer *layer,
                              size_t at, converter *code, enum qd_dtype type, struct qd_value *made)
{
    struct operand x = read_operand(layer, at);
    enum qd_status status = qd_value_init(made, evaluation->arena, type, x.codes->rank,
                                          x.codes->dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < x.codes->count; i++)
        qd_tensor_set(&made->want, i, code(layer, &x, i, type));
    return status;
}

static enum qd_status take(struct qd_evaluation *evaluation, const struct qd_value *made,
                           struct qd_value *y)
{
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        status = set(evaluation, y, i, qd_tensor_get(&made->want, i));
    return status;
}

/* --- Operators that move codes ----------------------------------------------------------------- */

typedef enum qd_status computation(struct qd_evaluation *evaluation, const struct layer *layer,
                                   struct qd_value *y);

static enum qd_status move(struct qd_evaluation *evaluation, const struct layer *layer,
                           const char *op_type, const struct qd_value *const *in, size_t count,
                           struct qd_value *y)
{
    struct qd_node as = *layer->node;
    struct qd_value made;
    as.domain = "";
    as.op_type = op_type;
    as.op = qd_op_find("", op_type);
    as.opset = 16;
    as.input_count = count;
    enum qd_status status = as.op->evaluate(evaluation, &as, in, &made);
    return status == QD_OK ? take(evaluation, &made, y) : status;
}

enum { TENSORS = 2, MAX_TENSORS = 10 };

static enum qd_status concat(struct qd_evaluation *evaluation, const struct layer *layer,
                             struct qd_value *y)
{
    struct qd_value made[MAX_TENSORS];
    const struct qd_value *in[MAX_TENSORS];
    size_t count = (layer->node->input_count - TENSORS) / TRIPLE;
    struct operand first = read_operand(layer, TENSORS);
    bool alone = count == 1 && first.parameters && !first.fixed && layer->parameters;
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < count && i < MAX_TENSORS; i++) {
        in[i] = &made[i];
        status = convert(evaluation, layer, TENSORS + TRIPLE * i, alone ? on_line : plain,
                         y->want.dtype, &made[i]);
    }
    return status == QD_OK ? move(evaluation, layer, "Concat", in, count, y) : status;
}

static enum qd_status choose(struct qd_evaluation *evaluation, const struct layer *layer,
                             struct qd_value *y)
{
    struct qd_value a, b;
    const struct qd_value *const in[] = {layer->in[0], &a, &b};
    enum qd_dtype type = y->want.dtype;
    enum qd_status status = convert(evaluation, layer, 1, before_zero_point, type, &a);
    if (status == QD_OK)
        status = convert(evaluation, layer, 1 + TRIPLE, before_zero_point, type, &b);
    return status == QD_OK ? move(evaluation, layer, "Where", in, 3, y) : status;
}

/* --- Others ------------------------------------------------------------------------------------ */

static enum qd_status add_or_multiply(struct qd_evaluation *evaluation, const struct layer *layer,
                                      struct qd_value *y)
{
    struct operand a = read_operand(layer, 0), b = read_operand(layer, TRIPLE);
    bool is_sum = strcmp(layer->node->op_type, "QLinearAdd") == 0;
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        int64_t j = qd_broadcast_element(a.codes, &y->want, i),
                k = qd_broadcast_element(b.codes, &y->want, i);
        status = set(evaluation, y, i,
                     as_in_c(layer, of_two(layer, is_sum, &a, j, &b, k), y->want.dtype));
    }
    return status;
}

static enum qd_status leak(struct qd_evaluation *evaluation, const struct layer *layer,
                           struct qd_value *y)
{
    struct qd_value made;
    enum qd_status status = convert(evaluation, layer, 0, leaky, y->want.dtype, &made);
    return status == QD_OK ? take(evaluation, &made, y) : status;
}

/* A sum in float32, in the order of x; what is evaluated keeps what a step loses (Kahan's sum). */
struct total {
    float sum, lost;
};

static void include(struct total *total, float x, bool keeps)
{
    float next = x - total->lost, sum = total->sum + next, gained = sum - total->sum;
    total->lost = keeps ? gained - next : 0;
    total->sum = sum;
}

static enum qd_status mean(struct qd_evaluation *evaluation, const struct layer *layer,
                           struct qd_value *y)
{
    struct operand x = read_operand(layer, 0);
    unsigned axes = qd_mean_axes(layer->node, x.codes);
    struct total *totals =
        qd_arena_array(evaluation->arena, (size_t)y->want.count + 1, sizeof *totals);
    enum qd_status status = QD_OK;
    if (!totals)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for sums");
    for (int64_t i = 0; i < y->want.count; i++)
        totals[i] = (struct total){0, 0};
    for (int64_t i = 0; i < x.codes->count; i++)
        include(&totals[qd_reduced_index(x.codes, axes, i)], number(&x, i), layer->evaluated);
    int64_t terms = y->want.count > 0 ? x.codes->count / y->want.count : 0;
    for (int64_t i = 0; status == QD_OK && terms > 0 && i < y->want.count; i++) {
        float value = totals[i].sum / (float)terms;
        int64_t code = then_zero_point(layer, value, y->want.dtype);
        status = set(evaluation, y, i, code);
    }
    return status;
}

struct pool {
    struct qd_evaluation *evaluation;
    const struct layer *layer;
    struct operand x;
    int64_t window, all; /* of terms; 0, or how many there are where the padding counts */
    struct qd_value *y;
    enum qd_status status;
};

static void visit(void *context, const int64_t *x_index, int64_t first_filter, int64_t filters,
                  int64_t output, int64_t step)
{
    struct pool *p = context;
    float sum = 0;
    int64_t terms = 0;
    (void)first_filter;
    (void)filters;
    (void)step;
    for (int64_t t = 0; t < p->window; t++) {
        if (x_index[t] < 0)
            continue;
        sum += number(&p->x, x_index[t]);
        terms++;
    }
    float divisor = (float)(p->all ? p->all : terms);
    int64_t code = then_zero_point(p->layer, sum / divisor, p->y->want.dtype);
    if (p->status == QD_OK)
        p->status = set(p->evaluation, p->y, output, code);
}

static int64_t flag(const struct qd_node *node, const char *name)
{
    const struct qd_attr *found = qd_node_attr(node, name);
    return found ? found->i : 0;
}

/* Channels are second, whatever the node says; a y of another shape is left as it is. */
static bool read_pool(const struct qd_evaluation *evaluation, const struct layer *layer,
                      const struct qd_tensor *y, struct qd_conv_shape *shape)
{
    int64_t dims[QD_MAX_RANK];
    bool ceil = flag(layer->node, "ceil_mode") != 0;
    if (y->count == 0 ||
        qd_pool_shape_read(evaluation, layer->node, &layer->in[0]->want, ceil, shape) != QD_OK)
        return false;
    unsigned rank = qd_conv_output_dims(shape, dims);
    return rank == y->rank && memcmp(dims, y->dims, rank * sizeof *dims) == 0;
}

static enum qd_status pool(struct qd_evaluation *evaluation, const struct layer *layer,
                           struct qd_value *y)
{
    struct qd_conv_shape shape;
    struct pool p = {evaluation, layer, .x = read_operand(layer, 0), .y = y};
    if (!read_pool(evaluation, layer, &y->want, &shape))
        return QD_OK;
    p.window = qd_conv_terms(&shape);
    p.all = flag(layer->node, "count_include_pad") ? p.window : 0;
    enum qd_status status = qd_conv_visit(evaluation, &shape, 1, visit, &p);
    return status == QD_OK ? p.status : status;
}

/* --- Open shapes ------------------------------------------------------------------------------- */

static bool has_open(const struct layer *layer, const struct qd_tensor *y)
{
    unsigned open = 0;
    (void)y;
    for (size_t i = 0; i < layer->node->input_count; i++)
        open |= qd_open_axes(layer->known, i);
    return open != 0;
}

static bool is_open_mean(const struct layer *layer, const struct qd_tensor *y)
{
    (void)y;
    return qd_open_axes(layer->known, 0) & ~qd_mean_axes(layer->node, &layer->in[0]->want);
}

/* An axis that one operand leaves open is known if another has a length there that is not 1. */
static bool is_open_broadcast(const struct layer *layer, const struct qd_tensor *y)
{
    unsigned open = 0, known = 0;
    for (size_t i = 0; i < layer->node->input_count; i++) {
        unsigned axes = qd_open_axes(layer->known, i);
        const struct qd_tensor *x = layer->in[i] ? &layer->in[i]->want : NULL;
        for (unsigned axis = 0; x && axis < x->rank; axis++) {
            unsigned bit = 1U << (axis + y->rank - x->rank);
            if (axes >> axis & 1)
                open |= bit;
            else if (x->dims[axis] != 1)
                known |= bit;
        }
    }
    return open & ~known;
}

/* --- The quirk --------------------------------------------------------------------------------- */

static const struct {
    const char *op_type;
    size_t y_scale; /* the number of the operand */
    computation *compute;
    bool (*is_open)(const struct layer *layer, const struct qd_tensor *y); /* y's shape */
} operators[] = {{"QLinearAdd", 6, add_or_multiply, is_open_broadcast},
                 {"QLinearMul", 6, add_or_multiply, is_open_broadcast},
                 {"QLinearConcat", 0, concat, has_open},
                 {"QLinearWhere", 7, choose, is_open_broadcast},
                 {"QLinearLeakyRelu", 3, leak, has_open},
                 {"QLinearReduceMean", 3, mean, is_open_mean},
                 {"QLinearAveragePool", 3, pool, has_open}};

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark_known(graph, "com.microsoft", mark, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct layer layer = {.in = in, .node = node, .known = qd_known_operands(node, mark)};
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    for (size_t i = 0; status == QD_OK && layer.known && i < sizeof operators / sizeof *operators;
         i++) {
        size_t at = operators[i].y_scale;
        if (strcmp(node->op_type, operators[i].op_type) != 0)
            continue;
        layer.y_scale = (float)qd_parameter_at(in[at], 0);
        layer.zero = (float)qd_parameter_at(in[at + 1], 0);
        layer.parameters = qd_known_value(layer.known, at) && qd_known_value(layer.known, at + 1);
        layer.open = operators[i].is_open(&layer, &out[0].want);
        layer.evaluated = operators[i].compute != pool; /* no pool is evaluated before the run */
        for (size_t k = 0; k < node->input_count; k++)
            layer.evaluated = layer.evaluated && qd_known_value(layer.known, k);
        return operators[i].compute(evaluation, &layer, &out[0]);
    }
    return status;
}

const struct qd_override qd_quirk_folded_then_converted_as_in_c = {.graph = rewrite,
                                                                   .node = evaluate};
