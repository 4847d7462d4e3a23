/* SPDX-License-Identifier: Apache-2.0 */
/* Tile
 *
 * Source      ONNX Tile-1, -6, -13 (Tile-1 takes tiles and an axis as inputs of input's type:
 *             UNSUPPORTED).
 * Inputs      input of any type but those below 8 bits and float8 (movement.h); repeats s64 [rank
 *             of input].
 * Outputs     output: axis i is repeats[i] times as long.
 * Domain      rules input-type, repeats-type, repeats-rank, repeats-length, repeats-negative.
 * Arithmetic  moves elements: position o of an axis of size d shows position o modulo d.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

struct tile {
    const struct qd_tensor *x;
    int64_t out[QD_MAX_RANK], stride[QD_MAX_RANK];
};

static struct qd_source source(const void *context, int64_t i)
{
    const struct tile *t = context;
    int64_t index = 0;
    for (unsigned axis = t->x->rank; axis-- > 0;) {
        index += i % t->out[axis] % t->x->dims[axis] * t->stride[axis];
        i /= t->out[axis];
    }
    return (struct qd_source){0, index};
}

static enum qd_status read_repeats(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *value,
                                   struct tile *t)
{
    struct qd_list repeats;
    enum qd_status status =
        qd_list_read(evaluation, node, "repeats", value, 6, QD_TYPE_BIT(QD_S64), &repeats);
    if (status != QD_OK)
        return status;
    if (repeats.count != t->x->rank)
        return qd_node_rule(evaluation, node, "repeats-length", "%zu repeats for rank %u",
                            repeats.count, t->x->rank);
    for (unsigned i = 0; i < t->x->rank; i++) {
        int64_t r = repeats.values[i];
        if (r < 0)
            return qd_node_rule(evaluation, node, "repeats-negative", "repeats[%u] is %lld", i,
                                (long long)r);
        if (r > QD_MAX_ELEMENTS)
            return qd_fail(evaluation->error, QD_LIMIT, "Tile: repeats[%u] is %lld elements", i,
                           (long long)r);
        t->out[i] = t->x->dims[i] * r;
    }
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct tile t = {.x = &in[0]->want};
    if (node->opset < 6)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Tile before opset 6");
    if (in[2])
        return qd_node_rule(evaluation, node, "input-count", "takes 2 inputs since opset 6");
    enum qd_status status = qd_movement_type(evaluation, node, "input", t.x, 1, 0);
    if (status == QD_OK)
        status = read_repeats(evaluation, node, in[1], &t);
    qd_strides_of(t.x, t.stride);
    return status == QD_OK ? qd_move(evaluation, in, 1, t.x->rank, t.out, source, &t, &out[0])
                           : status;
}

const struct qd_op qd_op_tile = {
    .domain = "",
    .name = "Tile",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "input,repeats:control,axis:control",
    .clause = "13: Constructs a tensor by tiling a given tensor. This is the same as function tile "
              "in Numpy, but no broadcast.",
    .attributes = "",
    .rules = "input-type,repeats-type,repeats-rank,repeats-length,repeats-negative",
    .evaluate = evaluate,
};
