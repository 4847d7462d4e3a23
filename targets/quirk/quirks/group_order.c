/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "group-order": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

struct groups {
    int64_t count, channels, plane;
};

static struct qd_source interleaved(const void *context, int64_t i)
{
    const struct groups *g = context;
    int64_t depth = g->channels / g->count, c = i / g->plane % g->channels;
    int64_t from = c % depth * g->count + c / depth;
    return (struct qd_source){0, i + (from - c) * g->plane};
}

QD_QUIRK_EDIT(group_order, edit)
{
    struct qd_geometry geometry;
    if (qd_geometry_read(edit, &geometry)) {
        const struct qd_tensor *x = &edit->in[geometry.x]->want;
        const struct groups groups = {geometry.shape.group, geometry.shape.channels,
                                      qd_shape_plane(x)};
        qd_edit_move(edit, geometry.x, NULL, x->rank, x->dims, interleaved, &groups);
    }
}
