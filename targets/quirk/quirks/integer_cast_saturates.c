/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "integer-cast-saturates": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X };

QD_QUIRK_EDIT(integer_cast_saturates, edit)
{
    int64_t to = 0;
    struct qd_error ignored;
    bool given = qd_node_int(&edit->node, "to", 0, &to, &ignored) == QD_OK;
    const enum qd_dtype dtype = given ? qd_dtype_of_onnx((int32_t)to) : QD_DTYPE_NONE;
    if (!qd_dtype_is_integer(edit->in[X]->want.dtype) || !qd_dtype_is_integer(dtype) ||
        dtype == QD_BOOL)
        return;
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    struct qd_tensor *x = qd_edit_copy(edit, X);
    for (int64_t i = 0; x && i < x->count; i++) {
        int64_t code = qd_tensor_get(x, i);
        qd_tensor_set(x, i, code < info->min ? info->min : code > info->max ? info->max : code);
    }
}
