/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearReduceMean: means along every kind of axes, of 2^n elements and of
 * others, kept and dropped axes, times solved values. */
#include "families/qlinear_draft.h"

enum factor { AXES = QD_QLINEAR_FACTORS, KEEPDIMS, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "shape", QD_LEVELS("4x8x2", "2x4x4", "3x7x5", "1x1x16")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of data", QD_LEVELS(QD_QLINEAR_ZERO("xz"), "xz_no")},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of reduced",
                           QD_LEVELS(QD_QLINEAR_ZERO("yz"), "yz_no")},
    QD_QLINEAR_BINDING_FACTOR,
    [AXES] = {.name = "axes", QD_LEVELS("last", "first", "middle", "ends", "all", "empty")},
    [KEEPDIMS] = {.name = "keepdims", QD_LEVELS("drop", "keep")},
};

static const struct qd_factor_table table = {factors, FACTORS, NULL, 0};

enum { RANK = 3 };
static const int64_t shapes[][RANK] = {{4, 8, 2}, {2, 4, 4}, {3, 7, 5}, {1, 1, 16}};

/* As the attribute has them, negative ones and no order among them. */
static const struct axes {
    size_t count;
    int64_t at[RANK];
} axes_of[] = {{1, {-1}}, {1, {0}}, {1, {-2}}, {2, {2, -3}}, {3, {1, 0, -1}}, {0, {0}}};

/* Elements of one mean. */
static int64_t terms_of(const uint8_t *row)
{
    const struct axes *axes = &axes_of[row[AXES]];
    const int64_t *dims = shapes[row[QD_QLINEAR_SHAPE]];
    int64_t terms = 1;
    for (size_t i = 0; i < axes->count; i++)
        terms *= dims[axes->at[i] < 0 ? axes->at[i] + RANK : axes->at[i]];
    return axes->count > 0 ? terms : dims[0] * dims[1] * dims[2];
}

/* n where the terms are 2^n, else 0. */
static int log_of(int64_t terms)
{
    int log = 0;
    while ((int64_t)1 << log < terms)
        log++;
    return (int64_t)1 << log == terms ? log : 0;
}

static const char *inputs_of(bool x_absent, bool y_absent)
{
    if (x_absent)
        return y_absent ? "data,data_scale,,reduced_scale"
                        : "data,data_scale,,reduced_scale,reduced_zero_point";
    return y_absent ? "data,data_scale,data_zero_point,reduced_scale"
                    : "data,data_scale,data_zero_point,reduced_scale,reduced_zero_point";
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearReduceMean", row, values, draw, arena, error, slug);
    const struct axes *axes = &axes_of[row[AXES]];
    int64_t terms = terms_of(row);
    struct qd_qlinear_scales scales = qd_qlinear_draw_scales(&d, log_of(terms));
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    bool x_absent = row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT;
    bool y_absent = row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT;
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearReduceMean", inputs_of(x_absent, y_absent),
                  "y");
    qd_build_attr_ints(d.builder, "axes", axes->at, axes->count);
    qd_build_attr_int(d.builder, "keepdims", row[KEEPDIMS]);
    qd_qlinear_codes(&d, "data", RANK, shapes[row[QD_QLINEAR_SHAPE]], x_zero,
                     qd_qlinear_reach(&d, terms), true);
    qd_qlinear_parameters(&d, "data", scales.x, x_zero, x_absent);
    qd_qlinear_parameters(&d, "reduced", scales.y, y_zero, y_absent);
    return qd_qlinear_finish(&d, "QLinearReduceMean", slug, kase);
}

/* A tie takes 2^n terms, and a zero point in the middle: without one most of them saturate. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    int64_t terms = terms_of(row);
    (void)draw;
    if (values == QD_QLINEAR_TIE && terms > 1 && log_of(terms) == 0)
        return false;
    if (row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT)
        return values == QD_QLINEAR_RANDOM;
    return qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_reduce_mean = {
    .name = "QLinearReduceMean",
    .meaning = "a mean of codes along axes: zero points, scales, kept and dropped axes, times "
               "solved values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
