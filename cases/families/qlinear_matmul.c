/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearMatMul, opsets 10 and 21: triples of features, times the value families of convolutions and
 * sums around 2^24; two of the six families for each row. */
#include <stdio.h>

#include "families/linear_draft.h"
#include "families/matmul_draft.h"

static const struct qd_factor factors[] = {
    QD_MATMUL_SHARED_FACTORS,
    [QD_MATMUL_TYPES] = {.name = "types", .levels = 8},
    [QD_MATMUL_W_SHAPE] = {.name = "w parameters", QD_LEVELS(NULL, "wv", "w_full")},
    [QD_MATMUL_X_SHAPE] = {.name = "x parameters", QD_LEVELS(NULL, "xv", "x_full")},
    [QD_MATMUL_Y_ZERO] = {.name = "y_zero_point",
                          QD_LEVELS("yz_even", "yz_odd", "yz_min", "yz_max")},
    [QD_MATMUL_OPSET] = {.name = "opset", QD_LEVELS("opset10", "opset21")},
};

static const struct qd_exclusion exclusions[] = {QD_MATMUL_SHARED_EXCLUSIONS};

static const struct qd_factor_table table = {factors, QD_MATMUL_FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static const struct qd_matmul_values values_list[] = {
    {"random", &qd_conv_values[QD_CONV_RANDOM]},
    {"tie", &qd_conv_values[QD_CONV_TIE]},
    {"near-tie", &qd_conv_values[QD_CONV_NEAR_TIE]},
    {"saturation", &qd_conv_values[QD_CONV_SATURATION]},
    {"int16-pairs", &qd_conv_values[QD_CONV_INT16_PAIRS]},
    {"large-sum", NULL},
};
#define VALUES (sizeof values_list / sizeof *values_list)

/* Two families a row, three apart: the rows are many. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    size_t sum = 0;
    bool large = values_list[values].values == NULL;
    for (unsigned f = 0; f < QD_MATMUL_FACTORS; f++)
        sum += row[f];
    if (large)
        return row[QD_MATMUL_K] == QD_MATMUL_K_LARGE && draw == 0;
    /* A handful of sums of one sign may hold no tie within a range that has no room for them. */
    bool few = row[QD_MATMUL_SHAPE] < 3, one_sided = row[QD_MATMUL_Y_ZERO] >= 2;
    /* So may sums of codes that are all on one side of x's zero point. */
    few = few || row[QD_MATMUL_X_ZERO] == 1 || row[QD_MATMUL_X_ZERO] == 2;
    if (values_list[values].values == &qd_conv_values[QD_CONV_TIE] && few && one_sided)
        return false;
    return (sum + values) % (VALUES / 2) == 0;
}

static enum qd_status add_y(const struct qd_matmul_draft *d, const uint8_t *row,
                            struct qd_arena *arena, struct qd_builder *builder,
                            struct qd_error *error)
{
    bool run = row[QD_MATMUL_BINDING] & 1;
    struct qd_tensor scale, zero;
    enum qd_status status = qd_tensor_init(&scale, arena, QD_F32, 0, NULL, error);
    if (status == QD_OK)
        status = qd_tensor_init(&zero, arena, d->conv.y_type, 0, NULL, error);
    if (status != QD_OK)
        return status;
    qd_tensor_set(&scale, 0, qd_scale_bits(d->conv.y_scale));
    qd_tensor_set(&zero, 0, d->conv.y_zero);
    qd_build_tensor(builder, "y_scale", &scale, run);
    qd_build_tensor(builder, "y_zero_point", &zero, run);
    return QD_OK;
}

static enum qd_status build(const struct qd_matmul_draft *d, const uint8_t *row, const char *slug,
                            const char *tag, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    int64_t dims[QD_MAX_RANK];
    bool new = row[QD_MATMUL_OPSET] == 1;
    struct qd_builder *builder = qd_build_begin(arena, new ? 21 : 10);
    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    qd_build_node(builder, "", "QLinearMatMul",
                  "a,a_scale,a_zero_point,b,b_scale,b_zero_point,y_scale,y_zero_point", "y");
    enum qd_status status = qd_matmul_draft_build(d, row, true, arena, builder, error);
    if (status == QD_OK)
        status = add_y(d, row, arena, builder, error);
    unsigned rank = qd_matmul_draft_dims(d, dims);
    qd_build_output(builder, "y", d->conv.y_type, (int)rank, dims);
    qd_build_tag(builder, tag);
    qd_build_origin(builder, new ? "QLinearMatMul-21" : "QLinearMatMul-10", "", "");
    return status == QD_OK ? qd_build_finish(builder, slug, true, kase, error) : status;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char types[32], features[160], slug[256];
    struct qd_matmul_draft d;
    const struct qd_matmul_values *family = &values_list[values];
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "QLinearMatMul/%s,y-%s/%s-%s",
             qd_matmul_types(row, types, sizeof types), row[QD_MATMUL_TYPES] & 4 ? "s8" : "u8",
             family->word, features);
    enum qd_status status = qd_matmul_draft_make(row, true, family, slug, draw, arena, &d, error);
    return status == QD_OK ? build(&d, row, slug, family->word, arena, kase, error) : status;
}

const struct qd_family qd_family_qlinear_matmul = {
    .name = "QLinearMatMul",
    .meaning = "a quantized matrix product: types, shapes, parameters by row and column, times "
               "solved values",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
