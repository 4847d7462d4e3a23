/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "block-as-axis": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(block_as_axis, layout, coordinates)
{
    if (layout->block == 0 || layout->x->rank != 1)
        return qd_layout_index(layout, coordinates, layout->axis);
    return coordinates[0] < layout->scale->count ? coordinates[0] : -1;
}
