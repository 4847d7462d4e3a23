/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft QGemm
 *
 * Source      ONNX Runtime, ContribOperators, com.microsoft.QGemm version 1.
 * Inputs      A u8|s8 [M, K] or, with transA, [K, M]; a_scale f32, a_zero_point like A: scalar|[1];
 *             B u8|s8 [K, N] or [N, K]; b_scale f32, b_zero_point like B: scalar|[1]|[N]; C s32,
 *             optional, broadcasts to [M, N]; y_scale f32 and y_zero_point u8|s8, optional:
 *             scalar|[1].
 * Outputs     Y [M, N]: f32 without y parameters, else of y_zero_point's type.
 * Attributes  alpha (1), transA, transB (0).
 * Domain      rules <input>-type, <input>-shape, a-rank, b-rank, k-mismatch, c-shape; b_scale and
 *             b_zero_point have one shape (rule b_zero_point-shape). UNSUPPORTED: one of the y
 *             parameters alone (the specification calls each of them optional and the output full
 *             precision without it), alpha 0 or not finite, an interval as an operand.
 * Arithmetic  (1) acc = C + Σ_k (A' − a_zero_point)·(B' − b_zero_point[n]): "C must be quantized
 *             with zero point 0 and scale
 *                 alpha/beta·a_scale·b_scale", and there is no beta
 *             (2) Y = acc·alpha·a_scale·b_scale[n], or
 *             (3) Y = saturate(round_half_even(acc·alpha·a_scale·b_scale[n]/y_scale) +
 *                 y_zero_point)
 * Edge cases  |acc| beyond int32, a scale that is NaN or infinite, y_scale = 0: unspecified.
 * Latitude    requantize.h for alpha = 1, scaled_product.h else.
 * Quirks      accumulator, zero_points, requantize (but f16 and fixed31 only for alpha = 1),
 *             rounding, zero_point_order, range. */
#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/broadcast.h"
#include "qdiff/matmul.h"
#include "quantize/scaled_product.h"

#include <math.h>

enum { A, A_SCALE, A_ZERO_POINT, B, B_SCALE, B_ZERO_POINT, C, Y_SCALE, Y_ZERO_POINT, INPUTS };

#define F32 QD_TYPE_BIT(QD_F32)

struct qgemm {
    const struct qd_evaluation *evaluation;
    const struct qd_tensor *t[INPUTS]; /* NULL: absent */
    float alpha;
    bool trans_a, trans_b;
    struct qd_tensor a, b; /* [M, K], [K, N] */
    struct qd_matmul_shape shape;
    struct qd_output_quantizer quantizer;
};

static enum qd_status read_attributes(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, struct qgemm *g)
{
    int64_t trans_a = 0, trans_b = 0;
    enum qd_status status = qd_node_float(node, "alpha", 1, &g->alpha, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "transA", 0, &trans_a, evaluation->error);
    if (status == QD_OK)
        status = qd_node_int(node, "transB", 0, &trans_b, evaluation->error);
    if (status != QD_OK)
        return status;
    g->trans_a = trans_a != 0;
    g->trans_b = trans_b != 0;
    if (!isfinite(g->alpha) || g->alpha == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "QGemm: alpha is 0 or not finite");
    return QD_OK;
}

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    enum qd_status status = qd_operand_type(evaluation, node, "a", t[A], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "a_scale", t[A_SCALE], F32);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "a_zero_point", t[A_ZERO_POINT], t[A]);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b", t[B], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b_scale", t[B_SCALE], F32);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b_zero_point", t[B_ZERO_POINT], t[B]);
    if (status == QD_OK && t[C])
        status = qd_operand_type(evaluation, node, "c", t[C], QD_TYPE_BIT(QD_S32));
    if (status == QD_OK && t[Y_SCALE])
        status = qd_operand_type(evaluation, node, "y_scale", t[Y_SCALE], F32);
    if (status == QD_OK && t[Y_ZERO_POINT])
        status = qd_operand_type(evaluation, node, "y_zero_point", t[Y_ZERO_POINT], QD_8BIT_TYPES);
    return status;
}

