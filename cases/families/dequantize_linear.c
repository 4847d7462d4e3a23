/* SPDX-License-Identifier: Apache-2.0 */
/* DequantizeLinear, opsets 10 to 25: every combination of three features, times value families;
 * types of at most 8 bits are swept through all their codes, and at full through all their zero
 * points too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "families/linear_draft.h"

enum factor { OPSET, X, SCALE, OUTPUT, ZERO, GRANULARITY, RANK, BINDING, FACTORS };

static const enum qd_dtype x_types[] = {
    QD_U8,  QD_S8,  QD_S32, QD_F8E4M3FN, QD_F8E4M3FNUZ, QD_F8E5M2, QD_F8E5M2FNUZ,
    QD_U16, QD_S16, QD_U4,  QD_S4,       QD_F4E2M1,     QD_U2,     QD_S2};
static const enum qd_dtype scale_types[] = {QD_F32, QD_F16, QD_BF16, QD_F8E8M0};
static const enum qd_dtype output_types[] = {QD_DTYPE_NONE, QD_F32, QD_F16, QD_BF16};

enum zero { ABSENT, CODE_0, EVEN, ODD, MIN, MAX };

static const struct qd_factor factors[] = {
    [OPSET] = {.name = "opset", QD_LEVELS(QD_OPSET_WORDS)},
    [X] = {.name = "x", .levels = 14},
    [SCALE] = {.name = "x_scale", QD_LEVELS(NULL, "s_f16", "s_bf16", "s_f8e8m0")},
    [OUTPUT] = {.name = "output_dtype", QD_LEVELS(NULL, "dtype_f32", "dtype_f16", "dtype_bf16")},
    [ZERO] = {.name = "x_zero_point",
              QD_LEVELS("no_z", "z_0", "z_even", "z_odd", "z_min", "z_max")},
    [GRANULARITY] = {.name = "granularity", QD_LEVELS(QD_GRANULARITY_WORDS)},
    [RANK] = {.name = "rank", QD_LEVELS(QD_RANK_WORDS)},
    [BINDING] = {.name = "run-time inputs", QD_LEVELS(NULL, "run")},
};

/* What the operator's text forbids or leaves open, as pairs of levels (bit l = level l). */
static const struct qd_exclusion exclusions[] = {
    {{OPSET, X}, {0x03, 0x3ff8}},   /* u8 s8 s32 */
    {{OPSET, X}, {0x04, 0x3f80}},   /* + float8 */
    {{OPSET, X}, {0x08, 0x3800}},   /* + 16 and 4 bits */
    {{OPSET, X}, {0x30, 0x3000}},   /* + f4e2m1; all at 25 */
    {{OPSET, SCALE}, {0x03, 0x6}},  /* f16 and bf16 since 19 */
    {{OPSET, SCALE}, {0x1f, 0x8}},  /* f8e8m0 since 24 */
    {{SCALE, OUTPUT}, {0x8, 0x1}},  /* and never as the output's type */
    {{OPSET, OUTPUT}, {0x0f, 0xe}}, /* since 23 */
    {{ZERO, X}, {1 << EVEN | 1 << ODD | 1 << MIN | 1 << MAX, 0x087c}}, /* s32 and floats: 0 only */
    {{OPSET, GRANULARITY}, {0x01, QD_GRANULARITY_VECTORS}},
    {{OPSET, GRANULARITY}, {0x07, QD_GRANULARITY_BLOCKS}},
    {{RANK, GRANULARITY}, {0x01, QD_GRANULARITY_VECTORS}},
    {{RANK, GRANULARITY}, {0x02, 1 << QD_BLOCKS_ONE}},  /* [1]: a block or the tensor? */
    {{RANK, GRANULARITY}, {0x02, QD_GRANULARITY_AXES}}, /* opset 19: "per-tensor is applied" */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

enum values { SWEEP, POWER_OF_TWO, EXTREME_SCALE, VALUES };
static const char *const value_words[] = {"sweep", "power-of-two", "extreme-scale"};

struct draft {
    struct qd_linear_draft linear;
    enum qd_dtype x_type, scale_type, y_type;
    enum zero zero_kind;
    struct qd_tensor x, scale, zero;
};

static struct draft make_draft(const uint8_t *row)
{
    struct draft d = {
        .linear = qd_linear_draft_make(row[OPSET], row[RANK], row[GRANULARITY]),
        .x_type = x_types[row[X]],
        .scale_type = scale_types[row[SCALE]],
        .y_type = output_types[row[OUTPUT]],
        .zero_kind = (enum zero)row[ZERO],
    };
    if (d.y_type == QD_DTYPE_NONE)
        d.y_type = d.scale_type;
    return d;
}

static int64_t zero_of(const struct draft *d, int64_t slot)
{
    const struct qd_dtype_info *x = qd_dtype_info(d->x_type);
    /* Slots get different zero points; floats have neither a range nor a zero point. */
    int64_t quarter = (x->max - x->min) / 4 + 1;
    int64_t even = x->min + 2 * ((quarter + 5 + 37 * slot) % (2 * quarter));
    switch (d->zero_kind) {
    case EVEN: return even + (even & 1);
    case ODD: return even + 1 - (even & 1);
    case MIN: return x->min;
    case MAX: return x->max;
    default: return 0;
    }
}

static int exponent(enum qd_dtype scale, enum values values, struct qd_random *r)
{
    static const int f32[] = {-149, -140, -127, -126, -120, 100, 119};
    static const int bf16[] = {-133, -130, -127, -126, -120, 100, 119};
    static const int f16[] = {-24, -20, -15, -14, 7}, e8m0[] = {-127, -126, 100, 119};
    if (values != EXTREME_SCALE)
        return (int)qd_random_range(r, -10, 2);
    switch (scale) {
    case QD_F16: return QD_RANDOM_PICK(r, f16);
    case QD_F8E8M0: return QD_RANDOM_PICK(r, e8m0);
    case QD_BF16: return QD_RANDOM_PICK(r, bf16);
    default: return QD_RANDOM_PICK(r, f32);
    }
}

/* All codes of a type of at most 8 bits in turn; else the ends of the range, then anything. */
static int64_t draw_code(enum qd_dtype dtype, int64_t i, int64_t count, struct qd_random *r)
{
    const struct qd_dtype_info *type = qd_dtype_info(dtype);
    int64_t codes = (int64_t)1 << type->bits;
    if (type->bits <= 8)
        return count == 1 ? qd_random_range(r, 0, codes - 1) : i % codes;
    const int64_t ends[] = {
        type->min, type->min + 1, type->max, type->max - 1, 0, 1, (type->min + type->max) / 2};
    return i < (int64_t)(sizeof ends / sizeof *ends) && count > 1
               ? ends[i]
               : qd_random_range(r, type->min, type->max);
}

static enum qd_status draw_tensors(struct draft *d, enum values values, struct qd_arena *arena,
                                   struct qd_random *r, struct qd_error *error)
{
    enum qd_status status = qd_linear_data(&d->linear, arena, d->x_type, &d->x, error);
    if (status == QD_OK)
        status = qd_linear_parameter(&d->linear, arena, d->scale_type, &d->scale, error);
    if (status == QD_OK && d->zero_kind != ABSENT)
        status = qd_linear_parameter(&d->linear, arena, d->x_type, &d->zero, error);
    if (status != QD_OK)
        return status;
    for (int64_t k = 0; k < d->linear.slots; k++) {
        int e = exponent(d->scale_type, values, r);
        double s = qd_linear_scale(d->scale_type, values == POWER_OF_TWO, e, r);
        qd_tensor_set(&d->scale, k, (int64_t)qd_float_encode(d->scale_type, s, true));
        if (d->zero.data)
            qd_tensor_set(&d->zero, k, zero_of(d, k));
    }
    for (int64_t i = 0; i < d->x.count; i++)
        qd_tensor_set(&d->x, i, draw_code(d->x_type, i, d->x.count, r));
    return QD_OK;
}

static enum qd_status build(const struct draft *d, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    struct qd_builder *builder = qd_build_begin(arena, d->linear.opset);
    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    qd_build_node(builder, "", "DequantizeLinear",
                  d->zero.data ? "x,x_scale,x_zero_point" : "x,x_scale", "y");
    qd_linear_attributes(&d->linear, builder);
    if (row[OUTPUT])
        qd_build_attr_int(builder, "output_dtype", qd_dtype_info(d->y_type)->onnx);
    qd_build_input(builder, "x", &d->x);
    qd_build_tensor(builder, "x_scale", &d->scale, row[BINDING] == 1);
    if (d->zero.data)
        qd_build_tensor(builder, "x_zero_point", &d->zero, row[BINDING] == 1);
    qd_build_output(builder, "y", d->y_type, (int)d->linear.rank, d->linear.dims);
    qd_build_tag(builder, tag);
    qd_build_origin(builder, qd_arena_printf(arena, "DequantizeLinear-%d", (int)d->linear.opset),
                    "", "");
    return qd_build_finish(builder, slug, true, kase, error);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char features[160], slug[256];
    struct draft d = make_draft(row);
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "DequantizeLinear/x-%s,y-%s/%s-%s", qd_dtype_info(d.x_type)->word,
             qd_dtype_info(d.y_type)->word, value_words[values], features);
    struct qd_random random = qd_random_seed(slug, draw);
    enum qd_status status = draw_tensors(&d, (enum values)values, arena, &random, error);
    return status == QD_OK ? build(&d, row, slug, value_words[values], arena, kase, error) : status;
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    /* Scalars and simple scales have so few values that draws would repeat. */
    return draw == 0 || (row[RANK] > 0 && row[SCALE] != 3 && values == SWEEP);
}

