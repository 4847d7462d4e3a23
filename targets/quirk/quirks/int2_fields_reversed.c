/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "int2-fields-reversed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(int2_fields_reversed, edit)
{
    const struct qd_tensor *x = &edit->in[0]->want;
    struct qd_tensor *y = qd_dtype_info(x->dtype)->bits == 2 ? qd_edit_copy(edit, 0) : NULL;
    for (int64_t i = 0; y && i < y->count; i++) {
        int64_t from = i ^ 3;
        qd_tensor_set(y, i, from < x->count ? qd_tensor_get(x, from) : 0);
    }
}
