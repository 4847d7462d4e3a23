/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulInteger
 *
 * Source      ONNX MatMulInteger-10.
 * Inputs      A u8|s8 [D…, M, K] or [K]; B u8|s8 [D…, K, N] or [K]; a_zero_point like A, optional:
 *             scalar, [1], [M] (A a matrix) or [D…, M, 1]; b_zero_point like B, optional: scalar,
 *             [1], [N] (B a matrix) or [D…, 1, N].
 * Outputs     Y s32, shaped as by numpy.matmul: batches broadcast, the dimension of a vector is
 *             dropped.
 * Attributes  none.
 * Domain      rules a-type, b-type, a_zero_point-type, b_zero_point-type, a_zero_point-shape,
 *             b_zero_point-shape and those of matmul.h; an interval as an operand is UNSUPPORTED.
 * Arithmetic  Y = Σ_k (A[m,k] − a_zero_point[m])·(B[k,n] − b_zero_point[n]); no term: 0.
 * Edge cases  |Y| beyond int32: unspecified ("the accumulation may overflow if and only if in 32
 *             bits").
 * Latitude    none: one value.
 * Quirks      accumulator, zero_points. */
#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/matmul.h"

enum { A, B, A_ZERO_POINT, B_ZERO_POINT, INPUTS };

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    enum qd_status status = qd_operand_type(evaluation, node, "a", t[A], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b", t[B], QD_8BIT_TYPES);
    if (status == QD_OK && t[A_ZERO_POINT])
        status = qd_same_type(evaluation, node, "a_zero_point", t[A_ZERO_POINT], t[A]);
    if (status == QD_OK && t[B_ZERO_POINT])
        status = qd_same_type(evaluation, node, "b_zero_point", t[B_ZERO_POINT], t[B]);
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *const *t)
{
    enum qd_status status = QD_OK;
    if (t[A_ZERO_POINT])
        status = qd_matmul_parameter_shape(evaluation, node, "a_zero_point", t[A_ZERO_POINT], t[A],
                                           QD_MATMUL_ROWS);
    if (status == QD_OK && t[B_ZERO_POINT])
        status = qd_matmul_parameter_shape(evaluation, node, "b_zero_point", t[B_ZERO_POINT], t[B],
                                           QD_MATMUL_COLUMNS);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *t[INPUTS];
    struct qd_matmul_shape shape;
    struct qd_value y;
    int64_t *acc;
    for (int i = 0; i < INPUTS; i++)
        t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = check_types(evaluation, node, t);
    if (status == QD_OK)
        status = qd_matmul_shape_read(evaluation, node, t[A], t[B], &shape);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, t);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    if (status == QD_OK)
        status =
            qd_value_init(&y, evaluation->arena, QD_S32, shape.rank, shape.dims, evaluation->error);
    if (status == QD_OK)
        status = qd_matmul_accumulate(evaluation, &shape, t[A], t[A_ZERO_POINT], t[B],
                                      t[B_ZERO_POINT], &acc);
    for (int64_t i = 0; status == QD_OK && i < y.want.count; i++)
        status = qd_accumulator_store(evaluation, acc[i], &y, i);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_matmul_integer = {
    .domain = "",
    .name = "MatMulInteger",
    .since = 10,
    .min_inputs = 2,
    .max_inputs = 4,
    .outputs = 1,
    .gives = QD_S32,
    .form = QD_FORM_MATRICES,
    .operands = "A,B:weight,a_zero_point,b_zero_point",
    .clause = "10: Matrix product that behaves like numpy.matmul. The production MUST never "
              "overflow. The accumulation may overflow if and only if in 32 bits.",
    .attributes = "",
    .rules = "a-type,b-type,a_zero_point-type,b_zero_point-type,a_zero_point-shape,"
             "b_zero_point-shape,a-rank,b-rank,k-mismatch,batch-mismatch",
    .evaluate = evaluate,
};