/* Every code (rows) against every zero point (columns), scale 1/3. */
static enum qd_status make_sweep(enum qd_dtype x_type, struct qd_arena *arena, struct qd_case *kase,
                                 struct qd_error *error)
{
    enum { CODES = 256 };
    const struct qd_dtype_info *type = qd_dtype_info(x_type);
    const int64_t dims[] = {CODES, CODES};
    struct qd_tensor x, scale, zero;
    char slug[64];
    struct qd_builder *builder = qd_build_begin(arena, 13);
    enum qd_status status = qd_tensor_init(&x, arena, x_type, 2, dims, error);
    if (status == QD_OK)
        status = qd_tensor_init(&scale, arena, QD_F32, 1, dims, error);
    if (status == QD_OK)
        status = qd_tensor_init(&zero, arena, x_type, 1, dims, error);
    if (status != QD_OK || !builder)
        return builder ? status : qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    for (int64_t c = 0; c < CODES; c++) {
        qd_tensor_set(&scale, c, 0x3eaaaaab); /* RN(1/3) */
        qd_tensor_set(&zero, c, type->min + c);
        for (int64_t r = 0; r < CODES; r++)
            qd_tensor_set(&x, r * CODES + c, type->min + r);
    }
    snprintf(slug, sizeof slug, "DequantizeLinear/x-%s,y-f32/sweep-all-zero-points", type->word);
    qd_build_node(builder, "", "DequantizeLinear", "x,x_scale,x_zero_point", "y");
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "x_scale", &scale);
    qd_build_initializer(builder, "x_zero_point", &zero);
    qd_build_output(builder, "y", QD_F32, 2, dims);
    qd_build_tag(builder, "sweep");
    qd_build_origin(builder, "DequantizeLinear-13", "", "");
    return qd_build_finish(builder, slug, true, kase, error);
}

const struct qd_family qd_family_dequantize_linear = {
    .name = "DequantizeLinear",
    .meaning = "dequantization of a tensor: opsets, types, granularity, zero points; all codes",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
    .sweep = make_sweep,
};
