/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear, opsets 10 to 25: every combination of three features, times value families
 * that solve for rounding edges; at full also every 8-bit zero point against every half-way
 * value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "families/linear_draft.h"

enum factor { OPSET, X, Y, SCALE, PRECISION, ZERO, GRANULARITY, RANK, SATURATE, BINDING, FACTORS };

static const enum qd_dtype x_types[] = {QD_F32, QD_S32, QD_F16, QD_BF16};
static const enum qd_dtype y_types[] = {
    QD_U8,  QD_S8, QD_F8E4M3FN, QD_F8E4M3FNUZ, QD_F8E5M2, QD_F8E5M2FNUZ, QD_U16,
    QD_S16, QD_U4, QD_S4,       QD_F4E2M1,     QD_U2,     QD_S2};
/* x's own type (f32 for s32), then explicit ones. */
static const enum qd_dtype scale_types[] = {QD_DTYPE_NONE, QD_F32, QD_F16, QD_BF16, QD_F8E8M0};
static const enum qd_dtype precisions[] = {QD_DTYPE_NONE, QD_F32, QD_F16, QD_BF16};

enum zero { ABSENT, DTYPE_ONLY, CODE_0, EVEN, ODD, MIN, MAX, CODE_0_AND_DTYPE };

static const struct qd_factor factors[] = {
    [OPSET] = {.name = "opset", QD_LEVELS(QD_OPSET_WORDS)},
    [X] = {.name = "x", .levels = 4},
    [Y] = {.name = "y", .levels = 13},
    [SCALE] = {.name = "y_scale", QD_LEVELS(NULL, "s_f32", "s_f16", "s_bf16", "s_f8e8m0")},
    [PRECISION] = {.name = "precision", QD_LEVELS(NULL, "prec_f32", "prec_f16", "prec_bf16")},
    [ZERO] = {.name = "y_zero_point",
              QD_LEVELS("no_z", "dtype", "z_0", "z_even", "z_odd", "z_min", "z_max", "z_0_dtype")},
    [GRANULARITY] = {.name = "granularity", QD_LEVELS(QD_GRANULARITY_WORDS)},
    [RANK] = {.name = "rank", QD_LEVELS(QD_RANK_WORDS)},
    [SATURATE] = {.name = "saturate", QD_LEVELS(NULL, "saturate0", "saturate1")},
    [BINDING] = {.name = "run-time inputs", QD_LEVELS(NULL, "run")},
};

