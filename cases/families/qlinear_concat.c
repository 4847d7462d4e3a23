/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConcat: two or three tensors with other and with the same
 * parameters, along every axis, times solved values. */
#include "families/qlinear_draft.h"

enum factor { AXIS = QD_QLINEAR_FACTORS, COUNT, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shapes", QD_LEVELS("256", "5x7", "2x3x4", "4d")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"))},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"))},
    QD_QLINEAR_BINDING_FACTOR,
    [AXIS] = {.name = "axis", QD_LEVELS("axis_first", "axis_last", "axis_negative")},
    [COUNT] = {.name = "tensors", QD_LEVELS("one", "two", "three", "copy_and_one")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

static const struct shape {
    unsigned rank;
    int64_t dims[4];
} shapes[] = {{1, {256}}, {2, {5, 7}}, {3, {2, 3, 4}}, {4, {2, 3, 2, 9}}};

/* Tensor k is longer by k along the axis and has a scale 2^k times finer, so that quarters and halves meet. */
static void add_tensor(struct qd_qlinear_draft *d, int k, struct qd_qlinear_scales scales,
                       int64_t axis, int64_t zero)
{
    const char *name = k == 0 ? "x0" : k == 1 ? "x1" : "x2";
    struct shape shape = shapes[d->row[QD_QLINEAR_SHAPE]];
    shape.dims[axis] += k;
    qd_qlinear_codes(d, name, shape.rank, shape.dims, zero, 255, true);
    qd_qlinear_parameters(d, name, scales.x, zero, false);
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearConcat", row, values, draw, arena, error, slug);
    static const char *const inputs[] = {
        "y_scale,y_zero_point,x0,x0_scale,x0_zero_point",
        "y_scale,y_zero_point,x0,x0_scale,x0_zero_point,x1,x1_scale,x1_zero_point",
        "y_scale,y_zero_point,x0,x0_scale,x0_zero_point,x1,x1_scale,x1_zero_point,x2,x2_scale,x2_"
        "zero_"
        "point"};
    static const int counts[] = {1, 2, 3, 2};
    int count = counts[row[COUNT]];
    int64_t rank = shapes[row[QD_QLINEAR_SHAPE]].rank, axis = row[AXIS] ? rank - 1 : 0;
    struct qd_qlinear_scales scales = qd_qlinear_draw_scales(&d, 0);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearConcat", inputs[count - 1], "y");
    qd_build_attr_int(d.builder, "axis", row[AXIS] == 2 ? -1 : axis);
    qd_qlinear_parameters(&d, "y", scales.y, y_zero, false);
    for (int k = 0; k < count; k++) {
        bool copy = k == 0 && row[COUNT] == 3;
        struct qd_qlinear_scales s = {copy ? scales.y : scales.x, scales.y};
        s.x.exponent -= copy ? 0 : k;
        add_tensor(&d, k, s, axis, copy ? y_zero : x_zero);
    }
    return qd_qlinear_finish(&d, "QLinearConcat", slug, kase);
}

static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    (void)draw;
    return qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_concat = {
    .name = "QLinearConcat",
    .meaning = "a concatenation that requantizes: shapes, axes, zero points and scales, times "
               "solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
