/* SPDX-License-Identifier: Apache-2.0 */
/* Div
 *
 * Source      ONNX Div-7, -13, -14 (earlier versions broadcast by attributes: UNSUPPORTED unless
 *             the shapes are equal).
 * Inputs      A, B of one type f32|f16|bf16|s32|s64 (14: u8 s8 u16 s16); other types are
 *             UNSUPPORTED.
 * Outputs     C of the same type, shapes broadcast.
 * Arithmetic  floats: C = RN(A / B); integers: the quotient towards zero.
 * Edge cases  A float divided by 0 follows IEEE 754, and by a 0 that may have either sign it is
 *             either infinity and nothing else. Integers: division by 0 and a result beyond the type
 *             are unspecified. A divisor with several admissible values,
 *             0 among them: unspecified.
 * Latitude    Inside a graph the exact quotient is admissible too. */
#include <math.h>

#include "kernel/elementwise.h"

static const struct qd_interval undefined = {NAN, NAN};

static bool holds_zero(struct qd_interval b)
{
    return b.lo <= 0 && b.hi >= 0;
}

static struct qd_interval divide(struct qd_interval a, struct qd_interval b)
{
    bool points = a.lo == a.hi && b.lo == b.hi;
    if (points && (b.lo == 0 || isinf(a.lo) || isinf(b.lo)))
        return (struct qd_interval){a.lo / b.lo, a.lo / b.lo};
    if (b.lo == 0 && b.hi == 0 && !holds_zero(a)) /* a sum or product that is not known exactly */
        return (struct qd_interval){a.lo / b.lo, a.lo / b.lo};
    if (holds_zero(b) || isinf(a.lo) || isinf(a.hi))
        return undefined;
    return qd_interval_divide(a, b);
}

static double whole(double a, double b)
{
    int64_t quotient = (int64_t)a / (int64_t)b;
    return (double)quotient;
}

static struct qd_interval divide_integers(struct qd_interval a, struct qd_interval b)
{
    const double most = 0x1p53;
    if (holds_zero(b) || qd_interval_magnitude(a) >= most || qd_interval_magnitude(b) >= most)
        return undefined;
    double ends[] = {whole(a.lo, b.lo), whole(a.lo, b.hi), whole(a.hi, b.lo), whole(a.hi, b.hi)};
    return (struct qd_interval){fmin(fmin(ends[0], ends[1]), fmin(ends[2], ends[3])),
                                fmax(fmax(ends[0], ends[1]), fmax(ends[2], ends[3]))};
}

static bool quotient(int64_t a, int64_t b, int64_t *y)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *y = a / b;
    return true;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    bool integers = qd_dtype_is_integer(in[0]->want.dtype);
    const struct qd_binary binary = {integers ? divide_integers : divide, quotient,
                                     QD_TERMS_QUOTIENT};
    return qd_elementwise_binary(evaluation, node, in[0], in[1], qd_arithmetic_types(node->opset),
                                 &binary, &out[0]);
}

const struct qd_op qd_op_div = {
    .domain = "",
    .name = "Div",
    .since = 1,
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "A,B:weight",
    .clause = "14: Performs element-wise binary division (with Numpy-style broadcasting support). "
              "... For integer inputs, the result is computed using truncating division (rounding "
              "toward zero).",
    .attributes = "axis:-6,broadcast:-6,consumed_inputs:-5",
    .rules = "a-type,b-type,broadcast",
    .evaluate = evaluate,
};
