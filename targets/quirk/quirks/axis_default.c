/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "axis-default": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(axis_default, layout, coordinates)
{
    return qd_layout_index(layout, coordinates, layout->x->rank > 1 ? 1 : 0);
}
