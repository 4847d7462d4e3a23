/* The quirk "w-zero-point-of-group-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/geometry.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_geometry geometry;
    struct qd_tensor *z = qd_edit_copy(&edit, qd_operand_find(node, in, QD_W_ZERO_POINT));
    if (z && z->count > 1 && qd_geometry_read(&edit, &geometry)) {
        int64_t filters = geometry.shape.filters / geometry.shape.group;
        for (int64_t m = filters; filters > 0 && m < z->count; m++)
            qd_tensor_set(z, m, qd_tensor_get(z, m % filters));
    }
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_w_zero_point_of_group_0 = {.node = evaluate};
