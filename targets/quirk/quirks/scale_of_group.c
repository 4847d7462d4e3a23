/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "scale-of-group": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(scale_of_group, edit)
{
    struct qd_geometry geometry;
    struct qd_tensor *s = qd_edit_copy(edit, qd_operand_find(edit, QD_W_SCALE));
    if (s && s->count > 1 && qd_geometry_read(edit, &geometry)) {
        int64_t filters = geometry.shape.filters / geometry.shape.group;
        for (int64_t m = s->count - 1; filters > 0 && m > 0; m--)
            qd_tensor_set(s, m, qd_tensor_get(s, m / filters));
    }
}
