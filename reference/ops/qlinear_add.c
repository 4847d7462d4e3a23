/* QLinearAdd (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearAdd-1.
 * Inputs      A u8|s8; A_scale f32 [], A_zero_point like A [] (optional: 0); B like A; B_scale, B_zero_point likewise; C_scale f32
 *             [], C_zero_point like A [] (optional: 0).
 * Outputs     C like A, of the shape that A and B broadcast to.
 * Domain      rules a-type, a_scale-type, a_scale-shape, a_zero_point-…, those of b and c alike, broadcast. A vector of one
 *             element is no scalar: the operator's own type inference says so.
 * Arithmetic  C = saturate(round_half_even(((A − A_zero_point)·A_scale + (B − B_zero_point)·B_scale)/C_scale) + C_zero_point)
 * Edge cases  a scale that is NaN or infinite, C_scale = 0: unspecified.
 * Latitude    float32: both dequantized, added, divided by C_scale; or both codes times A_scale/C_scale and B_scale/C_scale, added
 *             (with or without FMA).
 * Quirks      rounding, zero_point_order, range, zero_points. With zero_point_order = before-f32, which adds C_zero_point first, a
 *             kernel may fold all zero points into one addend too: A·r + B·t + (C_zero_point − (r·A_zero_point + t·B_zero_point)),
 *             r = A_scale/C_scale, t = B_scale/C_scale, added in any order (with or without FMA). */
#include <math.h>

#include "qdiff/qlinear.h"

/* Takes the sums of raw codes and folded zero points into the hull. */
static void widen_folded(const struct qd_qlinear_binary *binary, int16_t a, int16_t b,
                         struct qd_order r, struct qd_order t, struct qd_code *code)
{
    const struct qd_semantics *semantics = binary->coder.semantics;
    double za = (double)binary->a.zero_point, zb = (double)binary->b.zero_point;
    if (semantics->zero_point_order != QD_ZERO_POINT_BEFORE_F32 ||
        semantics->zero_points != QD_ZP_AS_GIVEN)
        return;
    struct qd_order folded = qd_order_add(qd_order_multiply(qd_order_point(-za), r),
                                          qd_order_multiply(qd_order_point(-zb), t)),
                    ra = qd_order_multiply(qd_order_point(a + za), r),
                    tb = qd_order_multiply(qd_order_point(b + zb), t);
    folded = qd_order_add(qd_order_point((double)binary->coder.zero_point), folded);
    const struct qd_order sums[] = {
        qd_order_add(qd_order_add(folded, ra), tb),
        qd_order_add(qd_order_add(folded, tb), ra),
        qd_order_add(qd_order_add(ra, tb), folded),
    };
    bool some = (code->flags & QD_UNSPECIFIED) == 0;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        qd_order_widen_sum(&binary->coder, sums[i], code, &some);
    code->flags &= (uint8_t)(some ? ~QD_UNSPECIFIED : ~0);
}

/* Whether a sum may be so much smaller than its terms that three roundings of these, one of the sum and one more are not below a
 * 2^−19th of it. */
static bool cancels(double a, double b)
{
    return fabs(a) + fabs(b) > 2 * fabs(a + b);
}

static struct qd_code add(const struct qd_qlinear_binary *binary, int16_t a, int16_t b,
                          struct qd_ratio *real)
{
    double a_scale = binary->a.scale, b_scale = binary->b.scale, c_scale = binary->c.scale;
    struct qd_code code;
    struct qd_ratio exact =
        qd_ratio_add(qd_ratio_multiply(qd_ratio_of_integer(a), qd_ratio_of_double(a_scale)),
                     qd_ratio_multiply(qd_ratio_of_integer(b), qd_ratio_of_double(b_scale)));
    *real = qd_ratio_divide(exact, qd_ratio_of_double(c_scale));
    if (qd_scale_is_moderate(a_scale) && qd_scale_is_moderate(b_scale) &&
        qd_scale_is_moderate(c_scale) && !cancels(a * a_scale, b * b_scale) &&
        qd_coder_settles(&binary->coder, *real, &code))
        return code;
    struct qd_order qa = qd_order_point(a), qb = qd_order_point(b), sa = qd_order_point(a_scale),
                    sb = qd_order_point(b_scale);
    struct qd_order sum = qd_order_add(qd_order_multiply(qa, sa), qd_order_multiply(qb, sb));
    struct qd_order r = qd_order_divide(sa, c_scale), t = qd_order_divide(sb, c_scale);
    struct qd_order orders[] = {
        qd_order_last_divide(sum, c_scale),
        qd_order_add(qd_order_multiply(qa, r), qd_order_multiply(qb, t)),
    };
    code = qd_order_code(&binary->coder, *real, orders, sizeof orders / sizeof *orders);
    widen_folded(binary, a, b, r, t, &code);
    return code;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    return qd_qlinear_binary(evaluation, node, in, add, out);
}

const struct qd_op qd_op_qlinear_add = {
    .domain = "com.microsoft",
    .name = "QLinearAdd",
    .since = 1,
    .min_inputs = 7,
    .max_inputs = 8,
    .outputs = 1,
    .optional = 1 << 2 | 1 << 5,
    .form = QD_FORM_ADDS,
    .operands = "A,A_scale,A_zero_point,B:weight,B_scale,B_zero_point,C_scale,C_zero_point",
    .attributes = "",
    .rules = "a-type,b-type,a_scale-type,b_scale-type,c_scale-type,a_zero_point-type,"
             "b_zero_point-type,c_zero_point-type,a_scale-shape,b_scale-shape,c_scale-shape,"
             "a_zero_point-shape,b_zero_point-shape,c_zero_point-shape,broadcast",
    .evaluate = evaluate,
};
