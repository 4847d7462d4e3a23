/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "transpose-inverse": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(transpose_inverse, edit)
{
    const struct qd_attr *perm = qd_node_attr(&edit->node, "perm");
    int64_t inverse[QD_MAX_RANK] = {0};
    bool fits = perm && perm->kind == QD_ATTR_INTS && perm->count <= QD_MAX_RANK;
    for (size_t i = 0; fits && i < perm->count; i++) {
        fits = perm->ints[i] >= 0 && (size_t)perm->ints[i] < perm->count;
        if (fits)
            inverse[perm->ints[i]] = (int64_t)i;
    }
    if (fits)
        qd_edit_ints(edit, "perm", inverse, perm->count);
}
