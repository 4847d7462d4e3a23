/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "kernel-transposed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

QD_QUIRK_EDIT(kernel_transposed, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry) && geometry.shape.spatial == 2 &&
        geometry.shape.kernel[0] == geometry.shape.kernel[1]) {
        const struct qd_tensor *w = &edit->in[geometry.w]->want;
        qd_edit_move(edit, geometry.w, NULL, w->rank, w->dims, qd_source_transposed,
                     &geometry.shape.kernel[0]);
    }
}
