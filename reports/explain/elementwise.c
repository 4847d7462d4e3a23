/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, products and other functions of what stands at the same place of one or two operands. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "qdiff/exact.h"

/* The operands of one element. */
struct pair {
    const struct qd_explanation *explanation;
    const struct qd_step *step;
    int operands[2]; /* x and the weight; QD_NO_OPERAND */
    struct qd_explain_code codes[2];
};

static const char *scale_name(const struct pair *p, int side)
{
    int scale = qd_step_parameter_number(p->step, p->operands[side], QD_ROLE_SCALE);
    return qd_step_name(p->explanation, p->step, scale);
}

static bool read_pair(const struct qd_explanation *explanation, const struct qd_step *step,
                      size_t output, int64_t i, struct pair *p)
{
    *p = (struct pair){.explanation = explanation, .step = step};
    p->operands[0] = qd_step_find(step, QD_ROLE_DATA);
    p->operands[1] = qd_step_find(step, QD_ROLE_WEIGHT);
    int64_t at[2];
    for (int s = 0; s < 2 && p->operands[s] >= 0; s++) {
        at[s] = qd_step_place(step, p->operands[s], &step->out[output].want, i);
        if (at[s] < 0)
            return false;
    }
    for (int s = 0; s < 2 && p->operands[s] >= 0; s++) {
        struct qd_explain_code c = qd_explain_code_of(step, p->operands[s], at[s]);
        fprintf(explanation->out, "  %s = %s",
                qd_explain_place(explanation, step, p->operands[s], at[s]),
                qd_explain_text(explanation, &qd_step_operand(step, p->operands[s])->want, at[s]));
        if (c.scaled)
            fprintf(explanation->out, ": (%.9g - %.9g) * %.9g = %.17g", c.code + c.zero_point,
                    c.zero_point, c.scale, c.code * c.scale);
        fputc('\n', explanation->out);
        p->codes[s] = c;
    }
    return true;
}

/* --- Sums ----------------------------------------------------------------------------------------- */

static void tell_sum_orders(const struct pair *p, const struct qd_explain_coder *coder)
{
    float a = (float)p->codes[0].code, b = (float)p->codes[1].code, sy = (float)coder->scale;
    float sa = (float)p->codes[0].scale, sb = (float)p->codes[1].scale;
    const float sums[] = {(a * sa + b * sb) / sy, a * (sa / sy) + b * (sb / sy)};
    static const char *const texts[] = {"(a * s_a + b * s_b) / s_y",
                                        "a * (s_a / s_y) + b * (s_b / s_y)"};
    fputs("  permitted orders, here in float32; each operation may be in double:\n",
          p->explanation->out);
    for (int i = 0; i < 2; i++)
        if (isfinite(sums[i]))
            fprintf(p->explanation->out, "    %-34s = %-14.9g code %" PRId64 "\n", texts[i],
                    (double)sums[i], qd_output_quantizer_float(&coder->coder, (double)sums[i]));
        else
            fprintf(p->explanation->out, "    %-34s overflows\n", texts[i]);
}

static void tell_sum_code(const struct pair *p, const struct qd_explain_coder *coder)
{
    fprintf(p->explanation->out, "  real = (%.9g * %.9g + %.9g * %.9g) / %s %.9g\n",
            p->codes[0].code, p->codes[0].scale, p->codes[1].code, p->codes[1].scale,
            coder->scale_name, coder->scale);
    struct qd_ratio terms[2];
    for (int s = 0; s < 2; s++) {
        if (!qd_explain_is_scale(p->codes[s].scale) || !qd_explain_is_scale(coder->scale))
            return;
        terms[s] = qd_ratio_multiply(qd_ratio_of_integer((int64_t)p->codes[s].code),
                                     qd_ratio_of_double(p->codes[s].scale));
    }
    qd_explain_code(
        p->explanation, coder,
        qd_ratio_divide(qd_ratio_add(terms[0], terms[1]), qd_ratio_of_double(coder->scale)));
    tell_sum_orders(p, coder);
}

/* --- Products ------------------------------------------------------------------------------------- */

static void tell_product_code(const struct pair *p, const struct qd_explain_coder *coder)
{
    double acc = p->codes[0].code * p->codes[1].code;
    struct qd_explain_product product = {.acc = (int64_t)acc,
                                         .s1 = p->codes[0].scale,
                                         .s2 = p->codes[1].scale,
                                         .s3 = 1,
                                         .s1_name = scale_name(p, 0),
                                         .s2_name = scale_name(p, 1)};
    fprintf(p->explanation->out, "  acc = %.9g * %.9g = %.17g\n", p->codes[0].code,
            p->codes[1].code, acc);
    qd_explain_requantize(p->explanation, &product, coder);
}

/* --- One operand ---------------------------------------------------------------------------------- */

/* The slope that a negative number is multiplied with; false if the operator has none. */
static bool read_slope(const struct pair *p, double *slope)
{
    const struct qd_attr *attr = qd_node_attr(p->step->node, "alpha");
    if (!p->step->node->op->attributes || !strstr(p->step->node->op->attributes, "alpha"))
        return false;
    *slope = p->codes[0].code >= 0 ? 1 : attr ? (double)attr->f : (double)0.01f;
    return isfinite(*slope);
}

static void tell_slope_code(const struct pair *p, double slope,
                            const struct qd_explain_coder *coder)
{
    const struct qd_explain_code *c = &p->codes[0];
    fprintf(p->explanation->out, "  real = %.9g * %s", c->code, scale_name(p, 0));
    fprintf(p->explanation->out, slope != 1 ? " * alpha / %s = %.9g * %.9g" : " / %s = %.9g * %.9g",
            coder->scale_name, c->code, c->scale);
    if (slope != 1)
        fprintf(p->explanation->out, " * %.9g", slope);
    fprintf(p->explanation->out, " / %.9g\n", coder->scale);
    if (!qd_explain_is_scale(c->scale) || !qd_explain_is_scale(coder->scale))
        return;
    struct qd_ratio real =
        qd_ratio_multiply(qd_ratio_of_integer((int64_t)c->code), qd_ratio_of_double(c->scale));
    real = qd_ratio_multiply(real, qd_ratio_of_double(slope));
    qd_explain_code(p->explanation, coder, qd_ratio_divide(real, qd_ratio_of_double(coder->scale)));
}

bool qd_explain_elementwise(const struct qd_explanation *explanation, const struct qd_step *step,
                            size_t output, int64_t i)
{
    struct pair p;
    if (!read_pair(explanation, step, output, i, &p))
        return false;
    enum qd_form form = step->node->op->form;
    double a = p.codes[0].code * p.codes[0].scale, b = p.codes[1].code * p.codes[1].scale;
    struct qd_explain_coder coder;
    bool coded = qd_explain_coder_of(explanation, step, output, &coder);
    double slope;
    if (form == QD_FORM_ADDS && coded)
        tell_sum_code(&p, &coder);
    else if (form == QD_FORM_ADDS)
        fprintf(explanation->out, "  sum = %.17g\n", a + b);
    else if (form == QD_FORM_MULTIPLIES && coded)
        tell_product_code(&p, &coder);
    else if (form == QD_FORM_MULTIPLIES)
        fprintf(explanation->out, "  product = %.17g\n", a * b);
    else if (coded && read_slope(&p, &slope))
        tell_slope_code(&p, slope, &coder);
    else if (form == QD_FORM_ELEMENTWISE && !coded && read_slope(&p, &slope) && slope != 1)
        fprintf(explanation->out, "  times alpha %.9g = %.17g\n", slope, a * slope);
    return true;
}
