/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "max-pool-from-lowest": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

QD_QUIRK_EDIT(max_pool_from_lowest, edit)
{
    struct qd_tensor *x = qd_dtype_is_float(edit->in[0]->want.dtype) ? qd_edit_copy(edit, 0) : NULL;
    for (int64_t i = 0; x && i < x->count; i++)
        if (qd_tensor_value(x, i) == -(double)INFINITY)
            qd_tensor_set(
                x, i,
                (int64_t)qd_float_encode(x->dtype, -qd_float_format(x->dtype)->largest, true));
}
