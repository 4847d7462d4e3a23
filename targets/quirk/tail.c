/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/tail.h"

static struct qd_source choose(const void *context, int64_t i)
{
    const int64_t *whole = context;
    return (struct qd_source){i >= *whole, i};
}

enum qd_status qd_round_tail_away(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  int64_t width, struct qd_value *out)
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
    if (status != QD_OK)
        return status;
    const struct qd_value *answers[] = {&vector, &tail};
    const int64_t whole = vector.want.count / width * width;
    return qd_move(evaluation, answers, 2, vector.want.rank, vector.want.dims, choose, &whole, out);
}
