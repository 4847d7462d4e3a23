/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConcat (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearConcat-1.
 * Inputs      Y_scale f32, Y_zero_point u8|s8, each a scalar or [1]; then triples (tensor like
 *             Y_zero_point, its scale f32, its zero
 *             point): 1 to 10 of them (the specification: any number). Shapes as for Concat.
 * Outputs     Y like Y_zero_point.
 * Attributes  axis (required): −rank to rank − 1.
 * Domain      rules y_scale-type, y_scale-shape, y_zero_point-…, x-type, x_scale-…, x_zero_point-…,
 *             inputs-triples, input-missing, inputs-shape, axis-missing, axis-range.
 * Arithmetic  each element of a tensor x: saturate(round_half_even((x −
 *             x_zero_point)·x_scale/Y_scale) + Y_zero_point); then Concat.
 * Edge cases  a scale that is NaN or infinite, Y_scale = 0: unspecified.
 * Latitude    in float32 (q·x_scale)/Y_scale or q·(x_scale/Y_scale).
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "quantize/qlinear.h"

enum { Y_SCALE, Y_ZERO_POINT, TENSORS, MAX_TENSORS = 10 };

static enum qd_status convert(const struct qd_evaluation *evaluation, const struct qd_node *node,
                              const struct qd_value *const *triple, const struct qd_qlinear *y,
                              enum qd_dtype type, struct qd_value *out)
{
    struct qd_qlinear x;
    for (int i = 0; i < 3; i++)
        if (!triple[i])
            return qd_node_rule(evaluation, node, "input-missing",
                                "a tensor, scale or zero point "
                                "is absent");
    enum qd_status status = qd_qlinear_read(evaluation, node, "x", triple[0], triple[1], triple[2],
                                            type, QD_SCALAR_OR_ONE, &x);
    return status == QD_OK ? qd_qlinear_requantize(evaluation, &x, type, y, out) : status;
}

static enum qd_status concat(struct qd_evaluation *evaluation, const struct qd_node *node,
                             const struct qd_value *converted, size_t count, struct qd_value *out)
{
    const struct qd_value *operands[MAX_TENSORS];
    struct qd_node as_concat = *node;
    for (size_t i = 0; i < count; i++)
        operands[i] = &converted[i];
    as_concat.input_count = count;
    as_concat.opset = 13;
    return qd_op_find("", "Concat")->evaluate(evaluation, &as_concat, operands, out);
}

static size_t present(const struct qd_node *node)
{
    size_t count = node->input_count;
    while (count > 0 && node->inputs && node->inputs[count - 1] == QD_NO_VALUE)
        count--;
    return count;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_qlinear y;
    struct qd_value converted[MAX_TENSORS];
    size_t inputs = present(node), count = (inputs - TENSORS) / 3;
    if ((inputs - TENSORS) % 3 != 0)
        return qd_node_rule(evaluation, node, "inputs-triples",
                            "%zu inputs are no triples of tensor, scale and zero point",
                            inputs - TENSORS);
    enum qd_status status = qd_qlinear_read(evaluation, node, "y", NULL, in[Y_SCALE],
                                            in[Y_ZERO_POINT], QD_DTYPE_NONE, QD_SCALAR_OR_ONE, &y);
    for (size_t i = 0; status == QD_OK && i < count; i++)
        status = convert(evaluation, node, in + TENSORS + 3 * i, &y, in[Y_ZERO_POINT]->want.dtype,
                         &converted[i]);
    return status == QD_OK ? concat(evaluation, node, converted, count, out) : status;
}

const struct qd_op qd_op_qlinear_concat = {
    .domain = "com.microsoft",
    .name = "QLinearConcat",
    .since = 1,
    .min_inputs = 5,
    .max_inputs = TENSORS + 3 * MAX_TENSORS,
    .outputs = 1,
    .variadic = true,
    .form = QD_FORM_MOVES,
    .operands = "Y_scale,Y_zero_point,*x,x_scale,x_zero_point",
    .clause = "1: Concatenate a list of tensors into a single tensor. ... Y's scale. ... Y's zero "
              "point. ... List of tensors/scale/zero_point for concatenation",
    .rounding_open = true,
    .attributes = "axis",
    .rules = "x-type,x_scale-type,y_scale-type,x_zero_point-type,y_zero_point-type,"
             "x_scale-shape,y_scale-shape,x_zero_point-shape,y_zero_point-shape,"
             "inputs-triples,inputs-shape,axis-missing,axis-range",
    .evaluate = evaluate,
};
