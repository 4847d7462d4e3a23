/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearAveragePool: windows of 2^n and of other sizes, strides, padding that counts
 * and that does not, both layouts, times solved values. */
#include "families/qlinear_draft.h"

enum factor { PADDING = QD_QLINEAR_FACTORS, INCLUDE, LAYOUT, STRIDE, FACTORS };

static const struct qd_factor factors[] = {
    QD_QLINEAR_TYPE_FACTOR,
    [QD_QLINEAR_SHAPE] = {.name = "window",
                          QD_LEVELS("1d_k2", "1d_k3", "2d_k2x2", "2d_k4x2", "2d_k3x3",
                                    "3d_k2x1x2")},
    [QD_QLINEAR_X_ZERO] = {.name = "zero point of x", QD_LEVELS(QD_QLINEAR_ZERO("xz"), "xz_no")},
    [QD_QLINEAR_Y_ZERO] = {.name = "zero point of y", QD_LEVELS(QD_QLINEAR_ZERO("yz"), "yz_no")},
    QD_QLINEAR_BINDING_FACTOR,
    [PADDING] = {.name = "padding",
                 QD_LEVELS(NULL, "pads", "same_upper", "same_lower", "valid", "ceil")},
    [INCLUDE] = {.name = "count_include_pad", QD_LEVELS(NULL, "include_pad")},
    [LAYOUT] = {.name = "layout", QD_LEVELS(NULL, "channels_last")},
    [STRIDE] = {.name = "strides", QD_LEVELS(NULL, "strides")},
};

/* With ceil_mode whether what lies beyond the padding counts is not said. */
static const struct qd_exclusion exclusions[] = {{{PADDING, INCLUDE}, {1 << 5, 1 << 1}}};

static const struct qd_factor_table table = {factors, FACTORS, exclusions,
                                             sizeof exclusions / sizeof *exclusions};

static const struct window {
    unsigned spatial;
    int64_t kernel[3], in[3];
    int log; /* of the window's size, where it is a power of two */
} windows[] = {
    {1, {2}, {17}, 1},      {1, {3}, {17}, 0},      {2, {2, 2}, {6, 7}, 2},
    {2, {4, 2}, {7, 5}, 3}, {2, {3, 3}, {6, 6}, 0}, {3, {2, 1, 2}, {4, 3, 5}, 2},
};

static void add_attributes(struct qd_qlinear_draft *d, const struct window *w)
{
    static const int64_t twos[] = {2, 2, 2}, pads[] = {1, 0, 0, 1, 0, 0}, pads_2d[] = {1, 0, 1, 1};
    static const char *const modes[] = {"", "", "SAME_UPPER", "SAME_LOWER", "VALID", ""};
    static const int64_t pads_1d[] = {1, 1};
    const int64_t *const by_rank[] = {pads_1d, pads_2d, pads};
    const uint8_t *row = d->row;
    qd_build_attr_ints(d->builder, "kernel_shape", w->kernel, w->spatial);
    if (row[STRIDE])
        qd_build_attr_ints(d->builder, "strides", twos, w->spatial);
    if (row[PADDING] == 1)
        qd_build_attr_ints(d->builder, "pads", by_rank[w->spatial - 1], 2 * (size_t)w->spatial);
    if (*modes[row[PADDING]])
        qd_build_attr_string(d->builder, "auto_pad", modes[row[PADDING]]);
    if (row[PADDING] == 5)
        qd_build_attr_int(d->builder, "ceil_mode", 1);
    if (row[INCLUDE])
        qd_build_attr_int(d->builder, "count_include_pad", 1);
    if (row[LAYOUT])
        qd_build_attr_int(d->builder, "channels_last", 1);
}

static unsigned input_dims(const struct qd_qlinear_draft *d, const struct window *w, int64_t *dims)
{
    unsigned at = 0;
    dims[at++] = 2;
    if (!d->row[LAYOUT])
        dims[at++] = 3;
    for (unsigned i = 0; i < w->spatial; i++)
        dims[at++] = w->in[i];
    if (d->row[LAYOUT])
        dims[at++] = 3;
    return at;
}

static enum qd_status make(const uint8_t *row, size_t values, uint64_t draw, struct qd_arena *arena,
                           struct qd_case *kase, struct qd_error *error)
{
    char slug[256];
    struct qd_qlinear_draft d =
        qd_qlinear_begin(&table, "QLinearAveragePool", row, values, draw, arena, error, slug);
    const struct window *w = &windows[row[QD_QLINEAR_SHAPE]];
    int64_t dims[QD_MAX_RANK];
    unsigned rank = input_dims(&d, w, dims);
    struct qd_qlinear_scales scales = qd_qlinear_draw_scales(&d, w->log);
    int64_t x_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_X_ZERO]);
    int64_t y_zero = qd_qlinear_zero(&d, (enum qd_qlinear_zero)row[QD_QLINEAR_Y_ZERO]);
    bool x_absent = row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT;
    bool y_absent = row[QD_QLINEAR_Y_ZERO] == QD_ZERO_ABSENT;
    if (d.status != QD_OK)
        return d.status;
    qd_build_node(d.builder, "com.microsoft", "QLinearAveragePool",
                  qd_qlinear_inputs(x_absent, y_absent), "y");
    add_attributes(&d, w);
    qd_qlinear_codes(&d, "x", rank, dims, x_zero, qd_qlinear_reach(&d, (int64_t)1 << w->log), true);
    qd_qlinear_parameters(&d, "x", scales.x, x_zero, x_absent);
    qd_qlinear_parameters(&d, "y", scales.y, y_zero, y_absent);
    return qd_qlinear_finish(&d, "QLinearAveragePool", slug, kase);
}

/* A tie takes a window of 2^n that no padding cuts. */
static bool applies(const uint8_t *row, size_t values, uint64_t draw)
{
    bool whole = row[PADDING] == 0 || row[PADDING] == 4;
    (void)draw;
    if (values == QD_QLINEAR_TIE && (windows[row[QD_QLINEAR_SHAPE]].log == 0 || !whole))
        return false;
    if (row[QD_QLINEAR_X_ZERO] == QD_ZERO_ABSENT)
        return values == QD_QLINEAR_RANDOM;
    return values == QD_QLINEAR_RANDOM || qd_qlinear_rotates(&table, row, values);
}

const struct qd_family qd_family_qlinear_average_pool = {
    .name = "QLinearAveragePool",
    .meaning =
        "an average pool of codes: windows, padding, layouts, zero points and scales, times solved "
        "values",
    .table = &table,
    .strength = 3,
    .values = QD_QLINEAR_VALUES,
    .applies = applies,
    .make = make,
};
