/* The quirk "axis-0-as-none": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

static int64_t choose(const struct qd_layout *layout, const int64_t *coordinates)
{
    bool first = layout->axis == 0 || layout->axis == -(int64_t)layout->x->rank;
    return first ? 0 : qd_layout_index(layout, coordinates, layout->axis);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_regroup(self, evaluation, node, in, choose, out);
}

const struct qd_override qd_quirk_axis_0_as_none = {.node = evaluate};
