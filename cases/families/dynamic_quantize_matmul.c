/* SPDX-License-Identifier: Apache-2.0 */
/* DynamicQuantizeMatMul of com.microsoft: triples of features, times the values of a: anywhere, half-way between two
 * codes, and codes of products that fill an int16. a's range fixes its scale
 * and zero point, so both of its ends occur. */
#include <stdio.h>

#include "families/linear_draft.h"
#include "families/maker.h"
#include "families/qlinear_conv.h"
#include "families/vendor_matmul.h"

enum factor { B_TYPE, K, SIZE, A_RANK, B_SHAPE, B_ZERO, A_ZERO, BIAS, BINDING, FACTORS };
enum b_zero { B_ZERO_ABSENT = 5 };

static const struct qd_factor factors[] = {
    [B_TYPE] = {.name = "type of b", QD_LEVELS("b_u8", "b_s8")},
    [K] = {.name = "K", QD_LEVELS("k2", "k8", "k7", "k37")},
    [SIZE] = {.name = "size", QD_LEVELS(NULL, "wide", "row")},
    [A_RANK] = {.name = "rank of a", QD_LEVELS(NULL, "batch")},
    [B_SHAPE] = {.name = "b parameters", QD_LEVELS(NULL, "bv")},
    [B_ZERO] = {.name = "b_zero_point",
                QD_LEVELS("bz_0", "bz", "bz_distinct", "bz_straddle", "bz_ends", "no_bz")},
    [A_ZERO] = {.name = "where a's range has its zero",
                QD_LEVELS("az_mid", "az_min", "az_max", "az")},
    [BIAS] = {.name = "bias", QD_LEVELS(NULL, "bias")},
    [BINDING] = {.name = "run-time inputs",
                 QD_LEVELS(NULL, "run_params", "run_weights", "run_all")},
};

static const struct qd_exclusion exclusions[] = {
    {{B_SHAPE, B_ZERO}, {0x1, 0x1c}}, /* zero points that differ need a vector */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

enum values { RANDOM, TIE, INT16_PAIRS, VALUES };
static const char *const words[VALUES] = {"random", "tie", "int16-pairs"};

/* Two of three for each row. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    size_t sum = values;
    (void)draw;
    for (unsigned f = 0; f < FACTORS; f++)
        sum += row[f];
    return sum % 3 != 0;
}

static struct qd_conv_draft make_draft(const uint8_t *row, struct qd_random *r)
{
    static const int64_t terms[] = {2, 8, 7, 37}, ms[] = {4, 17, 1}, ns[] = {3, 13, 5};
    struct qd_conv_draft d = {.spatial = 1, .batch = 1, .group = 1};
    bool absent = row[B_ZERO] == B_ZERO_ABSENT;
    uint8_t conv[QD_CONV_FACTORS] = {
        [QD_CONV_TYPES] = row[B_TYPE] ? 2 : 0, /* a's codes are u8 */
        [QD_CONV_W_SHAPE] = row[B_SHAPE] == QD_VENDOR_COLUMNS ? 1 : 0,
        [QD_CONV_W_ZERO] = absent ? 0 : row[B_ZERO],
        [QD_CONV_X_ZERO] = row[A_ZERO],
    };
    d.channels = terms[row[K]];
    d.filters = ns[row[SIZE]];
    d.plane = d.in[0] = d.out[0] = ms[row[SIZE]];
    d.kernel[0] = d.stride[0] = d.dilation[0] = 1;
    qd_conv_draft_zeros(&d, conv, r);
    for (int64_t i = 0; absent && i < d.filters; i++)
        d.w_zero[i] = 0;
    return d;
}

/* Scales that are powers of two make everything exact but b_scale's product with random numbers. */
static void set_scales(struct qd_conv_draft *d, enum values values, struct qd_random *r)
{
    d->x_scale = qd_scale_make(1, (int)qd_random_range(r, -9, 2));
    for (int64_t i = 0; i < d->filters; i++) {
        uint32_t odd = 2 * (uint32_t)qd_random_range(r, 0, 1 << 20) + 1;
        d->w_scale[i] =
            values == RANDOM ? qd_scale_make(odd, -25) : qd_scale_make(1, -(int)(i % 5) - 1);
    }
}

