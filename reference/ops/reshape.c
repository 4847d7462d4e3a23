/* SPDX-License-Identifier: Apache-2.0 */
/* Reshape
 *
 * Source      ONNX Reshape-1, -5, -13, -14, -19, -21, -23, -24, -25.
 * Inputs      data of any type (1: floats only): movement.h, all types since 5, float8 since 19;
 *             shape (5) s64 [R].
 * Outputs     reshaped: a shape entry n > 0 is the dimension, 0 copies data's (or is 0 with
 *             allowzero), one −1 is inferred.
 * Attributes  shape (up to 4); allowzero (14), 0.
 * Domain      rules data-type, shape-missing, shape-type, shape-rank, shape-negative (below −1),
 *             shape-two-inferred, shape-zero-range (0 beyond data's rank), shape-allowzero (0 and
 *             −1 together), shape-mismatch (not as many elements), attribute-unknown. −1 beside a
 *             copied dimension of 0 is UNSUPPORTED: nothing determines it.
 * Arithmetic  moves elements.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

struct shape {
    int64_t dims[QD_MAX_RANK];
    int64_t inferred;   /* axis of the −1, or −1 */
    bool explicit_zero; /* a 0 that allowzero makes a dimension */
};

static enum qd_status read_entry(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, int64_t axis, int64_t entry,
                                 bool allow_zero, struct shape *s)
{
    bool copied = entry == 0 && !allow_zero;
    if (entry < -1)
        return qd_node_rule(evaluation, node, "shape-negative", "shape[%lld] is %lld",
                            (long long)axis, (long long)entry);
    if (entry == -1 && s->inferred >= 0)
        return qd_node_rule(evaluation, node, "shape-two-inferred", "shape has -1 twice");
    if (copied && axis >= x->rank)
        return qd_node_rule(evaluation, node, "shape-zero-range",
                            "shape[%lld] is 0, and data has rank %u", (long long)axis, x->rank);
    s->dims[axis] = copied ? x->dims[axis] : entry == -1 ? 1 : entry;
    s->explicit_zero = s->explicit_zero || (entry == 0 && allow_zero);
    if (entry == -1)
        s->inferred = axis;
    return QD_OK;
}

/* Fills in the −1 and compares the number of elements. */
static enum qd_status finish(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             const struct qd_tensor *x, unsigned rank, struct shape *s)
{
    int64_t count;
    enum qd_status status = qd_shape_count(rank, s->dims, &count, evaluation->error);
    if (status != QD_OK)
        return status;
    if (s->inferred >= 0 && s->explicit_zero)
        return qd_node_rule(evaluation, node, "shape-allowzero", "shape has both 0 and -1");
    if (s->inferred >= 0 && count == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: -1 together with a dimension of 0 is not determined", node->op_type);
    if (s->inferred >= 0) {
        s->dims[s->inferred] = x->count / count;
        count *= s->dims[s->inferred];
    }
    if (count != x->count)
        return qd_node_rule(evaluation, node, "shape-mismatch",
                            "data has %lld elements, the new shape %lld", (long long)x->count,
                            (long long)count);
    return QD_OK;
}

static enum qd_status read_allow_zero(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, bool *allow_zero)
{
    int64_t value;
    enum qd_status status = qd_node_int(node, "allowzero", 0, &value, evaluation->error);
    if (status == QD_OK)
        *allow_zero = value != 0;
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    struct qd_list list;
    struct shape shape = {.inferred = -1};
    bool allow_zero = false;
    enum qd_status status = qd_movement_type(evaluation, node, "data", x, 5, 19);
    if (status == QD_OK)
        status = qd_list_read(evaluation, node, "shape", in[1], 5, QD_TYPE_BIT(QD_S64), &list);
    if (status == QD_OK)
        status = read_allow_zero(evaluation, node, &allow_zero);
    if (status != QD_OK)
        return status;
    if (!list.present)
        return qd_node_rule(evaluation, node, "shape-missing", "no shape is given");
    if (list.count > QD_MAX_RANK)
        return qd_fail(evaluation->error, QD_LIMIT, "rank %zu is more than %d", list.count,
                       QD_MAX_RANK);
    for (size_t i = 0; status == QD_OK && i < list.count; i++)
        status = read_entry(evaluation, node, x, (int64_t)i, list.values[i], allow_zero, &shape);
    if (status == QD_OK)
        status = finish(evaluation, node, x, (unsigned)list.count, &shape);
    return status == QD_OK
               ? qd_move_reshape(evaluation, in[0], (unsigned)list.count, shape.dims, &out[0])
               : status;
}

const struct qd_op qd_op_reshape = {
    .domain = "",
    .name = "Reshape",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data,shape:control",
    .clause = "25: Reshape the input tensor similar to numpy.reshape. ... It outputs the reshaped "
              "tensor.",
    .attributes = "shape:-4,consumed_inputs:-4,allowzero:14-",
    .flags = "allowzero",
    .rules = "data-type,shape-missing,shape-type,shape-rank,shape-negative,shape-two-inferred,"
             "shape-zero-range,shape-allowzero,shape-mismatch",
    .evaluate = evaluate,
};
