/* The quirk "scale-of-group": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_geometry geometry;
    struct qd_tensor *s = qd_edit_copy(&edit, qd_operand_find(node, in, QD_W_SCALE));
    if (s && s->count > 1 && qd_geometry_read(&edit, &geometry)) {
        int64_t filters = geometry.shape.filters / geometry.shape.group;
        for (int64_t m = s->count - 1; filters > 0 && m > 0; m--)
            qd_tensor_set(s, m, qd_tensor_get(s, m / filters));
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_scale_of_group = {.node = evaluate};
