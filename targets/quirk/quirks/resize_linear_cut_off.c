/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "resize-linear-cut-off": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "quirk/edit.h"

enum { X, RANK = 4, ROWS = 2, COLUMNS = 3 };

/* Where output i of an axis lies between two elements. */
struct place {
    int64_t first; /* -1: before the axis */
    float beyond;  /* of the way to the second */
};

static const char *word_of(const struct qd_node *node, const char *name, const char *fallback)
{
    struct qd_error ignored;
    const char *word = fallback;
    return qd_node_string(node, name, fallback, &word, &ignored) == QD_OK ? word : "";
}

static const char *mode_of(const struct qd_node *node)
{
    return word_of(node, "coordinate_transformation_mode", "half_pixel");
}

static bool is_half_pixel(const char *mode)
{
    return strcmp(mode, "half_pixel") == 0 || strcmp(mode, "pytorch_half_pixel") == 0;
}

static bool is_concerned(const struct qd_node *node, const struct qd_value *const *in,
                         const struct qd_tensor *y)
{
    const char *mode = mode_of(node);
    const struct qd_tensor *x = &in[X]->want;
    bool known = is_half_pixel(mode) || strcmp(mode, "align_corners") == 0 ||
                 strcmp(mode, "asymmetric") == 0;
    return known && strcmp(word_of(node, "mode", "nearest"), "linear") == 0 && x->dtype == QD_F32 &&
           y->rank == RANK && x->rank == RANK && x->dims[0] == y->dims[0] &&
           x->dims[1] == y->dims[1] && !qd_tensor_same_shape(x, y);
}

/* n elements become m. */
static struct place place_of(const char *mode, int64_t n, int64_t m, int64_t i)
{
    bool aligned = strcmp(mode, "align_corners") == 0 && m > 1;
    float step = aligned ? (float)(n - 1) / (float)(m - 1) : (float)n / (float)m;
    float last = (float)(n - 1) - 1e-6F, at = (float)i * step;
    if (is_half_pixel(mode)) {
        float product = ((float)i + 0.5F) * step;
        at = product - 0.5F;
    }
    if (m == 1 && strcmp(mode, "pytorch_half_pixel") == 0)
        at = 0;
    at = fminf(fmaxf(at, 0), last);
    float first = floorf(at);
    return (struct place){(int64_t)first, at - first};
}

static int64_t within(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static float between(float first, float second, float beyond)
{
    float way = second - first, part = beyond * way;
    return first + part;
}

/* The row before the first of all is none of the tensor's. */
static float at_row(const struct qd_tensor *x, int64_t row, int64_t column)
{
    return row < 0 ? 0 : (float)qd_tensor_value(x, row * x->dims[COLUMNS] + column);
}

static float number(const char *mode, const struct qd_tensor *x, const struct qd_tensor *y,
                    int64_t i)
{
    int64_t at[QD_MAX_RANK], height = x->dims[ROWS], width = x->dims[COLUMNS];
    float column[2];
    qd_tensor_coordinates(y, i, at);
    struct place row = place_of(mode, height, y->dims[ROWS], at[ROWS]);
    struct place along = place_of(mode, width, y->dims[COLUMNS], at[COLUMNS]);
    int64_t top = (at[0] * x->dims[1] + at[1]) * height;
    for (int64_t k = 0; k < 2; k++) {
        int64_t c = within(along.first + k, width);
        column[k] = between(at_row(x, top + row.first, c),
                            at_row(x, top + within(row.first + 1, height), c), row.beyond);
    }
    return between(column[0], column[1], along.beyond);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || !is_concerned(node, in, &y->want))
        return status;
    const char *mode = mode_of(node);
    for (int64_t i = 0; i < y->want.count; i++)
        qd_set_float(y, i, number(mode, &in[X]->want, &y->want, i));
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_resize_linear_cut_off = {.node = evaluate};
