/* SPDX-License-Identifier: Apache-2.0 */
/* Concat
 *
 * Source      ONNX Concat-1, -4, -11, -13.
 * Inputs      1 to 32 tensors (the specification: any number) of one type (1: floats only):
 *             movement.h, all types since 4; one shape but for the dimension `axis`.
 * Outputs     concat_result.
 * Attributes  axis (required since 4; before that 1): −rank to rank − 1 since 11.
 * Domain      rules inputs-type, inputs-shape, axis-missing, axis-range, input-missing.
 * Arithmetic  moves elements: Concat has no quantization parameters.
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

#define MAX_INPUTS 32

struct concat {
    size_t count;
    /* Elements of one operand below one coordinate of the axes before `axis`; and their sum. */
    int64_t size[MAX_INPUTS];
    int64_t total;
};

static struct qd_source source(const void *context, int64_t i)
{
    const struct concat *c = context;
    int64_t outer = i / c->total, rest = i % c->total;
    size_t operand = 0;
    while (rest >= c->size[operand])
        rest -= c->size[operand++];
    return (struct qd_source){operand, outer * c->size[operand] + rest};
}

static enum qd_status check_inputs(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   size_t count)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < count; i++)
        status = qd_same_type(evaluation, node, "inputs", &in[i]->want, &in[0]->want);
    return status == QD_OK ? qd_movement_type(evaluation, node, "inputs", &in[0]->want, 4, 0)
                           : status;
}

static enum qd_status read_axis(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                int64_t rank, int64_t *axis)
{
    int64_t value;
    if (node->opset >= 4 && !qd_node_attr(node, "axis"))
        return qd_node_rule(evaluation, node, "axis-missing", "attribute axis is required");
    enum qd_status status = qd_node_int(node, "axis", 1, &value, evaluation->error);
    return status == QD_OK ? qd_axis_read(evaluation, node, "axis-range", value, rank, 11, axis)
                           : status;
}

/* Adds an operand's size along the axis to dims; all its other dimensions are those of dims. */
static enum qd_status append(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             const struct qd_tensor *x, unsigned rank, int64_t axis, int64_t *dims)
{
    bool same = x->rank == rank;
    for (unsigned i = 0; same && i < rank; i++)
        same = i == axis || x->dims[i] == dims[i];
    if (!same) {
        char text[96];
        return qd_node_rule(evaluation, node, "inputs-shape",
                            "%s does not fit the first input but for axis %lld",
                            qd_tensor_describe(x, text, sizeof text), (long long)axis);
    }
    dims[axis] += x->dims[axis];
    return QD_OK;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct concat c = {.count = node->input_count < MAX_INPUTS ? node->input_count : MAX_INPUTS};
    const struct qd_tensor *first = &in[0]->want;
    int64_t axis = 0, dims[QD_MAX_RANK] = {0}, inner = 1;
    enum qd_status status = check_inputs(evaluation, node, in, c.count);
    if (status == QD_OK)
        status = read_axis(evaluation, node, first->rank, &axis);
    if (status != QD_OK)
        return status;
    for (unsigned i = 0; i < first->rank; i++) {
        dims[i] = i == axis ? 0 : first->dims[i];
        inner *= i > axis ? first->dims[i] : 1;
    }
    for (size_t i = 0; status == QD_OK && i < c.count; i++) {
        status = append(evaluation, node, &in[i]->want, first->rank, axis, dims);
        c.size[i] = status == QD_OK ? in[i]->want.dims[axis] * inner : 0;
        c.total += c.size[i];
    }
    return status == QD_OK
               ? qd_move(evaluation, in, c.count, first->rank, dims, source, &c, &out[0])
               : status;
}

const struct qd_op qd_op_concat = {
    .domain = "",
    .name = "Concat",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 32,
    .outputs = 1,
    .variadic = true,
    .form = QD_FORM_MOVES,
    .operands = "*inputs",
    .clause =
        "13: Concatenate a list of tensors into a single tensor. ... Which axis to concat on."
        "\n4<11: Concatenate a list of tensors into a single tensor ... Which axis to concat on",
    .attributes = "axis",
    .rules = "inputs-type,inputs-shape,axis-missing,axis-range",
    .evaluate = evaluate,
};
