/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "x-zero-point-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(x_zero_point_ignored, edit)
{
    qd_tensor_fill(qd_edit_copy(edit, qd_operand_find(edit, QD_X_ZERO_POINT)), 0);
}
