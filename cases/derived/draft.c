/* SPDX-License-Identifier: Apache-2.0 */
/* The case of a row of levels: types, operands with their numbers, the node, and what stands around it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "derived/derived.h"
#include "qdiff/case_edit.h"

/* Of an output: what takes the reference a millisecond or two. */
#define MOST_PRODUCTS 1e6
#define MOST_FLOAT_PRODUCTS 3e5

/* --- What the levels say -------------------------------------------------------------------------- */

static enum qd_dtype type_of(const char *word)
{
    const char *at = strrchr(word, '_');
    return qd_dtype_of_word(at ? at + 1 : word);
}

static void read_types(struct qd_derived_draft *d)
{
    const char *x = qd_derived_word(d, QD_DERIVED_TYPE, 0),
               *w = qd_derived_word(d, QD_DERIVED_WEIGHT_TYPE, 0);
    d->coded = strncmp(x, "qdq_", 4) == 0;
    d->x = d->coded && qd_derived_is_bare(d) ? QD_F32 : type_of(x);
    d->coded = d->coded && d->x != QD_F32;
    if (qd_derived_is_alone(d, "far")) /* of any number */
        d->x = QD_S32;
    d->w = *w ? type_of(w) : d->x;
}

static void read_counts(struct qd_derived_draft *d)
{
    const char *repeats = strchr(d->outline->op->operands, '*');
    const char *rank = qd_derived_word(d, QD_DERIVED_RANK, 0),
               *opset = qd_derived_word(d, QD_DERIVED_OPSET, 0);
    unsigned fixed = 0, period = 1;
    sscanf(qd_derived_word(d, QD_DERIVED_COUNT, 0), "%lld", (long long *)&d->count);
    for (const char *at = d->outline->op->operands; repeats && *at; at++)
        *(at < repeats ? &fixed : &period) += *at == ',';
    d->inputs = repeats ? fixed + (unsigned)d->count * period : d->outline->op->max_inputs;
    d->rank = *rank ? (unsigned)(*rank - '0') : 2;
    d->opset = 21;
    sscanf(opset, "opset_%lld", (long long *)&d->opset);
    qd_derived_choose_counts(d);
}

/* Squeeze takes away axes of one element. */
static void squeeze(struct qd_derived_draft *d)
{
    int64_t axes[QD_MAX_RANK];
    unsigned n = qd_derived_axes(d, axes);
    if (strcmp(d->outline->op->name, "Squeeze") != 0)
        return;
    for (unsigned i = 0; i < (n == d->rank ? 1 : n); i++) {
        int64_t axis = axes[i] + (axes[i] < 0 ? d->rank : 0);
        if (axis >= 0 && axis < d->rank)
            d->shapes[0].dims[axis] = 1;
    }
}

static double elements(const struct qd_derived_shape *shape)
{
    double n = 1;
    for (unsigned i = 0; i < shape->rank; i++)
        n *= (double)shape->dims[i];
    return n;
}

static bool has_parameters(const struct qd_op *op)
{
    return qd_op_operand(op, QD_ROLE_SCALE) >= 0 || qd_op_operand(op, QD_ROLE_ZERO_POINT) >= 0;
}

/* Too much for one of many cases. */
static bool costs_too_much(const struct qd_derived_draft *d)
{
    int w = qd_op_operand(d->outline->op, QD_ROLE_WEIGHT);
    double most = 0, products = 0;
    if (qd_derived_is_large(d))
        return false;
    for (unsigned i = 0; i < d->inputs; i++)
        most = fmax(most, elements(&d->shapes[i]));
    if (w >= 0 && d->outline->layout >= QD_LAYOUT_MATMUL)
        products = elements(&d->shapes[0]) * (double)qd_derived_extent(d, 2);
    else if (w >= 0 && d->outline->layout >= QD_LAYOUT_CONV)
        products =
            elements(&d->shapes[0]) * elements(&d->shapes[w]) / (double)qd_derived_extent(d, 1);
    return most > QD_DERIVED_MOST_ELEMENTS ||
           products > (has_parameters(d->outline->op) ? MOST_PRODUCTS : MOST_FLOAT_PRODUCTS);
}

static void lay_out(struct qd_derived_draft *d)
{
    d->attribute_count = 0;
    memset(d->shapes, 0, sizeof d->shapes);
    qd_derived_choose_attributes(d);
    qd_derived_lay_out(d);
    squeeze(d);
}

