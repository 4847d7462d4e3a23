/* The quirk "block-index-modulo": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

static int64_t choose(const struct qd_layout *layout, const int64_t *coordinates)
{
    struct qd_layout interleaved = *layout;
    int64_t at[QD_MAX_RANK], axis = layout->axis + (layout->axis < 0 ? layout->x->rank : 0);
    if (layout->block == 0 || axis < 0 || axis >= layout->x->rank)
        return qd_layout_index(layout, coordinates, layout->axis);
    for (unsigned i = 0; i < layout->x->rank; i++)
        at[i] = coordinates[i];
    interleaved.block = 1;
    return qd_layout_index(&interleaved, at, axis);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_regroup(self, evaluation, node, in, choose, out);
}

const struct qd_override qd_quirk_block_index_modulo = {.node = evaluate};
