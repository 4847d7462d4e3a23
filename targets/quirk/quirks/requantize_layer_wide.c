/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "requantize-layer-wide": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(requantize_layer_wide, edit)
{
    struct qd_tensor *s = qd_edit_copy(edit, qd_operand_find(edit, QD_W_SCALE));
    int64_t greatest = 0;
    for (int64_t i = 1; s && i < s->count; i++)
        greatest = qd_tensor_value(s, i) > qd_tensor_value(s, greatest) ? i : greatest;
    if (s && s->count > 1)
        qd_tensor_fill(s, qd_tensor_get(s, greatest));
}
