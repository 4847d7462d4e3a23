/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "auto-pad-of-kernel": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

/* As pads that are given, so that a quirk of what stands there comes after this one. */
QD_QUIRK_EDIT(auto_pad_of_kernel, edit)
{
    struct qd_geometry geometry;
    int64_t pads[2 * QD_MAX_SPATIAL];
    if (!qd_pads_to_same(&edit->node) || !qd_geometry_read(edit, &geometry))
        return;
    const struct qd_conv_shape *s = &geometry.shape;
    for (unsigned i = 0; i < s->spatial; i++) {
        int64_t window = (s->kernel[i] - 1) * s->dilation[i] + 1;
        int64_t begin = (s->kernel[i] - 1) / 2;
        int64_t end = (s->out[i] - 1) * s->stride[i] + window - s->in[i] - begin;
        pads[i] = begin;
        pads[s->spatial + i] = end < 0 ? 0 : end;
    }
    qd_edit_drop(edit, "auto_pad");
    qd_edit_ints(edit, "pads", pads, 2 * (size_t)s->spatial);
}
