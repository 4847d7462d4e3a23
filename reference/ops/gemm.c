/* SPDX-License-Identifier: Apache-2.0 */
/* Gemm
 *
 * Source      ONNX Gemm-7, -9, -11, -13 (earlier versions broadcast by attribute: UNSUPPORTED).
 * Inputs      A f32|f16 (9: s32 s64; 13: bf16) [M, K] or, with transA, [K, M]; B alike [K, N] or [N, K]; C,
 *             optional from 11, broadcasts to [M, N]. f64, integers that may have several values
 *             and, of integers, an alpha or beta with a fraction are UNSUPPORTED.
 * Outputs     Y [M, N] of A's type.
 * Attributes  alpha, beta (1), transA, transB (0).
 * Domain      rules a-rank, b-rank, k-mismatch, c-shape, a-type, b-type, c-type; input-count
 *             without C before 11.
 * Arithmetic  Y = alpha·A'·B' + beta·C
 * Edge cases  integers whose sum may leave the type: unspecified.
 * Latitude    every order of summation, alpha applied to A', to each product or to the sum:
 *             float_sum.h. */
#include "graph/operand_checks.h"
#include "kernel/float_sum.h"
#include "kernel/integer_sum.h"
#include "qdiff/broadcast.h"

#include <math.h>

enum { A, B, C, INPUTS };

struct gemm {
    const struct qd_evaluation *evaluation;
    int64_t m, n, k;
    bool trans_a, trans_b;
    float alpha, beta;
    struct qd_float_operand a, b, c;
    const struct qd_tensor *c_tensor; /* NULL if there is no C */
};

static enum qd_status read_attributes(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, struct gemm *g)
{
    int64_t trans_a, trans_b;
    enum qd_status status = qd_node_float(node, "alpha", 1, &g->alpha, evaluation->error);
    if (status == QD_OK)
        status = qd_node_float(node, "beta", 1, &g->beta, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "transA", 0, &trans_a, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "transB", 0, &trans_b, evaluation->error);
    if (status != QD_OK)
        return status;
    g->trans_a = trans_a != 0;
    g->trans_b = trans_b != 0;
    if (!isfinite(g->alpha) || !isfinite(g->beta) || node->opset < 7)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "Gemm: opset below 7, or an alpha or beta that is not finite");
    return QD_OK;
}

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in)
{
    uint32_t types = QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_F64);
    types |= node->opset >= 9 ? QD_WIDE_INTEGERS : 0;
    types |= node->opset >= 13 ? QD_TYPE_BIT(QD_BF16) : 0;
    if (node->opset < 11 && !in[C])
        return qd_node_rule(evaluation, node, "input-count", "C is required before opset 11");
    enum qd_status status = qd_operand_type(evaluation, node, "a", &in[A]->want, types);
    if (status == QD_OK && in[A]->want.dtype == QD_F64)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Gemm of f64");
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b", &in[B]->want, &in[A]->want);
    if (status == QD_OK && in[C])
        status = qd_same_type(evaluation, node, "c", &in[C]->want, &in[A]->want);
    if (status == QD_OK && qd_is_summed_integer(&in[A]->want))
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct gemm *g)
{
    const struct qd_tensor *a = &in[A]->want, *b = &in[B]->want;
    if (a->rank != 2)
        return qd_node_rule(evaluation, node, "a-rank", "A has rank %u, want 2", a->rank);
    if (b->rank != 2)
        return qd_node_rule(evaluation, node, "b-rank", "B has rank %u, want 2", b->rank);
    g->m = a->dims[g->trans_a ? 1 : 0];
    g->k = a->dims[g->trans_a ? 0 : 1];
    g->n = b->dims[g->trans_b ? 0 : 1];
    int64_t k = b->dims[g->trans_b ? 1 : 0];
    if (k != g->k)
        return qd_node_rule(evaluation, node, "k-mismatch", "A' is %lld×%lld, B' %lld×%lld",
                            (long long)g->m, (long long)g->k, (long long)k, (long long)g->n);
    g->c_tensor = in[C] ? &in[C]->want : NULL;
    int64_t y[2] = {g->m, g->n};
    if (in[C] && !qd_broadcast_fits(in[C]->want.rank, in[C]->want.dims, 2, y))
        return qd_node_rule(evaluation, node, "c-shape", "C does not broadcast to [%lld,%lld]",
                            (long long)g->m, (long long)g->n);
    const struct qd_products all = {(double)g->m * (double)g->n * (double)g->k * QD_WORK_FLOAT,
                                    g->n, g->m, 0, false};
    return qd_sample_begin(evaluation, &all);
}

static int64_t index_a(const struct gemm *g, int64_t m, int64_t k)
{
    return g->trans_a ? k * g->m + m : m * g->k + k;
}

