/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "y-zero-point-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(y_zero_point_ignored, edit)
{
    qd_tensor_fill(qd_edit_copy(edit, qd_operand_find(edit, QD_Y_ZERO_POINT)), 0);
}
