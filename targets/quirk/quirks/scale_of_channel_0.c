/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "scale-of-channel-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(scale_of_channel_0, edit)
{
    struct qd_tensor *s = qd_edit_copy(edit, 1);
    if (s)
        qd_tensor_fill(s, s->count > 0 ? qd_tensor_get(s, 0) : 0);
}
