/* SPDX-License-Identifier: Apache-2.0 */
/* Reciprocal
 *
 * Source      ONNX Reciprocal-1, -6, -13.
 * Inputs      X f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = RN(1 / X)
 * Edge cases  NaN stays NaN; by IEEE 754 a zero gives the infinity of its sign, ±Inf a zero.
 * Latitude    None of its own: a division. Of one code k of scale s the output shows RN(1/(k·s)), 1/RN(k·s),
 *             (1/k)/s, (1/s)/k or (1/k)·(1/s), each operation in float32 or double, and nothing
 *             between; a consumer sees their hull (qd_elementwise_unary). Of an interval that 0 lies
 *             in, every number. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"
#include "qdiff/exact.h"
#include "quantize/orders.h"

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    bool point = x.lo == x.hi;
    if (point && (x.lo == 0 || isinf(x.lo)))
        *exact = (struct qd_interval){1 / x.lo, 1 / x.lo};
    else if ((x.lo <= 0 && x.hi >= 0) || isinf(x.lo) || isinf(x.hi))
        *exact = (struct qd_interval){-INFINITY, INFINITY};
    else
        *exact = qd_interval_divide((struct qd_interval){1, 1}, x);
    return *exact;
}

static double in_f32(double x)
{
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, x);
}

enum { ORDERS = 8 };

/* 1/(k·s) in its orders; the product is exact in double, and `want` is the reciprocal rounded once. */
static void every_order(double k, double s, double want, double numbers[ORDERS])
{
    double code = in_f32(1 / k),
           scale = in_f32(1 / s); /* quotients of float32 that double rounds first: the same */
    const double orders[ORDERS] = {
        want,      1 / (k * s),  1 / in_f32(k * s), code / s,
        scale / k, code * scale, (1 / k) / s,       (1 / s) / k,
    };
    for (int n = 0; n < ORDERS; n++)
        numbers[n] = in_f32(orders[n]);
}

/* What one dequantized code shows is what its orders give. */
static enum qd_status keep_few(const struct qd_evaluation *evaluation, const struct qd_value *x,
                               struct qd_value *y, int64_t i)
{
    double k, s, numbers[ORDERS];
    bool canonical = (qd_value_flags(y, i) & (QD_NO_CANONICAL | QD_UNSPECIFIED)) == 0;
    if (!canonical || !qd_value_is_code(x, i, &k, &s) || k == 0 || fabs(k) > 0x1p24 ||
        !qd_scale_is_moderate(s))
        return QD_OK;
    every_order(k, s, qd_tensor_value(&y->want, i), numbers);
    return qd_value_limit(y, i, numbers, ORDERS, evaluation->arena, evaluation->error);
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_real_operand_type(evaluation, node, "X", &in[0]->want, 13);
    if (status == QD_OK)
        status = qd_elementwise_unary(evaluation, in[0], image, NULL, &out[0]);
    for (int64_t i = 0; status == QD_OK && in[0]->factor && i < out[0].want.count; i++)
        status = keep_few(evaluation, in[0], &out[0], i);
    return status;
}

const struct qd_op qd_op_reciprocal = {
    .domain = "",
    .name = "Reciprocal",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "13: the reciprocal is, y = 1/x, is applied to the tensor elementwise.",
    .attributes = "consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
