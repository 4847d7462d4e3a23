/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulInteger: triples of features, times random codes, pairs that fill an int16, and sums around
 * 2^24. */
#include <stdio.h>

#include "families/linear_draft.h"
#include "families/matmul_draft.h"

static const struct qd_factor factors[] = {
    QD_MATMUL_SHARED_FACTORS,
    [QD_MATMUL_TYPES] = {.name = "types", .levels = 4},
    [QD_MATMUL_W_SHAPE] = {.name = "w parameters", QD_LEVELS(NULL, "wv", "w_full", "no_wz")},
    [QD_MATMUL_X_SHAPE] = {.name = "x parameters", QD_LEVELS(NULL, "xv", "x_full", "no_xz")},
};

/* An absent zero point is 0. */
static const struct qd_exclusion exclusions[] = {
    QD_MATMUL_SHARED_EXCLUSIONS,
    {{QD_MATMUL_W_SHAPE, QD_MATMUL_W_ZERO}, {1 << QD_P_ABSENT, 0x1e}},
    {{QD_MATMUL_X_SHAPE, QD_MATMUL_X_ZERO}, {1 << QD_P_ABSENT, 0xe}},
};

static const struct qd_factor_table table = {factors, QD_MATMUL_INTEGER_FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static const struct qd_matmul_values values_list[] = {
    {"random", &qd_conv_values[QD_CONV_RANDOM]},
    {"int16-pairs", &qd_conv_values[QD_CONV_INT16_PAIRS]},
    {"large-sum", NULL},
};
#define VALUES (sizeof values_list / sizeof *values_list)

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    bool large = values_list[values].values == NULL;
    bool zeros = row[QD_MATMUL_W_SHAPE] != QD_P_ABSENT && row[QD_MATMUL_X_SHAPE] != QD_P_ABSENT;
    return !large || (row[QD_MATMUL_K] == QD_MATMUL_K_LARGE && zeros && draw == 0);
}

static const char *input_names(const struct qd_matmul_draft *d)
{
    bool a = (d->by_rows ? d->w_shape : d->x_shape) != QD_P_ABSENT;
    bool b = (d->by_rows ? d->x_shape : d->w_shape) != QD_P_ABSENT;
    if (b)
        return a ? "a,b,a_zero_point,b_zero_point" : "a,b,,b_zero_point";
    return a ? "a,b,a_zero_point" : "a,b";
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char types[32], features[160], slug[256];
    struct qd_matmul_draft d;
    int64_t dims[QD_MAX_RANK];
    qd_covering_describe(&table, row, features, sizeof features);
    snprintf(slug, sizeof slug, "MatMulInteger/%s/%s-%s", qd_matmul_types(row, types, sizeof types),
             values_list[values].word, features);
    enum qd_status status =
        qd_matmul_draft_make(row, false, &values_list[values], slug, draw, arena, &d, error);
    if (status != QD_OK)
        return status;
    struct qd_builder *builder = qd_build_begin(arena, 10);
    if (!builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    qd_build_node(builder, "", "MatMulInteger", input_names(&d), "y");
    status = qd_matmul_draft_build(&d, row, false, arena, builder, error);
    unsigned rank = qd_matmul_draft_dims(&d, dims);
    qd_build_output(builder, "y", QD_S32, (int)rank, dims);
    qd_build_tag(builder, values_list[values].word);
    qd_build_origin(builder, "MatMulInteger-10", "", "");
    return status == QD_OK ? qd_build_finish(builder, slug, true, kase, error) : status;
}

const struct qd_family qd_family_matmul_integer = {
    .name = "MatMulInteger",
    .meaning = "a product of integer matrices: types, shapes and zero points by row and column",
    .table = &table,
    .strength = 3,
    .values = VALUES,
    .applies = applies,
    .make = make,
};
