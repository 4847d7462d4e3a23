/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearMatMul
 *
 * Source      ONNX QLinearMatMul-10, -21.
 * Inputs      a u8|s8 [D…, M, K] or [K]; a_scale f32 and a_zero_point like a, of one shape: scalar,
 *             [1], [M] (a a matrix) or [D…, M, 1]; b u8|s8 [D…, K, N] or [K]; b_scale f32 and
 *             b_zero_point like b, of one shape: scalar, [1], [N] (b a matrix) or [D…, 1, N];
 *               y_scale f32 scalar|[1]; y_zero_point u8|s8 scalar|[1].
 *             21: also scales of f16 or bf16, all three of one type, and float8 codes: these are
 *             UNSUPPORTED.
 * Outputs     y of y_zero_point's type, shaped as by numpy.matmul.
 * Attributes  none.
 * Domain      rules <input>-type, <input>-shape and those of matmul.h; y parameters of more than
 *             one element that would fit y's rows are UNSUPPORTED (the specification speaks of rows
 *             of a and columns of b only), an interval as an operand too.
 * Arithmetic  (1) acc = Σ_k (a[m,k] − a_zero_point[m])·(b[k,n] − b_zero_point[n])
 *             (2) y = saturate(round_half_even(acc·a_scale[m]·b_scale[n]/y_scale) + y_zero_point)
 * Edge cases  |acc| beyond int32, a scale that is NaN or infinite, y_scale = 0: unspecified.
 * Latitude    the orders of (2), see requantize.h.
 * Quirks      accumulator, zero_points, requantize, rounding, zero_point_order, range. */

#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "qdiff/matmul.h"
#include "quantize/requantize.h"

enum { A, A_SCALE, A_ZERO_POINT, B, B_SCALE, B_ZERO_POINT, Y_SCALE, Y_ZERO_POINT, INPUTS };

#define BIT QD_TYPE_BIT

static enum qd_status check_types(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *const *t)
{
    const uint32_t codes = node->opset < 21 ? QD_8BIT_TYPES : QD_8BIT_TYPES | QD_FLOAT8_TYPES;
    const uint32_t scales =
        node->opset < 21 ? BIT(QD_F32) : BIT(QD_F32) | BIT(QD_F16) | BIT(QD_BF16);
    enum qd_status status = qd_operand_type(evaluation, node, "a", t[A], codes);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "b", t[B], codes);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "y_zero_point", t[Y_ZERO_POINT], codes);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "a_zero_point", t[A_ZERO_POINT], t[A]);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b_zero_point", t[B_ZERO_POINT], t[B]);
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "a_scale", t[A_SCALE], scales);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "b_scale", t[B_SCALE], t[A_SCALE]);
    if (status == QD_OK)
        status = qd_same_type(evaluation, node, "y_scale", t[Y_SCALE], t[A_SCALE]);
    return status;
}

static enum qd_status check_supported(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct qd_tensor *const *t)
{
    const struct qd_tensor *codes[] = {t[A], t[B], t[Y_ZERO_POINT]};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (qd_dtype_is_float(codes[i]->dtype))
            return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s of %s", node->op_type,
                           qd_dtype_info(codes[i]->dtype)->word);
    return QD_OK;
}

/* A scale and its zero point, which "must have same shape"; a scalar and [1] are taken for the
 * same. */
static enum qd_status check_pair(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const char *scale_name, const struct qd_tensor *scale,
                                 const char *zero_name, const struct qd_tensor *zero_point,
                                 const struct qd_tensor *of, enum qd_matmul_side side)
{
    enum qd_status status =
        qd_matmul_parameter_shape(evaluation, node, scale_name, scale, of, side);
    if (status == QD_OK)
        status = qd_matmul_parameter_shape(evaluation, node, zero_name, zero_point, of, side);
    return status == QD_OK
               ? qd_pair_shape(evaluation, node, scale_name, scale, zero_name, zero_point)
               : status;
}

static enum qd_status check_shapes(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *const *t,
                                   const struct qd_tensor *y)
{
    enum qd_status status = check_pair(evaluation, node, "a_scale", t[A_SCALE], "a_zero_point",
                                       t[A_ZERO_POINT], t[A], QD_MATMUL_ROWS);
    if (status == QD_OK)
        status = check_pair(evaluation, node, "b_scale", t[B_SCALE], "b_zero_point",
                            t[B_ZERO_POINT], t[B], QD_MATMUL_COLUMNS);
    if (status == QD_OK)
        status = check_pair(evaluation, node, "y_scale", t[Y_SCALE], "y_zero_point",
                            t[Y_ZERO_POINT], y, QD_MATMUL_ROWS);
    if (status == QD_OK && t[Y_SCALE]->count != 1)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: y_scale has more than one element",
                       node->op_type);
    return status;
}