static int64_t index_b(const struct gemm *g, int64_t k, int64_t n)
{
    return g->trans_b ? n * g->k + k : k * g->n + n;
}

static enum qd_status element(const struct gemm *g, int64_t i, struct qd_value *y)
{
    int64_t m = i / g->n, n = i % g->n, shape[2] = {g->m, g->n};
    struct qd_float_sum sum = QD_FLOAT_SUM_OF_PRODUCTS, bias = QD_FLOAT_SUM_OF_PRODUCTS;
    for (int64_t k = 0; k < g->k; k++)
        qd_float_sum_product(&sum, &g->a, index_a(g, m, k), &g->b, index_b(g, k, n));
    qd_float_sum_scale(&sum, (double)g->alpha);
    if (g->c_tensor) {
        int64_t c = qd_broadcast_index(g->c_tensor->rank, g->c_tensor->dims, 2, shape, i);
        qd_float_sum_term(&bias, &g->c, c);
        qd_float_sum_scale(&bias, (double)g->beta);
        qd_float_sum_add(&sum, &bias);
    }
    /* alpha and beta cost one rounding each. */
    return qd_float_sum_store(g->evaluation, &sum, 2, y, i);
}

/* A multiplier of integers, which the specification has as a float. */
static bool is_whole(float multiplier)
{
    return fabsf(multiplier) <= 0x1p24F && truncf(multiplier) == multiplier;
}

static enum qd_status multiply_integers(const struct gemm *g, const struct qd_value *const *in,
                                        struct qd_value *y)
{
    enum qd_status status = QD_OK;
    int64_t shape[2] = {g->m, g->n};
    if (!is_whole(g->alpha) || !is_whole(g->beta))
        return qd_fail(g->evaluation->error, QD_UNSUPPORTED,
                       "Gemm of integers with alpha %g, beta %g", (double)g->alpha,
                       (double)g->beta);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        struct qd_integer_sum sum = QD_INTEGER_SUM_EMPTY;
        for (int64_t k = 0; k < g->k; k++)
            qd_integer_sum_product(&sum, qd_tensor_get(&in[A]->want, index_a(g, i / g->n, k)),
                                   qd_tensor_get(&in[B]->want, index_b(g, k, i % g->n)));
        qd_integer_sum_scale(&sum, (int64_t)g->alpha);
        if (g->c_tensor) {
            int64_t c = qd_broadcast_index(g->c_tensor->rank, g->c_tensor->dims, 2, shape, i);
            qd_integer_sum_product(&sum, qd_tensor_get(g->c_tensor, c), (int64_t)g->beta);
        }
        status = qd_integer_sum_store(g->evaluation, &sum, y, i);
    }
    return status;
}

static enum qd_status multiply(struct gemm *g, const struct qd_value *const *in, struct qd_value *y)
{
    if (qd_is_summed_integer(&y->want))
        return multiply_integers(g, in, y);
    enum qd_status status = qd_float_operand_make(g->evaluation, in[A], &g->a);
    if (status == QD_OK)
        status = qd_float_operand_make(g->evaluation, in[B], &g->b);
    if (status == QD_OK && in[C])
        status = qd_float_operand_make(g->evaluation, in[C], &g->c);
    const struct qd_float_operand *operands[] = {&g->a, &g->b, in[C] ? &g->c : NULL};
    if (status == QD_OK)
        status = qd_float_sum_begin(g->evaluation, operands, INPUTS, y);
    y->fusion.scales += !qd_scale_is_power_of_two((double)g->alpha);
    y->fusion.steps += in[C] && !qd_scale_is_power_of_two((double)g->beta);
    bool whole = true;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        if (i % g->n == 0)
            whole = qd_sample_position(g->evaluation, i / g->n, false);
        if (whole || qd_sample_channel(g->evaluation, i % g->n))
            status = element(g, i, y);
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct gemm g = {.evaluation = evaluation};
    struct qd_value y;
    enum qd_status status = read_attributes(evaluation, node, &g);
    if (status == QD_OK)
        status = check_types(evaluation, node, in);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, in, &g);
    int64_t dims[2] = {g.m, g.n};
    if (status == QD_OK)
        status =
            qd_value_init(&y, evaluation->arena, in[A]->want.dtype, 2, dims, evaluation->error);
    if (status == QD_OK)
        status = multiply(&g, in, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_gemm = {
    .domain = "",
    .name = "Gemm",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "A,B:weight,C:bias",
    .clause = "13: A' = transpose(A) if transA else A ... B' = transpose(B) if transB else B ... "
              "Compute Y = alpha * A' * B' + beta * C",
    .attributes = "alpha,beta,transA,transB,broadcast:-6",
    .flags = "transA,transB",
    .rules = "a-type,b-type,c-type,a-rank,b-rank,k-mismatch,c-shape",
    .evaluate = evaluate,
};
