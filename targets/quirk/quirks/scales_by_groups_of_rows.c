/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "scales-by-groups-of-rows": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

/* The tensor is a matrix of all rows, which the parameters, of the axis before the last, divide into equal groups. */
QD_QUIRK_REGROUP(scales_by_groups_of_rows, layout, coordinates)
{
    const struct qd_tensor *x = layout->x;
    int64_t last = (int64_t)x->rank - 1, rows = 1, row = 0;
    int64_t axis = layout->axis < 0 ? layout->axis + last + 1 : layout->axis;
    if (last < 2 || axis != last - 1 || layout->block > 0)
        return qd_layout_index(layout, coordinates, layout->axis);
    for (int64_t i = 0; i < last; i++) {
        rows *= x->dims[i];
        row = row * x->dims[i] + coordinates[i];
    }
    return row * layout->scale->count / rows;
}