/* --- Numbers -------------------------------------------------------------------------------------- */

/* How a tensor of real numbers lies around 0: what its codes deviate by, and their middle. */
struct spread {
    double deviation, middle;
};

static enum qd_dtype output_type(const struct qd_derived_draft *d)
{
    const char *word = qd_derived_word(d, QD_DERIVED_OUTPUT_TYPE, 0);
    if (*word)
        return type_of(word);
    return qd_dtype_is_integer(d->x) ? d->x : QD_U8;
}

static bool is_level(const struct qd_derived_draft *d, enum qd_derived_kind kind, const char *word)
{
    return strcmp(qd_derived_word(d, kind, 0), word) == 0;
}

static bool is_per_channel(const struct qd_derived_draft *d, int whose, bool scale)
{
    const char *word = qd_derived_word(d, QD_DERIVED_GRANULARITY, whose);
    if ((qd_derived_is_alone(d, "square") || qd_derived_is_alone(d, "per_axis")) &&
        d->outline->layout == QD_LAYOUT_ANY)
        return true;
    if (!*word || (strncmp(word, "scale", 5) == 0 && !scale) ||
        (strncmp(word, "zero", 4) == 0 && scale))
        return false;
    return true;
}

static enum qd_dtype owner_type(const struct qd_derived_draft *d, int whose)
{
    return whose == QD_DERIVED_X ? d->x : whose == QD_DERIVED_W ? d->w : output_type(d);
}

static bool is_in_grid(const struct qd_derived_draft *d, int whose)
{
    return is_level(d, QD_DERIVED_ALIAS, "one_grid") && !is_per_channel(d, whose, true);
}

/* Of codes along axis 0 before and after the node the parameters are the same. */
static int owner_along_axis(const struct qd_derived_draft *d, int whose)
{
    return qd_derived_is_alone(d, "per_axis") ? QD_DERIVED_X : whose;
}

/* Of a vector no two channels that are 8, 16, 32 or 64 apart have the same. */
static int64_t zero_of(const struct qd_derived_draft *d, int whose, int64_t channel)
{
    enum qd_dtype type = owner_type(d, whose);
    const struct qd_dtype_info *info = qd_dtype_info(type);
    whose = owner_along_axis(d, whose);
    const char *word = qd_derived_word(d, QD_DERIVED_ZERO, whose);
    if (info->kind == QD_CLASS_FLOAT || info->bits > 16 || strstr(word, "_0") ||
        strstr(word, "absent"))
        return 0;
    int64_t range = info->max - info->min, steps = (range / 8) | 3;
    int64_t step = channel * 7 % (steps < range ? steps : range);
    if (strstr(word, "least"))
        return info->min + step;
    if (strstr(word, "greatest"))
        return info->max - step;
    return info->min + range * (4 + whose) / 11 + step;
}

static double scale_of(const struct qd_derived_draft *d, int whose, int64_t channel);

/* Whether operands are codes with parameters. */
static bool has_grids(const struct qd_derived_draft *d)
{
    return d->coded || has_parameters(d->outline->op);
}

/* Of codes less their zero point: they are spread over all of the type, or over 2000 numbers. */
static struct spread code_spread(const struct qd_derived_draft *d, int whose)
{
    const struct qd_dtype_info *info = qd_dtype_info(owner_type(d, whose));
    double range = info->bits > 16 ? 2000 : (double)(info->max - info->min);
    double middle = info->bits > 16 ? 0 : (double)(info->max + info->min) / 2;
    double zero = has_grids(d) ? (double)zero_of(d, whose, 0) : 0;
    return (struct spread){range / 3.5, middle - zero};
}

static struct spread spread_of(const struct qd_derived_draft *d, int whose)
{
    if (qd_dtype_info(owner_type(d, whose))->kind == QD_CLASS_FLOAT)
        return (struct spread){2.3, 0};
    struct spread codes = code_spread(d, whose);
    double scale = has_grids(d) ? scale_of(d, whose, 0) : 1;
    return (struct spread){codes.deviation * scale, codes.middle * scale};
}

/* Of sums of products. */
static double products_reach(const struct qd_derived_draft *d, struct spread x, struct spread w)
{
    double terms = (double)d->terms;
    return sqrt(terms) * hypot(x.deviation, x.middle) * hypot(w.deviation, w.middle) +
           terms * fabs(x.middle) * fabs(w.middle);
}

