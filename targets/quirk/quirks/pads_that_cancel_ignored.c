/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "pads-that-cancel-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { PADS = 1 };

/* Whether what is added to each axis and what is taken away come to 0. */
static bool cancel(const struct qd_tensor *pads)
{
    int64_t axes = pads->count / 2;
    bool none = true;
    for (int64_t i = 0; i < axes; i++)
        none = none && qd_tensor_get(pads, i) == -qd_tensor_get(pads, axes + i);
    return none;
}

QD_QUIRK_EDIT(pads_that_cancel_ignored, edit)
{
    struct qd_tensor *pads = edit->node.input_count > PADS ? qd_edit_copy(edit, PADS) : NULL;
    if (pads && pads->dtype == QD_S64 && pads->rank == 1 && pads->count % 2 == 0 && cancel(pads))
        qd_tensor_fill(pads, 0);
}
