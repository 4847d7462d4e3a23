/* SPDX-License-Identifier: Apache-2.0 */
/* Where
 *
 * Source      ONNX Where-9, -16; ONNX docs/Broadcasting.md.
 * Inputs      condition bool; X, Y of one type, any but those below 8 bits and float8 (16: bf16);
 *             shapes broadcast.
 * Outputs     output of X's type and the common shape.
 * Domain      rules condition-type, X-type, Y-type, broadcast.
 * Arithmetic  moves elements: X where condition is true, else Y.
 * Edge cases  An unspecified condition is UNSUPPORTED.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/broadcast.h"
#include "qdiff/movement.h"

enum { CONDITION, X, Y, INPUTS };

struct where {
    const struct qd_value *const *in;
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
};

static int64_t index_in(const struct where *w, int operand, int64_t i)
{
    const struct qd_tensor *t = &w->in[operand]->want;
    return qd_broadcast_index(t->rank, t->dims, w->rank, w->dims, i);
}

/* Operand 0 of the move is X, 1 is Y. */
static struct qd_source source(const void *context, int64_t i)
{
    const struct where *w = context;
    bool x = qd_tensor_get(&w->in[CONDITION]->want, index_in(w, CONDITION, i)) != 0;
    return (struct qd_source){x ? 0 : 1, index_in(w, x ? X : Y, i)};
}

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in)
{
    enum qd_status status =
        qd_operand_type(evaluation, node, "condition", &in[CONDITION]->want, QD_TYPE_BIT(QD_BOOL));
    if (status == QD_OK && in[X]->want.dtype == QD_BF16 && node->opset < 16)
        return qd_node_rule(evaluation, node, "X-type", "bf16 exists since opset 16");
    if (status == QD_OK)
        status = qd_movement_type(evaluation, node, "X", &in[X]->want, 9, 0);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "Y", &in[Y]->want, &in[X]->want);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, 1);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct where w = {.in = in};
    const struct qd_tensor *c = &in[CONDITION]->want, *x = &in[X]->want, *y = &in[Y]->want;
    int64_t both[QD_MAX_RANK];
    unsigned rank;
    enum qd_status status = check_types(evaluation, node, in);
    if (status != QD_OK)
        return status;
    if (!qd_broadcast_shape(x->rank, x->dims, y->rank, y->dims, &rank, both) ||
        !qd_broadcast_shape(c->rank, c->dims, rank, both, &w.rank, w.dims))
        return qd_node_rule(evaluation, node, "broadcast", "the operands' shapes do not broadcast");
    return qd_move(evaluation, in + X, 2, w.rank, w.dims, source, &w, &out[0]);
}

const struct qd_op qd_op_where = {
    .domain = "",
    .name = "Where",
    .since = 9,
    .min_inputs = INPUTS,
    .max_inputs = INPUTS,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "condition:control,X,Y",
    .clause = "16: Return elements, either from X or Y, depending on condition. ... When True "
              "(nonzero), yield X, otherwise yield Y",
    .attributes = "",
    .rules = "condition-type,X-type,Y-type,broadcast",
    .evaluate = evaluate,
};
