/* SPDX-License-Identifier: Apache-2.0 */
/* Slice
 *
 * Source      ONNX Slice-1, -10, -11, -13.
 * Inputs      data of any type but those below 8 bits and float8: movement.h; since 10 starts,
 *             ends, axes (optional), steps
 *             (optional): one type s32|s64, [n].
 * Outputs     output: along axes[i] the elements starts[i], starts[i] + steps[i], … before ends[i].
 * Attributes  starts, ends, axes (up to 9); steps are 1 there.
 * Domain      rules data-type, <list>-type, <list>-rank, starts-missing, ends-missing, ends-length,
 *             axes-length, steps-length, axes-range, steps-zero, attribute-unknown. An axis named
 *             twice ("undefined") is UNSUPPORTED, and axes left out with fewer starts than axes
 *             since 10, where the specification has them mean all axes.
 * Arithmetic  a negative start or end counts from the dimension's end; then clamped: starts to [0,
 *             d] and ends to [0, d] for positive steps, [0, d − 1] and [−1, d − 1] for negative
 *             ones.
 * Latitude    none. */
#include <stdio.h>

#include "graph/operand_checks.h"
#include "qdiff/movement.h"

enum { DATA, STARTS, ENDS, AXES, STEPS, INPUTS };

struct slice {
    struct qd_list list[INPUTS]; /* by input; DATA is unused */
    int64_t offset, dims[QD_MAX_RANK], stride[QD_MAX_RANK];
};

static enum qd_status read_lists(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *const *in, struct slice *s)
{
    static const char *const names[] = {"data", "starts", "ends", "axes", "steps"};
    const uint32_t types = QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64);
    for (int i = STARTS; i < INPUTS; i++) {
        char slug[16];
        enum qd_status status =
            qd_list_read(evaluation, node, names[i], in[i], 10, types, &s->list[i]);
        if (status == QD_OK && in[i])
            status = qd_same_type(evaluation, node, names[i], &in[i]->want, &in[STARTS]->want);
        if (status != QD_OK)
            return status;
        if (i <= ENDS && !s->list[i].present) {
            snprintf(slug, sizeof slug, "%s-missing", names[i]);
            return qd_node_rule(evaluation, node, slug, "%s are required", names[i]);
        }
        if (s->list[i].present && s->list[i].count != s->list[STARTS].count) {
            snprintf(slug, sizeof slug, "%s-length", names[i]);
            return qd_node_rule(evaluation, node, slug, "%zu starts, %zu %s", s->list[STARTS].count,
                                s->list[i].count, names[i]);
        }
    }
    return QD_OK;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Start, number of elements and step along a dimension of size d. */
struct range {
    int64_t start, count, step;
};

static struct range range_of(int64_t start, int64_t end, int64_t step, int64_t d)
{
    start = start < 0 ? start + d : start;
    end = end < 0 ? end + d : end;
    step = clamp(step, -QD_MAX_ELEMENTS, QD_MAX_ELEMENTS); /* longer steps reach no further */
    if (step > 0) {
        start = clamp(start, 0, d);
        end = clamp(end, 0, d);
        return (struct range){start, end > start ? (end - start + step - 1) / step : 0, step};
    }
    if (d == 0)
        return (struct range){0, 0, step};
    start = clamp(start, 0, d - 1);
    end = clamp(end, -1, d - 1);
    return (struct range){start, start > end ? (start - end - step - 1) / -step : 0, step};
}

static enum qd_status apply(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_tensor *x, size_t i, bool *used, struct slice *s)
{
    int64_t axis, entry = s->list[AXES].present ? s->list[AXES].values[i] : (int64_t)i;
    int64_t step = s->list[STEPS].present ? s->list[STEPS].values[i] : 1;
    enum qd_status status = qd_axis_read(evaluation, node, "axes-range", entry, x->rank, 11, &axis);
    if (status != QD_OK)
        return status;
    if (used[axis])
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: axis %lld is named twice",
                       node->op_type, (long long)axis);
    if (step == 0)
        return qd_node_rule(evaluation, node, "steps-zero", "steps[%zu] is 0", i);
    used[axis] = true;
    struct range r =
        range_of(s->list[STARTS].values[i], s->list[ENDS].values[i], step, x->dims[axis]);
    s->offset += r.start * s->stride[axis];
    s->dims[axis] = r.count;
    s->stride[axis] *= r.step;
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[DATA]->want;
    bool used[QD_MAX_RANK] = {false};
    struct slice s = {.offset = 0};
    enum qd_status status = qd_movement_type(evaluation, node, "data", x, 1, 0);
    if (status == QD_OK)
        status = read_lists(evaluation, node, in, &s);
    if (status != QD_OK)
        return status;
    if (!s.list[AXES].present && node->opset >= 10 && s.list[STARTS].count < x->rank)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: no axes, and fewer starts than data has axes", node->op_type);
    qd_strides_of(x, s.stride);
    for (unsigned i = 0; i < x->rank; i++)
        s.dims[i] = x->dims[i];
    for (size_t i = 0; status == QD_OK && i < s.list[STARTS].count; i++)
        status = apply(evaluation, node, x, i, used, &s);
    return status == QD_OK
               ? qd_move_strided(evaluation, in[DATA], x->rank, s.dims, s.offset, s.stride, &out[0])
               : status;
}

const struct qd_op qd_op_slice = {
    .domain = "",
    .name = "Slice",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 5,
    .outputs = 1,
    .form = QD_FORM_MOVES,
    .operands = "data,starts:control,ends:control,axes:control,steps:control",
    .clause = "13: Slice uses the starts, ends, axes and steps inputs to select a sub-tensor of "
              "its input data tensor."
              "\n11<13: Slices uses starts, ends, axes and steps inputs to specify the start and "
              "end dimension and step for each axis in the list of axes, it uses this information "
              "to slice the input data tensor.",
    .attributes = "starts:-9,ends:-9,axes:-9",
    .rules = "data-type,starts-type,ends-type,axes-type,steps-type,starts-rank,ends-rank,"
             "axes-rank,steps-rank,starts-missing,ends-missing,ends-length,axes-length,"
             "steps-length,axes-range,steps-zero",
    .evaluate = evaluate,
};
