/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft DynamicQuantizeMatMul
 *
 * Source      ONNX Runtime, ContribOperators, com.microsoft.DynamicQuantizeMatMul version 1. How A
 *             is quantized the specification leaves
 *             to the name: as ONNX DynamicQuantizeLinear-11 does, which its optimizer replaces by
 *               this operator
 *             (DynamicQuantizeLinear, MatMulInteger, Cast, Mul, Add).
 * Inputs      A f32 [D…, M, K] or [K]; B u8|s8 [D…, K, N] or [K]; b_scale f32 scalar|[1]|[N];
 *             b_zero_point like B, optional:
 *             scalar|[1]|[N]; bias f32 [N], optional.
 * Outputs     Y f32, shaped as by numpy.matmul.
 * Attributes  none.
 * Domain      rules <input>-type, <input>-shape and those of matmul.h. UNSUPPORTED: an A of no
 *             element, an interval as an operand.
 * Arithmetic  (1) q, a_scale, a_zero_point = DynamicQuantizeLinear(A)
 *             (2) acc = Σ_k (q − a_zero_point)·(B − b_zero_point[n])
 *             (3) Y = acc·a_scale·b_scale[n] + bias[n]
 * Edge cases  All A zero: whatever (1) makes of it, acc = 0. NaN or infinity in A, a range or scale
 *             that over- or underflows, a scale or bias that is not finite: unspecified.
 * Latitude    that of (1), and the orders of (3): scaled_product.h. Where one code of a row has two values, Y has those
 *             of its two sums and none between.
 * Quirks      accumulator, zero_points, rounding, zero_point_order, range. */
#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/matmul.h"
#include "quantize/scaled_product.h"

enum { A, B, B_SCALE, B_ZERO_POINT, BIAS, INPUTS };
enum { CODES, SCALE, ZERO_POINT, QUANTIZED };

extern const struct qd_op qd_op_dynamic_quantize_linear;

struct product {
    const struct qd_evaluation *evaluation;
    const struct qd_tensor *t[INPUTS];
    struct qd_matmul_shape shape;
    struct qd_value a[QUANTIZED];
    bool zero;  /* A is all zero */
    bool open;  /* equation (1) gives nothing definite */
    bool known; /* every code of A has one value */
};

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    const uint32_t f32 = QD_TYPE_BIT(QD_F32);
    enum qd_status status = qd_operand_type(evaluation, node, "a", t[A], f32);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b", t[B], QD_8BIT_TYPES);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b_scale", t[B_SCALE], f32);
    if (status == QD_OK && t[B_ZERO_POINT])
        status = qd_same_type(evaluation, node, "b_zero_point", t[B_ZERO_POINT], t[B]);
    if (status == QD_OK && t[BIAS])
        status = qd_operand_type(evaluation, node, "bias", t[BIAS], f32);
    return status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct product *p)
{
    const struct qd_tensor *const *t = p->t;
    int64_t n = p->shape.n;
    enum qd_status status = qd_parameter_shape(evaluation, node, "b_scale", t[B_SCALE], n);
    if (status == QD_OK && t[B_ZERO_POINT])
        status = qd_parameter_shape(evaluation, node, "b_zero_point", t[B_ZERO_POINT], n);
    if (status == QD_OK && t[BIAS] && (t[BIAS]->rank != 1 || t[BIAS]->count != n))
        status =
            qd_node_rule(evaluation, node, "bias-shape", "the bias has %lld elements, want [%lld]",
                         (long long)t[BIAS]->count, (long long)n);
    return status;
}

/* Whether `count` codes of A from `first` on, and their zero point, have one value each. */
static bool is_known(const struct product *p, int64_t first, int64_t count)
{
    bool known = qd_value_is_point(&p->a[ZERO_POINT], 0);
    for (int64_t i = first; known && i < first + count; i++)
        known = qd_value_is_point(&p->a[CODES], i);
    return known;
}

static enum qd_status read_node(struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct product *p)
{
    p->evaluation = evaluation;
    for (int i = 0; i < INPUTS; i++)
        p->t[i] = in[i] ? &in[i]->want : NULL;
    enum qd_status status = check_types(evaluation, node, p->t);
    if (status == QD_OK)
        status = qd_matmul_shape_read(evaluation, node, p->t[A], p->t[B], &p->shape);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, p);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    if (status == QD_OK)
        status = qd_op_dynamic_quantize_linear.evaluate(evaluation, node, in, p->a);
    p->zero = status == QD_OK && qd_parameter_is_zero(p->t[A]);
    p->open = status == QD_OK && qd_value_flags(&p->a[SCALE], 0) & QD_UNSPECIFIED;
    p->known = status == QD_OK && is_known(p, 0, p->a[CODES].want.count);
    return status;
}