/* How large outputs are as a rule. */
static double output_reach(const struct qd_derived_draft *d)
{
    struct spread x = spread_of(d, QD_DERIVED_X), w = spread_of(d, QD_DERIVED_W);
    double a = hypot(x.deviation, x.middle), b = hypot(w.deviation, w.middle);
    if (d->outline->op->approximate && qd_derived_is_large(d) &&
        strstr(d->outline->op->name, "Softmax"))
        return 0.005;
    if (d->outline->op->approximate)
        return 0.3;
    switch (d->outline->op->form) {
    case QD_FORM_ADDS: return a + b;
    case QD_FORM_MULTIPLIES: return a * b;
    case QD_FORM_CONVOLVES:
    case QD_FORM_CONVOLVES_BACK:
    case QD_FORM_MATRICES: return products_reach(d, x, w);
    default: return a;
    }
}

/* A number of [1, 2) that belongs to the channel. */
static double jitter(const struct qd_derived_draft *d, int whose, int64_t channel)
{
    struct qd_random random = d->jitter;
    random.state += (uint64_t)(whose + 1) * 1000003 + (uint64_t)channel;
    return 1 + ldexp((double)(qd_random_next(&random) >> 41), -23);
}

static double range_of(const struct qd_derived_draft *d, int whose)
{
    const struct qd_dtype_info *info = qd_dtype_info(owner_type(d, whose));
    return info->kind == QD_CLASS_FLOAT || info->bits > 16 ? 16 : (double)(info->max - info->min);
}

static bool multiplies(const struct qd_derived_draft *d)
{
    enum qd_form form = d->outline->op->form;
    return form == QD_FORM_MULTIPLIES || form == QD_FORM_CONVOLVES ||
           form == QD_FORM_CONVOLVES_BACK || form == QD_FORM_MATRICES;
}

/* Whether a scale is that of the one grid, or the one of products that is not. */
static bool follows_grid(const struct qd_derived_draft *d, int whose)
{
    if (!is_in_grid(d, QD_DERIVED_X) && !is_in_grid(d, QD_DERIVED_W))
        return false;
    return is_in_grid(d, whose) ||
           (is_level(d, QD_DERIVED_ALIAS, "one_grid") && whose != QD_DERIVED_Y && multiplies(d));
}

/* Of products in one grid all scales but one cancel: that one takes the sums to the output's codes. */
static double grid_scale(const struct qd_derived_draft *d, int whose, int64_t channel)
{
    bool own = !is_in_grid(d, whose),
         last = own || (is_in_grid(d, QD_DERIVED_X) && is_in_grid(d, QD_DERIVED_W));
    double near_1 = own ? jitter(d, whose, channel) : jitter(d, QD_DERIVED_X, 0);
    if (!last || !multiplies(d))
        return near_1 * 2 / range_of(d, QD_DERIVED_X);
    struct spread x = code_spread(d, QD_DERIVED_X), w = code_spread(d, QD_DERIVED_W);
    return near_1 * range_of(d, QD_DERIVED_Y) / (10.5 * products_reach(d, x, w));
}

static double scale_of(const struct qd_derived_draft *d, int whose, int64_t channel)
{
    whose = owner_along_axis(d, whose);
    double range = range_of(d, whose);
    if (follows_grid(d, whose))
        return grid_scale(d, whose, channel);
    if (whose != QD_DERIVED_Y)
        return ldexp(jitter(d, whose, channel), whose == QD_DERIVED_X ? -1 : -2) * 4 / range;
    return output_reach(d) / range * 7 * jitter(d, whose, channel) / 1.5;
}

/* Of a type of more than 16 bits: what the operator can take without a sum that leaves the type. */
static double draw_wide(struct qd_derived_draft *d, const struct qd_dtype_info *info)
{
    double part = (double)(int32_t)qd_random_next(&d->random);
    if (qd_derived_is_alone(d, "far"))
        return floor(ldexp(part, -11));
    switch (d->outline->op->form) {
    case QD_FORM_MOVES:
    case QD_FORM_LARGEST: return info->bits > 32 ? part * 1048575 : part;
    case QD_FORM_ADDS:
    case QD_FORM_MULTIPLIES:
    case QD_FORM_ELEMENTWISE: return floor(ldexp(part, -16) * 1.25);
    default: return (double)qd_random_range(&d->random, -1000, 1000);
    }
}

