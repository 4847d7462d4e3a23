/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearGlobalAveragePool: images of 2^n and of other sizes, both layouts, times solved values. */
#include "families/qlinear_draft.h"

enum factor { LAYOUT = QD_QLINEAR_FACTORS, CHANNELS, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "image", QD_LEVELS("4", "4x4", "7x7", "2x2x2", "64x64", "1x1")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"))},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"))},
    QD_QLINEAR_BINDING_FACTOR,
    [LAYOUT] = {.name = "layout", QD_LEVELS(NULL, "channels_last")},
    [CHANNELS] = {.name = "channels", QD_LEVELS("c1", "c5", "c33")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const struct image {
    unsigned spatial;
    int64_t in[3];
    int log; /* of its size, where that is a power of two */
} images[] = {
    {1, {4}, 2},       {2, {4, 4}, 4},   {2, {7, 7}, 0},
    {3, {2, 2, 2}, 3}, {2, {64, 64}, 0}, {2, {1, 1}, 0},
};

static unsigned input_dims(const uint8_t *row, const struct image *image, int64_t *dims)
{
    static const int64_t channels[] = {1, 5, 33};
    unsigned at = 0;
    dims[at++] = 2;
    if (!row[LAYOUT])
        dims[at++] = channels[row[CHANNELS]];
    for (unsigned i = 0; i < image->spatial; i++)
        dims[at++] = image->in[i];
    if (row[LAYOUT])
        dims[at++] = channels[row[CHANNELS]];
    return at;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearGlobalAveragePool", row, values, draw, arena, error, slug);
    const struct image *image = &images[row[QD_QLINEAR_SHAPE]];
    int64_t dims[QD_MAX_RANK];
    unsigned rank = input_dims(row, image, dims);
    struct qd_qlinear_scales scales = qd_qlinear_draw_scales(&d, image->log);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearGlobalAveragePool",
                  "x,x_scale,x_zero_point,y_scale,y_zero_point", "y");
    if (row[LAYOUT])
        qd_build_attr_int(d.builder, "channels_last", 1);
    qd_qlinear_codes(&d, "x", rank, dims, x_zero, qd_qlinear_reach(&d, (int64_t)1 << image->log),
                     true);
    qd_qlinear_parameters(&d, "x", scales.x, x_zero, false);
    qd_qlinear_parameters(&d, "y", scales.y, y_zero, false);
    return qd_qlinear_finish(&d, "QLinearGlobalAveragePool", slug, kase);
}

/* A tie takes an image of 2^n elements. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    if (values == QD_QLINEAR_TIE && images[row[QD_QLINEAR_SHAPE]].log == 0)
        return false;
    return values == QD_QLINEAR_RANDOM || qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_global_average_pool = {
    .name = "QLinearGlobalAveragePool",
    .meaning =
        "a global average of codes: sizes, layouts, zero points and scales, times solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
