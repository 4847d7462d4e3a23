/* SPDX-License-Identifier: Apache-2.0 */
/* LeakyRelu
 *
 * Source      ONNX LeakyRelu-1, -6, -16 with its function body.
 * Inputs      X f32|f16 (16: bf16); f64 is UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Attributes  alpha (0.01), finite; else UNSUPPORTED.
 * Arithmetic  Y = X for X ≥ 0, else RN(alpha·X)
 * Edge cases  NaN stays NaN.
 * Latitude    f16 and bf16: alpha as it is, or rounded to the type first, as the function body
 *             does. Inside a graph the exact product is admissible too; alpha is a scale of a fused
 *             kernel. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"

/* alpha, and alpha in X's type. */
struct slopes {
    double alpha[2];
};

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    const struct slopes *slopes = context;
    struct qd_interval y = {INFINITY, -INFINITY};
    if (x.hi >= 0) /* f(x) = x: a zero keeps its sign */
        y = (struct qd_interval){x.lo < 0 ? 0 : x.lo, x.hi};
    *exact = y;
    for (int k = 0; k < 2 && x.lo < 0; k++) {
        struct qd_interval alpha = {slopes->alpha[k], slopes->alpha[k]};
        struct qd_interval p = {0, 0};
        if (alpha.lo != 0) /* not 0·∞ */
            p = qd_interval_multiply((struct qd_interval){x.lo, fmin(x.hi, 0)}, alpha);
        y.lo = fmin(y.lo, p.lo);
        y.hi = fmax(y.hi, p.hi);
        if (k == 0) /* alpha as the attribute has it */
            *exact = y;
    }
    return y;
}

/* The terms of a fused kernel: x's, times alpha where that may be. */
static enum qd_status carry_fusion(const struct qd_evaluation *evaluation, const struct qd_value *x,
                                   double alpha, struct qd_value *y)
{
    y->fusion = x->fusion;
    y->fusion.sum_terms = 0;
    if (alpha != 0 && !qd_scale_is_power_of_two(alpha)) /* rounds with a scale that is none, too */
        y->fusion.scales++;
    enum qd_status status =
        x->abs_sum ? qd_value_need_abs_sum(y, evaluation->arena, evaluation->error) : QD_OK;
    for (int64_t i = 0; status == QD_OK && x->abs_sum && i < y->want.count; i++) {
        double factor = qd_value_hi(x, i) < 0   ? fabs(alpha)
                        : qd_value_lo(x, i) < 0 ? fmax(1, fabs(alpha))
                                                : 1;
        y->abs_sum[i] = x->abs_sum[i] * factor;
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    float alpha = 0;
    struct qd_value alone = *in[0], y;
    alone.fusion = (struct qd_fusion){.dequantized = false}; /* fused all the way, or not at all */
    enum qd_status status = qd_real_operand_type(evaluation, node, "X", &in[0]->want, 16);
    if (status == QD_OK)
        status = qd_node_float(node, "alpha", 0.01F, &alpha, evaluation->error);
    if (status == QD_OK && !isfinite(alpha))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "LeakyRelu: alpha is not finite");
    struct slopes slopes = {
        {(double)alpha, qd_float_round(in[0]->want.dtype, QD_NEAREST_EVEN, (double)alpha)}};
    if (status == QD_OK)
        status = qd_elementwise_unary(evaluation, &alone, image, &slopes, &y);
    if (status == QD_OK)
        status = carry_fusion(evaluation, in[0], (double)alpha, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_leaky_relu = {
    .domain = "",
    .name = "LeakyRelu",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "16: the function f(x) = alpha * x for x < 0, f(x) = x for x >= 0, is applied to the "
              "data tensor elementwise.",
    .attributes = "alpha,consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
