/* SPDX-License-Identifier: Apache-2.0 */
/* QDQ: DequantizeLinear, float operators, QuantizeLinear, as compilers fuse them. One block a graph,
 * three to seven nodes: pairs of features at smoke, triples at full, and, for addition, every pair
 * of codes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "families/linear_draft.h"
#include "families/qdq_parts.h"

enum factor { BLOCK, TYPES, ZERO, PARAMETERS, WEIGHTS, BIAS, TAIL, OPSET, FACTORS };

enum block {
    CONV,
    CONV_RELU,
    MATMUL,
    MATMUL_ADD,
    GEMM,
    ADD,
    MUL,
    CONCAT,
    RELU,
    CLIP,
    TRANSPOSE,
    RESHAPE,
    MAX_POOL,
    REQUANTIZE,
    TWO_CONSUMERS,
    BLOCKS
};
#define HAS_WEIGHTS (1 << CONV | 1 << CONV_RELU | 1 << MATMUL | 1 << MATMUL_ADD | 1 << GEMM)
#define HAS_SECOND (1 << ADD | 1 << MUL | 1 << CONCAT)
#define UNARY (((1 << BLOCKS) - 1) & ~(HAS_WEIGHTS | HAS_SECOND))
#define MAY_HAVE_BIAS (1 << CONV | 1 << CONV_RELU | 1 << GEMM)

/* Shapes; w is a weight (with its axis of channels) or the second operand. */
static const struct {
    const char *word, *op_type;
    unsigned rank, y_rank;
    int64_t x[4], w[4], y[4];
    unsigned w_axis;
} blocks[BLOCKS] = {
    [CONV] = {"conv", "Conv", 4, 4, {1, 3, 6, 6}, {4, 3, 3, 3}, {1, 4, 6, 6}, 0},
    [CONV_RELU] = {"conv-relu", "Conv", 4, 4, {1, 3, 6, 6}, {4, 3, 3, 3}, {1, 4, 6, 6}, 0},
    [MATMUL] = {"matmul", "MatMul", 2, 2, {6, 16}, {16, 10}, {6, 10}, 1},
    [MATMUL_ADD] = {"matmul-add", "MatMul", 2, 2, {6, 16}, {16, 10}, {6, 10}, 1},
    [GEMM] = {"gemm", "Gemm", 2, 2, {6, 16}, {16, 10}, {6, 10}, 1},
    [ADD] = {"add", "Add", 4, 4, {1, 3, 5, 7}, {1, 3, 5, 7}, {1, 3, 5, 7}, 0},
    [MUL] = {"mul", "Mul", 4, 4, {1, 3, 5, 7}, {1, 3, 5, 7}, {1, 3, 5, 7}, 0},
    [CONCAT] = {"concat", "Concat", 4, 4, {1, 3, 5, 7}, {1, 2, 5, 7}, {1, 5, 5, 7}, 0},
    [RELU] = {"relu", "Relu", 4, 4, {1, 3, 5, 7}, {0}, {1, 3, 5, 7}, 0},
    [CLIP] = {"clip", "Clip", 4, 4, {1, 3, 5, 7}, {0}, {1, 3, 5, 7}, 0},
    [TRANSPOSE] = {"transpose", "Transpose", 4, 4, {1, 3, 5, 7}, {0}, {1, 5, 7, 3}, 0},
    [RESHAPE] = {"reshape", "Reshape", 4, 2, {1, 3, 5, 7}, {0}, {7, 15}, 0},
    [MAX_POOL] = {"max-pool", "MaxPool", 4, 4, {1, 3, 6, 8}, {0}, {1, 3, 3, 4}, 0},
    [REQUANTIZE] = {"requantize", NULL, 4, 4, {1, 3, 5, 7}, {0}, {1, 3, 5, 7}, 0},
    [TWO_CONSUMERS] = {"two-consumers", "Relu", 4, 4, {1, 3, 5, 7}, {0}, {1, 3, 5, 7}, 0},
};

