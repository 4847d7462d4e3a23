/* The quirk "requantize-layer-wide": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *s = qd_edit_copy(&edit, qd_operand_find(node, in, QD_W_SCALE));
    int64_t greatest = 0;
    for (int64_t i = 1; s && i < s->count; i++)
        greatest = qd_tensor_value(s, i) > qd_tensor_value(s, greatest) ? i : greatest;
    if (s && s->count > 1)
        qd_tensor_fill(s, qd_tensor_get(s, greatest));
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_requantize_layer_wide = {.node = evaluate};
