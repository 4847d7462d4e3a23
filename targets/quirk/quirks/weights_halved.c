/* The quirk "weights-halved": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static int64_t halve(int64_t code, enum qd_dtype dtype)
{
    (void)dtype;
    return code / 2 * 2;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int w = qd_operand_find(node, in, QD_W);
    if (w >= 0 && in[w]->want.dtype == QD_S8)
        qd_edit_map(&edit, w, QD_S8, halve);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_weights_halved = {.node = evaluate};