/* What the operator's text forbids or leaves open, as pairs of levels (bit l = level l). */
static const struct qd_exclusion exclusions[] = {
    {{OPSET, X}, {0x03, 0xc}}, /* f16 and bf16 since 19 */
    {{OPSET, X},
     {0x0c, 0x2}}, /* 19 and 21: s32 would need an s32 scale, a division nobody defines */
    {{OPSET, Y}, {0x03, 0x1ffc}},       /* u8 s8 */
    {{OPSET, Y}, {0x04, 0x1fc0}},       /* + float8 */
    {{OPSET, Y}, {0x08, 0x1c00}},       /* + 16 and 4 bits */
    {{OPSET, Y}, {0x30, 0x1800}},       /* + f4e2m1; all at 25 */
    {{OPSET, SCALE}, {0x0f, 0x1e}},     /* a type of its own since 23 */
    {{OPSET, SCALE}, {0x1f, 0x10}},     /* f8e8m0 since 24 */
    {{SCALE, PRECISION}, {0x10, 0x1}},  /* a division in f8e8m0 */
    {{OPSET, PRECISION}, {0x0f, 0xe}},  /* since 23 */
    {{ZERO, Y}, {1 << ABSENT, 0x1ffe}}, /* then the output is u8 */
    {{OPSET, ZERO}, {0x07, 1 << DTYPE_ONLY | 1 << CODE_0_AND_DTYPE}},
    {{ZERO, Y}, {1 << EVEN | 1 << ODD | 1 << MIN | 1 << MAX, 0x43c}}, /* floats: 0 only */
    {{OPSET, GRANULARITY}, {0x01, QD_GRANULARITY_VECTORS}},
    {{OPSET, GRANULARITY}, {0x07, QD_GRANULARITY_BLOCKS}},
    {{RANK, GRANULARITY},
     {0x03, QD_GRANULARITY_VECTORS}}, /* 1-D: the specification's two sentences disagree */
    {{OPSET, SATURATE}, {0x03, 0x6}},
    {{SATURATE, Y}, {0x6, 0x1fc3}}, /* means something for float8 only */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

/* ---- Drafts ---------------------------------------------------------------------------------- */

enum values { RANDOM, TIE, NEAR_TIE, SATURATION, SPECIAL, EXTREME_SCALE, VALUES };
static const char *const value_words[] = {"random",     "tie",     "near-tie",
                                          "saturation", "special", "extreme-scale"};

struct draft {
    struct qd_linear_draft linear;
    enum qd_dtype x_type, y_type, scale_type, division;
    enum zero zero_kind;
    struct qd_tensor x, scale, zero;
};

static struct draft make_draft(const uint8_t *row)
{
    struct draft d = {
        .linear = qd_linear_draft_make(row[OPSET], row[RANK], row[GRANULARITY]),
        .x_type = x_types[row[X]],
        .y_type = y_types[row[Y]],
        .scale_type = scale_types[row[SCALE]],
        .division = precisions[row[PRECISION]],
        .zero_kind = (enum zero)row[ZERO],
    };
    if (d.scale_type == QD_DTYPE_NONE)
        d.scale_type = d.x_type == QD_S32 ? QD_F32 : d.x_type;
    if (d.division == QD_DTYPE_NONE)
        d.division = d.scale_type;
    return d;
}

static int64_t zero_of(const struct draft *d, int64_t slot)
{
    const struct qd_dtype_info *y = qd_dtype_info(d->y_type);
    /* Slots get different zero points; floats have neither a range nor a zero point. */
    int64_t quarter = (y->max - y->min) / 4 + 1;
    int64_t even = y->min + 2 * ((quarter + 5 + 37 * slot) % (2 * quarter));
    switch (d->zero_kind) {
    case EVEN: return even + (even & 1);
    case ODD: return even + 1 - (even & 1);
    case MIN: return y->min;
    case MAX: return y->max;
    default: return 0;
    }
}

static double zero_point(const struct draft *d, int64_t i)
{
    return d->zero.data ? qd_tensor_value(&d->zero, qd_linear_slot(&d->linear, i)) : 0;
}

static double scale(const struct draft *d, int64_t i)
{
    return qd_tensor_value(&d->scale, qd_linear_slot(&d->linear, i));
}

/* Scales whose products with the codes stay inside every x type; s32 needs integers for its
 * ties. */
static int ordinary_exponent(const struct draft *d, struct qd_random *r)
{
    return (int)(d->x_type == QD_S32 ? qd_random_range(r, 1, 4) : qd_random_range(r, -6, 2));
}

/* From the smallest subnormal to the largest power of two of the scale's type and of the
 * division's, into which the scale is converted. */
static int extreme_exponent(const struct draft *d, struct qd_random *r)
{
    static const int f16[] = {-24, -20, -15, -14, 12, 14}, e8m0[] = {-127, -126, 100, 127};
    static const int f32[] = {-149, -140, -127, -126, -120, 100, 120, 127};
    static const int bf16[] = {-133, -130, -127, -126, -120, 100, 120, 127};
    if (d->scale_type == QD_F16 || d->division == QD_F16)
        return QD_RANDOM_PICK(r, f16);
    if (d->scale_type == QD_F8E8M0)
        return QD_RANDOM_PICK(r, e8m0);
    if (d->scale_type == QD_BF16 || d->division == QD_BF16)
        return QD_RANDOM_PICK(r, bf16);
    return QD_RANDOM_PICK(r, f32);
}

static void draw_parameters(struct draft *d, enum values values, struct qd_random *r)
{
    for (int64_t k = 0; k < d->linear.slots; k++) {
        bool extreme = values == EXTREME_SCALE;
        int exponent = extreme ? extreme_exponent(d, r) : ordinary_exponent(d, r);
        double s = qd_linear_scale(d->scale_type, values == TIE || extreme, exponent, r);
        qd_tensor_set(&d->scale, k, (int64_t)qd_float_encode(d->scale_type, s, true));
        if (d->zero.data)
            qd_tensor_set(&d->zero, k, zero_of(d, k));
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool holds(enum qd_dtype dtype, double v)
{
    if (dtype == QD_S32)
        return v == floor(v) && fabs(v) < 0x1p31;
    return qd_float_round(dtype, QD_NEAREST_EVEN, v) == v;
}

/* Half-way between two neighbouring finite values of a float type. */
static double float_midpoint(enum qd_dtype dtype, struct qd_random *r)
{
    const struct qd_float_format *f = qd_float_format(dtype);
    int64_t top = (int64_t)qd_float_encode(dtype, f->largest, true);
    int64_t code = qd_random_range(r, 0, top - 1);
    double lower = qd_float_decode(dtype, (uint64_t)code);
    double upper = qd_float_decode(dtype, (uint64_t)code + 1), v = (lower + upper) / 2;
    return qd_random_next(r) % 2 ? v : -v;
}

/* A quotient half-way between two codes of y, one of them perhaps just out of range. */
static double midpoint(const struct draft *d, double z, struct qd_random *r)
{
    const struct qd_dtype_info *y = qd_dtype_info(d->y_type);
    if (qd_dtype_is_float(d->y_type))
        return float_midpoint(d->y_type, r);
    int64_t code = qd_random_range(r, y->min - 1, y->max);
    return (double)code - z + 0.5;
}

/* A quotient at an end of y's range: half a step or a step inside, on it, outside; sometimes far
 * outside. */
static double edge(const struct draft *d, double z, struct qd_random *r)
{
    const struct qd_dtype_info *y = qd_dtype_info(d->y_type);
    bool upper = qd_random_next(r) % 2;
    double far = qd_random_range(r, 0, 5) == 0 ? 1000 : 1;
    if (qd_dtype_is_float(d->y_type)) {
        static const double shares[] = {0.9375, 1, 1.015625, 1.03125, 1.0625, 1.125, 1.25, 2};
        double v = qd_float_format(d->y_type)->largest * QD_RANDOM_PICK(r, shares) * far;
        return upper ? v : -v;
    }
    double halves = (double)qd_random_range(r, -3, 3);
    return ((double)(upper ? y->max : y->min) - z + halves / 2) * far;
}

static double anywhere(const struct draft *d, double z, struct qd_random *r)
{
    const struct qd_dtype_info *y = qd_dtype_info(d->y_type);
    if (qd_dtype_is_float(d->y_type)) {
        double limit = qd_float_format(d->y_type)->largest;
        return (double)qd_random_range(r, -10000, 10000) / 8192 * limit;
    }
    int64_t sixteenths = qd_random_range(r, 16 * y->min - 80, 16 * y->max + 80);
    return (double)sixteenths / 16 - z;
}

/* A tie whose x, and quotient, are exact in every type on the way: one code is admissible. */
static double exact_tie(const struct draft *d, double z, double s, struct qd_random *r)
{
    for (int attempt = 0; attempt < 200; attempt++) {
        double t = midpoint(d, z, r);
        if (holds(d->x_type, t * s) && holds(d->division, t * s) && holds(d->division, t))
            return t * s;
    }
    return qd_dtype_is_float(d->y_type) ? s : s / 2;
}

/* The largest value that stays finite as x and in the division's type. */
static double largest_x(const struct draft *d)
{
    double division = qd_float_format(d->division)->largest;
    double x = d->x_type == QD_S32 ? (double)INT32_MAX : qd_float_format(d->x_type)->largest;
    return x < division ? x : division;
}

/* The code of x nearest to v, finite; moved by `steps` units in the last place. */
static int64_t x_code(const struct draft *d, double v, int steps)
{
    double largest = largest_x(d);
    v = v > largest ? largest : v < -largest ? -largest : v;
    if (d->x_type == QD_S32)
        return (int64_t)floor(v + 0.5);
    double x = qd_float_round(d->x_type, QD_NEAREST_EVEN, v);
    int64_t code = (int64_t)qd_float_encode(d->x_type, x, true);
    bool inside = fabs(x) < largest && x != 0;
    return inside ? code + steps : code;
}

/* The code of x nearest to v, or of some finite x where v is beyond the largest. */
static int64_t x_in_range(const struct draft *d, double v, struct qd_random *r)
{
    if (d->x_type == QD_S32 || fabs(v) <= largest_x(d))
        return x_code(d, v, 0);
    int64_t top = x_code(d, largest_x(d), 0);
    int64_t sign = (int64_t)1 << (qd_dtype_info(d->x_type)->bits - 1);
    return qd_random_range(r, 0, top) + (v < 0 ? sign : 0);
}

/* Values apart; a scalar is none that could leave nothing to compare (NaN to an integer, an
 * overflow in the division). */
static int64_t special(const struct draft *d, struct qd_random *r)
{
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   INT32_MIN,
                                   INT32_MAX,
                                   INT32_MIN + 1,
                                   (1 << 24) + 1,
                                   -(1 << 24) - 3,
                                   INT32_MAX - 64};
    static const double floats[] = {0.0,        -0.0, 1, -1, (double)INFINITY, -(double)INFINITY,
                                    (double)NAN};
    bool scalar = d->linear.rank == 0;
    if (d->x_type == QD_S32)
        return ints[qd_random_range(r, 0, scalar ? 2 : 8)];
    const struct qd_float_format *f = qd_float_format(d->x_type);
    double largest = f->largest, least = qd_float_decode(d->x_type, 1);
    const double own[] = {least, -least, f->least_normal, -f->least_normal, largest, -largest};
    bool common = qd_random_next(r) % 2;
    int64_t choice =
        common ? qd_random_range(r, 0, scalar ? 3 : 6) : qd_random_range(r, 0, scalar ? 3 : 5);
    return (int64_t)qd_float_encode(d->x_type, common ? floats[choice] : own[choice], false);
}

static int64_t draw_x(const struct draft *d, enum values values, int64_t i, struct qd_random *r)
{
    double s = scale(d, i), z = zero_point(d, i);
    switch (values) {
    case TIE: return x_code(d, exact_tie(d, z, s, r), 0);
    case NEAR_TIE: {
        double v = midpoint(d, z, r) * s;
        return x_code(d, v, (int)qd_random_range(r, -1, 1));
    }
    case SATURATION: {
        double v = edge(d, z, r) * s;
        return x_code(d, v, (int)qd_random_range(r, -1, 1));
    }
    case SPECIAL: return special(d, r);
    default: return x_in_range(d, anywhere(d, z, r) * s, r);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static enum qd_status draw_tensors(struct draft *d, enum values values, struct qd_arena *arena,
                                   struct qd_random *r, struct qd_error *error)
{
    bool has_zero = d->zero_kind != ABSENT && d->zero_kind != DTYPE_ONLY;
    enum qd_status status = qd_linear_data(&d->linear, arena, d->x_type, &d->x, error);
    if (status == QD_OK)
        status = qd_linear_parameter(&d->linear, arena, d->scale_type, &d->scale, error);
    if (status == QD_OK && has_zero)
        status = qd_linear_parameter(&d->linear, arena, d->y_type, &d->zero, error);
    if (status != QD_OK)
        return status;
    draw_parameters(d, values, r);
    for (int64_t i = 0; i < d->x.count; i++)
        qd_tensor_set(&d->x, i, draw_x(d, values, i, r));
    return QD_OK;
}

static void add_attributes(const struct draft *d, const uint8_t *row, struct qd_builder *builder)
{
    qd_linear_attributes(&d->linear, builder);
    if (d->zero_kind == DTYPE_ONLY || d->zero_kind == CODE_0_AND_DTYPE)
        qd_build_attr_int(builder, "output_dtype", qd_dtype_info(d->y_type)->onnx);
    if (row[PRECISION])
        qd_build_attr_int(builder, "precision", qd_dtype_info(precisions[row[PRECISION]])->onnx);
    if (row[SATURATE])
        qd_build_attr_int(builder, "saturate", row[SATURATE] - 1);
}

static enum qd_status build(const struct draft *d, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    struct qd_builder *builder = qd_build_begin(arena, d->linear.opset);
    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    qd_build_node(builder, "", "QuantizeLinear",
                  d->zero.data ? "x,y_scale,y_zero_point" : "x,y_scale", "y");
    add_attributes(d, row, builder);
    qd_build_input(builder, "x", &d->x);
    qd_build_tensor(builder, "y_scale", &d->scale, row[BINDING] == 1);
    if (d->zero.data)
        qd_build_tensor(builder, "y_zero_point", &d->zero, row[BINDING] == 1);
    qd_build_output(builder, "y", d->y_type, (int)d->linear.rank, d->linear.dims);
    qd_build_tag(builder, tag);
    qd_build_origin(builder, qd_arena_printf(arena, "QuantizeLinear-%d", (int)d->linear.opset), "",
                    "");
    return qd_build_finish(builder, slug, true, kase, error);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char features[160], slug[256];
    struct draft d = make_draft(row);
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "QuantizeLinear/x-%s,y-%s/%s-%s", qd_dtype_info(d.x_type)->word,
             qd_dtype_info(d.y_type)->word, value_words[values], features);
    struct qd_random random = qd_random_seed(slug, draw);
    enum qd_status status = draw_tensors(&d, (enum values)values, arena, &random, error);
    return status == QD_OK ? build(&d, row, slug, value_words[values], arena, kase, error) : status;
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    /* Scalars and extreme scales have so few values that draws would repeat. */
    if (draw > 0 && (row[RANK] == 0 || values == EXTREME_SCALE))
        return false;
    /* What overflows without saturation is open at some values: a scalar could be one of them. */
    if (values == SATURATION && row[RANK] == 0 && row[SATURATE] == 1)
        return false;
    /* So may a number or the scale of the whole tensor that the precision does not have. */
    bool narrow = precisions[row[PRECISION]] == QD_F16 || precisions[row[PRECISION]] == QD_BF16;
    bool float8 = row[Y] >= 2 && row[Y] <= 5;
    if (values == EXTREME_SCALE &&
        ((narrow && row[GRANULARITY] == 0) || (float8 && row[RANK] == 0)))
        return false;
    if (values == SATURATION && narrow && float8 && row[GRANULARITY] == 0)
        return false;
    /* Integer quotients have no neighbours in the last place. */
    return !(values == NEAR_TIE && x_types[row[X]] == QD_S32);
}

/* Every half-way value from below to beyond the range (rows) against every zero point (columns),
 * scale ½. */
static enum qd_status make_sweep(enum qd_dtype y_type, struct qd_arena *arena, struct qd_case *kase,
                                 struct qd_error *error)
{
    enum { CODES = 256, HALVES = 2 * CODES + 4 };
    const struct qd_dtype_info *y = qd_dtype_info(y_type);
    const int64_t dims[] = {HALVES, CODES}, channels[] = {CODES};
    struct qd_tensor x, scale, zero;
    char slug[64];
    struct qd_builder *builder = qd_build_begin(arena, 13);
    enum qd_status status = qd_tensor_init(&x, arena, QD_F32, 2, dims, error);
    if (status == QD_OK)
        status = qd_tensor_init(&scale, arena, QD_F32, 1, channels, error);
    if (status == QD_OK)
        status = qd_tensor_init(&zero, arena, y_type, 1, channels, error);
    if (status != QD_OK || !builder)
        return builder ? status : qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    for (int64_t c = 0; c < CODES; c++) {
        qd_tensor_set(&scale, c, (int64_t)qd_float_encode(QD_F32, 0.5, true));
        qd_tensor_set(&zero, c, y->min + c);
        for (int64_t h = 0; h < HALVES; h++) { /* halves from −2 − 2c, so that every code occurs */
            double t = (double)(h - 2 - 2 * c) / 2;
            qd_tensor_set(&x, h * CODES + c, (int64_t)qd_float_encode(QD_F32, t / 2, true));
        }
    }
    snprintf(slug, sizeof slug, "QuantizeLinear/x-f32,y-%s/tie-all-zero-points", y->word);
    qd_build_node(builder, "", "QuantizeLinear", "x,y_scale,y_zero_point", "y");
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "y_scale", &scale);
    qd_build_initializer(builder, "y_zero_point", &zero);
    qd_build_output(builder, "y", y_type, 2, dims);
    qd_build_tag(builder, "tie");
    qd_build_tag(builder, "sweep");
    qd_build_origin(builder, "QuantizeLinear-13", "", "");
    return qd_build_finish(builder, slug, true, kase, error);
}

const struct qd_family qd_family_quantize_linear = {
    .name = "QuantizeLinear",
    .meaning =
        "quantization of a tensor: opsets, types, granularity, zero points, times solved values",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
    .sweep = make_sweep,
};
