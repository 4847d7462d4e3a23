/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "integers-through-float32": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X };

static int64_t rounded(int64_t x, enum qd_dtype type)
{
    const float end = type == QD_S32 ? 0x1p31F : 0x1p63F;
    float made = (float)x;
    if (made >= end)
        return type == QD_S32 ? INT32_MAX : INT64_MAX;
    return (int64_t)made;
}

QD_QUIRK_EDIT(integers_through_float32, edit)
{
    enum qd_dtype type = edit->in[X] ? edit->in[X]->want.dtype : QD_DTYPE_NONE;
    if (type == QD_S32 || type == QD_S64)
        qd_edit_map(edit, X, type, rounded);
}
