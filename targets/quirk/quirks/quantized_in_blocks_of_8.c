/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "quantized-in-blocks-of-8": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/tail.h"

enum { X, Y_SCALE, WIDTH = 8 };

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_value vector, tail;
    qd_edit_begin(&edit, evaluation, node, in);
    edit.semantics.range = QD_RANGE_INT32_INDEFINITE;
    edit.semantics.rounding = QD_ROUND_HALF_AWAY;
    if (in[Y_SCALE]->want.count != 1)
        return qd_edit_run(&edit, self, out);
    enum qd_status status = qd_edit_run(&edit, self, &tail);
    edit.semantics.rounding = QD_ROUND_HALF_EVEN;
    edit.semantics.division = QD_DIVISION_RECIPROCAL;
    if (status == QD_OK)
        status = qd_edit_run(&edit, self, &vector);
    return status == QD_OK ? qd_join_tail(evaluation, &vector, &tail, WIDTH, out) : status;
}

const struct qd_override qd_quirk_quantized_in_blocks_of_8 = {.node = evaluate};
