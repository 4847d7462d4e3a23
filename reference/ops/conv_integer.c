/* SPDX-License-Identifier: Apache-2.0 */
/* ConvInteger
 *
 * Source      ONNX ConvInteger-10.
 * Inputs      x u8|s8 [N, C, D1…Dn]; w u8|s8 [M, C/group, k1…kn]; x_zero_point like x, optional:
 *             scalar|[1];
 *             w_zero_point like w, optional: scalar|[1]|[M].
 * Outputs     y s32 [N, M, O1…On].
 * Attributes  auto_pad, dilations, group, kernel_shape, pads, strides: convolve.h.
 * Domain      rules x-type, w-type, x_zero_point-type, w_zero_point-type, x_zero_point-shape,
 *             w_zero_point-shape and those of convolve.h; an interval as an operand is UNSUPPORTED.
 * Arithmetic  y = Σ (x − x_zero_point)·(w − w_zero_point[m]); padding is x_zero_point: contributes
 *             0
 * Edge cases  |y| beyond int32: unspecified ("the accumulation may overflow if and only if in 32
 *             bits").
 * Latitude    none: one value.
 * Quirks      accumulator, padding, zero_points. */
#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/convolve.h"

enum { X, W, X_ZERO_POINT, W_ZERO_POINT, INPUTS };

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    enum qd_status status = qd_operand_type(evaluation, node, "x", t[X], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "w", t[W], QD_8BIT_TYPES);
    if (status == QD_OK && t[X_ZERO_POINT])
        status = qd_same_type(evaluation, node, "x_zero_point", t[X_ZERO_POINT], t[X]);
    if (status == QD_OK && t[W_ZERO_POINT])
        status = qd_same_type(evaluation, node, "w_zero_point", t[W_ZERO_POINT], t[W]);
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *const *t,
                                   int64_t filters)
{
    enum qd_status status = QD_OK;
    if (t[X_ZERO_POINT])
        status =
            qd_parameter_shape(evaluation, node, "x_zero_point", t[X_ZERO_POINT], QD_ONE_FOR_ALL);
    if (status == QD_OK && t[W_ZERO_POINT])
        status = qd_parameter_shape(evaluation, node, "w_zero_point", t[W_ZERO_POINT], filters);
    return status;
}

static enum qd_status convolve(const struct qd_evaluation *evaluation,
                               const struct qd_tensor *const *t, const struct qd_conv_shape *shape,
                               struct qd_value *y)
{
    const struct qd_semantics *semantics = evaluation->semantics;
    int64_t *acc = qd_arena_array(evaluation->arena, (size_t)y->want.count, sizeof *acc);
    if (!acc)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld accumulators",
                       (long long)y->want.count);
    enum qd_status status =
        qd_conv_accumulate(evaluation, shape, t[X], t[X_ZERO_POINT], t[W], t[W_ZERO_POINT], acc);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        status = qd_accumulator_store(evaluation, qd_accumulator_finish(semantics, acc[i]), y, i);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *t[INPUTS];
    struct qd_conv_shape shape;
    for (int i = 0; i < INPUTS; i++)
        t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = check_types(evaluation, node, t);
    if (status == QD_OK)
        status = qd_conv_shape_read(evaluation, node, t[X], t[W], &shape);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, t, shape.filters);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    if (status != QD_OK)
        return status;
    int64_t dims[QD_MAX_RANK];
    unsigned rank = qd_conv_output_dims(&shape, dims);
    struct qd_value y;
    status = qd_value_init(&y, evaluation->arena, QD_S32, rank, dims, evaluation->error);
    if (status == QD_OK && y.want.count > 0)
        status = convolve(evaluation, t, &shape, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_conv_integer = {
    .domain = "",
    .name = "ConvInteger",
    .since = 10,
    .min_inputs = 2,
    .max_inputs = 4,
    .outputs = 1,
    .gives = QD_S32,
    .form = QD_FORM_CONVOLVES,
    .operands = "x,w:weight,x_zero_point,w_zero_point",
    .clause =
        "10: The integer convolution operator consumes an input tensor, its zero-point, a filter, "
        "and its zero-point, and computes the output. The production MUST never overflow.",
    .attributes = QD_CONV_ATTRIBUTES,
    .rules = "x-type,w-type,x_zero_point-type,w_zero_point-type,x_zero_point-shape,w_zero_point-"
             "shape," QD_CONV_RULES,
    .evaluate = evaluate,
};
