/* SPDX-License-Identifier: Apache-2.0 */
/* HardSwish
 *
 * Source      ONNX HardSwish-14, -22.
 * Inputs      X f32; f16, f64 and (22) bf16 are UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Arithmetic  Y = RN(X·max(0, min(1, X/6 + ½)))
 * Edge cases  NaN stays NaN; +Inf gives +Inf; -Inf, where the formula is
 * -Inf·0, is unspecified. A zero has either sign.
 * Latitude    alpha as 1/6 or as the float32 of the function's body; alpha·X
 * rounded or not before ½ is added, that sum, and the
 *             product with X; or X·max(0, min(6, X + 3))/6, the division by 6 or with that
 *             float32, and each of the three rounded. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"

static struct qd_interval clamp(struct qd_interval t, double most)
{
    return (struct qd_interval){fmin(fmax(t.lo, 0), most), fmin(fmax(t.hi, 0), most)};
}

/* X·max(0, min(1, t + ½)), of t and of t rounded. */
static struct qd_interval by_sixth(struct qd_interval x, struct qd_interval t)
{
    struct qd_interval sum = qd_interval_add(qd_interval_round(QD_F32, t), qd_interval_point(0.5));
    return qd_interval_multiply(x, clamp(qd_interval_round(QD_F32, sum), 1));
}

/* X·max(0, min(6, X + 3))/6: divided by 6, or multiplied with the stored sixth, before the product or after it. */
static struct qd_interval by_six(struct qd_interval x, struct qd_interval stored)
{
    struct qd_interval s =
        clamp(qd_interval_round(QD_F32, qd_interval_add(x, qd_interval_point(3))), 6);
    struct qd_interval share = qd_interval_join(qd_interval_divide(s, qd_interval_point(6)),
                                                qd_interval_multiply(s, stored));
    struct qd_interval product = qd_interval_round(QD_F32, qd_interval_multiply(x, s));
    struct qd_interval last = qd_interval_join(qd_interval_divide(product, qd_interval_point(6)),
                                               qd_interval_multiply(product, stored));
    return qd_interval_join(qd_interval_multiply(x, qd_interval_round(QD_F32, share)), last);
}

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    const struct qd_interval stored = qd_interval_point((double)(1.0F / 6)),
                             s = clamp(qd_interval_add(x, qd_interval_point(3)), 6);
    (void)context;

    *exact = qd_interval_divide(qd_interval_multiply(x, s), qd_interval_point(6));
    if (isinf(x.lo) || isinf(x.hi)) /* no other arrangement gives another limit */
        return *exact;
    return qd_interval_join(
        qd_interval_join(by_sixth(x, qd_interval_divide(x, qd_interval_point(6))),
                         by_sixth(x, qd_interval_multiply(x, stored))),
        by_six(x, stored));
}

/* What has no value, and the zeros. */
static enum qd_status mark(const struct qd_evaluation *evaluation, const struct qd_value *x,
                           struct qd_value *y)
{
    enum qd_status status = QD_OK;
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        if (qd_value_flags(x, i) & (QD_NOT_NUMBER | QD_UNSPECIFIED))
            continue;
        if (isinf(qd_value_lo(x, i)) && qd_value_lo(x, i) < 0)
            status =
                qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
        else if (qd_value_lo(y, i) == 0 && qd_value_hi(y, i) == 0)
            status = qd_value_open_zero(y, i, evaluation->arena, evaluation->error);
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    enum qd_status status = qd_real_operand_type(evaluation, node, "X", &in[0]->want, 22);
    if (status == QD_OK && in[0]->want.dtype != QD_F32)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "HardSwish of %s",
                       qd_dtype_info(in[0]->want.dtype)->word);
    if (status == QD_OK)
        status = qd_elementwise_unary(evaluation, in[0], image, NULL, &out[0]);
    return status == QD_OK ? mark(evaluation, in[0], &out[0]) : status;
}

const struct qd_op qd_op_hard_swish = {
    .domain = "",
    .name = "HardSwish",
    .since = 14,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "22: the HardSwish function, y = x * max(0, min(1, alpha * x + beta)) = x * "
              "HardSigmoid<alpha, beta>(x), where alpha = 1/6 and beta = 0.5, is applied to the "
              "tensor elementwise.",
    .attributes = "",
    .rules = "X-type",
    .evaluate = evaluate,
};
