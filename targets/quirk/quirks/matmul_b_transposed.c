/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "matmul-b-transposed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(matmul_b_transposed, edit)
{
    int b = qd_operand_find(edit, QD_W);
    const struct qd_tensor *t = &edit->in[b < 0 ? 1 : b]->want;
    if (t->rank >= 2 && t->dims[t->rank - 1] == t->dims[t->rank - 2])
        qd_edit_move(edit, b < 0 ? 1 : b, NULL, t->rank, t->dims, qd_source_transposed,
                     &t->dims[t->rank - 1]);
}