/* A matrix, transposed if asked for; a rank other than 2 breaks rule `slug`. */
static enum qd_status read_matrix(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *slug,
                                  const struct qd_tensor *from, bool transposed,
                                  struct qd_tensor *out)
{
    if (from->rank != 2)
        return qd_node_rule(evaluation, node, slug, "rank is %u, want 2", from->rank);
    *out = *from;
    if (!transposed)
        return QD_OK;
    const int64_t rows = from->dims[1], columns = from->dims[0], dims[2] = {rows, columns};
    enum qd_status status =
        qd_tensor_init(out, evaluation->arena, from->dtype, 2, dims, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < from->count; i++)
        qd_tensor_set(out, i % rows * columns + i / rows, qd_tensor_get(from, i));
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qgemm *g)
{
    const struct qd_tensor *const *t = g->t;
    const int64_t n = g->shape.n, y[2] = {g->shape.m, n};
    enum qd_status status =
        qd_parameter_shape(evaluation, node, "a_scale", t[A_SCALE], QD_ONE_FOR_ALL);
    if (status == QD_OK)
        status =
            qd_parameter_shape(evaluation, node, "a_zero_point", t[A_ZERO_POINT], QD_ONE_FOR_ALL);
    if (status == QD_OK)
        status = qd_parameter_shape(evaluation, node, "b_scale", t[B_SCALE], n);
    if (status == QD_OK)
        status = qd_parameter_shape(evaluation, node, "b_zero_point", t[B_ZERO_POINT], n);
    if (status == QD_OK && t[B_SCALE]->count != t[B_ZERO_POINT]->count)
        status = qd_node_rule(evaluation, node, "b_zero_point-shape",
                              "b_scale has %lld elements, b_zero_point %lld",
                              (long long)t[B_SCALE]->count, (long long)t[B_ZERO_POINT]->count);
    if (status == QD_OK && t[C] && !qd_broadcast_fits(t[C]->rank, t[C]->dims, 2, y))
        status = qd_node_rule(evaluation, node, "c-shape", "C does not broadcast to [%lld,%lld]",
                              (long long)y[0], (long long)y[1]);
    if (status == QD_OK && !t[Y_SCALE] != !t[Y_ZERO_POINT])
        status = qd_fail(evaluation->error, QD_UNSUPPORTED,
                         "QGemm: one of y_scale and y_zero_point without the other");
    if (status == QD_OK && t[Y_SCALE])
        status = qd_parameter_shape(evaluation, node, "y_scale", t[Y_SCALE], QD_ONE_FOR_ALL);
    if (status == QD_OK && t[Y_ZERO_POINT])
        status =
            qd_parameter_shape(evaluation, node, "y_zero_point", t[Y_ZERO_POINT], QD_ONE_FOR_ALL);
    return status;
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct qgemm *g)
{
    g->evaluation = evaluation;
    for (int i = 0; i < INPUTS; i++)
        g->t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = read_attributes(evaluation, node, g);
    if (status == QD_OK)
        status = check_types(evaluation, node, g->t);
    if (status == QD_OK)
        status = read_matrix(evaluation, node, "a-rank", g->t[A], g->trans_a, &g->a);
    if (status == QD_OK)
        status = read_matrix(evaluation, node, "b-rank", g->t[B], g->trans_b, &g->b);
    if (status == QD_OK)
        status = qd_matmul_shape_read(evaluation, node, &g->a, &g->b, &g->shape);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, g);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    return status;
}

/* Equation (1). */
static enum qd_status accumulate(const struct qgemm *g, int64_t **out)
{
    const struct qd_tensor *c = g->t[C];
    int64_t *acc;
    enum qd_status status = qd_matmul_accumulate(
        g->evaluation, &g->shape, &g->a, g->t[A_ZERO_POINT], &g->b, g->t[B_ZERO_POINT], &acc);
    for (int64_t i = 0; status == QD_OK && c && i < g->shape.m * g->shape.n; i++) {
        int64_t addend =
            qd_tensor_get(c, qd_broadcast_index(c->rank, c->dims, 2, g->shape.dims, i));
        acc[i] = qd_accumulator_finish(g->evaluation->semantics, acc[i] + addend);
    }
    if (status == QD_OK)
        *out = acc;
    return status;
}

