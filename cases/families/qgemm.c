/* SPDX-License-Identifier: Apache-2.0 */
/* QGemm of com.microsoft: triples of features, times the value families of convolutions (a convolution with kernel 1: C
 * is its bias) and sums around 2^24; two of the six families for each row. */
#include <stdio.h>

#include "families/linear_draft.h"
#include "families/maker.h"
#include "families/qlinear_conv.h"
#include "families/vendor_matmul.h"

enum factor {
    TYPES,
    Y,
    TRANS,
    K,
    SIZE,
    B_SHAPE,
    B_ZERO,
    A_ZERO,
    Y_ZERO,
    C,
    ALPHA,
    BINDING,
    FACTORS
};
enum y { Y_FLOAT, Y_U8, Y_S8 };
enum c { C_ABSENT, C_VECTOR, C_ROW, C_FULL, C_SCALAR, C_COLUMN };
enum alpha { ALPHA_1, ALPHA_HALF, ALPHA_3, ALPHA_TENTH, ALPHA_MINUS };

static const struct qd_factor factors[] = {
    [TYPES] = {.name = "types", .levels = 4},
    [Y] = {.name = "y", .levels = 3},
    [TRANS] = {.name = "transposed", QD_LEVELS(NULL, "ta", "tb", "ta_tb")},
    [K] = {.name = "K", QD_LEVELS("k1", "k8", "k7", "k37", "k271")},
    [SIZE] = {.name = "size", QD_LEVELS(NULL, "wide", "row")},
    [B_SHAPE] = {.name = "b parameters", QD_LEVELS(NULL, "bv")},
    [B_ZERO] = {.name = "b_zero_point",
                QD_LEVELS("bz_0", "bz", "bz_distinct", "bz_straddle", "bz_ends")},
    [A_ZERO] = {.name = "a_zero_point", QD_LEVELS("az_mid", "az_min", "az_max", "az")},
    [Y_ZERO] = {.name = "y_zero_point", QD_LEVELS("yz_even", "yz_odd", "yz_min", "yz_max")},
    [C] = {.name = "C", QD_LEVELS(NULL, "c", "c_1n", "c_mn", "c_scalar", "c_m1")},
    [ALPHA] = {.name = "alpha", QD_LEVELS(NULL, "half", "triple", "tenth", "minus")},
    [BINDING] = {.name = "run-time inputs",
                 QD_LEVELS(NULL, "run_params", "run_weights", "run_all")},
};

static const struct qd_exclusion exclusions[] = {
    {{B_SHAPE, B_ZERO}, {0x1, 0x1c}},   /* zero points that differ need a vector */
    {{Y, Y_ZERO}, {1 << Y_FLOAT, 0xe}}, /* a float has none */
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static const struct {
    const char *word;
    const struct qd_conv_values *values; /* NULL: large sums */
} families[] = {
    {"random", &qd_conv_values[QD_CONV_RANDOM]},
    {"tie", &qd_conv_values[QD_CONV_TIE]},
    {"near-tie", &qd_conv_values[QD_CONV_NEAR_TIE]},
    {"saturation", &qd_conv_values[QD_CONV_SATURATION]},
    {"int16-pairs", &qd_conv_values[QD_CONV_INT16_PAIRS]},
    {"large-sum", NULL},
};
enum values { RANDOM, TIE, NEAR_TIE, SATURATION, INT16_PAIRS, LARGE_SUM };
#define VALUES (sizeof families / sizeof *families)

/* alpha 3 and 0.1 make another value of the one that was solved for, and so does a C of another shape than [N]. */
static bool solves_alpha(const uint8_t *row)
{
    return row[ALPHA] != ALPHA_3 && row[ALPHA] != ALPHA_TENTH;
}

static bool keeps_solution(const uint8_t *row)
{
    return row[C] <= C_FULL && solves_alpha(row);
}

/* Every row has random numbers or pairs that fill an int16; two rows of three also a family that solves for codes. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    size_t sum = 0;
    for (unsigned f = 0; f < FACTORS; f++)
        sum += row[f];
    switch (values) {
    case RANDOM: return sum % 2 == 0;
    case INT16_PAIRS: return sum % 2 == 1;
    case LARGE_SUM: return row[K] == 4 && row[C] == C_ABSENT && draw == 0;
    case TIE:
        /* a handful of sums of one sign may hold no tie within a range that has no room for them; another C leaves
         * every order exact, and some of the ties */
        return row[Y] != Y_FLOAT && solves_alpha(row) && row[Y_ZERO] < 2 && row[SIZE] != 2;
    case NEAR_TIE: return row[Y] != Y_FLOAT && keeps_solution(row) && sum % 3 == 0;
    default: return row[Y] != Y_FLOAT && sum % 3 == 1;
    }
}

