/* The quirk "float8-saturate-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int64_t saturate;
    if (node->opset >= 19 &&
        qd_node_int(node, "saturate", 1, &saturate, evaluation->error) == QD_OK)
        qd_edit_int(&edit, "saturate", !saturate);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_float8_saturate_ignored = {.node = evaluate};
