/* The quirk "max-pool-pads-with-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_geometry geometry;
    if (qd_geometry_read(&edit, &geometry))
        qd_edit_pad(&edit, &geometry, geometry.shape.pad_begin, QD_FILL_0);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_max_pool_pads_with_0 = {.node = evaluate};
