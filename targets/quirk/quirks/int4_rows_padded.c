/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "int4-rows-padded": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(int4_rows_padded, edit)
{
    const struct qd_tensor *x = &edit->in[0]->want;
    struct qd_tensor *y = qd_dtype_info(x->dtype)->bits == 4 ? qd_edit_copy(edit, 0) : NULL;
    int64_t length = x->rank > 0 ? x->dims[x->rank - 1] : 1, padded = length + length % 2;
    for (int64_t i = 0; y && i < y->count; i++) {
        int64_t from = i / length * padded + i % length;
        qd_tensor_set(y, i, from < x->count ? qd_tensor_get(x, from) : 0);
    }
}
