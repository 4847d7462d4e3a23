/* SPDX-License-Identifier: Apache-2.0 */
/* HardSigmoid
 *
 * Source      ONNX HardSigmoid-1, -6, -22.
 * Inputs      X f32; f16, f64 and (22) bf16 are UNSUPPORTED; other types are rule X-type.
 * Outputs     Y of X's type and shape.
 * Attributes  alpha (0.2), beta (0.5), finite, alpha not 0; else UNSUPPORTED.
 * Arithmetic  Y = max(0, min(1, RN(alpha·X + beta)))
 * Edge cases  NaN stays NaN; ±Inf gives an end.
 * Latitude    alpha·X rounded before beta is added, or not (FMA). */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/elementwise.h"

struct line {
    double alpha, beta;
};

static struct qd_interval clamp(struct qd_interval t)
{
    return (struct qd_interval){fmin(fmax(t.lo, 0), 1), fmin(fmax(t.hi, 0), 1)};
}

static struct qd_interval image(const void *context, struct qd_interval x,
                                struct qd_interval *exact)
{
    const struct line *line = context;
    struct qd_interval alpha = {line->alpha, line->alpha}, beta = {line->beta, line->beta};
    struct qd_interval product = qd_interval_multiply(x, alpha);
    *exact = clamp(qd_interval_add(product, beta));
    return clamp(
        qd_interval_round(QD_F32, qd_interval_add(qd_interval_round(QD_F32, product), beta)));
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    float alpha = 0, beta = 0;
    enum qd_status status = qd_real_operand_type(evaluation, node, "X", &in[0]->want, 22);
    if (status == QD_OK && in[0]->want.dtype != QD_F32)
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "HardSigmoid of %s",
                       qd_dtype_info(in[0]->want.dtype)->word);
    if (status == QD_OK)
        status = qd_node_float(node, "alpha", 0.2F, &alpha, evaluation->error);
    if (status == QD_OK)
        status = qd_node_float(node, "beta", 0.5F, &beta, evaluation->error);
    if (status != QD_OK)
        return status;
    if (!isfinite(alpha) || !isfinite(beta) || alpha == 0)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "HardSigmoid: alpha is 0, or alpha or beta is not finite");
    struct line line = {(double)alpha, (double)beta};
    return qd_elementwise_unary(evaluation, in[0], image, &line, &out[0]);
}

const struct qd_op qd_op_hard_sigmoid = {
    .domain = "",
    .name = "HardSigmoid",
    .since = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .form = QD_FORM_ELEMENTWISE,
    .operands = "X",
    .clause = "22: the HardSigmoid function, y = max(0, min(1, alpha * x + beta)), is applied to "
              "the tensor elementwise.",
    .attributes = "alpha,beta,consumed_inputs:-5",
    .rules = "X-type",
    .evaluate = evaluate,
};