/* The first code of the row of A that element i of Y is made of. */
static int64_t row_of(const struct product *p, int64_t i)
{
    const struct qd_matmul_shape *s = &p->shape;
    return (qd_matmul_a_batch(s, i / (s->m * s->n)) * s->m + i / s->n % s->m) * s->k;
}

/* Equation (2) where codes of A have several values: the least or the greatest sum. */
static int64_t extreme_sum(const struct product *p, int64_t i, bool greatest)
{
    const struct qd_matmul_shape *s = &p->shape;
    const struct qd_value *z = &p->a[ZERO_POINT];
    int64_t batch = i / (s->m * s->n), n = i % s->n, sum = 0;
    int64_t a0 = row_of(p, i);
    int64_t b0 = qd_matmul_b_batch(s, batch) * s->k * s->n + n;
    int64_t b_zero = qd_zero_point(p->evaluation->semantics, p->t[B_ZERO_POINT], n);
    for (int64_t k = 0; k < s->k; k++) {
        int64_t b = qd_tensor_get(p->t[B], b0 + k * s->n) - b_zero;
        int64_t least = (int64_t)(qd_value_lo(&p->a[CODES], a0 + k) - qd_value_hi(z, 0));
        int64_t most = (int64_t)(qd_value_hi(&p->a[CODES], a0 + k) - qd_value_lo(z, 0));
        sum += b * ((b > 0) == greatest ? most : least);
    }
    return sum;
}

/* Whether of that row one code has two values, next to each other, and all else one: then the sum has two, too. */
static bool has_two_sums(const struct product *p, int64_t i)
{
    double open = 0;
    for (int64_t a = row_of(p, i), k = 0; k < p->shape.k; k++)
        open += qd_value_hi(&p->a[CODES], a + k) - qd_value_lo(&p->a[CODES], a + k);
    return open == 1 && qd_value_is_point(&p->a[ZERO_POINT], 0);
}

/* Equations (2) and (3) of one element, whose sum of canonical codes is `acc`. */
static enum qd_status store(const struct product *p, struct qd_scaled_product *scales, int64_t acc,
                            struct qd_value *y, int64_t i)
{
    const struct qd_evaluation *evaluation = p->evaluation;
    enum qd_accumulator accumulator = evaluation->semantics->accumulator;
    bool zero = p->zero, known = zero || p->known || is_known(p, row_of(p, i), p->shape.k);
    /* The least and the greatest sum are those of exact products: of a wrong accumulator nothing is known there. */
    bool wrong = accumulator != QD_ACC_EXACT && accumulator != QD_ACC_WRAP32;
    int64_t least = zero ? 0 : known ? acc : extreme_sum(p, i, false);
    int64_t most = zero ? 0 : known ? acc : extreme_sum(p, i, true);
    int64_t column = i % p->shape.n;
    if (!zero && (p->open || (wrong && !known)))
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    scales->factors[1] = qd_parameter(p->t[B_SCALE], column);
    struct qd_sums sums = {zero ? 0 : acc, least, most, !known && has_two_sums(p, i)};
    return qd_scaled_product_store(evaluation, scales, sums, p->t[BIAS], column, y, i);
}

static enum qd_status multiply(const struct product *p, struct qd_value *y)
{
    double a_scale = p->zero ? 1 : qd_tensor_value(&p->a[SCALE].want, 0);
    struct qd_scaled_product scales = {.type = QD_F32, .count = 2, .factors = {a_scale}};
    int64_t *acc;
    enum qd_status status =
        qd_matmul_accumulate(p->evaluation, &p->shape, &p->a[CODES].want, &p->a[ZERO_POINT].want,
                             p->t[B], p->t[B_ZERO_POINT], &acc);
    int64_t count = qd_sample_elements(p->evaluation, y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++)
        status = store(p, &scales, acc[i], y, i);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct product p = {0};
    struct qd_value y;
    enum qd_status status = read_node(evaluation, node, in, &p);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, QD_F32, p.shape.rank, p.shape.dims,
                               evaluation->error);
    if (status == QD_OK)
        status = multiply(&p, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_dynamic_quantize_matmul = {
    .domain = "com.microsoft",
    .name = "DynamicQuantizeMatMul",
    .since = 1,
    .min_inputs = 3,
    .max_inputs = 5,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "A,B:weight,b_scale,b_zero_point,bias:bias",
    .clause = "1: Scale of quantized input 'B'. ... Zero point tensor for input 'B'. ... Matrix "
              "multiply results from A * B",
    .attributes = "",
    .rules = "a-type,b-type,b_scale-type,b_zero_point-type,bias-type,b_scale-shape,"
             "b_zero_point-shape,bias-shape,a-rank,b-rank,k-mismatch,batch-mismatch",
    .evaluate = evaluate,
};
