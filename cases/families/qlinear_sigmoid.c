/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearSigmoid: all codes, from gentle to saturated slopes; ties where the argument is
 * 0, near-ties by an output scale solved for one code. */
#include "families/qlinear_draft.h"

enum factor { SLOPE = QD_QLINEAR_FACTORS, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shape", QD_LEVELS("256", "0d", "1d3", "2x3x4x13")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"), "xz_no")},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"), "yz_no")},
    QD_QLINEAR_BINDING_FACTOR,
    [SLOPE] = {.name = "x_scale", QD_LEVELS("gentle", "medium", "steep")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const struct shape {
    unsigned rank;
    int64_t dims[4];
} shapes[] = {{1, {256}}, {0, {0}}, {1, {3}}, {4, {2, 3, 4, 13}}};

/* ½ over an odd number of output steps and a half: 1/(2k + 1). Elsewhere
 * next to 1/256, that is 255 steps for [0, 1). */
static struct qd_qlinear_scales draw_scales(struct qd_qlinear_draft *d, unsigned slope)
{
    static const int exponents[] = {-9, -5, -2};
    struct qd_random *r = &d->random;
    const struct qd_scale one = qd_scale_make(1, 0);
    uint32_t mantissa = (uint32_t)qd_random_range(r, 1 << 23, (1 << 24) - 1);
    struct qd_qlinear_scales s = {qd_scale_make(mantissa, exponents[slope] - 23),
                                  qd_scale_make(1, -8)};
    switch (d->values) {
    case QD_QLINEAR_TIE: s.y = one; break;
    case QD_QLINEAR_TIE_ROUGH: /* the float32 nearest to 1/(2k + 1) */
        s.y = qd_scale_solve(2 * (uint64_t)qd_random_range(r, 1, 100) + 1, 2, one, one);
        break;
    case QD_QLINEAR_NEAR_TIE: s.y = qd_scale_step(one, qd_random_range(r, 0, 1) ? 1 : -1); break;
    case QD_QLINEAR_SATURATION: s.y = qd_scale_make(1, -10); break;
    case QD_QLINEAR_EXTREME: s.x.exponent += qd_random_range(r, 0, 1) ? 90 : -90; break;
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
        qd_qlinear_begin(&table, "QLinearSigmoid", row, values, draw, arena, error, slug);
    const struct shape *shape = &shapes[row[QD_QLINEAR_SHAPE]];
    struct qd_qlinear_scales scales = draw_scales(&d, row[SLOPE]);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    bool x_absent = row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT;
    bool y_absent = row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT;
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearSigmoid",
                  qd_qlinear_inputs(x_absent, y_absent), "y");
    qd_qlinear_codes(&d, "x", shape->rank, shape->dims, x_zero, 255, true);
    qd_qlinear_parameters(&d, "x", scales.x, x_zero, x_absent);
    qd_qlinear_parameters(&d, "y", scales.y, y_zero, y_absent);
    return qd_qlinear_finish(&d, "QLinearSigmoid", slug, kase);
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    if (row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT)
        return values == QD_QLINEAR_RANDOM;
    return qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_sigmoid = {
    .name = "QLinearSigmoid",
    .meaning = "a sigmoid of codes: slopes, zero points and scales, times solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
