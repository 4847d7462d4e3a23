/* The quirk "kernel-flipped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static struct qd_source backwards(const void *context, int64_t i)
{
    const int64_t *plane = context;
    return (struct qd_source){0, i - i % *plane + (*plane - 1 - i % *plane)};
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_geometry geometry;
    if (qd_geometry_read(&edit, &geometry)) {
        const struct qd_tensor *w = &in[geometry.w]->want;
        const int64_t plane = qd_shape_plane(w);
        qd_edit_move(&edit, geometry.w, NULL, w->rank, w->dims, backwards, &plane);
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_kernel_flipped = {.node = evaluate};
