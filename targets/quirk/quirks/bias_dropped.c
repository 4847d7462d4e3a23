/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-dropped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(bias_dropped, edit)
{
    int bias = qd_operand_find(edit, QD_BIAS);
    if (bias >= 0)
        edit->in[bias] = NULL;
}
