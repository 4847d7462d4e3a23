/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "axis-off-by-one": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(axis_off_by_one, layout, coordinates)
{
    int64_t rank = layout->x->rank;
    return qd_layout_index(layout, coordinates, (layout->axis + rank + 1) % rank);
}
