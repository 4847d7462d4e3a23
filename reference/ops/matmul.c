/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul
 *
 * Source      ONNX MatMul-1, -9, -13.
 * Inputs      A, B of one type f32|f16 (9: s32 s64; 13: bf16), shapes as numpy.matmul: matmul.h. f64
 *             and integers that may have several values are UNSUPPORTED.
 * Outputs     Y of the same type.
 * Domain      rules a-type, b-type and those of matmul.h.
 * Arithmetic  Y = Σ A·B
 * Edge cases  NaN or infinity among the terms: unspecified; so are integers whose sum may leave the
 *             type.
 * Latitude    every order of summation: float_sum.h. */
#include "qdiff/matmul.h"
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "kernel/integer_sum.h"

enum { A, B, INPUTS };

static enum qd_status multiply_matrix(const struct qd_evaluation *evaluation,
                                      const struct qd_matmul_shape *s,
                                      const struct qd_float_operand *a,
                                      const struct qd_float_operand *b, int64_t batch,
                                      struct qd_value *y)
{
    int64_t a0 = qd_matmul_a_batch(s, batch) * s->m * s->k,
            b0 = qd_matmul_b_batch(s, batch) * s->k * s->n;
    enum qd_status status = QD_OK;
    bool whole = true;
    for (int64_t i = 0; status == QD_OK && i < s->m * s->n; i++) {
        if (i % s->n == 0)
            whole = qd_sample_position(evaluation, batch * s->m + i / s->n, false);
        if (!whole && !qd_sample_channel(evaluation, i % s->n))
            continue;
        struct qd_float_sum sum = QD_FLOAT_SUM_OF_PRODUCTS;
        for (int64_t k = 0; k < s->k; k++)
            qd_float_sum_product(&sum, a, a0 + i / s->n * s->k + k, b, b0 + k * s->n + i % s->n);
        status = qd_float_sum_store(evaluation, &sum, 0, y, batch * s->m * s->n + i);
    }
    return status;
}

static enum qd_status multiply_integers(const struct qd_evaluation *evaluation,
                                        const struct qd_matmul_shape *s,
                                        const struct qd_value *const *in, struct qd_value *y)
{
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        int64_t batch = i / (s->m * s->n), row = i / s->n % s->m, column = i % s->n;
        int64_t a = (qd_matmul_a_batch(s, batch) * s->m + row) * s->k,
                b = qd_matmul_b_batch(s, batch) * s->k * s->n + column;
        struct qd_integer_sum sum = QD_INTEGER_SUM_EMPTY;
        for (int64_t k = 0; k < s->k; k++)
            qd_integer_sum_product(&sum, qd_tensor_get(&in[A]->want, a + k),
                                   qd_tensor_get(&in[B]->want, b + k * s->n));
        status = qd_integer_sum_store(evaluation, &sum, y, i);
    }
    return status;
}

static enum qd_status multiply(const struct qd_evaluation *evaluation,
                               const struct qd_matmul_shape *s, const struct qd_value *const *in,
                               struct qd_value *y)
{
    struct qd_float_operand a, b;
    if (qd_is_summed_integer(&y->want))
        return multiply_integers(evaluation, s, in, y);
    enum qd_status status = qd_float_operand_make(evaluation, in[A], &a);
    if (status == QD_OK)
        status = qd_float_operand_make(evaluation, in[B], &b);
    const struct qd_float_operand *operands[] = {&a, &b};
    if (status == QD_OK)
        status = qd_float_sum_begin(evaluation, operands, INPUTS, y);
    for (int64_t batch = 0; status == QD_OK && batch < s->batches; batch++)
        status = multiply_matrix(evaluation, s, &a, &b, batch, y);
    return status;
}

/* What the specification takes. */
static uint32_t types_of(int64_t opset)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= opset >= 9 ? QD_WIDE_INTEGERS : 0;
    return types | (opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_matmul_shape shape;
    struct qd_value y;
    enum qd_status status =
        qd_operand_type(evaluation, node, "a", &in[A]->want, types_of(node->opset));
    if (status == QD_OK && in[A]->want.dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "MatMul of f64");
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b", &in[B]->want, &in[A]->want);
    if (status == QD_OK && qd_is_summed_integer(&in[A]->want))
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    if (status == QD_OK)
        status = qd_matmul_shape_read(evaluation, node, &in[A]->want, &in[B]->want, &shape);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, in[A]->want.dtype, shape.rank, shape.dims,
                               evaluation->error);
    if (status == QD_OK)
        status = qd_matmul_begin(evaluation, &shape, QD_WORK_FLOAT);
    if (status == QD_OK)
        status = multiply(evaluation, &shape, in, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_matmul = {
    .domain = "",
    .name = "MatMul",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "A,B:weight",
    .clause = "13: Matrix product that behaves like numpy.matmul.",
    .attributes = "",
    .rules = "a-type,b-type,a-rank,b-rank,k-mismatch,batch-mismatch",
    .evaluate = evaluate,
};
