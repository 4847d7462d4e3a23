/* SPDX-License-Identifier: Apache-2.0 */
/* Sqrt
 *
 * Source      ONNX Sqrt-1, -6, -13.
 * Inputs      X f32|f16 (13: bf16); f64 is UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = RN(√X)
 * Edge cases  NaN stays NaN, a negative number gives NaN, −0 itself. An interval with negative
 *             numbers in it is unspecified.
 * Latitude    3 ulp of f32 (transcendental.h), none where the root is a number of the type; then
 *             one rounding to f16 or bf16. */
#include <math.h>

#include "kernel/elementwise.h"
#include "kernel/transcendental.h"

/* The C library's root is rounded correctly (IEEE 754): one step to either side encloses the real one. */
static struct qd_interval root(double x)
{
    double y = x < 0 ? 0 : sqrt(x);
    if (x <= 0 || isinf(x) || fma(y, y, -x) == 0)
        return (struct qd_interval){y, y};
    return (struct qd_interval){nextafter(y, 0), nextafter(y, INFINITY)};
}

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    (void)context;
    *exact = (struct qd_interval){root(x.lo).lo, root(x.hi).hi};
    return qd_interval_ulps(*exact, QD_ULPS_ROOT);
}

/* Roots of negative numbers, after the others. */
static enum qd_status store_negative(const struct qd_evaluation *evaluation,
                                     const struct qd_value *x, struct qd_value *y)
{
    enum qd_status status = QD_OK;
    for (int64_t i = 0; i < y->want.count && status == QD_OK; i++) {
        if (qd_value_flags(x, i) & (QD_NOT_NUMBER | QD_UNSPECIFIED) || !(qd_value_lo(x, i) < 0))
            continue;
        status =
            qd_interval_store_flag(y, i, qd_value_hi(x, i) < 0 ? QD_NOT_NUMBER : QD_UNSPECIFIED,
                                   evaluation->arena, evaluation->error);
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct qd_value y;
    enum qd_status status = qd_elementwise_function(evaluation, node, "X", in[0], image, &y);
    if (status == QD_OK)
        status = store_negative(evaluation, in[0], &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_sqrt = {
    .domain = "",
    .name = "Sqrt",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "13: the square root is, y = x^0.5, is applied to the tensor elementwise. If x is "
              "negative, then it will return NaN.",
    .approximate = true,
    .attributes = "consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
