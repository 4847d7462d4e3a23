/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "axis-0-as-none": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(axis_0_as_none, layout, coordinates)
{
    bool first = layout->axis == 0 || layout->axis == -(int64_t)layout->x->rank;
    return first ? 0 : qd_layout_index(layout, coordinates, layout->axis);
}
