/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "axis-negative-literal": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(axis_negative_literal, layout, coordinates)
{
    return layout->axis < 0 ? 0 : qd_layout_index(layout, coordinates, layout->axis);
}
