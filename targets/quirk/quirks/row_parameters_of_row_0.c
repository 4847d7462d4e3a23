/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "row-parameters-of-row-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(row_parameters_of_row_0, edit)
{
    const enum qd_operand parameters[] = {QD_X_SCALE, QD_X_ZERO_POINT};
    for (int i = 0; i < 2; i++) {
        struct qd_tensor *t = qd_edit_copy(edit, qd_operand_find(edit, parameters[i]));
        if (t && t->count > 1)
            qd_tensor_fill(t, qd_tensor_get(t, 0));
    }
}