static const enum qd_dtype types[][3] = {/* x, w, y */
                                         {QD_U8, QD_U8, QD_U8},
                                         {QD_U8, QD_S8, QD_U8},
                                         {QD_S8, QD_S8, QD_S8},
                                         {QD_U8, QD_S8, QD_S8}};

enum tail { NO_TAIL, QUANTIZED_TOO, CHAIN };

static const struct qd_factor factors[] = {
    [BLOCK] = {.name = "block", .levels = BLOCKS},
    [TYPES] = {.name = "types", QD_LEVELS("u8u8u8", "u8s8u8", "s8s8s8", "u8s8s8")},
    [ZERO] = {.name = "zero points", QD_LEVELS("z_0", "z_mid", "z_odd", "z_ends")},
    [PARAMETERS] = {.name = "parameters of x and y", QD_LEVELS(NULL, "same")},
    [WEIGHTS] = {.name = "weight parameters", QD_LEVELS(NULL, "per_channel")},
    [BIAS] = {.name = "bias", QD_LEVELS(NULL, "bias")},
    [TAIL] = {.name = "behind y", QD_LEVELS(NULL, "quantized_too", "chain")},
    [OPSET] = {.name = "opset", QD_LEVELS("opset13", "opset21")},
};

static const struct qd_exclusion exclusions[] = {
    {{BLOCK, WEIGHTS}, {UNARY | HAS_SECOND, 0x2}},
    {{BLOCK, BIAS}, {((1 << BLOCKS) - 1) & ~MAY_HAVE_BIAS, 0x2}},
    {{BLOCK, TYPES}, {UNARY, 0x2}}, /* without w the same as the first */
    {{TYPES, PARAMETERS}, {0x8, 0x2}},
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

/* ---- Parameters ------------------------------------------------------------------------------ */

enum values { RANDOM, TIE, SATURATION, VALUES };
static const char *const value_words[] = {"random", "tie", "saturation"};

struct draft {
    const uint8_t *row;
    enum block block;
    enum values values;
    bool has_w, has_bias;
    struct qd_grid x, w, bias, y;
    struct qd_grid middle, next; /* of what is quantized before y, and beside or after it */
    struct qd_tensor x_codes, w_codes, bias_codes;
};

/* With ties in mind, powers of two: then everything is exact. */
static double draw_scale(const struct draft *d, int exponent, struct qd_random *random)
{
    if (d->values == TIE)
        return ldexp(1.0, exponent);
    return qd_linear_scale(QD_F32, false, exponent, random);
}

static void set_grid(const struct draft *d, struct qd_grid *grid, enum qd_dtype type, int64_t role,
                     int exponent, struct qd_random *random)
{
    grid->type = type;
    for (int64_t c = 0; c < grid->count; c++) {
        int shift = grid->count > 1 ? (int)(c % 3) - 1 : 0;
        grid->scale[c] = draw_scale(d, exponent + shift, random);
        grid->zero[c] = qd_qdq_zero_of(type, (enum qd_qdq_zero)d->row[ZERO], role + 4 * c);
    }
}

/* Binary digits by which the codes of x ∘ w are wider than those of y. */
static int drop_of(const struct draft *d)
{
    static const int deep[] = {9, 1, 6}, product[] = {6, 1, 4}, single[] = {1, 1, -1};
    if (HAS_WEIGHTS >> d->block & 1)
        return deep[d->values];
    int middle = d->block == REQUANTIZE; /* which drops one itself */
    return middle + (d->block == MUL ? product[d->values] : single[d->values]);
}

/* The scales' exponents follow from where y's codes shall lie: x ∘ w is in units of s_x·s_w, or of
 * s_x where nothing is multiplied. */
static void draw_grids(struct draft *d, struct qd_random *random)
{
    const enum qd_dtype *type = types[d->row[TYPES]];
    bool product = d->block == MUL || HAS_WEIGHTS >> d->block & 1;
    bool same = d->row[PARAMETERS] == 1;
    int drop = drop_of(d), x = (int)qd_random_range(random, -6, -2);
    int w = product ? (int)qd_random_range(random, -8, -4) : x - 1;
    if (same && product)
        w = -drop;
    int y = product ? x + w + drop : x + drop;
    set_grid(d, &d->x, type[0], 0, x, random);
    set_grid(d, &d->w, type[1], 1, w, random);
    set_grid(d, &d->y, type[2], 2, y, random);
    set_grid(d, &d->next, type[2], 3, y + 1, random);
    set_grid(d, &d->middle, type[2], 4, x + 1, random);
    if (same)
        d->y = d->x;
    if (d->block == CONCAT && same)
        d->w = d->x;
    d->bias.type = QD_S32;
    d->bias.count = d->w.count;
    for (int64_t c = 0; c < d->w.count; c++) /* as converters do: s_x·s_w, rounded */
        d->bias.scale[c] = qd_float_round(QD_F32, QD_NEAREST_EVEN, d->x.scale[0] * d->w.scale[c]);
}

/* ---- Codes ----------------------------------------------------------------------------------- */

static int64_t draw_code(const struct draft *d, const struct qd_grid *grid, int64_t channel,
                         struct qd_random *random)
{
    const struct qd_dtype_info *info = qd_dtype_info(grid->type);
    int64_t anywhere = qd_random_range(random, info->min, info->max);
    int64_t near = qd_random_range(random, -6, 6);
    bool small = d->values == TIE && (HAS_WEIGHTS >> d->block & 1 || d->block == MUL);
    if (small)
        return qd_qdq_clamp(grid->type, grid->zero[channel] + near);
    bool at_end = d->values == SATURATION && near > 3;
    return at_end ? near % 2 ? info->min : info->max : anywhere;
}

/* The position along the axis of w's parameters. */
static int64_t channel_of(const struct draft *d, int64_t i)
{
    int64_t inner = 1;
    for (unsigned k = blocks[d->block].w_axis + 1; k < blocks[d->block].rank; k++)
        inner *= blocks[d->block].w[k];
    return d->w.count > 1 ? i / inner % d->w.count : 0;
}

static enum qd_status draw_codes(struct draft *d, struct qd_arena *arena, struct qd_random *random,
                                 struct qd_error *error)
{
    unsigned rank = blocks[d->block].rank;
    int64_t reach = d->values == TIE ? 20 : 20000;
    int64_t channels = blocks[d->block].w[blocks[d->block].w_axis];
    enum qd_status status =
        qd_tensor_init(&d->x_codes, arena, d->x.type, rank, blocks[d->block].x, error);
    if (status == QD_OK && d->has_w)
        status = qd_tensor_init(&d->w_codes, arena, d->w.type, rank, blocks[d->block].w, error);
    if (status == QD_OK && d->has_bias)
        status = qd_tensor_init(&d->bias_codes, arena, QD_S32, 1, &channels, error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < d->x_codes.count; i++)
        qd_tensor_set(&d->x_codes, i, draw_code(d, &d->x, 0, random));
    for (int64_t i = 0; d->has_w && i < d->w_codes.count; i++)
        qd_tensor_set(&d->w_codes, i, draw_code(d, &d->w, channel_of(d, i), random));
    for (int64_t i = 0; d->has_bias && i < channels; i++)
        qd_tensor_set(&d->bias_codes, i, qd_random_range(random, -reach, reach));
    return QD_OK;
}

/* ---- From a draft to a model ----------------------------------------------------------------- */

static void put_attributes(struct qd_qdq_maker *m, enum block block)
{
    static const int64_t pads[] = {1, 1, 1, 1}, perm[] = {0, 2, 3, 1}, two[] = {2, 2};
    switch (block) {
    case CONV:
    case CONV_RELU: qd_build_attr_ints(m->builder, "pads", pads, 4); break;
    case CONCAT: qd_build_attr_int(m->builder, "axis", 1); break;
    case TRANSPOSE: qd_build_attr_ints(m->builder, "perm", perm, 4); break;
    case MAX_POOL:
        qd_build_attr_ints(m->builder, "kernel_shape", two, 2);
        qd_build_attr_ints(m->builder, "strides", two, 2);
        break;
    default: break;
    }
}

/* Bounds on x's grid, inside its range. */
static void put_bounds(struct qd_qdq_maker *m, const struct draft *d)
{
    int64_t low = qd_qdq_float_code(-20 * d->x.scale[0]),
            high = qd_qdq_float_code(40 * d->x.scale[0]);
    qd_qdq_put_list(m, "min", QD_F32, 0, &low, 1);
    qd_qdq_put_list(m, "max", QD_F32, 0, &high, 1);
}

/* From x_real, w_real and bias_real to y_real. */
static void operate(struct qd_qdq_maker *m, const struct draft *d)
{
    const char *inputs = d->has_w ? "x_real,w_real" : "x_real", *first = "y_real";
    const int64_t shape[] = {7, 15};
    if (d->block == CONV_RELU || d->block == MATMUL_ADD)
        first = "inner";
    if (d->has_bias && d->block != MATMUL_ADD)
        inputs = "x_real,w_real,bias_real";
    if (d->block == CLIP) {
        put_bounds(m, d);
        inputs = "x_real,min,max";
    }
    if (d->block == RESHAPE) {
        qd_qdq_put_list(m, "shape", QD_S64, 1, shape, 2);
        inputs = "x_real,shape";
    }
    qd_build_node(m->builder, "", blocks[d->block].op_type, inputs, first);
    put_attributes(m, d->block);
    if (d->block == CONV_RELU)
        qd_build_node(m->builder, "", "Relu", "inner", "y_real");
    if (d->block == MATMUL_ADD)
        qd_build_node(m->builder, "", "Add", "inner,bias_real", "y_real");
}

static void put_output(struct qd_qdq_maker *m, const struct draft *d, const char *name,
                       enum qd_dtype type)
{
    qd_build_output(m->builder, name, type, (int)blocks[d->block].y_rank, blocks[d->block].y);
}

/* What becomes of y. */
static void put_tail(struct qd_qdq_maker *m, const struct draft *d)
{
    switch (d->row[TAIL]) {
    case QUANTIZED_TOO:
        put_output(m, d, "y", d->y.type);
        qd_qdq_put_node(m, "DequantizeLinear", "y", "z", "y", &d->y, 0);
        put_output(m, d, "z", QD_F32);
        break;
    case CHAIN:
        qd_qdq_put_node(m, "DequantizeLinear", "y", "y_again", "y", &d->y, 0);
        qd_build_node(m->builder, "", "Relu", "y_again", "z_real");
        qd_qdq_quantize(m, "z_real", "z", &d->next);
        put_output(m, d, "z", d->next.type);
        break;
    default: put_output(m, d, "y", d->y.type); break;
    }
}

static void put_body(struct qd_qdq_maker *m, const struct draft *d)
{
    qd_build_input(m->builder, "x", &d->x_codes);
    qd_qdq_dequantize(m, "x", &d->x, 0);
    if (d->has_w) {
        qd_build_tensor(m->builder, "w", &d->w_codes, HAS_SECOND >> d->block & 1);
        qd_qdq_dequantize(m, "w", &d->w, blocks[d->block].w_axis);
    }
    if (d->has_bias) {
        qd_build_initializer(m->builder, "bias", &d->bias_codes);
        qd_qdq_dequantize(m, "bias", &d->bias, 0);
    }
    if (d->block == REQUANTIZE) {
        qd_qdq_quantize(m, "x_real", "m", &d->middle);
        qd_qdq_put_node(m, "DequantizeLinear", "m", "y_real", "m", &d->middle, 0);
    } else
        operate(m, d);
    qd_qdq_quantize(m, "y_real", "y", &d->y);
    if (d->block == TWO_CONSUMERS) {
        qd_qdq_quantize(m, "x_real", "beside", &d->middle);
        put_output(m, d, "beside", d->middle.type);
    }
    put_tail(m, d);
}

static struct draft make_draft(const uint8_t *row, enum values values)
{
    enum block block = (enum block)row[BLOCK];
    struct draft d = {.row = row, .block = block, .values = values};
    d.has_w = (HAS_WEIGHTS | HAS_SECOND) >> block & 1;
    d.has_bias = row[BIAS] == 1 || block == MATMUL_ADD;
    d.x.count = d.w.count = d.y.count = d.middle.count = d.next.count = 1;
    if (row[WEIGHTS] == 1)
        d.w.count = blocks[block].w[blocks[block].w_axis];
    return d;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char features[128], slug[192];
    struct draft d = make_draft(row, (enum values)values);
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "QDQ/%s/%s-%s", blocks[d.block].word, value_words[values],
             features);
    struct qd_random random = qd_random_seed(slug, draw);
    draw_grids(&d, &random);
    struct qd_qdq_maker m = {arena, error, qd_build_begin(arena, row[OPSET] ? 21 : 13), QD_OK};
    if (!m.builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    m.status = draw_codes(&d, arena, &random, error);
    if (m.status != QD_OK)
        return m.status;
    put_body(&m, &d);
    qd_build_tag(m.builder, value_words[values]);
    return m.status == QD_OK ? qd_build_finish(m.builder, slug, true, kase, error) : m.status;
}

/* At full ties always; random numbers and saturation in turn. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    unsigned sum = 0;
    for (unsigned f = 0; f < FACTORS; f++)
        sum += row[f];
    (void)draw;
    return values == TIE || (values == RANDOM) == (sum % 2 == 0);
}

/* Every pair of codes, added: half of the sums are ties; zero points odd, scales powers of two. */
static enum qd_status make_sweep(enum qd_dtype type, struct qd_arena *arena, struct qd_case *kase,
                                 struct qd_error *error)
{
    enum { CODES = 256 };
    const int64_t column[] = {CODES, 1}, line[] = {CODES}, pairs[] = {CODES, CODES};
    int64_t min = qd_dtype_info(type)->min;
    const struct qd_grid x = {.type = type, .count = 1, .zero = {min + 3}, .scale = {0.5}},
                         w = {.type = type, .count = 1, .zero = {min + 201}, .scale = {0.25}},
                         y = {.type = type, .count = 1, .zero = {min + 101}, .scale = {0.5}};
    struct qd_tensor a, b;
    char slug[64];
    struct qd_qdq_maker m = {arena, error, qd_build_begin(arena, 13), QD_OK};
    m.status = qd_tensor_init(&a, arena, type, 2, column, error);
    if (m.status == QD_OK)
        m.status = qd_tensor_init(&b, arena, type, 1, line, error);
    if (m.status != QD_OK || !m.builder)
        return m.builder ? m.status : qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    for (int64_t c = 0; c < CODES; c++) {
        qd_tensor_set(&a, c, min + c);
        qd_tensor_set(&b, c, min + c);
    }
    qd_build_input(m.builder, "x", &a);
    qd_build_input(m.builder, "w", &b);
    qd_qdq_dequantize(&m, "x", &x, 0);
    qd_qdq_dequantize(&m, "w", &w, 0);
    qd_build_node(m.builder, "", "Add", "x_real,w_real", "y_real");
    qd_qdq_quantize(&m, "y_real", "y", &y);
    qd_build_output(m.builder, "y", type, 2, pairs);
    qd_build_tag(m.builder, "tie");
    qd_build_tag(m.builder, "sweep");
    snprintf(slug, sizeof slug, "QDQ/add/tie-all-pairs-%s", qd_dtype_info(type)->word);
    return m.status == QD_OK ? qd_build_finish(m.builder, slug, true, kase, error) : m.status;
}

const struct qd_family qd_family_qdq = {
    .name = "QDQ",
    .meaning = "DequantizeLinear, float operators, QuantizeLinear: blocks that compilers fuse",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
    .sweep = make_sweep,
};