/* How far element i of a is from the middle of its code, in codes. */
static double offset_of(enum values values, struct qd_random *r)
{
    int64_t part = qd_random_range(r, -511, 511), side = qd_random_range(r, 0, 1);
    switch (values) {
    case TIE: return side ? 0.5 : -0.5;
    case RANDOM: return (double)part / 1024;
    case INT16_PAIRS:
    case VALUES: break;
    }
    return 0;
}

/* a [M, K] or [1, M, K] of real numbers; the first is the range's least, the last its greatest. */
static void add_a(struct qd_maker *maker, const struct qd_conv_draft *d, const uint8_t *row,
                  enum values values, struct qd_random *r)
{
    const int64_t dims[] = {1, d->plane, d->channels};
    bool batch = row[A_RANK] != 0;
    struct qd_tensor a = qd_maker_tensor(maker, QD_F32, batch ? 3 : 2, batch ? dims : dims + 1);
    double scale = qd_float_decode(QD_F32, qd_scale_bits(d->x_scale));
    for (int64_t i = 0; i < a.count; i++) {
        int64_t from = i % d->channels * d->plane + i / d->channels; /* x is [K, M] */
        double code = (double)qd_tensor_get(&d->x, from) + offset_of(values, r);
        code = i == 0 || code < 0 ? 0 : i == a.count - 1 || code > 255 ? 255 : code;
        qd_maker_set(&a, i, (code - (double)d->x_zero) * scale);
    }
    qd_maker_add(maker, "a", &a, true);
}

static enum qd_status build(const struct qd_conv_draft *d, const uint8_t *row, enum values values,
                            const char *slug, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    const int64_t y[3] = {1, d->plane, d->filters};
    struct qd_random random = qd_random_seed(slug, 1);
    bool params = row[BINDING] & 1, weights = row[BINDING] & 2, batch = row[A_RANK] != 0;
    bool absent = row[B_ZERO] == B_ZERO_ABSENT;
    const char *inputs = row[BIAS] ? absent ? "a,b,b_scale,,bias" : "a,b,b_scale,b_zero_point,bias"
                         : absent  ? "a,b,b_scale"
                                   : "a,b,b_scale,b_zero_point";
    struct qd_maker maker = qd_maker_begin(arena, 13, error);
    if (maker.status != QD_OK || values >= sizeof words / sizeof *words)
        return maker.status;
    qd_build_node(maker.builder, "com.microsoft", "DynamicQuantizeMatMul", inputs, "y");
    add_a(&maker, d, row, values, &random);
    qd_vendor_add_b(&maker, d, false, weights);
    qd_vendor_add_b_parameters(&maker, d, (enum qd_vendor_shape)row[B_SHAPE], !absent, params);
    if (row[BIAS])
        qd_vendor_add_bias(&maker, d, &random);
    qd_build_output(maker.builder, "y", QD_F32, batch ? 3 : 2, batch ? y : y + 1);
    return qd_maker_finish(&maker, slug, words[values], "com.microsoft.DynamicQuantizeMatMul-1",
                           kase);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t number,
                           struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    char features[200], slug[300];
    struct qd_conv_draft d;
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "DynamicQuantizeMatMul/%s-%s", words[values], features);
    const struct qd_conv_values *codes =
        &qd_conv_values[values == INT16_PAIRS ? QD_CONV_INT16_PAIRS : QD_CONV_RANDOM];
    enum qd_status status = qd_vendor_draw(make_draft, row, codes, slug, number, arena, &d, error);
    if (status != QD_OK)
        return status;
    struct qd_random random = qd_random_seed(slug, number + 1);
    set_scales(&d, (enum values)values, &random);
    return build(&d, row, (enum values)values, slug, arena, kase, error);
}

const struct qd_family qd_family_dynamic_quantize_matmul = {
    .name = "DynamicQuantizeMatMul",
    .meaning = "a product whose first factor is quantized by its own range: types, parameters, "
               "bias, times "
               "three kinds of numbers",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
