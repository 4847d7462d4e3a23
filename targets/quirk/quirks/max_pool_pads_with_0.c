/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "max-pool-pads-with-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(max_pool_pads_with_0, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry))
        qd_edit_pad(edit, &geometry, geometry.shape.pad_begin, QD_FILL_0);
}
