#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "describe.h"
#include "qdiff/output_quantizer.h"
#include "story.h"

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
        if (*x >> 126 != 0) {
            return false;
        }
        *x <<= 1;
    }
    return true;
}

const char *qd_story_ratio(const struct qd_story *story, struct qd_ratio ratio)
{
    char top[DIGITS + 1], bottom[DIGITS + 1], number[40];
    qd_u128 num = ratio.num, den = ratio.den, divisor;
    const char *sign = ratio.negative ? "-" : "";
    const char *text;

    qd_describe_number(QD_F64, qd_ratio_to_float(ratio, QD_F64, QD_NEAREST_EVEN), number,
                       sizeof number);
    while (ratio.exponent < 0 && (num & 1) == 0 && num != 0) {
        num >>= 1;
        ratio.exponent++;
    }
    if (!shift_up(&num, ratio.exponent) || !shift_up(&den, -ratio.exponent)) {
        text = qd_arena_printf(story->arena, "about %s", number);
        return text != NULL ? text : "";
    }
    divisor = greatest_divisor(num, den);
    if (divisor == 0) {
        return "0";
    }
    if (den == divisor) {
        text = qd_arena_printf(story->arena, "%s%s", sign, decimal(num / divisor, top));
    } else {
        text = qd_arena_printf(story->arena, "%s%s/%s = %s", sign, decimal(num / divisor, top),
                               decimal(den / divisor, bottom), number);
    }
    return text != NULL ? text : "";
}

double qd_story_operand(const struct qd_value *operand, int64_t i, double otherwise)
{
    if (operand == NULL || operand->want.count == 0) {
        return otherwise;
    }
    return qd_tensor_value(&operand->want, operand->want.count == 1 ? 0 : i);
}

/* --- Orders of evaluation ------------------------------------------------------------------------ */

/* reference/README.md, "Admissible sets": the orders of one requantized product, in float32, every step rounded to nearest. */
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

static void tell_orders(const struct qd_story *story, const struct qd_story_product *p,
                        const struct qd_output_quantizer *quantizer)
{
    fprintf(story->out, "  permitted orders in float32 (s1 = %s, s2 = %s):\n", p->s1_name,
            p->s2_name);
    for (int i = 0; i < (int)(sizeof order_texts / sizeof *order_texts); i++) {
        double real = order(i, (float)p->acc, (float)p->s1, (float)p->s2, (float)p->sy);

        if (!isfinite(real)) {
            fprintf(story->out, "    %-26s overflows\n", order_texts[i]);
            continue;
        }
        fprintf(story->out, "    %-26s = %-14.9g code %" PRId64 "\n", order_texts[i], real,
                qd_output_quantizer_float(quantizer, real));
    }
}

static bool is_positive(double scale)
{
    return isfinite(scale) && scale > 0;
}

void qd_story_tell_requantize(const struct qd_story *story, const struct qd_story_product *p)
{
    struct qd_semantics defaults = {0};
    struct qd_output_quantizer quantizer =
        qd_output_quantizer_make(&defaults, p->dtype, p->zero_point);
    struct qd_ratio real;
    int64_t rounded;

    fprintf(story->out, "  real = acc * %s * %s / y_scale = %" PRId64 " * %.9g * %.9g / %.9g\n",
            p->s1_name, p->s2_name, p->acc, p->s1, p->s2, p->sy);
    if (!is_positive(p->s1) || !is_positive(p->s2) || !is_positive(p->sy)) {
        return;
    }
    real = qd_ratio_divide(
        qd_ratio_multiply(qd_ratio_multiply(qd_ratio_of_integer(p->acc), qd_ratio_of_double(p->s1)),
                          qd_ratio_of_double(p->s2)),
        qd_ratio_of_double(p->sy));
    rounded = qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).value;
    fprintf(story->out, "       = %s%s\n", qd_story_ratio(story, real),
            qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie
                ? ", exactly half-way between two codes"
                : "");
    fprintf(story->out,
            "  round half to even %" PRId64 ", plus y_zero_point %" PRId64 " = %" PRId64
            ", saturated to %s: %" PRId64 "\n",
            rounded, p->zero_point, rounded + p->zero_point, qd_dtype_info(p->dtype)->word,
            qd_output_quantizer_finish(&quantizer, rounded));
    tell_orders(story, p, &quantizer);
}
