/* The quirk "axis-negative-literal": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

static int64_t choose(const struct qd_layout *layout, const int64_t *coordinates)
{
    return layout->axis < 0 ? 0 : qd_layout_index(layout, coordinates, layout->axis);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_regroup(self, evaluation, node, in, choose, out);
}

const struct qd_override qd_quirk_axis_negative_literal = {.node = evaluate};
