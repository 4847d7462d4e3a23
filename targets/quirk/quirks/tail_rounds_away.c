/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "tail-rounds-away": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/tail.h"

enum { WIDTH = 16 };

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value vector, tail;
    if (node->op->outputs != 1)
        return qd_override_node(evaluation, self->next, node, in, out);
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, &vector);
    qd_edit_begin(&edit, evaluation, node, in);
    edit.semantics.rounding = QD_ROUND_HALF_AWAY;
    if (status == QD_OK)
        status = qd_edit_run(&edit, self, &tail);
    return status == QD_OK ? qd_join_tail(evaluation, &vector, &tail, WIDTH, out) : status;
}

const struct qd_override qd_quirk_tail_rounds_away = {.node = evaluate};
