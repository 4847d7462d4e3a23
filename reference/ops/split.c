/* SPDX-License-Identifier: Apache-2.0 */
/* Split
 *
 * Source      ONNX Split-1, -2, -11, -13, -18.
 * Inputs      input of any type but those below 8 bits and float8 (1: floats only): movement.h;
 *             split (13), optional, s64 [n]. Split-1's optional input split is UNSUPPORTED.
 * Outputs     1 to 16 outputs (the specification: any number).
 * Attributes  axis (0): −rank to rank − 1 since 11; split (up to 12); num_outputs (18).
 * Domain      rules input-type, split-type, split-rank, split-length (not as many as outputs),
 *             split-value (negative), split-sum, split-uneven (equal parts that do not divide the
 *             dimension, up to 17), split-missing and split-and-num_outputs (18),
 *             num_outputs-range, axis-range, attribute-unknown. num_outputs unlike the number of
 *             outputs is UNSUPPORTED: the specification does not mention it.
 * Arithmetic  output k holds the next split[k] coordinates along axis; without split equal parts,
 *             since 18 of ⌈dimension/num_outputs⌉ and a smaller last one (UNSUPPORTED where that
 *             would be negative).
 * Latitude    none. */
#include "graph/operand_checks.h"
#include "qdiff/movement.h"

#define MAX_OUTPUTS 16

/* Sizes of equal parts. */
static enum qd_status even_parts(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 int64_t d, int64_t count, int64_t *sizes)
{
    int64_t part = (d + count - 1) / count, last = d - part * (count - 1);
    if (node->opset < 18 && d % count != 0)
        return qd_node_rule(evaluation, node, "split-uneven",
                            "%lld elements do not divide into %lld equal parts", (long long)d,
                            (long long)count);
    if (last < 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: %lld parts of %lld exceed the %lld elements", node->op_type,
                       (long long)count, (long long)part, (long long)d);
    for (int64_t i = 0; i < count; i++)
        sizes[i] = i == count - 1 ? last : part;
    return QD_OK;
}

static enum qd_status listed_parts(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_list *split,
                                   int64_t d, int64_t count, int64_t *sizes)
{
    int64_t left = d;
    if (split->count != (size_t)count)
        return qd_node_rule(evaluation, node, "split-length",
                            "split has %zu entries, the node %lld outputs", split->count,
                            (long long)count);
    for (int64_t i = 0; i < count; i++) {
        sizes[i] = split->values[i];
        if (sizes[i] < 0)
            return qd_node_rule(evaluation, node, "split-value", "split[%lld] is %lld",
                                (long long)i, (long long)sizes[i]);
        if (sizes[i] > left)
            return qd_node_rule(evaluation, node, "split-sum", "the parts exceed the %lld elements",
                                (long long)d);
        left -= sizes[i];
    }
    if (left > 0)
        return qd_node_rule(evaluation, node, "split-sum", "the parts leave %lld of %lld elements",
                            (long long)left, (long long)d);
    return QD_OK;
}

static enum qd_status check_num_outputs(const struct qd_evaluation *evaluation,
                                        const struct qd_node *node, bool split_given, int64_t count)
{
    int64_t outputs;
    bool given = qd_node_attr(node, "num_outputs") != NULL;
    if (node->opset < 18)
        return QD_OK;
    if (given && split_given)
        return qd_node_rule(evaluation, node, "split-and-num_outputs",
                            "split and num_outputs are both given");
    if (!given && !split_given)
        return qd_node_rule(evaluation, node, "split-missing",
                            "neither split nor num_outputs is given");
    enum qd_status status = qd_node_int(node, "num_outputs", count, &outputs, evaluation->error);
    if (status == QD_OK && outputs < 1)
        return qd_node_rule(evaluation, node, "num_outputs-range", "num_outputs is %lld",
                            (long long)outputs);
    if (status == QD_OK && outputs != count)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: num_outputs is %lld, the node has %lld outputs", node->op_type,
                       (long long)outputs, (long long)count);
    return status;
}

static enum qd_status read_sizes(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *split, int64_t d, int64_t count,
                                 int64_t *sizes)
{
    struct qd_list list;
    if (split && node->opset == 1)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Split-1 with the input split");
    enum qd_status status =
        qd_list_read(evaluation, node, "split", split, 13, QD_TYPE_BIT(QD_S64), &list);
    if (status == QD_OK)
        status = check_num_outputs(evaluation, node, list.present, count);
    if (status != QD_OK)
        return status;
    return list.present ? listed_parts(evaluation, node, &list, d, count, sizes)
                        : even_parts(evaluation, node, d, count, sizes);
}

static enum qd_status cut(const struct qd_evaluation *evaluation, const struct qd_value *x,
                          int64_t axis, const int64_t *sizes, int64_t count, struct qd_value *out)
{
    int64_t stride[QD_MAX_RANK], dims[QD_MAX_RANK], start = 0;
    enum qd_status status = QD_OK;
    qd_strides_of(&x->want, stride);
    for (unsigned i = 0; i < x->want.rank; i++)
        dims[i] = x->want.dims[i];
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        dims[axis] = sizes[i];
        status = qd_move_strided(evaluation, x, x->want.rank, dims, start * stride[axis], stride,
                                 &out[i]);
        start += sizes[i];
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *x = &in[0]->want;
    int64_t value = 0, axis = 0, sizes[MAX_OUTPUTS] = {0}, count = (int64_t)node->output_count;
    if (count > MAX_OUTPUTS)
        return qd_fail(evaluation->error, QD_LIMIT, "Split: more than %d outputs", MAX_OUTPUTS);
    enum qd_status status = qd_movement_type(evaluation, node, "input", x, 2, 0);
    if (status == QD_OK)
        status = qd_node_int(node, "axis", 0, &value, evaluation->error);
    if (status == QD_OK)
        status = qd_axis_read(evaluation, node, "axis-range", value, x->rank, 11, &axis);
    if (status == QD_OK)
        status = read_sizes(evaluation, node, in[1], x->dims[axis], count, sizes);
    return status == QD_OK ? cut(evaluation, in[0], axis, sizes, count, out) : status;
}

const struct qd_op qd_op_split = {
    .domain = "",
    .name = "Split",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 2,
    .outputs = 16,
    .variadic = true,
    .form = QD_FORM_MOVES,
    .operands = "input,split:control",
    .clause = "18: Split a tensor into a list of tensors, along the specified 'axis'. ... If the "
              "input 'split' is specified, it indicates the sizes of each output in the split."
              "\n13<18: Split a tensor into a list of tensors, along the specified 'axis'. Lengths "
              "of the parts can be specified using input 'split'. Otherwise, the tensor is split "
              "to equal sized parts."
              "\n11<13: Split a tensor into a list of tensors, along the specified 'axis'. Lengths "
              "of the parts can be specified using argument 'split'. Otherwise, the tensor is "
              "split to equal sized parts.",
    .attributes = "axis,split:-12,num_outputs:18-",
    .rules = "input-type,axis-range,split-type,split-rank,split-length,split-value,split-sum,"
             "split-uneven,split-missing,split-and-num_outputs,num_outputs-range",
    .evaluate = evaluate,
};
