/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "requantize-by-reciprocal": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

static void set_one(struct qd_edit *edit, int i)
{
    struct qd_tensor *one = qd_edit_copy(edit, i);
    if (one)
        qd_tensor_fill(one, (int64_t)qd_float_encode(QD_F32, 1, false));
}

/* The weights get the combined scale, all else the scale 1. */
QD_QUIRK_EDIT(requantize_by_reciprocal, edit)
{
    int x = qd_operand_find(edit, QD_X_SCALE), w = qd_operand_find(edit, QD_W_SCALE);
    int y = qd_operand_find(edit, QD_Y_SCALE);
    if (x < 0 || w < 0 || y < 0 || edit->in[x]->want.count != 1 || edit->in[y]->want.count != 1)
        return;
    float x_scale = (float)qd_parameter_at(edit->in[x], 0);
    float inverse = 1.0F / (float)qd_parameter_at(edit->in[y], 0);
    const struct qd_value *given = edit->in[w];
    struct qd_tensor *scale = qd_edit_copy(edit, w);
    for (int64_t m = 0; scale && m < scale->count; m++) {
        float product = x_scale * (float)qd_tensor_value(scale, m), combined = product * inverse;
        if (!isnormal(combined)) {
            edit->in[w] = given;
            return;
        }
        qd_tensor_set(scale, m, (int64_t)qd_float_encode(QD_F32, (double)combined, true));
    }
    set_one(edit, x);
    set_one(edit, y);
}
