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
 * Quirks      rounding, zero_point_order, range, zero_points. */
#include "qdiff/qlinear.h"

static struct qd_code add(const struct qd_qlinear_binary *binary, int16_t a, int16_t b,
                          struct qd_ratio *real)
{
    double a_scale = binary->a.scale, b_scale = binary->b.scale, c_scale = binary->c.scale;
    struct qd_order qa = qd_order_point(a), qb = qd_order_point(b), sa = qd_order_point(a_scale),
                    sb = qd_order_point(b_scale);
    struct qd_order sum = qd_order_add(qd_order_multiply(qa, sa), qd_order_multiply(qb, sb));
    struct qd_order orders[] = {
        qd_order_last_divide(sum, c_scale),
        qd_order_add(qd_order_multiply(qa, qd_order_divide(sa, c_scale)),
                     qd_order_multiply(qb, qd_order_divide(sb, c_scale))),
    };
    struct qd_ratio exact =
        qd_ratio_add(qd_ratio_multiply(qd_ratio_of_integer(a), qd_ratio_of_double(a_scale)),
                     qd_ratio_multiply(qd_ratio_of_integer(b), qd_ratio_of_double(b_scale)));
    *real = qd_ratio_divide(exact, qd_ratio_of_double(c_scale));
    return qd_order_code(&binary->coder, *real, orders, sizeof orders / sizeof *orders);
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
    .operands = "A,A_scale,A_zero_point,B,B_scale,B_zero_point,C_scale,C_zero_point",
    .evaluate = evaluate,
};
