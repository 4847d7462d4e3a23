/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "integers-in-float32": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X };

/* The nearest float32, at most the greatest below 2^31. */
static int64_t rounded(int64_t x, enum qd_dtype type)
{
    const float most = 0x1.fffffep30F;
    float made = (float)x;
    (void)type;
    return (int64_t)(made > most ? most : made);
}

static bool is_concerned(const struct qd_value *x)
{
    return x && (x->want.dtype == QD_S32 || x->want.dtype == QD_S64);
}

QD_QUIRK_EDIT(integers_in_float32, edit)
{
    if (is_concerned(edit->in[X]))
        qd_edit_map(edit, X, edit->in[X]->want.dtype, rounded);
}