static double draw(struct qd_derived_draft *d, enum qd_dtype type)
{
    const struct qd_dtype_info *info = qd_dtype_info(type);
    if (info->kind == QD_CLASS_FLOAT && qd_derived_is_alone(d, "fine"))
        return (double)(2 * qd_random_range(&d->random, -4, 3) + 1) / 64 +
               ldexp((double)qd_random_range(&d->random, 0, 2), -16);
    if (info->kind == QD_CLASS_FLOAT)
        return (double)(2 * qd_random_range(&d->random, -128, 127) + 1) / 64;
    if (info->bits > 16)
        return draw_wide(d, info);
    return (double)qd_random_range(&d->random, info->min, info->max);
}

/* Element i of an operand: numbers at the same place are near each other, or, of operands with names that say what they
 * are, far from all others. */
static double draw_at(struct qd_derived_draft *d, enum qd_dtype type, const char *name, int64_t i)
{
    static const struct {
        const char *name;
        double x;
    } far[] = {{"start", 70001}, {"limit", 70001 + 301 * 70003.0}, {"delta", 70003}};
    if (qd_derived_is_alone(d, "near") && type == QD_F32)
        return (double)(2 * (i % 8) - 7) / 4 +
               ldexp((double)qd_random_range(&d->random, 0, 2), -16);
    for (size_t k = 0; qd_derived_is_alone(d, "far") && k < sizeof far / sizeof *far; k++)
        if (strcmp(far[k].name, name) == 0)
            return far[k].x;
    return draw(d, type);
}

/* --- Operands ------------------------------------------------------------------------------------- */

static int whose(const struct qd_derived_draft *d, unsigned input)
{
    const struct qd_op *op = d->outline->op;
    int owner = qd_op_owner(op, input);
    if (owner == QD_OPERAND_OUTPUT)
        return QD_DERIVED_Y;
    int seen = 0;
    for (int i = 0; i < owner; i++)
        seen += qd_op_role(op, (size_t)i) == QD_ROLE_DATA ||
                qd_op_role(op, (size_t)i) == QD_ROLE_WEIGHT;
    return seen % 2 ? QD_DERIVED_W : QD_DERIVED_X;
}

static const char *name_of(struct qd_derived_draft *d, unsigned input)
{
    size_t length;
    const char *word = qd_op_operand_name(d->outline->op, input, &length);
    bool repeats = strchr(d->outline->op->operands, '*') != NULL;
    const char *name = repeats
                           ? qd_arena_printf(d->maker.arena, "%.*s_%u", (int)length, word, input)
                           : qd_arena_printf(d->maker.arena, "%.*s", (int)length, word);
    if (!name)
        d->maker.status = qd_fail(d->maker.error, QD_NO_MEMORY, "no room for a name");
    return name ? name : "";
}

/* Of QuantizeLinear and DequantizeLinear: of the axis, or blocks along it; MatMulNBits has its own. */
static struct qd_derived_shape parameter_shape(const struct qd_derived_draft *d, unsigned input,
                                               int owner, bool scale)
{
    struct qd_derived_shape s = {0};
    enum qd_form form = d->outline->op->form;
    if (d->outline->layout == QD_LAYOUT_NBITS)
        return d->shapes[input];
    if (!is_per_channel(d, owner, scale))
        return s;
    if (form != QD_FORM_QUANTIZES && form != QD_FORM_DEQUANTIZES)
        return d->channels[owner] > 0 ? (struct qd_derived_shape){1, {d->channels[owner]}} : s;
    int64_t axis = qd_derived_int(d, "axis", 1), block = qd_derived_int(d, "block_size", 0);
    axis += axis < 0 ? d->rank : 0;
    if (axis < 0 || axis >= d->rank)
        return s;
    if (block <= 0)
        return (struct qd_derived_shape){1, {d->shapes[0].dims[axis]}};
    s = d->shapes[0];
    s.dims[axis] = (s.dims[axis] + block - 1) / block;
    return s;
}

static enum qd_dtype scale_type(const struct qd_derived_draft *d)
{
    const char *word = qd_derived_word(d, QD_DERIVED_SCALE_TYPE, 0);
    enum qd_dtype x = d->x;
    if (*word)
        return type_of(word);
    return d->outline->layout == QD_LAYOUT_NBITS && qd_dtype_is_float(x) ? x : QD_F32;
}

static bool shares_all(const struct qd_derived_draft *d)
{
    return qd_derived_is_alone(d, "shared") || qd_derived_is_alone(d, "shared_0d");
}

