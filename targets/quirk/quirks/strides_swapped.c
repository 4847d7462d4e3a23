/* The quirk "strides-swapped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    const struct qd_attr *strides = qd_node_attr(node, "strides");
    if (strides && strides->kind == QD_ATTR_INTS && strides->count == 2)
        qd_edit_ints(&edit, "strides", (const int64_t[]){strides->ints[1], strides->ints[0]}, 2);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_strides_swapped = {.node = evaluate};
