/* SPDX-License-Identifier: Apache-2.0 */
/* Means and maxima: what one element of a pool or a reduction is made of. */
#include <inttypes.h>
#include <math.h>

#include "explain/explain.h"
#include "text/describe.h"

enum { SHOWN_TERMS = 64 };

/* Elements of x and what they come to. */
struct sum {
    double total, largest;
    int64_t given, padded;
};

static struct sum tell_terms(const struct qd_explanation *explanation, const struct qd_step *step,
                             int x, const struct qd_terms *terms)
{
    struct sum sum = {.largest = -INFINITY};
    for (int64_t t = 0; t < terms->count; t++) {
        if (terms->x[t] < 0) {
            sum.padded++;
            continue;
        }
        struct qd_explain_code c = qd_explain_code_of(step, x, terms->x[t]);
        if (t < SHOWN_TERMS)
            fprintf(explanation->out, "    %s %s",
                    qd_explain_place(explanation, step, x, terms->x[t]),
                    qd_explain_text(explanation, &qd_step_operand(step, x)->want, terms->x[t]));
        if (t < SHOWN_TERMS && c.scaled)
            fprintf(explanation->out, " - %.9g -> %.9g", c.zero_point, c.code);
        if (t < SHOWN_TERMS)
            fputc('\n', explanation->out);
        sum.total += c.code;
        sum.largest = c.code > sum.largest ? c.code : sum.largest;
        sum.given++;
    }
    if (terms->count > SHOWN_TERMS)
        fprintf(explanation->out, "    ... and %" PRId64 " more\n", terms->count - SHOWN_TERMS);
    if (sum.padded > 0)
        fprintf(explanation->out, "    %" PRId64 " places lie in the padding\n", sum.padded);
    return sum;
}

static bool counts_padding(const struct qd_step *step)
{
    const struct qd_attr *attr = qd_node_attr(step->node, "count_include_pad");
    return attr && attr->kind == QD_ATTR_INT && attr->i != 0;
}

static void tell_mean(const struct qd_explanation *explanation, const struct qd_step *step,
                      size_t output, int x, const struct sum *sum)
{
    int64_t divisor = sum->given + (counts_padding(step) ? sum->padded : 0);
    double scale = qd_explain_number(qd_step_parameter(step, x, QD_ROLE_SCALE), 0, 1);
    fprintf(explanation->out, "  sum %.17g, divided by %" PRId64 "\n", sum->total, divisor);
    struct qd_explain_coder coder;
    if (!qd_explain_coder_of(explanation, step, output, &coder)) {
        if (divisor > 0)
            fprintf(explanation->out, "  real = %.17g\n", sum->total / (double)divisor);
        return;
    }
    fprintf(explanation->out,
            "  real = sum * %s / (%" PRId64 " * %s) = %.17g * %.9g / (%" PRId64 " * %.9g)\n",
            qd_step_name(explanation, step, qd_step_parameter_number(step, x, QD_ROLE_SCALE)),
            divisor, coder.scale_name, sum->total, scale, divisor, coder.scale);
    if (divisor == 0 || !qd_explain_is_scale(scale) || !qd_explain_is_scale(coder.scale))
        return;
    struct qd_ratio real =
        qd_ratio_multiply(qd_ratio_of_integer((int64_t)sum->total), qd_ratio_of_double(scale));
    real = qd_ratio_divide(real, qd_ratio_of_double(coder.scale));
    qd_explain_code(explanation, &coder, qd_ratio_divide(real, qd_ratio_of_integer(divisor)));
}

bool qd_explain_window(const struct qd_explanation *explanation, const struct qd_step *step,
                       size_t output, int64_t i)
{
    struct qd_terms terms;
    int x = qd_step_find(step, QD_ROLE_DATA);
    bool mean = step->node->op->form == QD_FORM_MEAN;
    if (output > 0 || !qd_explain_terms(explanation, step, i, &terms))
        return false;
    fprintf(explanation->out, "  the %s of %" PRId64 " elements:\n", mean ? "mean" : "largest",
            terms.count);
    struct sum sum = tell_terms(explanation, step, x, &terms);
    if (mean)
        tell_mean(explanation, step, output, x, &sum);
    else if (sum.given > 0)
        fprintf(explanation->out, "  the largest is %.17g\n", sum.largest);
    return true;
}