const char *qd_derived_add_once(struct qd_derived_draft *d, const char *name,
                                const struct qd_tensor *t, bool run)
{
    for (size_t i = 0; shares_all(d) && i < d->added_count; i++)
        if (d->added[i].tensor.dtype == t->dtype && qd_tensor_same_shape(&d->added[i].tensor, t)) {
            d->shares = true;
            return d->added[i].name;
        }
    if (d->added_count < sizeof d->added / sizeof *d->added)
        d->added[d->added_count++] = (struct qd_derived_added){name, *t};
    qd_maker_add(&d->maker, name, t, run);
    return name;
}

/* Adds a scale or zero point; its name. With one grid the first of a scalar of its type stands for it. */
static const char *add_scalar_once(struct qd_derived_draft *d, bool zero, const char *name,
                                   const struct qd_tensor *t, bool run)
{
    bool once = is_level(d, QD_DERIVED_ALIAS, "one_grid") && t->rank == 0;
    if (once && d->shared[zero] && d->shared_types[zero] == t->dtype) {
        d->shares = true;
        return d->shared[zero];
    }
    if (once && !d->shared[zero]) {
        d->shared[zero] = name;
        d->shared_types[zero] = t->dtype;
    }
    return qd_derived_add_once(d, name, t, run);
}

static const char *add_parameter(struct qd_derived_draft *d, unsigned input, const char *name)
{
    bool scale = qd_op_role(d->outline->op, input) == QD_ROLE_SCALE;
    int owner = whose(d, input);
    struct qd_derived_shape shape = parameter_shape(d, input, owner, scale);
    bool packed = d->outline->layout == QD_LAYOUT_NBITS && !scale;
    enum qd_dtype type = scale ? scale_type(d) : packed ? QD_U8 : owner_type(d, owner);
    struct qd_tensor t = qd_maker_tensor(&d->maker, type, shape.rank, shape.dims);
    for (int64_t i = 0; i < t.count; i++)
        if (scale)
            qd_maker_set(&t, i, scale_of(d, owner, i));
        else if (packed || !qd_dtype_is_float(type))
            qd_tensor_set(&t, i, packed ? (int64_t)draw(d, QD_U8) : zero_of(d, owner, i));
    return add_scalar_once(d, !scale, name, &t,
                           qd_derived_level(d, QD_DERIVED_BINDING, QD_DERIVED_PARAMETERS) > 0);
}

static bool is_run(const struct qd_derived_draft *d, bool first)
{
    bool constant = qd_derived_level(d, QD_DERIVED_BINDING, QD_DERIVED_X) > 0;
    if (qd_derived_is_alone(d, "initializer"))
        return false;
    return first ? !constant
                 : constant || qd_derived_level(d, QD_DERIVED_BINDING, QD_DERIVED_W) > 0;
}

/* The parameters of a DequantizeLinear or QuantizeLinear beside the node, by name; NULL: no zero point. */
struct grid {
    const char *scale, *zero;
};

static struct grid add_grid(struct qd_derived_draft *d, const char *name, int owner,
                            int64_t channels, enum qd_dtype type)
{
    bool per_channel = channels > 0 && is_per_channel(d, owner, true);
    struct grid grid = {qd_arena_printf(d->maker.arena, "%s_scale", name), NULL};
    struct qd_tensor s = qd_maker_tensor(&d->maker, QD_F32, per_channel, &channels),
                     z = qd_maker_tensor(&d->maker, type, per_channel, &channels);
    for (int64_t i = 0; i < s.count && d->maker.status == QD_OK; i++) {
        qd_maker_set(&s, i,
                     type == QD_S32 ? scale_of(d, QD_DERIVED_X, 0) * scale_of(d, QD_DERIVED_W, i)
                                    : scale_of(d, owner, i));
        qd_tensor_set(&z, i, type == QD_S32 ? 0 : zero_of(d, owner, i));
    }
    if (type == QD_S32) { /* of a bias: a product of two scales, and no zero point */
        qd_maker_add(&d->maker, grid.scale, &s, false);
        return grid;
    }
    grid.scale = add_scalar_once(d, false, grid.scale, &s, false);
    if (!strstr(qd_derived_word(d, QD_DERIVED_ZERO, owner), "absent"))
        grid.zero = add_scalar_once(d, true, qd_arena_printf(d->maker.arena, "%s_zero_point", name),
                                    &z, false);
    return grid;
}

