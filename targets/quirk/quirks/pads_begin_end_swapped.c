/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "pads-begin-end-swapped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(pads_begin_end_swapped, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry))
        qd_edit_pad(edit, &geometry, geometry.shape.pad_end, QD_FILL_NEUTRAL);
}
