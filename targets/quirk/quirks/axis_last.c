/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "axis-last": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(axis_last, layout, coordinates)
{
    return qd_layout_index(layout, coordinates, -1);
}
