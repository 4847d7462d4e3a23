/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "tail-rounds-away": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

#define VECTOR 16

static struct qd_source choose(const void *context, int64_t i)
{
    const int64_t *whole = context;
    return (struct qd_source){i >= *whole, i};
}

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
    if (status != QD_OK)
        return status;
    const struct qd_value *answers[] = {&vector, &tail};
    const int64_t whole = vector.want.count / VECTOR * VECTOR;
    return qd_move(evaluation, answers, 2, vector.want.rank, vector.want.dims, choose, &whole, out);
}

const struct qd_override qd_quirk_tail_rounds_away = {.node = evaluate};
