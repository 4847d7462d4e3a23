/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "float8-bias-confused": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_dtype other(enum qd_dtype dtype)
{
    switch (dtype) {
    case QD_F8E4M3FN: return QD_F8E4M3FNUZ;
    case QD_F8E4M3FNUZ: return QD_F8E4M3FN;
    case QD_F8E5M2: return QD_F8E5M2FNUZ;
    case QD_F8E5M2FNUZ: return QD_F8E5M2;
    default: return dtype;
    }
}

QD_QUIRK_EDIT(float8_bias_confused, edit)
{
    for (int i = 0; i < 3; i += 2) { /* x and its zero point */
        struct qd_tensor *t = qd_edit_copy(edit, i);
        if (t)
            t->dtype = other(t->dtype);
    }
}
