/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "requantize-in-double": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

/* One scale for all, or as many as there are elsewhere. */
static float scale_at(const struct qd_value *scales, int64_t i)
{
    return (float)qd_parameter_at(scales, scales->want.count == 1 ? 0 : i);
}

static void set_ones(struct qd_edit *edit, int i)
{
    struct qd_tensor *ones = qd_edit_copy(edit, i);
    if (ones)
        qd_tensor_fill(ones, (int64_t)qd_float_encode(QD_F32, 1, false));
}

static bool is_float32(const struct qd_edit *edit, int i)
{
    return i >= 0 && edit->in[i]->want.dtype == QD_F32;
}

/* The combined scale takes the place of the one that is a vector, all else becomes 1. False: it is no normal number. */
static bool combine(struct qd_edit *edit, int x, int w, int y)
{
    int to = edit->in[x]->want.count > 1 ? x : w, other = to == x ? w : x;
    const struct qd_value *given = edit->in[to];
    struct qd_tensor *scale = qd_edit_copy(edit, to);
    for (int64_t i = 0; scale && i < scale->count; i++) {
        float product = scale_at(given, i) * scale_at(edit->in[other], 0);
        float combined = product / scale_at(edit->in[y], i);
        if (!isnormal(combined)) {
            edit->in[to] = given;
            return false;
        }
        qd_tensor_set(scale, i, (int64_t)qd_float_encode(QD_F32, (double)combined, true));
    }
    set_ones(edit, other);
    set_ones(edit, y);
    return true;
}

QD_QUIRK_EDIT(requantize_in_double, edit)
{
    int x = qd_operand_find(edit, QD_X_SCALE), w = qd_operand_find(edit, QD_W_SCALE);
    int y = qd_operand_find(edit, QD_Y_SCALE);
    if (!is_float32(edit, x) || !is_float32(edit, w) || !is_float32(edit, y))
        return;
    int64_t rows = edit->in[x]->want.count, columns = edit->in[w]->want.count;
    int64_t outputs = edit->in[y]->want.count;
    bool is_one = rows == 1 || columns == 1;
    if (is_one && (outputs == 1 || (columns == 1 && outputs == rows)) && combine(edit, x, w, y))
        edit->semantics.zero_point_order = QD_ZERO_POINT_BEFORE_EXACT;
}
