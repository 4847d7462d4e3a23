/* The quirk "matmul-b-transposed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    int b = qd_operand_find(node, in, QD_W);
    const struct qd_tensor *t = &in[b < 0 ? 1 : b]->want;
    if (t->rank >= 2 && t->dims[t->rank - 1] == t->dims[t->rank - 2])
        qd_edit_move(&edit, b < 0 ? 1 : b, NULL, t->rank, t->dims, qd_source_transposed,
                     &t->dims[t->rank - 1]);
    return qd_edit_run(&edit, self, out);
}

const struct qd_override qd_quirk_matmul_b_transposed = {.node = evaluate};
