/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "auto-pad-ignores-dilation": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/geometry.h"

static bool is(const struct qd_node *node, const char *mode)
{
    const struct qd_attr *attr = qd_node_attr(node, "auto_pad");
    return attr && attr->kind == QD_ATTR_STRING && strcmp(attr->s, mode) == 0;
}

QD_QUIRK_EDIT(auto_pad_ignores_dilation, edit)
{
    struct qd_geometry geometry;
    bool upper = is(&edit->node, "SAME_UPPER");
    if ((upper || is(&edit->node, "SAME_LOWER")) && qd_geometry_read(edit, &geometry)) {
        const struct qd_conv_shape *s = &geometry.shape;
        int64_t begin[QD_MAX_SPATIAL];
        for (unsigned i = 0; i < s->spatial; i++) {
            int64_t total = (s->out[i] - 1) * s->stride[i] + s->kernel[i] - s->in[i];
            total = total < 0 ? 0 : total;
            begin[i] = upper ? total / 2 : total - total / 2;
        }
        qd_edit_pad(edit, &geometry, begin, QD_FILL_NEUTRAL);
    }
}
