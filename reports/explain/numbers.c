/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers as text, and what they become as codes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "qdiff/output_quantizer.h"
#include "text/describe.h"

enum { DIGITS = 40 };

/* Decimal digits of a 128-bit number. */
static const char *decimal(qd_u128 x, char text[DIGITS + 1])
{
    char *at = text + DIGITS;

    *at = '\0';
    do {
        *--at = (char)('0' + (int)(x % 10));
        x /= 10;
    } while (x != 0);
    return at;
}

static qd_u128 greatest_divisor(qd_u128 a, qd_u128 b)
{
    while (b != 0) {
        qd_u128 rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Multiplies by 2^shift; false if that does not fit. */
static bool shift_up(qd_u128 *x, int shift)
{
    for (; shift > 0; shift--) {
        if (*x >> 126 != 0)
            return false;
        *x <<= 1;
    }
    return true;
}

const char *qd_explain_ratio(const struct qd_explanation *explanation, struct qd_ratio ratio)
{
    char top[DIGITS + 1], bottom[DIGITS + 1], number[40];
    qd_u128 num = ratio.num, den = ratio.den, divisor;
    const char *sign = ratio.negative ? "-" : "";

    qd_describe_number(QD_F64, qd_ratio_to_float(ratio, QD_F64, QD_NEAREST_EVEN), number,
                       sizeof number);
    while (ratio.exponent < 0 && (num & 1) == 0 && num != 0) {
        num >>= 1;
        ratio.exponent++;
    }
    const char *text;
    if (!shift_up(&num, ratio.exponent) || !shift_up(&den, -ratio.exponent)) {
        text = qd_arena_printf(explanation->arena, "about %s", number);
        return text ? text : "";
    }
    divisor = greatest_divisor(num, den);
    if (divisor == 0)
        return "0";
    if (den == divisor) {
        text = qd_arena_printf(explanation->arena, "%s%s", sign, decimal(num / divisor, top));
    } else {
        text = qd_arena_printf(explanation->arena, "%s%s/%s = %s", sign,
                               decimal(num / divisor, top), decimal(den / divisor, bottom), number);
    }
    return text ? text : "";
}

/* --- Orders of evaluation ------------------------------------------------------------------------ */

/* reference/README.md, "Admissible sets": the orders of one requantized
 * product, in float32, every step rounded to nearest. */
static float order(int number, float acc, float s1, float s2, float sy)
{
    float ratio1 = s1 / sy, ratio2 = s2 / sy, both = s1 * s2;

    switch (number) {
    case 0: return acc * (both / sy);
    case 1: return acc * (s1 * ratio2);
    case 2: return acc * (s2 * ratio1);
    case 3: return (acc * s1) * s2 / sy;
    case 4: return (acc * s2) * s1 / sy;
    default: return (acc * both) / sy;
    }
}

static const char *const order_texts[] = {
    "acc * ((s1 * s2) / s_y)", "acc * (s1 * (s2 / s_y))", "acc * (s2 * (s1 / s_y))",
    "((acc * s1) * s2) / s_y", "((acc * s2) * s1) / s_y", "(acc * (s1 * s2)) / s_y",
};

static void tell_orders(const struct qd_explanation *explanation,
                        const struct qd_explain_product *p, const struct qd_explain_coder *coder)
{
    fprintf(explanation->out,
            "  permitted orders, here in float32; each operation may be in double (s1 = %s, s2 = "
            "%s):\n",
            p->s1_name, p->s2_name);
    for (int i = 0; i < (int)(sizeof order_texts / sizeof *order_texts); i++) {
        double real = order(i, (float)p->acc, (float)p->s1, (float)p->s2, (float)coder->scale);
        if (!isfinite(real))
            fprintf(explanation->out, "    %-26s overflows\n", order_texts[i]);
        else
            fprintf(explanation->out, "    %-26s = %-14.9g code %" PRId64 "\n", order_texts[i],
                    real, qd_output_quantizer_float(&coder->coder, real));
    }
}

/* --- Codes ---------------------------------------------------------------------------------------- */

bool qd_explain_is_scale(double scale)
{
    return isfinite(scale) && scale > 0;
}

bool qd_explain_coder_of(const struct qd_explanation *explanation, const struct qd_step *step,
                         size_t output, struct qd_explain_coder *made)
{
    static const struct qd_semantics defaults;
    int scale = qd_step_parameter_number(step, QD_OPERAND_OUTPUT, QD_ROLE_SCALE);
    int zero = qd_step_parameter_number(step, QD_OPERAND_OUTPUT, QD_ROLE_ZERO_POINT);
    enum qd_dtype dtype = step->out[output].want.dtype;
    if (!qd_step_operand(step, scale) || !qd_dtype_is_integer(dtype))
        return false;
    int64_t zero_point = (int64_t)qd_explain_number(qd_step_operand(step, zero), 0, 0);
    *made = (struct qd_explain_coder){qd_explain_number(qd_step_operand(step, scale), 0, 1),
                                      qd_step_name(explanation, step, scale),
                                      qd_step_name(explanation, step, zero),
                                      qd_output_quantizer_make(&defaults, dtype, zero_point)};
    return true;
}

void qd_explain_code(const struct qd_explanation *explanation, const struct qd_explain_coder *coder,
                     struct qd_ratio real)
{
    struct qd_rounded rounded = qd_ratio_round(real, QD_ROUND_HALF_EVEN, false);
    int64_t zero_point = coder->coder.zero_point;
    fprintf(explanation->out, "       = %s%s\n", qd_explain_ratio(explanation, real),
            rounded.tie ? ", exactly half-way between two codes" : "");
    fprintf(explanation->out,
            "  round half to even %" PRId64 ", plus %s %" PRId64 " = %" PRId64
            ", saturated to %s: %" PRId64 "\n",
            rounded.value, coder->zero_point_name, zero_point, rounded.value + zero_point,
            qd_dtype_info(coder->coder.dtype)->word,
            qd_output_quantizer_finish(&coder->coder, rounded.value));
}

void qd_explain_requantize(const struct qd_explanation *explanation,
                           const struct qd_explain_product *p, const struct qd_explain_coder *coder)
{
    fprintf(explanation->out, "  real = acc * %s * %s%s / %s = %" PRId64 " * %.9g * %.9g",
            p->s1_name, p->s2_name, p->s3 != 1 ? " * alpha" : "", coder->scale_name, p->acc, p->s1,
            p->s2);
    if (p->s3 != 1)
        fprintf(explanation->out, " * %.9g", p->s3);
    fprintf(explanation->out, " / %.9g\n", coder->scale);
    if (!qd_explain_is_scale(p->s1) || !qd_explain_is_scale(p->s2) ||
        !qd_explain_is_scale(coder->scale) || !isfinite(p->s3))
        return;
    struct qd_ratio real =
        qd_ratio_multiply(qd_ratio_of_integer(p->acc), qd_ratio_of_double(p->s1));
    real = qd_ratio_multiply(real, qd_ratio_of_double(p->s2));
    if (p->s3 != 1)
        real = qd_ratio_multiply(real, qd_ratio_of_double(p->s3));
    qd_explain_code(explanation, coder, qd_ratio_divide(real, qd_ratio_of_double(coder->scale)));
    if (p->s3 == 1)
        tell_orders(explanation, p, coder);
}
