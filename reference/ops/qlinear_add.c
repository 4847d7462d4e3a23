/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearAdd (com.microsoft)
 *
 * Source      ONNX Runtime ContribOperators, com.microsoft.QLinearAdd-1.
 * Inputs      A u8|s8; A_scale f32 [], A_zero_point like A [] (optional: 0); B like A; B_scale,
 *             B_zero_point likewise; C_scale f32 [], C_zero_point like A [] (optional: 0).
 * Outputs     C like A, of the shape that A and B broadcast to.
 * Domain      rules a-type, a_scale-type, a_scale-shape, a_zero_point-…, those of b and c alike,
 *             broadcast. A vector of one
 *             element is no scalar: the operator's own type inference says so.
 * Arithmetic  C = saturate(round_half_even(((A − A_zero_point)·A_scale + (B −
 *             B_zero_point)·B_scale)/C_scale) + C_zero_point)
 * Edge cases  a scale that is NaN or infinite, C_scale = 0: unspecified.
 * Latitude    float32: both dequantized, added, divided by C_scale; or both codes times
 *             A_scale/C_scale and B_scale/C_scale, added (with or without FMA).
 * Quirks      rounding, zero_point_order, range, zero_points. With zero_point_order = before-f32,
 *             which adds C_zero_point first, a kernel may fold all zero points into one addend too:
 *               A·r + B·t + (C_zero_point − (r·A_zero_point + t·B_zero_point)),
 *             r = A_scale/C_scale, t = B_scale/C_scale, added in any order (with or without
 *             FMA). */
#include <math.h>

#include "quantize/qlinear.h"

static const struct qd_arithmetic f32 = {.type = QD_F32};

static struct qd_enclosure multiply(struct qd_enclosure a, struct qd_enclosure b)
{
    return qd_enclosure_multiply(f32, QD_INTERMEDIATE, a, b);
}

static struct qd_enclosure plus(struct qd_enclosure a, struct qd_enclosure b)
{
    return qd_enclosure_add(f32, a, b);
}

/* Takes the sums of raw codes and folded zero points into the hull, all of which is admissible then. */
static void include_folded(const struct qd_qlinear_binary *binary, const struct qd_operands *o,
                           struct qd_code *code)
{
    const struct qd_semantics *semantics = binary->quantizer.semantics;
    double za = (double)binary->a.zero_point, zb = (double)binary->b.zero_point,
           z = (double)binary->quantizer.zero_point;
    if (semantics->zero_point_order != QD_ZERO_POINT_BEFORE_F32 ||
        semantics->zero_points != QD_ZP_AS_GIVEN)
        return;
    struct qd_enclosure r = qd_enclosure_divide(f32, QD_INTERMEDIATE, o->s, o->y),
                        t = qd_enclosure_divide(f32, QD_INTERMEDIATE, o->t, o->y);
    struct qd_enclosure ra = multiply(qd_enclosure_point(o->a.lo + za), r),
                        tb = multiply(qd_enclosure_point(o->b.lo + zb), t);
    struct qd_enclosure zeros =
        plus(multiply(qd_enclosure_point(-za), r), multiply(qd_enclosure_point(-zb), t));
    struct qd_enclosure folded = plus(qd_enclosure_point(z), zeros);
    code->point_count = 0;
    const struct qd_enclosure sums[] = {
        plus(plus(folded, ra), tb),
        plus(plus(folded, tb), ra),
        plus(plus(ra, tb), folded),
    };
    if (qd_code_include_results(code, &binary->quantizer, qd_output_quantizer_sum, sums,
                                sizeof sums / sizeof *sums))
        code->flags &= (uint8_t)~QD_UNSPECIFIED;
}

/* Whether a sum may be so much smaller than its terms that three roundings of these, one of the sum
 * and one more are not below a 2^−19th of it. */
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
        qd_output_quantizer_settles(&binary->quantizer, *real, &code))
        return code;
    const struct qd_operands operands = {.a = qd_enclosure_point(a),
                                         .b = qd_enclosure_point(b),
                                         .s = qd_enclosure_point(a_scale),
                                         .t = qd_enclosure_point(b_scale),
                                         .y = qd_enclosure_point(c_scale)};
    code = qd_code_of_orders(&binary->quantizer, *real, &(struct qd_orders_of){&qd_orders_add, a},
                             &operands);
    include_folded(binary, &operands, &code);
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
    .clause = "1: C = (A_scale * (A - A_zero_point) + B_scale * (B - B_zero_point))/C_scale + "
              "C_zero_point",
    .attributes = "",
    .rules = "a-type,b-type,a_scale-type,b_scale-type,c_scale-type,a_zero_point-type,"
             "b_zero_point-type,c_zero_point-type,a_scale-shape,b_scale-shape,c_scale-shape,"
             "a_zero_point-shape,b_zero_point-shape,c_zero_point-shape,broadcast",
    .evaluate = evaluate,
};
