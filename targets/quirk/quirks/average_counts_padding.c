/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "average-counts-padding": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/counted.h"

/* With the channels last there is no room to pad by hand: the attribute says it where no window is cut off. */
QD_QUIRK_EDIT(average_counts_padding, edit)
{
    static const int64_t none[QD_MAX_SPATIAL];
    struct qd_conv_shape s;
    if (qd_average_shape_read(edit, &s))
        qd_edit_count_padding(edit, &s, s.pad_begin, s.pad_end, none);
    else
        qd_edit_int(edit, "count_include_pad", 1);
}
