/* SPDX-License-Identifier: Apache-2.0 */
/* Pow
 *
 * Source      ONNX Pow-7, -12, -13, -15; Pow-1 broadcasts by attributes: UNSUPPORTED.
 * Inputs      X f32|f16 (12: s32 s64; 13: bf16); f64 is UNSUPPORTED; Y of numbers, of which one
 *             that is 2 is taken: squares are what normalizations are made of. Others are UNSUPPORTED.
 * Outputs     Z of X's type and shape.
 * Domain      rules X-type, Y-type (before opset 12: that of X; bool).
 * Arithmetic  Z = RN(X²)
 * Edge cases  NaN stays NaN. An integer beyond its type: unspecified.
 * Latitude    16 ulp of f32 (OpenCL C's table: pow 16), none where the square is a number of f32. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"
#include "kernel/transcendental.h"

static struct qd_interval square(struct qd_interval x)
{
    struct qd_interval low = {x.lo, x.lo}, high = {x.hi, x.hi};
    struct qd_interval a = qd_interval_multiply(low, low), b = qd_interval_multiply(high, high);
    bool crosses = x.lo < 0 && x.hi > 0;
    return (struct qd_interval){crosses ? 0 : fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    *exact = square(x);
    struct qd_interval wide = *exact;
    if (wide.lo == wide.hi && qd_float_round(QD_F32, QD_NEAREST_EVEN, wide.lo) != wide.lo)
        wide = (struct qd_interval){nextafter(wide.lo, 0), nextafter(wide.hi, INFINITY)};
    return qd_interval_ulps(wide, QD_ULPS_POW);
}

static bool square_of_code(const void *context, int64_t x, int64_t *y)
{
    (void)context;
    return !__builtin_mul_overflow(x, x, y);
}

static enum qd_status check(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const struct qd_value *x, const struct qd_value *y)
{
    enum qd_dtype type = x->want.dtype;
    if (node->opset < 7)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "Pow before opset 7");
    enum qd_status status = QD_OK;
    if (node->opset < 12 || !(QD_WIDE_INTEGERS & QD_TYPE_BIT(type)))
        status = qd_real_operand_type(evaluation, node, "X", &x->want, 13);
    if (status == QD_OK && node->opset < 12)
        status = qd_same_type(evaluation, node, "Y", &y->want, &x->want);
    if (status == QD_OK && y->want.dtype == QD_BOOL)
        return qd_node_rule(evaluation, node, "Y-type", "Y is bool");
    if (status != QD_OK)
        return status;
    bool two = y->want.count == 1 && y->want.rank <= x->want.rank && qd_value_is_point(y, 0) &&
               qd_tensor_value(&y->want, 0) == 2;
    return two ? QD_OK
               : qd_fail(evaluation->error, QD_UNSUPPORTED, "Pow with another exponent than one 2");
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = check(evaluation, node, in[0], in[1]);
    if (status != QD_OK)
        return status;
    return qd_dtype_is_integer(in[0]->want.dtype)
               ? qd_elementwise_codes(evaluation, in[0], square_of_code, NULL, &out[0])
               : qd_elementwise_unary(evaluation, in[0], image, NULL, &out[0]);
}

const struct qd_op qd_op_pow = {
    .domain = "",
    .name = "Pow",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X,Y:control",
    .clause = "15: the function f(x) = x^exponent, is applied to the data tensor elementwise.",
    .approximate = true,
    .attributes = "axis:-6,broadcast:-6",
    .rules = "X-type,Y-type",
    .evaluate = evaluate,
};
