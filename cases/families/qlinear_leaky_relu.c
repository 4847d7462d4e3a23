/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearLeakyRelu: all codes, slopes that are powers of two, odd, negative and absent, times solved values. */
#include "families/qlinear_draft.h"

enum factor { ALPHA = QD_QLINEAR_FACTORS, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shape", QD_LEVELS("256", "0d", "1d3", "2x3x4x13")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"), "xz_no")},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"), "yz_no")},
    QD_QLINEAR_BINDING_FACTOR,
    [ALPHA] = {.name = "alpha",
               QD_LEVELS(NULL, "alpha_half", "alpha_quarter", "alpha_0", "alpha_negative",
                         "alpha_3")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const struct shape {
    unsigned rank;
    int64_t dims[4];
} shapes[] = {{1, {256}}, {0, {0}}, {1, {3}}, {4, {2, 3, 4, 13}}};

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearLeakyRelu", row, values, draw, arena, error, slug);
    static const float alphas[] = {0.01f, 0.5f, 0.25f, 0, -1, 3};
    const struct shape *shape = &shapes[row[QD_QLINEAR_SHAPE]];
    struct qd_qlinear_scales scales = qd_qlinear_draw_scales(&d, 0);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    bool x_absent = row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT;
    bool y_absent = row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT;
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearLeakyRelu",
                  qd_qlinear_inputs(x_absent, y_absent), "y");
    if (row[ALPHA] > 0)
        qd_build_attr_float(d.builder, "alpha", alphas[row[ALPHA]]);
    qd_qlinear_codes(&d, "x", shape->rank, shape->dims, x_zero, 255, true);
    qd_qlinear_parameters(&d, "x", scales.x, x_zero, x_absent);
    qd_qlinear_parameters(&d, "y", scales.y, y_zero, y_absent);
    return qd_qlinear_finish(&d, "QLinearLeakyRelu", slug, kase);
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    if (row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT)
        return values == QD_QLINEAR_RANDOM;
    return qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_leaky_relu = {
    .name = "QLinearLeakyRelu",
    .meaning = "a leaky rectifier of codes: slopes, zero points and scales, times solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
