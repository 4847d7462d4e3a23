/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearWhere: conditions and branches that broadcast, branches of other and
 * of the same parameters, times solved values. */
#include "families/qlinear_draft.h"

enum factor { Z_SCALE = QD_QLINEAR_FACTORS, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shapes",
                          QD_LEVELS("256", "scalar_x", "scalar_condition", "broadcast")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"))},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"))},
    QD_QLINEAR_BINDING_FACTOR,
    [Z_SCALE] = {.name = "z", QD_LEVELS("both_differ", "x_is_z", "y_is_z")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const struct shape {
    unsigned rank;
    int64_t dims[4];
} shapes[][3] = {
    /* condition, x, y */
    {{1, {256}}, {1, {256}}, {1, {256}}},
    {{2, {4, 64}}, {0, {0}}, {1, {64}}},
    {{0, {0}}, {1, {256}}, {1, {256}}},
    {{2, {3, 1}}, {3, {2, 1, 5}}, {2, {3, 5}}},
};

static void add_condition(struct qd_qlinear_draft *d, const struct shape *shape)
{
    struct qd_tensor t;
    if (d->status == QD_OK)
        d->status = qd_tensor_init(&t, d->arena, QD_BOOL, shape->rank, shape->dims, d->error);
    if (d->status != QD_OK)
        return;
    for (int64_t i = 0; i < t.count; i++)
        qd_tensor_set(&t, i, qd_random_range(&d->random, 0, 1));
    qd_build_input(d->builder, "condition", &t);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearWhere", row, values, draw, arena, error, slug);
    const struct shape *shape = shapes[row[QD_QLINEAR_SHAPE]];
    struct qd_qlinear_scales s = qd_qlinear_draw_scales(&d, 0);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t z_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    bool x_is_z = row[Z_SCALE] == 1, y_is_z = row[Z_SCALE] == 2;
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearWhere",
                  "condition,b,b_scale,b_zero_point,c,c_scale,c_zero_point,z_scale,z_zero_point",
                  "y");
    add_condition(&d, &shape[0]);
    qd_qlinear_codes(&d, "b", shape[1].rank, shape[1].dims, x_zero, 255, true);
    qd_qlinear_parameters(&d, "b", x_is_z ? s.y : s.x, x_is_z ? z_zero : x_zero, false);
    qd_qlinear_codes(&d, "c", shape[2].rank, shape[2].dims, x_zero, 255, true);
    qd_qlinear_parameters(&d, "c", y_is_z ? s.y : s.x, y_is_z ? z_zero : x_zero, false);
    qd_qlinear_parameters(&d, "z", s.y, z_zero, false);
    return qd_qlinear_finish(&d, "QLinearWhere", slug, kase);
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    return qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_where = {
    .name = "QLinearWhere",
    .meaning = "a choice that requantizes: shapes, zero points and scales, times solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
