/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-of-channel-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(bias_of_channel_0, edit)
{
    struct qd_tensor *bias = qd_edit_copy(edit, qd_operand_find(edit, QD_BIAS));
    if (bias && bias->count > 1)
        qd_tensor_fill(bias, qd_tensor_get(bias, 0));
}
