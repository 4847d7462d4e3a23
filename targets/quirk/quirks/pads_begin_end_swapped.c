/* The quirk "pads-begin-end-swapped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_geometry geometry;
    if (qd_geometry_read(&edit, &geometry))
        qd_edit_pad(&edit, &geometry, geometry.shape.pad_end, QD_FILL_NEUTRAL);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_pads_begin_end_swapped = {.node = evaluate};