struct product {
    const struct qd_evaluation *evaluation;
    const struct qd_tensor *const *t;
    struct qd_matmul_shape shape;
    struct qd_output_quantizer quantizer;
    /* the requantizer of the last element; −1 before the first */
    int64_t a_entry, b_entry;
    struct qd_requantizer requantizer;
};

/* Prepares the requantizer of one pair of scales, unless it is the one in use. */
static void choose(struct product *p, int64_t a_entry, int64_t b_entry)
{
    if (p->evaluation->semantics->requantize == QD_CHANNEL0_SCALE)
        a_entry = b_entry = 0;
    if (a_entry == p->a_entry && b_entry == p->b_entry)
        return;
    p->a_entry = a_entry;
    p->b_entry = b_entry;
    p->requantizer = qd_requantizer_make(
        p->quantizer, p->t[A_SCALE]->dtype, qd_parameter(p->t[A_SCALE], a_entry),
        qd_parameter(p->t[B_SCALE], b_entry), qd_parameter(p->t[Y_SCALE], 0));
}

/* Equation (2). */
static enum qd_status requantize(struct product *p, const int64_t *acc, struct qd_value *y)
{
    const struct qd_matmul_shape *s = &p->shape;
    enum qd_status status = QD_OK;
    int64_t count = qd_sample_elements(p->evaluation, y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        int64_t batch = i / (s->m * s->n), m = i / s->n % s->m, n = i % s->n;
        choose(p, qd_matmul_parameter_index(p->t[A_SCALE], qd_matmul_a_batch(s, batch), s->m, m),
               qd_matmul_parameter_index(p->t[B_SCALE], qd_matmul_b_batch(s, batch), s->n, n));
        status = qd_requantize_into(p->evaluation, &p->requantizer, acc[i], y, i);
    }
    return status;
}

static enum qd_status check(struct product *p, const struct qd_node *node,
                            const struct qd_value *const *in, struct qd_value *y)
{
    const struct qd_evaluation *evaluation = p->evaluation;
    enum qd_status status = check_types(evaluation, node, p->t);
    if (status == QD_OK)
        status = check_supported(evaluation, node, p->t);
    if (status == QD_OK)
        status = qd_matmul_shape_read(evaluation, node, p->t[A], p->t[B], &p->shape);
    if (status == QD_OK)
        status = qd_value_init(y, evaluation->arena, p->t[Y_ZERO_POINT]->dtype, p->shape.rank,
                               p->shape.dims, evaluation->error);
    if (status == QD_OK)
        status = check_shapes(evaluation, node, p->t, &y->want);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in, INPUTS);
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    const struct qd_tensor *t[INPUTS];
    for (int i = 0; i < INPUTS; i++)
        t[i] = &in[i]->want;
    struct product p = {.evaluation = evaluation, .t = t, .a_entry = -1};
    struct qd_value y;
    int64_t *acc;
    enum qd_status status = check(&p, node, in, &y);
    if (status != QD_OK)
        return status;
    p.quantizer = qd_output_quantizer_make(evaluation->semantics, y.want.dtype,
                                           qd_tensor_get(t[Y_ZERO_POINT], 0));
    status = qd_matmul_accumulate(evaluation, &p.shape, t[A], t[A_ZERO_POINT], t[B],
                                  t[B_ZERO_POINT], &acc);
    if (status == QD_OK)
        status = requantize(&p, acc, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_qlinear_matmul = {
    .domain = "",
    .name = "QLinearMatMul",
    .since = 10,
    .min_inputs = 8,
    .max_inputs = 8,
    .outputs = 1,
    .form = QD_FORM_MATRICES,
    .operands = "a,a_scale,a_zero_point,b:weight,b_scale,b_zero_point,y_scale,y_zero_point",
    .clause = "21: Matrix product that behaves like numpy.matmul. ... The quantization formula is "
              "y = saturate((x / y_scale) + y_zero_point). For (x / y_scale), it is rounding to "
              "nearest ties to even.",
    .attributes = "",
    .rules = "a-type,b-type,a_scale-type,b_scale-type,y_scale-type,a_zero_point-type,"
             "b_zero_point-type,y_zero_point-type,a_scale-shape,a_zero_point-shape,"
             "b_scale-shape,b_zero_point-shape,y_scale-shape,y_zero_point-shape,a-rank,b-rank,"
             "k-mismatch,batch-mismatch",
    .evaluate = evaluate,
};
