/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "resize-linear-cut-off": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <string.h>

#include "quirk/edit.h"

enum { X, SCALES = 2, RANK = 4 };

/* Where output i of an axis lies between two elements. */
struct place {
    int64_t first;
    float beyond; /* of the way to the second */
};

static const char *word_of(const struct qd_node *node, const char *name, const char *fallback)
{
    struct qd_error ignored;
    const char *word = fallback;
    return qd_node_string(node, name, fallback, &word, &ignored) == QD_OK ? word : "";
}

static bool is_concerned(const struct qd_node *node, const struct qd_value *const *in,
                         const struct qd_tensor *y)
{
    const char *mode = word_of(node, "coordinate_transformation_mode", "half_pixel");
    const struct qd_tensor *x = &in[X]->want;
    bool half = strcmp(mode, "half_pixel") == 0 || strcmp(mode, "pytorch_half_pixel") == 0;
    return half && strcmp(word_of(node, "mode", "nearest"), "linear") == 0 && x->dtype == QD_F32 &&
           y->rank == RANK && x->rank == RANK && x->dims[2] > 1 && x->dims[3] > 1 && in[SCALES] &&
           in[SCALES]->want.count == RANK;
}

static struct place place_of(const struct qd_value *const *in, unsigned axis, int64_t i)
{
    float step = 1 / (float)qd_tensor_value(&in[SCALES]->want, axis);
    float last = (float)(in[X]->want.dims[axis] - 1) - 1e-6F;
    float half = (float)i + 0.5F, product = half * step, at = product - 0.5F;
    at = fminf(fmaxf(at, 0), last);
    float first = floorf(at);
    return (struct place){(int64_t)first, at - first};
}

static float between(float first, float second, float beyond)
{
    float way = second - first, part = beyond * way;
    return first + part;
}

static float number(const struct qd_value *const *in, const struct qd_tensor *y, int64_t i)
{
    const struct qd_tensor *x = &in[X]->want;
    int64_t at[QD_MAX_RANK];
    float column[2];
    qd_tensor_coordinates(y, i, at);
    struct place row = place_of(in, 2, at[2]), along = place_of(in, 3, at[3]);
    int64_t width = x->dims[3], plane = at[0] * x->dims[1] + at[1];
    int64_t from = (plane * x->dims[2] + row.first) * width + along.first;
    for (int64_t k = 0; k < 2; k++)
        column[k] = between((float)qd_tensor_value(x, from + k),
                            (float)qd_tensor_value(x, from + k + width), row.beyond);
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
    for (int64_t i = 0; i < y->want.count; i++)
        qd_set_float(y, i, number(in, &y->want, i));
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_resize_linear_cut_off = {.node = evaluate};
