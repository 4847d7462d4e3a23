/* The quirk "kernel-transposed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_geometry geometry;
    if (qd_geometry_read(&edit, &geometry) && geometry.shape.spatial == 2 &&
        geometry.shape.kernel[0] == geometry.shape.kernel[1]) {
        const struct qd_tensor *w = &in[geometry.w]->want;
        qd_edit_move(&edit, geometry.w, NULL, w->rank, w->dims, qd_source_transposed,
                     &geometry.shape.kernel[0]);
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_kernel_transposed = {.node = evaluate};
