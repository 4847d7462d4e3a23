/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "kernel-flipped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static struct qd_source backwards(const void *context, int64_t i)
{
    const int64_t *plane = context;
    return (struct qd_source){0, i - i % *plane + (*plane - 1 - i % *plane)};
}

QD_QUIRK_EDIT(kernel_flipped, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry)) {
        const struct qd_tensor *w = &edit->in[geometry.w]->want;
        const int64_t plane = qd_shape_plane(w);
        qd_edit_move(edit, geometry.w, NULL, w->rank, w->dims, backwards, &plane);
    }
}