static void add_linear_node(struct qd_derived_draft *d, const char *op_type, const char *in,
                            struct grid grid, const char *out, int64_t axis)
{
    const char *inputs = qd_arena_printf(d->maker.arena, grid.zero ? "%s,%s,%s" : "%s,%s", in,
                                         grid.scale, grid.zero);
    if (!inputs || d->maker.status != QD_OK)
        return;
    qd_build_node(d->maker.builder, "", op_type, inputs, out);
    if (axis >= 0)
        qd_build_attr_int(d->maker.builder, "axis", axis);
}

static enum qd_dtype bias_type(const struct qd_derived_draft *d)
{
    const struct qd_op *op = d->outline->op;
    if (d->coded || qd_op_parameter(op, QD_OPERAND_OUTPUT, QD_ROLE_SCALE) >= 0)
        return QD_S32;
    return has_parameters(op) ? scale_type(d) : d->x;
}

/* Codes and the node that turns them into numbers, or the numbers themselves; their name. */
static const char *add_tensor(struct qd_derived_draft *d, unsigned input, const char *name,
                              int owner, bool run)
{
    bool bias = qd_op_role(d->outline->op, input) == QD_ROLE_BIAS,
         plain = d->outline->layout == QD_LAYOUT_CHANNELS && input > 0;
    enum qd_dtype type = bias ? bias_type(d) : owner_type(d, owner);
    bool coded = d->coded && !plain;
    if (d->coded && plain)
        type = QD_F32;
    struct qd_tensor t =
        qd_maker_tensor(&d->maker, type, d->shapes[input].rank, d->shapes[input].dims);
    bool divides = strcmp(d->outline->op->name, "Div") == 0 && !coded,
         positive = strcmp(name, "var") == 0 || (shares_all(d) && qd_dtype_is_float(type));
    for (int64_t i = 0; i < t.count && d->maker.status == QD_OK; i++) {
        double x = draw_at(d, type, name, i);
        qd_maker_set(&t, i, positive ? fabs(x) + 0.5 : divides && x == 0 ? 1 : x);
    }
    const char *codes = coded ? qd_arena_printf(d->maker.arena, "%s_codes", name) : name;
    codes = qd_derived_add_once(d, codes, &t, run);
    if (!coded)
        return codes;
    int64_t channels = bias ? d->shapes[input].dims[0] : d->channels[owner];
    bool per_channel = channels > 0 && is_per_channel(d, bias ? QD_DERIVED_W : owner, true);
    struct grid grid = add_grid(d, name, bias ? QD_DERIVED_W : owner, channels, type);
    add_linear_node(d, "DequantizeLinear", codes, grid, name,
                    !per_channel ? -1
                    : bias       ? 0
                                 : d->channel_axis[owner]);
    return name;
}

/* --- The node ------------------------------------------------------------------------------------- */

static bool is_absent(const struct qd_derived_draft *d, unsigned input)
{
    const struct qd_op *op = d->outline->op;
    const char *word = qd_derived_word(d, QD_DERIVED_OPERAND, (int)input);
    if (qd_op_role(op, input) == QD_ROLE_ZERO_POINT)
        return strstr(qd_derived_word(d, QD_DERIVED_ZERO, whose(d, input)), "absent") != NULL;
    return strcmp(word, "no_bias") == 0 || strcmp(word, "absent") == 0;
}

/* Adds operand `input`; its name, "" if it is absent. `seen`: operands of numbers before it. */
static const char *add_operand(struct qd_derived_draft *d, unsigned input, unsigned *seen,
                               const char **first)
{
    enum qd_role role = qd_op_role(d->outline->op, input);
    const char *name = name_of(d, input);
    if (is_absent(d, input))
        return "";
    if (role == QD_ROLE_CONTROL)
        return qd_derived_add_control(d, input, name);
    if (role == QD_ROLE_SCALE || role == QD_ROLE_ZERO_POINT)
        return add_parameter(d, input, name);
    if (role == QD_ROLE_BIAS && d->outline->layout != QD_LAYOUT_CHANNELS) {
        return add_tensor(d, input, name, QD_DERIVED_W,
                          qd_derived_level(d, QD_DERIVED_OPERAND, (int)input) == 2);
    }
    unsigned place = (*seen)++;
    if (place == 1 && is_level(d, QD_DERIVED_ALIAS, "x_twice"))
        return *first;
    bool plain = d->outline->layout == QD_LAYOUT_CHANNELS;
    name = add_tensor(d, input, name, place % 2 && !plain ? QD_DERIVED_W : QD_DERIVED_X,
                      is_run(d, place == 0));
    if (place == 0)
        *first = name;
    return name;
}

