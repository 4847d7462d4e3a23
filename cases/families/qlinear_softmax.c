/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearSoftmax: rows along every axis by both readings of `axis`; level
 * rows, whose elements are exactly 1/n, are ties. */
#include "families/qlinear_draft.h"

enum factor { AXIS = QD_QLINEAR_FACTORS, OPSET, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shape", QD_LEVELS("4", "16x2", "2x2x64", "3x4x5")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"), "xz_no")},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"))},
    QD_QLINEAR_BINDING_FACTOR,
    [AXIS] = {.name = "axis", QD_LEVELS(NULL, "axis_first", "axis_last")},
    [OPSET] = {.name = "opset", QD_LEVELS("opset13", "opset12")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const struct shape {
    unsigned rank;
    int64_t dims[4];
} shapes[] = {{1, {4}}, {2, {16, 2}}, {3, {2, 2, 64}}, {3, {3, 4, 5}}};

/* Level rows are ties: 1/2 over 1, 1/16 over 1/8. Other rows have 256
 * steps, or none that a float32 can be an edge of. */
static struct qd_qlinear_scales draw_scales(struct qd_qlinear_draft *d)
{
    struct qd_random *r = &d->random;
    uint32_t mantissa = (uint32_t)qd_random_range(r, 1 << 23, (1 << 24) - 1);
    struct qd_qlinear_scales s = {qd_scale_make(mantissa, (int)qd_random_range(r, -9, -4) - 23),
                                  qd_scale_make(1, -8)};
    switch (d->values) {
    case QD_QLINEAR_TIE: s.y = qd_scale_make(1, 0); break;
    case QD_QLINEAR_TIE_ROUGH: s.y = qd_scale_make(1, -3); break;
    case QD_QLINEAR_NEAR_TIE: s.y = qd_scale_step(qd_scale_make(1, -1), 1); break;
    case QD_QLINEAR_SATURATION: s.y = qd_scale_make(3, -11); break; /* 1/s is no integer */
    case QD_QLINEAR_EXTREME: s.x.exponent += qd_random_range(r, 0, 1) ? 30 : -90; break;
    case QD_QLINEAR_RANDOM:
    case QD_QLINEAR_VALUES: s.y = qd_scale_make(mantissa ^ 0x2aaaaa, -8 - 23); break;
    }
    return s;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearSoftmax", row, values, draw, arena, error, slug);
    const struct shape *shape = &shapes[row[QD_QLINEAR_SHAPE]];
    struct qd_qlinear_scales scales = draw_scales(&d);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    bool x_absent = row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT;
    bool level =
        values == QD_QLINEAR_TIE || values == QD_QLINEAR_TIE_ROUGH || values == QD_QLINEAR_NEAR_TIE;
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearSoftmax",
                  x_absent ? "x,x_scale,,y_scale,y_zero_point"
                           : "x,x_scale,x_zero_point,y_scale,y_zero_point",
                  "y");
    qd_build_attr_int(d.builder, "opset", row[OPSET] ? 12 : 13);
    if (row[AXIS] > 0)
        qd_build_attr_int(d.builder, "axis", row[AXIS] == 1 ? 0 : (int64_t)shape->rank - 1);
    qd_qlinear_codes(&d, "x", shape->rank, shape->dims, x_zero, level ? 0 : 255, true);
    qd_qlinear_parameters(&d, "x", scales.x, x_zero, x_absent);
    qd_qlinear_parameters(&d, "y", scales.y, y_zero, false);
    return qd_qlinear_finish(&d, "QLinearSoftmax", slug, kase);
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    /* Only a sum of two equal terms rounds in no order. */
    if (values == QD_QLINEAR_TIE)
        return row[QD_QLINEAR_SHAPE] == 1 && row[AXIS] != 1;
    return qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_softmax = {
    .name = "QLinearSoftmax",
    .meaning = "a softmax of codes: shapes, axes, zero points and scales, times solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