/* The scales of column n. */
static struct qd_scaled_product scales_of(const struct qgemm *g, int64_t n)
{
    bool first = g->evaluation->semantics->requantize == QD_CHANNEL0_SCALE;
    struct qd_scaled_product scales = {
        .type = QD_F32,
        .count = g->alpha == 1 ? 2 : 3,
        .factors = {qd_parameter(g->t[A_SCALE], 0), qd_parameter(g->t[B_SCALE], first ? 0 : n),
                    (double)g->alpha},
        .divisor = g->t[Y_SCALE] ? qd_parameter(g->t[Y_SCALE], 0) : 0,
    };
    return scales;
}

/* Equation (3). */
static enum qd_status requantize_column(const struct qgemm *g, const int64_t *acc, int64_t n,
                                        struct qd_value *y)
{
    struct qd_scaled_product scales = scales_of(g, n);
    struct qd_requantizer requantizer = qd_requantizer_make(g->quantizer, QD_F32, scales.factors[0],
                                                            scales.factors[1], scales.divisor);
    enum qd_status status = QD_OK;
    for (int64_t i = n; status == QD_OK && i < y->want.count; i += g->shape.n)
        status =
            g->alpha == 1
                ? qd_requantize_into(g->evaluation, &requantizer, acc[i], y, i)
                : qd_value_set_code(y, i, qd_scaled_product_code(&g->quantizer, &scales, acc[i]),
                                    g->evaluation->arena, g->evaluation->error);
    return status;
}

/* Equation (2). */
static enum qd_status scale_column(const struct qgemm *g, const int64_t *acc, int64_t n,
                                   struct qd_value *y)
{
    struct qd_scaled_product scales = scales_of(g, n);
    enum qd_status status = QD_OK;
    for (int64_t i = n; status == QD_OK && i < y->want.count; i += g->shape.n)
        status = qd_scaled_product_store(
            g->evaluation, &scales, (struct qd_sums){acc[i], acc[i], acc[i], false}, NULL, 0, y, i);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qgemm g = {0};
    struct qd_value y;
    int64_t *acc;
    enum qd_status status = read_node(evaluation, node, in, &g);
    if (status != QD_OK)
        return status;
    const struct qd_tensor *zero = g.t[Y_ZERO_POINT];
    enum qd_dtype type = zero ? zero->dtype : QD_F32;
    if (zero)
        g.quantizer = qd_output_quantizer_make(evaluation->semantics, type, qd_tensor_get(zero, 0));
    status = qd_value_init(&y, evaluation->arena, type, 2, g.shape.dims, evaluation->error);
    if (status == QD_OK)
        status = accumulate(&g, &acc);
    if (status != QD_OK)
        return status;
    int64_t columns = qd_sample_elements(evaluation, &y, &status) > 0 ? g.shape.n : 0;
    for (int64_t n = 0; status == QD_OK && n < columns; n++)
        status = zero ? requantize_column(&g, acc, n, &y) : scale_column(&g, acc, n, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_qgemm = {
    .domain = "com.microsoft",
    .name = "QGemm",
    .since = 1,
    .min_inputs = 6,
    .max_inputs = 9,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "A,a_scale,a_zero_point,B:weight,b_scale,b_zero_point,C:bias,y_scale,y_zero_point",
    .clause = "1: Scalar multiplier for the product of input tensors A * B. ... and must be "
              "quantized with zero_point = 0 and scale = alpha / beta * a_scale * b_scale.",
    .rounding_open = true,
    .attributes = "alpha,transA,transB",
    .flags = "transA,transB",
    .rules = "a-type,b-type,c-type,a_scale-type,b_scale-type,y_scale-type,a_zero_point-type,"
             "b_zero_point-type,y_zero_point-type,a_scale-shape,a_zero_point-shape,"
             "b_scale-shape,b_zero_point-shape,c-shape,y_scale-shape,y_zero_point-shape,"
             "a-rank,b-rank,k-mismatch",
    .evaluate = evaluate,
};
