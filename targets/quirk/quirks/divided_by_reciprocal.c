/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "divided-by-reciprocal": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "qdiff/exact.h"
#include "quirk/edit.h"

enum { B = 1 };

/* Of 0 and of what is not finite as IEEE 754 has it: there is no exact quotient. */
static double reciprocal_of(double b, enum qd_dtype type)
{
    return b == 0 || !isfinite(b) ? 1 / b : qd_float_divide(type, QD_NEAREST_EVEN, 1, b);
}

QD_QUIRK_EDIT(divided_by_reciprocal, edit)
{
    enum qd_dtype type = edit->in[B]->want.dtype;
    struct qd_tensor *b = type == QD_F32 || type == QD_F16 ? qd_edit_copy(edit, B) : NULL;
    if (!b)
        return;
    for (int64_t i = 0; i < b->count; i++) {
        double reciprocal = reciprocal_of(qd_tensor_value(b, i), type);
        qd_tensor_set(b, i, (int64_t)qd_float_encode(type, reciprocal, false));
    }
    edit->node.op_type = "Mul";
    edit->node.op = qd_op_find("", "Mul");
}
