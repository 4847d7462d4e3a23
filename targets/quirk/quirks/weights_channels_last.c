/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "weights-channels-last": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

struct filter {
    int64_t channels, plane;
};

static struct qd_source channels_last(const void *context, int64_t i)
{
    const struct filter *f = context;
    int64_t size = f->channels * f->plane, c = i / f->plane % f->channels, tap = i % f->plane;
    return (struct qd_source){0, i - i % size + tap * f->channels + c};
}

QD_QUIRK_EDIT(weights_channels_last, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry)) {
        const struct qd_tensor *w = &edit->in[geometry.w]->want;
        const struct filter filter = {w->dims[1], qd_shape_plane(w)};
        qd_edit_move(edit, geometry.w, NULL, w->rank, w->dims, channels_last, &filter);
    }
}