static struct qd_conv_draft make_draft(const uint8_t *row, struct qd_random *r)
{
    static const int64_t terms[] = {1, 8, 7, 37, 271}, ms[] = {4, 17, 1}, ns[] = {3, 13, 5};
    struct qd_conv_draft d = {.spatial = 1, .batch = 1, .group = 1};
    uint8_t conv[QD_CONV_FACTORS] = {
        [QD_CONV_TYPES] = (uint8_t)(row[TYPES] | (row[Y] == Y_S8 ? 4 : 0)),
        [QD_CONV_W_SHAPE] = row[B_SHAPE] == QD_VENDOR_COLUMNS ? 1 : 0,
        [QD_CONV_W_ZERO] = row[B_ZERO],
        [QD_CONV_X_ZERO] = row[A_ZERO],
        [QD_CONV_Y_ZERO] = row[Y_ZERO],
    };
    d.channels = terms[row[K]];
    d.filters = ns[row[SIZE]];
    d.plane = d.in[0] = d.out[0] = ms[row[SIZE]];
    d.kernel[0] = d.stride[0] = d.dilation[0] = 1;
    d.has_bias = row[C] != C_ABSENT;
    qd_conv_draft_zeros(&d, conv, r);
    return d;
}

/* C of any shape, [N] of it as drawn. */
static void add_c(struct qd_maker *maker, const struct qd_conv_draft *d, const uint8_t *row)
{
    const int64_t m = d->plane, n = d->filters;
    const int64_t shapes[][2] = {{0, 0}, {n, 0}, {1, n}, {m, n}, {0, 0}, {m, 1}};
    unsigned rank = row[C] == C_SCALAR ? 0 : row[C] == C_VECTOR ? 1 : 2;
    if (row[C] == C_ABSENT)
        return;
    struct qd_tensor c = qd_maker_tensor(maker, QD_S32, rank, shapes[row[C]]);
    for (int64_t i = 0; i < c.count; i++)
        qd_maker_set(&c, i, (double)d->bias[i % n]);
    qd_maker_add(maker, "c", &c, row[BINDING] & 1);
}

static void add_y(struct qd_maker *maker, const struct qd_conv_draft *d, const uint8_t *row)
{
    if (row[Y] == Y_FLOAT)
        return;
    struct qd_tensor scale = qd_maker_tensor(maker, QD_F32, 0, NULL);
    struct qd_tensor zero = qd_maker_tensor(maker, d->y_type, 0, NULL);
    if (maker->status != QD_OK)
        return;
    qd_tensor_set(&scale, 0, qd_scale_bits(d->y_scale));
    qd_tensor_set(&zero, 0, d->y_zero);
    qd_maker_add(maker, "y_scale", &scale, row[BINDING] & 1);
    qd_maker_add(maker, "y_zero_point", &zero, row[BINDING] & 1);
}

static void add_attributes(struct qd_maker *maker, const uint8_t *row)
{
    static const float alphas[] = {1, 0.5F, 3, 0.1F, -1};
    if (maker->status != QD_OK)
        return;
    if (row[ALPHA] != ALPHA_1)
        qd_build_attr_float(maker->builder, "alpha", alphas[row[ALPHA]]);
    if (row[TRANS] & 1)
        qd_build_attr_int(maker->builder, "transA", 1);
    if (row[TRANS] & 2)
        qd_build_attr_int(maker->builder, "transB", 1);
}

static enum qd_status build(const struct qd_conv_draft *d, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    static const char *const inputs[2][2] = {
        {"a,a_scale,a_zero_point,b,b_scale,b_zero_point",
         "a,a_scale,a_zero_point,b,b_scale,b_zero_point,c"},
        {"a,a_scale,a_zero_point,b,b_scale,b_zero_point,,y_scale,y_zero_point",
         "a,a_scale,a_zero_point,b,b_scale,b_zero_point,c,y_scale,y_zero_point"}};
    const int64_t y[2] = {d->plane, d->filters};
    bool params = row[BINDING] & 1, weights = row[BINDING] & 2;
    struct qd_maker maker = qd_maker_begin(arena, 13, error);
    if (maker.status != QD_OK)
        return maker.status;
    qd_build_node(maker.builder, "com.microsoft", "QGemm",
                  inputs[row[Y] != Y_FLOAT][row[C] != C_ABSENT], "y");
    add_attributes(&maker, row);
    qd_vendor_add_a(&maker, d, row[TRANS] & 1);
    qd_vendor_add_a_parameters(&maker, d, row[ALPHA] == ALPHA_HALF ? 1 : 0, true, params);
    qd_vendor_add_b(&maker, d, row[TRANS] & 2, weights);
    qd_vendor_add_b_parameters(&maker, d, (enum qd_vendor_shape)row[B_SHAPE], true, params);
    add_c(&maker, d, row);
    add_y(&maker, d, row);
    qd_build_output(maker.builder, "y", row[Y] == Y_FLOAT ? QD_F32 : d->y_type, 2, y);
    return qd_maker_finish(&maker, slug, tag, "com.microsoft.QGemm-1", kase);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t number,
                           struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    static const char *const y_words[] = {"f32", "u8", "s8"};
    char features[200], slug[300];
    struct qd_conv_draft d;
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "QGemm/a-%s,b-%s,y-%s/%s-%s", row[TYPES] & 1 ? "s8" : "u8",
             row[TYPES] & 2 ? "s8" : "u8", y_words[row[Y]], families[values].word, features);
    enum qd_status status =
        qd_vendor_draw(make_draft, row, families[values].values, slug, number, arena, &d, error);
    return status == QD_OK ? build(&d, row, slug, families[values].word, arena, kase, error)
                           : status;
}

const struct qd_family qd_family_qgemm = {
    .name = "QGemm",
    .meaning = "the vendor's quantized Gemm: types, transpositions, "
               "parameters, C, alpha, times solved values",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
