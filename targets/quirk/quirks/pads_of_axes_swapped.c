/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "pads-of-axes-swapped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(pads_of_axes_swapped, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry) && geometry.shape.spatial == 2) {
        const int64_t begin[] = {geometry.shape.pad_begin[1], geometry.shape.pad_begin[0]};
        qd_edit_pad(edit, &geometry, begin, QD_FILL_NEUTRAL);
    }
}
