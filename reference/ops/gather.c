/* SPDX-License-Identifier: Apache-2.0 */
/* Gather
 *
 * Source      ONNX Gather-1, -11, -13.
 * Inputs      data of any type but those below 8 bits and float8, rank ≥ 1: movement.h; indices
 *             s32|s64 of any shape.
 * Outputs     output: data's shape with the dimension `axis` replaced by indices' shape.
 * Attributes  axis (0): −rank to rank − 1.
 * Domain      rules data-type, data-rank, indices-type, axis-range, indices-range (outside [−size,
 *             size − 1]); a negative index before 11 is UNSUPPORTED, the specification asks for
 *             "within bounds"; so are indices that are no points.
 * Arithmetic  output[j…, i…, k…] = data[j…, indices[i…], k…]
 * Latitude    none. */
#include <string.h>

#include "graph/operand_checks.h"
#include "qdiff/movement.h"

struct gather {
    const struct qd_tensor *indices;
    int64_t size, inner; /* of data's axis, and elements below one of its coordinates */
};

static struct qd_source source(const void *context, int64_t i)
{
    const struct gather *g = context;
    int64_t outer = i / (g->indices->count * g->inner);
    int64_t at = qd_tensor_get(g->indices, i / g->inner % g->indices->count);
    at = at < 0 ? at + g->size : at;
    return (struct qd_source){0, (outer * g->size + at) * g->inner + i % g->inner};
}

static enum qd_status check_indices(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct gather *g)
{
    for (int64_t i = 0; i < g->indices->count; i++) {
        int64_t at = qd_tensor_get(g->indices, i);
        if (at < -g->size || at >= g->size)
            return qd_node_rule(evaluation, node, "indices-range",
                                "index %lld of an axis of %lld elements", (long long)at,
                                (long long)g->size);
        if (at < 0 && node->opset < 11)
            return qd_fail(evaluation->error, QD_UNSUPPORTED,
                           "%s: a negative index before opset 11", node->op_type);
    }
    return QD_OK;
}

static enum qd_status read_axis(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_tensor *x, int64_t *axis)
{
    int64_t value;
    if (x->rank == 0)
        return qd_node_rule(evaluation, node, "data-rank", "data is a scalar");
    enum qd_status status = qd_node_int(node, "axis", 0, &value, evaluation->error);
    return status == QD_OK ? qd_axis_read(evaluation, node, "axis-range", value, x->rank, 1, axis)
                           : status;
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_value *const *in, int64_t *axis, struct gather *g)
{
    const struct qd_tensor *x = &in[0]->want;
    const uint32_t types = QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    enum qd_status status = qd_movement_type(evaluation, node, "data", x, 1, 0);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "indices", &in[1]->want, types);
    if (status == QD_OK)
        status = read_axis(evaluation, node, x, axis);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, &in[1], 1);
    if (status != QD_OK)
        return status;
    *g = (struct gather){&in[1]->want, x->dims[*axis], 1};
    for (unsigned i = (unsigned)*axis + 1; i < x->rank; i++)
        g->inner *= x->dims[i];
    return check_indices(evaluation, node, g);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want, *indices = &in[1]->want;
    struct gather g;
    int64_t axis = 0, dims[2 * QD_MAX_RANK];
    enum qd_status status = check(evaluation, node, in, &axis, &g);
    if (status != QD_OK)
        return status;
    size_t before = (size_t)axis, after = x->rank - before - 1;
    memcpy(dims, x->dims, before * sizeof *dims);
    memcpy(dims + before, indices->dims, indices->rank * sizeof *dims);
    memcpy(dims + before + indices->rank, x->dims + before + 1, after * sizeof *dims);
    return qd_move(evaluation, in, 1, x->rank - 1 + indices->rank, dims, source, &g, &out[0]);
}

const struct qd_op qd_op_gather = {
    .domain = "",
    .name = "Gather",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data,indices:control",
    .clause =
        "13: gather entries of the axis dimension of data (by default outer-most one as axis=0) "
        "indexed by indices, and concatenates them in an output tensor of rank q + (r - 1).",
    .attributes = "axis",
    .rules = "data-type,data-rank,indices-type,indices-range,axis-range",
    .evaluate = evaluate,
};
