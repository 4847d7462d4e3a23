/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft MatMulIntegerToFloat
 *
 * Source      ONNX Runtime, ContribOperators, com.microsoft.MatMulIntegerToFloat version 1.
 * Inputs      A u8|s8 [D…, M, K] or [K]; B u8|s8 [D…, K, N] or [K]; a_scale f32|f16 scalar|[1];
 *             b_scale like a_scale scalar|[1]|[N]; a_zero_point like A, optional: scalar|[1];
 *             b_zero_point like B, optional: scalar|[1]|[N]; bias like a_scale [N], optional.
 * Outputs     Y of a_scale's type, shaped as by numpy.matmul.
 * Attributes  none.
 * Domain      rules <input>-type, <input>-shape and those of matmul.h. UNSUPPORTED: a parameter of
 *             A for each of its columns (the specification allows it; the sum is then no integer),
 *             an interval as an operand.
 * Arithmetic  (1) acc = Σ_k (A − a_zero_point)·(B − b_zero_point[n])
 *             (2) Y = acc·a_scale·b_scale[n] + bias[n]
 * Edge cases  |acc| beyond int32, a scale or bias that is not finite: unspecified.
 * Latitude    the orders of (2): scaled_product.h.
 * Quirks      accumulator, zero_points. */
#include "graph/operand_checks.h"
#include "qdiff/matmul.h"
#include "quantize/scaled_product.h"

enum { A, B, A_SCALE, B_SCALE, A_ZERO_POINT, B_ZERO_POINT, BIAS, INPUTS };

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    const uint32_t scales = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16);
    enum qd_status status = qd_operand_type(evaluation, node, "a", t[A], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b", t[B], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "a_scale", t[A_SCALE], scales);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b_scale", t[B_SCALE], t[A_SCALE]);
    if (status == QD_OK && t[A_ZERO_POINT])
        status = qd_same_type(evaluation, node, "a_zero_point", t[A_ZERO_POINT], t[A]);
    if (status == QD_OK && t[B_ZERO_POINT])
        status = qd_same_type(evaluation, node, "b_zero_point", t[B_ZERO_POINT], t[B]);
    if (status == QD_OK && t[BIAS])
        status = qd_same_type(evaluation, node, "bias", t[BIAS], t[A_SCALE]);
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *const *t,
                                   const struct qd_matmul_shape *s)
{
    enum qd_status status = qd_parameter_shape(evaluation, node, "a_scale", t[A_SCALE], s->k);
    if (status == QD_OK && t[A_ZERO_POINT])
        status = qd_parameter_shape(evaluation, node, "a_zero_point", t[A_ZERO_POINT], s->k);
    if (status == QD_OK)
        status = qd_parameter_shape(evaluation, node, "b_scale", t[B_SCALE], s->n);
    if (status == QD_OK && t[B_ZERO_POINT])
        status = qd_parameter_shape(evaluation, node, "b_zero_point", t[B_ZERO_POINT], s->n);
    if (status == QD_OK && t[BIAS] && (t[BIAS]->rank != 1 || t[BIAS]->count != s->n))
        status =
            qd_node_rule(evaluation, node, "bias-shape", "the bias has %lld elements, want [%lld]",
                         (long long)t[BIAS]->count, (long long)s->n);
    bool by_column = t[A_SCALE]->count > 1 || (t[A_ZERO_POINT] && t[A_ZERO_POINT]->count > 1);
    if (status == QD_OK && by_column)
        status = qd_fail(evaluation->error, QD_UNSUPPORTED,
                         "%s: a scale or zero point for each column of A", node->op_type);
    return status;
}

static enum qd_status multiply(const struct qd_evaluation *evaluation,
                               const struct qd_tensor *const *t, const struct qd_matmul_shape *s,
                               struct qd_value *y)
{
    int64_t *acc;
    struct qd_scaled_product scales = {.type = y->want.dtype, .count = 2};
    enum qd_status status =
        qd_matmul_accumulate(evaluation, s, t[A], t[A_ZERO_POINT], t[B], t[B_ZERO_POINT], &acc);
    scales.factors[0] = qd_parameter(t[A_SCALE], 0);
    int64_t count = qd_sample_elements(evaluation, y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        int64_t n = i % s->n;
        scales.factors[1] = qd_parameter(t[B_SCALE], n);
        struct qd_sums sums = {acc[i], acc[i], acc[i], false};
        status = qd_scaled_product_store(evaluation, &scales, sums, t[BIAS], n, y, i);
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *t[INPUTS];
    struct qd_matmul_shape shape;
    struct qd_value y;
    for (int i = 0; i < INPUTS; i++)
        t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = check_types(evaluation, node, t);
    if (status == QD_OK)
        status = qd_matmul_shape_read(evaluation, node, t[A], t[B], &shape);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, t, &shape);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, t[A_SCALE]->dtype, shape.rank, shape.dims,
                               evaluation->error);
    if (status == QD_OK)
        status = multiply(evaluation, t, &shape, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_matmul_integer_to_float = {
    .domain = "com.microsoft",
    .name = "MatMulIntegerToFloat",
    .since = 1,
    .min_inputs = 4,
    .max_inputs = 7,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "A,B:weight,a_scale,b_scale,a_zero_point,b_zero_point,bias:bias",
    .clause = "1: Scale of quantized input 'A'. ... Scale of quantized input 'B'. ... Zero point "
              "tensor for input 'A'. ... Zero point tensor for input 'B'. ... Matrix multiply "
              "results from A * B",
    .attributes = "",
    .rules = "a-type,b-type,a_scale-type,b_scale-type,a_zero_point-type,b_zero_point-type,"
             "bias-type,a_scale-shape,b_scale-shape,a_zero_point-shape,b_zero_point-shape,"
             "bias-shape,a-rank,b-rank,k-mismatch,batch-mismatch",
    .evaluate = evaluate,
};
