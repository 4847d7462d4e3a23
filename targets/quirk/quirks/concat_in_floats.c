/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "concat-in-floats": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

enum { Y_SCALE, Y_ZERO_POINT, TENSORS, SCALE = 1, ZERO_POINT, TRIPLE };

/* Codes of y: fl(fl(q*m) + fl(-z*m)) rounded half away, m = fl(s*fl(1/s_y)). */
static void convert(struct qd_edit *edit, int at, float y_scale, double y_zero_point)
{
    float scale = (float)qd_parameter_at(edit->in[at + SCALE], 0);
    double zero_point = qd_parameter_at(edit->in[at + ZERO_POINT], 0);
    struct qd_tensor *x = qd_edit_copy(edit, at);
    if (!x || (scale == y_scale && zero_point == y_zero_point))
        return;
    float inverse = 1 / y_scale, factor = scale * inverse, bias = -(float)zero_point * factor;
    for (int64_t i = 0; i < x->count; i++) {
        float product = (float)qd_tensor_get(x, i) * factor, sum = product + bias;
        double code = round((double)sum) + y_zero_point;
        qd_tensor_set(x, i, (int64_t)fmin(fmax(code, 0), UINT8_MAX));
    }
    edit->in[at + SCALE] = edit->in[Y_SCALE];
    edit->in[at + ZERO_POINT] = edit->in[Y_ZERO_POINT];
}

QD_QUIRK_EDIT(concat_in_floats, edit)
{
    if (edit->in[Y_ZERO_POINT]->want.dtype != QD_U8)
        return;
    float y_scale = (float)qd_parameter_at(edit->in[Y_SCALE], 0);
    double y_zero_point = qd_parameter_at(edit->in[Y_ZERO_POINT], 0);
    for (size_t at = TENSORS; at + ZERO_POINT < edit->node.input_count; at += TRIPLE)
        if (edit->in[at] && edit->in[at + SCALE] && edit->in[at + ZERO_POINT])
            convert(edit, (int)at, y_scale, y_zero_point);
}
