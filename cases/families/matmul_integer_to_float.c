/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulIntegerToFloat of com.microsoft: triples of features, times random numbers, products that fill an int16 and
 * sums around 2^24, which a float32 accumulator does not hold. */
#include <stdio.h>

#include "families/linear_draft.h"
#include "families/maker.h"
#include "families/qlinear_conv.h"
#include "families/vendor_matmul.h"

enum factor { TYPES, K, SIZE, B_SHAPE, B_ZERO, A_ZERO, ABSENT, BIAS, BINDING, FACTORS };
enum absent { ABSENT_NONE, ABSENT_A, ABSENT_B, ABSENT_BOTH };

static const struct qd_factor factors[] = {
    [TYPES] = {.name = "types", .levels = 4},
    [K] = {.name = "K", QD_LEVELS("k1", "k8", "k7", "k37", "k271")},
    [SIZE] = {.name = "size", QD_LEVELS(NULL, "wide", "row")},
    [B_SHAPE] = {.name = "b parameters", QD_LEVELS(NULL, "bv")},
    [B_ZERO] = {.name = "b_zero_point",
                QD_LEVELS("bz_0", "bz", "bz_distinct", "bz_straddle", "bz_ends")},
    [A_ZERO] = {.name = "a_zero_point", QD_LEVELS("az_mid", "az_min", "az_max", "az")},
    [ABSENT] = {.name = "absent zero points", QD_LEVELS(NULL, "no_az", "no_bz", "no_zeros")},
    [BIAS] = {.name = "bias", QD_LEVELS(NULL, "bias")},
    [BINDING] = {.name = "run-time inputs",
                 QD_LEVELS(NULL, "run_params", "run_weights", "run_all")},
};

static const struct qd_exclusion exclusions[] = {
    {{B_SHAPE, B_ZERO}, {0x1, 0x1c}}, /* zero points that differ need a vector */
    {{ABSENT, B_ZERO}, {1 << ABSENT_B | 1 << ABSENT_BOTH, 0x1e}},
    {{ABSENT, A_ZERO}, {1 << ABSENT_A | 1 << ABSENT_BOTH, 0xe}},
};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

enum values { RANDOM, INT16_PAIRS, LARGE_SUM, VALUES };
static const char *const words[VALUES] = {"random", "int16-pairs", "large-sum"};

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    size_t sum = 0;
    for (unsigned f = 0; f < FACTORS; f++)
        sum += row[f];
    return values == LARGE_SUM ? row[K] == 4 && draw == 0 : sum % 2 == (values == INT16_PAIRS);
}

static struct qd_conv_draft make_draft(const uint8_t *row, struct qd_random *r)
{
    static const int64_t terms[] = {1, 8, 7, 37, 271}, ms[] = {4, 17, 1}, ns[] = {3, 13, 5};
    struct qd_conv_draft d = {.spatial = 1, .batch = 1, .group = 1};
    uint8_t conv[QD_CONV_FACTORS] = {
        [QD_CONV_TYPES] = row[TYPES],
        [QD_CONV_W_SHAPE] = row[B_SHAPE] == QD_VENDOR_COLUMNS ? 1 : 0,
        [QD_CONV_W_ZERO] = row[B_ZERO],
        [QD_CONV_X_ZERO] = row[A_ZERO],
    };
    d.channels = terms[row[K]];
    d.filters = ns[row[SIZE]];
    d.plane = d.in[0] = d.out[0] = ms[row[SIZE]];
    d.kernel[0] = d.stride[0] = d.dilation[0] = 1;
    qd_conv_draft_zeros(&d, conv, r);
    d.x_zero = row[ABSENT] & ABSENT_A ? 0 : d.x_zero;
    return d;
}

/* Where a zero point is absent, the numbers were drawn for 0. */
static void clear_absent(struct qd_conv_draft *d, const uint8_t *row)
{
    for (int64_t i = 0; row[ABSENT] & ABSENT_B && i < d->filters; i++)
        d->w_zero[i] = 0;
}

static enum qd_status build(const struct qd_conv_draft *d, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    static const char *const zeros[] = {"a_zero_point,b_zero_point", ",b_zero_point",
                                        "a_zero_point", ""};
    static const char *const zeros_before_bias[] = {"a_zero_point,b_zero_point", ",b_zero_point",
                                                    "a_zero_point,", ","};
    const int64_t y[2] = {d->plane, d->filters};
    struct qd_random random = qd_random_seed(slug, 1);
    bool params = row[BINDING] & 1, weights = row[BINDING] & 2;
    char inputs[100];
    if (row[BIAS])
        snprintf(inputs, sizeof inputs, "a,b,a_scale,b_scale,%s,bias",
                 zeros_before_bias[row[ABSENT]]);
    else
        snprintf(inputs, sizeof inputs, "a,b,a_scale,b_scale%s%s", *zeros[row[ABSENT]] ? "," : "",
                 zeros[row[ABSENT]]);
    struct qd_maker maker = qd_maker_begin(arena, 13, error);
    if (maker.status != QD_OK)
        return maker.status;
    qd_build_node(maker.builder, "com.microsoft", "MatMulIntegerToFloat", inputs, "y");
    qd_vendor_add_a(&maker, d, false);
    qd_vendor_add_b(&maker, d, false, weights);
    qd_vendor_add_a_parameters(&maker, d, 0, !(row[ABSENT] & ABSENT_A), params);
    qd_vendor_add_b_parameters(&maker, d, (enum qd_vendor_shape)row[B_SHAPE],
                               !(row[ABSENT] & ABSENT_B), params);
    if (row[BIAS])
        qd_vendor_add_bias(&maker, d, &random);
    qd_build_output(maker.builder, "y", QD_F32, 2, y);
    return qd_maker_finish(&maker, slug, tag, "com.microsoft.MatMulIntegerToFloat-1", kase);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t number,
                           struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    static const struct qd_conv_values *const choices[VALUES] = {
        &qd_conv_values[QD_CONV_RANDOM], &qd_conv_values[QD_CONV_INT16_PAIRS], NULL};
    char features[200], slug[300];
    struct qd_conv_draft d;
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "MatMulIntegerToFloat/a-%s,b-%s/%s-%s",
             row[TYPES] & 1 ? "s8" : "u8", row[TYPES] & 2 ? "s8" : "u8", words[values], features);
    enum qd_status status =
        qd_vendor_draw(make_draft, row, choices[values], slug, number, arena, &d, error);
    if (status != QD_OK)
        return status;
    clear_absent(&d, row);
    return build(&d, row, slug, words[values], arena, kase, error);
}

const struct qd_family qd_family_matmul_integer_to_float = {
    .name = "MatMulIntegerToFloat",
    .meaning = "the vendor's integer product scaled to floats: types, parameters, bias, times "
               "three kinds of "
               "sums",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