/* What a node that changes nothing gives of a tensor; the same one for the same tensor. */
static const char *compute(struct qd_derived_draft *d, const char **given, unsigned count)
{
    const char *name = given[count], *passed;
    for (unsigned i = 0; i <= count; i++)
        if (strcmp(given[i], name) == 0) {
            passed = qd_arena_printf(d->maker.arena, "%s_computed", name);
            if (i == count && passed)
                qd_build_node(d->maker.builder, "", "Identity", name, passed);
            return passed;
        }
    return name;
}

static const char *add_operands(struct qd_derived_draft *d)
{
    const char *list = "", *first = "", *commas = "", *given[QD_MAX_OPERANDS];
    bool computed = is_level(d, QD_DERIVED_COMPUTED, "computed");
    unsigned seen = 0;
    for (unsigned i = 0; i < d->inputs && list && d->maker.status == QD_OK; i++) {
        const char *name = given[i] = add_operand(d, i, &seen, &first);
        if (*name && computed)
            name = compute(d, given, i);
        if (!name)
            return NULL;
        if (*name) { /* absent ones before it leave their commas */
            list = qd_arena_printf(d->maker.arena, "%s%s%s", list, commas, name);
            commas = "";
        }
        commas = qd_arena_printf(d->maker.arena, "%s,", commas);
    }
    return list;
}

static void put_attributes(struct qd_derived_draft *d)
{
    for (size_t i = 0; i < d->attribute_count; i++) {
        const struct qd_attr *a = &d->attributes[i];
        switch (a->kind) {
        case QD_ATTR_FLOAT: qd_build_attr_float(d->maker.builder, a->name, a->f); break;
        case QD_ATTR_STRING: qd_build_attr_string(d->maker.builder, a->name, a->s); break;
        case QD_ATTR_INTS: qd_build_attr_ints(d->maker.builder, a->name, a->ints, a->count); break;
        default: qd_build_attr_int(d->maker.builder, a->name, a->i); break;
        }
    }
}

static const char *output_names(const struct qd_derived_draft *d, const char *out)
{
    const struct qd_op *op = d->outline->op;
    if (op->variadic && op->outputs > 1)
        return d->coded ? "real,second" : "out,second";
    if (op->form == QD_FORM_MANY && op->outputs == 3)
        return "out,second,third";
    return out;
}

static void put_outputs(struct qd_derived_draft *d, const char *names,
                        const struct qd_derived_output *outputs)
{
    static const char *const all[QD_DERIVED_MAX_OUTPUTS] = {"out", "second", "third"};
    static const int64_t open[QD_MAX_RANK] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int i = 0; i < QD_DERIVED_MAX_OUTPUTS && (i == 0 || strstr(names, all[i])); i++)
        if (outputs)
            qd_build_output(d->maker.builder, all[i], outputs[i].type, (int)outputs[i].rank, open);
        else
            qd_build_output(d->maker.builder, all[i], QD_DTYPE_NONE, -1, NULL);
}

static void put_node(struct qd_derived_draft *d, const struct qd_derived_output *outputs)
{
    const struct qd_op *op = d->outline->op;
    const char *names = output_names(d, d->coded ? "real" : "out"), *operands = add_operands(d);
    if (!operands && d->maker.status == QD_OK)
        d->maker.status = qd_fail(d->maker.error, QD_NO_MEMORY, "no room for names");
    if (d->maker.status != QD_OK)
        return;
    qd_build_node(d->maker.builder, op->domain, op->name, operands, names);
    put_attributes(d);
    if (d->coded) {
        int64_t channels = d->channels[QD_DERIVED_Y];
        struct grid grid = add_grid(d, "out", QD_DERIVED_Y, channels, output_type(d));
        add_linear_node(d, "QuantizeLinear", "real", grid, "out", channels > 0 ? 0 : -1);
    }
    if (is_level(d, QD_DERIVED_READERS, "read_twice")) {
        qd_build_node(d->maker.builder, "", "Identity", names, "second");
        names = "out,second";
    }
    put_outputs(d, names, outputs);
}

