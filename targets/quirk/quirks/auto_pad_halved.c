/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "auto-pad-halved": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/counted.h"

QD_QUIRK_EDIT(auto_pad_halved, edit)
{
    struct qd_conv_shape s;
    int64_t half[QD_MAX_SPATIAL], rest[QD_MAX_SPATIAL];
    if (!qd_pads_to_same(&edit->node) || !qd_average_shape_read(edit, &s))
        return;
    for (unsigned i = 0; i < s.spatial; i++) {
        int64_t total = s.pad_begin[i] + s.pad_end[i];
        half[i] = s.stride[i] <= s.kernel[i] ? total / 2 : 0;
        rest[i] = total - 2 * half[i];
    }
    qd_edit_count_padding(edit, &s, half, half, rest);
}
