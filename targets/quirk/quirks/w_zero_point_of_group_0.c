/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-zero-point-of-group-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(w_zero_point_of_group_0, edit)
{
    struct qd_geometry geometry;
    struct qd_tensor *z = qd_edit_copy(edit, qd_operand_find(edit, QD_W_ZERO_POINT));
    if (z && z->count > 1 && qd_geometry_read(edit, &geometry)) {
        int64_t filters = geometry.shape.filters / geometry.shape.group;
        for (int64_t m = filters; filters > 0 && m < z->count; m++)
            qd_tensor_set(z, m, qd_tensor_get(z, m % filters));
    }
}