static bool is_below_byte(enum qd_dtype type)
{
    return qd_dtype_info(type)->bits < 8;
}

static bool has_no_elements(const struct qd_derived_draft *d)
{
    bool found = false;
    for (unsigned i = 0; i < d->inputs; i++)
        for (unsigned k = 0; k < d->shapes[i].rank; k++)
            found = found || d->shapes[i].dims[k] == 0;
    return found;
}

/* What a level asks for and the others leave no room for. */
static enum qd_status look_for_nothing_asked(const struct qd_derived_draft *d, enum qd_dtype result,
                                             struct qd_error *error)
{
    bool passes = is_level(d, QD_DERIVED_COMPUTED, "computed") ||
                  is_level(d, QD_DERIVED_READERS, "read_twice");
    if ((is_level(d, QD_DERIVED_ALIAS, "one_grid") || shares_all(d)) && !d->shares)
        return qd_fail(error, QD_UNSUPPORTED, "no two operands have parameters of one type");
    if ((strncmp(d->alone, "empty", 5) == 0 || qd_derived_is_alone(d, "no_elements")) &&
        !has_no_elements(d))
        return qd_fail(error, QD_UNSUPPORTED, "no operand without elements");
    if (passes && !d->coded &&
        (is_below_byte(d->x) || is_below_byte(d->w) || is_below_byte(output_type(d)) ||
         is_below_byte(result)))
        return qd_fail(error, QD_UNSUPPORTED,
                       "runtimes hand on no elements smaller than a byte by Identity");
    return QD_OK;
}

/* The words of the levels that are not the base's. */
static void describe(const struct qd_derived *outline, const uint8_t *row, const uint8_t *base,
                     char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "derived/%s%s%s", outline->op->domain,
                                   *outline->op->domain ? "." : "", outline->op->name);
    char between = '/';
    for (unsigned f = 0; f < outline->count && used < size; f++) {
        const char *word = outline->factors[f].words[row[f]];
        if (row[f] == base[f] || !*word)
            continue;
        enum qd_derived_kind kind = outline->about[f].kind;
        used += (size_t)snprintf(text + used, size - used, "%c%s%s", between,
                                 kind == QD_DERIVED_EXTENT ? outline->factors[f].name : "", word);
        between = '-';
    }
    if (between == '/' && used < size)
        snprintf(text + used, size - used, "/base");
}

enum qd_status qd_derived_make(const struct qd_derived *outline, const uint8_t *row,
                               const uint8_t *base, const struct qd_derived_output *outputs,
                               struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    char slug[512];
    const char *spec =
        qd_arena_printf(arena, "%s-%lld", outline->op->name, (long long)outline->op->since);
    struct qd_derived_draft d = {.outline = outline, .row = row};
    describe(outline, row, base, slug, sizeof slug);
    d.alone = qd_derived_word(&d, QD_DERIVED_ALONE, 0);
    d.random = d.jitter = qd_random_seed(slug, 0);
    read_counts(&d);
    read_types(&d);
    d.maker = qd_maker_begin(arena, d.opset, error);
    if (d.maker.status != QD_OK || !spec)
        return d.maker.status == QD_OK ? qd_fail(error, QD_NO_MEMORY, "no room for a case")
                                       : d.maker.status;
    if (d.inputs > QD_MAX_OPERANDS || d.inputs > outline->op->max_inputs)
        return qd_fail(error, QD_UNSUPPORTED, "more operands than the reference takes (%u)",
                       outline->op->max_inputs);
    lay_out(&d);
    if (costs_too_much(&d))
        return qd_fail(error, QD_UNSUPPORTED, "too large for one of many cases");
    if ((d.small = !outputs))
        lay_out(&d);
    put_node(&d, outputs);
    enum qd_status status = d.maker.status == QD_OK
                                ? look_for_nothing_asked(&d, outputs ? outputs[0].type : d.x, error)
                                : QD_OK;
    if (status != QD_OK)
        return status;
    if (qd_derived_level(&d, QD_DERIVED_ALONE, 0) > 0)
        qd_build_tag(d.maker.builder, QD_DERIVED_TAG_ALONE);
    status = qd_maker_finish(&d.maker, slug, "derived", spec, kase);
    if (status == QD_OK && kase->graph->node_count > QD_CASE_EDIT_MAX_NODES)
        return qd_fail(error, QD_UNSUPPORTED, "more nodes than a case may have to be edited");
    return status;
}
