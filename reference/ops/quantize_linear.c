/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear
 *
 * Source      ONNX QuantizeLinear-10, -13, -19, -21, -23, -24, -25; ONNX technical page "Float
 *             stored in 8 bits".
 * Inputs      x f32|s32 (19: f16, bf16); y_scale f32 (19: x's type; 23: any of x's types; 24:
 *             f8e8m0), scalar, [1], [D_axis] or blocks; y_zero_point, optional, of y's type and
 *             y_scale's shape.
 * Outputs     y of x's shape; u8 s8 (19: float8; 21: u16 s16 u4 s4; 23: f4e2m1; 25: u2 s2):
 *             y_zero_point's type, else output_dtype (21), else u8.
 * Attributes  axis (13), saturate (19), block_size, output_dtype (21), precision (23).
 * Domain      granularity.h; rules x-type, y_scale-type, y_zero_point-type, output_dtype-mismatch,
 *             output_dtype-value, precision-value. Integer division (s32 as the division type), a
 *             zero point that is not 0 for float outputs and f8e8m0 as division type are
 *             UNSUPPORTED: the specification does not say enough.
 * Arithmetic  D = division type: f32 up to opset 18; the common type of x and y_scale in 19 to 22;
 *             then `precision`, else y_scale's type ("The type of y_scale determines the precision of
 *             the division operation between x and y_scale, unless the precision attribute is
 *             specified"). x and y_scale are first converted to D; so is a number that x's producer has
 *             not rounded, where D is not x's type.
 *             (1) integers: y = saturate(round_half_even(x / y_scale) + y_zero_point); with `precision`
 *                 the quotient is rounded to D first: "The precision of the division operation"
 *             (2) floats:   y = RN_y(x / y_scale), with `precision` of the rounded quotient; overflow
 *                 by `saturate`
 * Edge cases  NaN to an integer: unspecified. ±Inf saturates (to the FNUZ types: unspecified before
 *             opset 24). y_scale = 0, NaN or infinite: unspecified.
 * Latitude    none for the quotient with `precision`. Without: (1) the quotient may be rounded to D,
 *                 or to f32, before it is rounded to an integer: of one x these codes and none between;
 *             (2) it may be rounded to D first; where one of the two is not finite: unspecified;
 *                 after dequantized operands the
 *             orders of a fused kernel, which does not overflow where the float does; of one
 *             dequantized code of float32 those of a code between two scales, and no code between; of a
 *             sum or a mean of 2^k of such of one scale these orders and the sum of floats.
 * Quirks      rounding, zero_point_order, division, range, nan_to_integer, zero_points. */
#include <math.h>

#include "graph/operand_checks.h"
#include "kernel/accumulate.h"
#include "number/float_bits.h"
#include "qdiff/granularity.h"
#include "qdiff/interval.h"
#include "qdiff/output_quantizer.h"
#include "quantize/orders.h"

enum { X, Y_SCALE, Y_ZERO_POINT, INPUTS };

#define BIT QD_TYPE_BIT

struct quantizer {
    const struct qd_evaluation *evaluation;
    const struct qd_value *x;
    const struct qd_tensor *scale, *zero_point; /* zero_point NULL: 0 */
    struct qd_granularity granularity;
    enum qd_dtype division, y;
    bool precise; /* the node asks for the division's type */
    bool saturate;
    int64_t opset;
};

/* One scale and zero point. */
struct parameter {
    int64_t index;
    double scale;                      /* in the division's type */
    double given_scale;                /* in its own */
    bool rough;                        /* no power of two */
    struct qd_output_quantizer output; /* where y is an integer */
};

static struct parameter read_parameter(const struct quantizer *q, int64_t index)
{
    const struct qd_semantics *semantics = q->evaluation->semantics;
    double s = qd_float_round(q->division, QD_NEAREST_EVEN, qd_tensor_value(q->scale, index));
    int64_t z = qd_dtype_is_integer(q->y) ? qd_zero_point(semantics, q->zero_point, index) : 0;
    return (struct parameter){.index = index,
                              .scale = s,
                              .given_scale = qd_tensor_value(q->scale, index),
                              .rough = !qd_scale_is_power_of_two(s),
                              .output = qd_output_quantizer_make(semantics, q->y, z)};
}

static uint32_t x_types(int64_t opset)
{
    return opset < 19 ? BIT(QD_F32) | BIT(QD_S32) : QD_FLOAT_TYPES | BIT(QD_S32);
}

static uint32_t scale_types(int64_t opset)
{
    return opset < 19   ? BIT(QD_F32)
           : opset < 24 ? QD_FLOAT_TYPES | BIT(QD_S32)
                        : QD_FLOAT_TYPES | BIT(QD_S32) | BIT(QD_F8E8M0);
}

static uint32_t y_types(int64_t opset)
{
    uint32_t mask = QD_8BIT_TYPES;
    mask |= opset >= 19 ? QD_FLOAT8_TYPES : 0;
    mask |= opset >= 21 ? BIT(QD_U16) | BIT(QD_S16) | BIT(QD_U4) | BIT(QD_S4) : 0;
    mask |= opset >= 23 ? BIT(QD_F4E2M1) : 0;
    mask |= opset >= 25 ? BIT(QD_U2) | BIT(QD_S2) : 0;
    return mask;
}

static enum qd_status read_output_type(const struct qd_evaluation *evaluation,
                                       const struct qd_node *node, struct quantizer *q)
{
    uint32_t types = y_types(node->opset);
    enum qd_status status = qd_dtype_attribute(evaluation, node, "output_dtype", 21, types, &q->y);
    if (status != QD_OK)
        return status;
    if (!q->zero_point) {
        q->y = q->y == QD_DTYPE_NONE ? QD_U8 : q->y;
        return QD_OK;
    }
    status = qd_operand_type(evaluation, node, "y_zero_point", q->zero_point, types);
    if (status == QD_OK && q->y != QD_DTYPE_NONE && q->y != q->zero_point->dtype)
        return qd_node_rule(evaluation, node, "output_dtype-mismatch",
                            "output_dtype is %s, y_zero_point %s", qd_dtype_info(q->y)->word,
                            qd_dtype_info(q->zero_point->dtype)->word);
    q->y = q->zero_point->dtype;
    return status;
}

static enum qd_status read_division_type(const struct qd_evaluation *evaluation,
                                         const struct qd_node *node, struct quantizer *q)
{
    const uint32_t precisions = QD_FLOAT_TYPES | BIT(QD_S32);
    enum qd_dtype precision;
    enum qd_status status =
        qd_dtype_attribute(evaluation, node, "precision", 23, precisions, &precision);
    if (status == QD_OK && node->opset >= 19 && node->opset < 23)
        status = qd_same_type(evaluation, node, "y_scale", q->scale, &q->x->want);
    if (status != QD_OK)
        return status;
    q->precise = precision != QD_DTYPE_NONE;
    q->division = q->precise ? precision : q->scale->dtype;
    if (!(QD_FLOAT_TYPES & BIT(q->division)))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: division in %s", node->op_type,
                       qd_dtype_info(q->division)->word);
    return QD_OK;
}

static enum qd_status read_saturate(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, struct quantizer *q)
{
    int64_t saturate;
    enum qd_status status = qd_node_int(node, "saturate", 1, &saturate, evaluation->error);
    q->saturate = saturate != 0;
    if (status == QD_OK && qd_dtype_is_float(q->y) && q->zero_point &&
        !qd_parameter_is_zero(q->zero_point))
        return qd_fail(evaluation->error, QD_UNSUPPORTED, "%s: a float zero point that is not 0",
                       node->op_type);
    return status;
}

static enum qd_status read_node(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, struct quantizer *q)
{
    q->evaluation = evaluation;
    q->opset = node->opset;
    q->x = in[X];
    q->scale = &in[Y_SCALE]->want;
    q->zero_point = in[Y_ZERO_POINT] ? &in[Y_ZERO_POINT]->want : NULL;
    enum qd_status status =
        qd_operand_type(evaluation, node, "x", &q->x->want, x_types(node->opset));
    if (status == QD_OK)
        status = qd_operand_type(evaluation, node, "y_scale", q->scale, scale_types(node->opset));
    if (status == QD_OK)
        status = read_output_type(evaluation, node, q);
    if (status == QD_OK)
        status = read_division_type(evaluation, node, q);
    if (status == QD_OK)
        status = read_saturate(evaluation, node, q);
    if (status == QD_OK)
        status = qd_granularity_read(evaluation, node, &q->x->want, q->scale, q->zero_point,
                                     "y_scale", "y_zero_point", &q->granularity);
    if (status == QD_OK)
        status = qd_operands_are_points(evaluation, node, in + 1, INPUTS - 1);
    return status;
}

/* A product that is NaN, of 0 and an infinite reciprocal, is the greatest code. */
static int64_t code_fused(const struct qd_output_quantizer *output, double product)
{
    return isnan(product) ? output->max : qd_output_quantizer_float(output, product);
}

/* The code of x/s when the quotient is first rounded to a type, or x multiplied by a rounded
 * 1/s. */
static int64_t code_rounded(const struct quantizer *q, const struct qd_output_quantizer *output,
                            enum qd_dtype type, double x, double s)
{
    if (q->evaluation->semantics->division == QD_DIVISION_RECIPROCAL) {
        double reciprocal = qd_float_divide(type, QD_NEAREST_EVEN, 1.0, s);
        if (q->evaluation->semantics->zero_point_order == QD_ZERO_POINT_BEFORE_FUSED)
            return code_fused(output, x * reciprocal); /* two float32: exact */
        return qd_output_quantizer_float(output,
                                         qd_float_round(type, QD_NEAREST_EVEN, x * reciprocal));
    }
    if (q->evaluation->semantics->division == QD_DIVISION_F16)
        type = QD_F16;
    struct qd_ratio quotient = qd_ratio_divide(qd_ratio_of_double(x), qd_ratio_of_double(s));
    return qd_output_quantizer_float(output, qd_ratio_to_float(quotient, type, QD_NEAREST_EVEN));
}

static int64_t code_exact(const struct quantizer *q, const struct qd_output_quantizer *output,
                          double x, double s)
{
    enum qd_division division = q->evaluation->semantics->division;
    if (division != QD_DIVISION_DIVIDE && division != QD_DIVISION_WIDE)
        return code_rounded(q, output, q->division, x, s);
    return qd_output_quantizer_exact(output,
                                     qd_ratio_divide(qd_ratio_of_double(x), qd_ratio_of_double(s)));
}

/* Every order rounds the quotient once, to the type of the division or to float32: away from a
 * rounding edge they have one code. Half of the margin is that rounding, the rest more than the
 * machine's own division. */
static bool code_clearly(const struct quantizer *q, double x, double s, int64_t *rounded)
{
    const struct qd_semantics *semantics = q->evaluation->semantics;
    const struct qd_float_format *f = qd_float_format(q->division == QD_F64 ? QD_F32 : q->division);
    double margin = qd_scale(1, -(int)f->fraction_bits);
    return semantics->division == QD_DIVISION_DIVIDE &&
           semantics->zero_point_order == QD_ZERO_POINT_AFTER &&
           qd_rounding_is_nearest(semantics->rounding) &&
           qd_nearest_clearly(x / s, margin, rounded);
}

/* The codes of one finite x, the canonical one first, by the ways to round the quotient. */
enum { QUOTIENTS = 6 };
static size_t codes_of_point(const struct quantizer *q, const struct qd_output_quantizer *output,
                             double x, double s, int64_t *codes)
{
    size_t count = 0;
    if (!q->precise)
        codes[count++] = code_exact(q, output, x, s);
    codes[count++] = code_rounded(q, output, q->division, x, s);
    if (!q->precise && q->division != QD_F32)
        codes[count++] = code_rounded(q, output, QD_F32, x, s);
    return count;
}

/* With QD_DIVISION_WIDE those of x and y_scale as they are, not converted, are right as well. */
static size_t codes_wide(const struct quantizer *q, const struct parameter *p, double given,
                         int64_t *codes)
{
    if (q->evaluation->semantics->division != QD_DIVISION_WIDE || !isfinite(given) ||
        !isfinite(p->given_scale) || p->given_scale == 0)
        return 0;
    return codes_of_point(q, &p->output, given, p->given_scale, codes);
}

static struct qd_code code_of_point(const struct quantizer *q,
                                    const struct qd_output_quantizer *output, double x, double s)
{
    int64_t rounded;
    if (code_clearly(q, x, s, &rounded)) {
        int64_t code = qd_output_quantizer_finish(output, rounded);
        return (struct qd_code){.want = code, .lo = code, .hi = code, .flags = 0};
    }
    int64_t codes[QUOTIENTS];
    size_t count = codes_of_point(q, output, x, s, codes);
    struct qd_code code = {.want = codes[0], .lo = codes[0], .hi = codes[0], .flags = 0};
    for (size_t k = 1; k < count; k++)
        qd_code_include(&code, codes[k]);
    return code;
}

static struct qd_code code_of_special(const struct qd_output_quantizer *output, double x, double s)
{
    int64_t want = qd_output_quantizer_float(output, s < 0 ? -x : x);
    bool unspecified = isnan(x) && output->semantics->nan_to_integer == QD_NAN_UNSPECIFIED;
    return (struct qd_code){
        .want = want, .lo = want, .hi = want, .flags = unspecified ? QD_UNSPECIFIED : 0};
}

static struct qd_code code_of_end(const struct quantizer *q,
                                  const struct qd_output_quantizer *output, double x, double s)
{
    return isfinite(x) ? code_of_point(q, output, x, s) : code_of_special(output, x, s);
}

/* The code of x, an end of what is known of an exact number; if that is not the end itself and x/s
 * a tie, of what lies beside. */
static int64_t code_beside(const struct quantizer *q, const struct qd_output_quantizer *output,
                           double x, double beside, bool not_met, double s)
{
    if (not_met && isfinite(x)) {
        struct qd_ratio real = qd_ratio_divide(qd_ratio_of_double(x), qd_ratio_of_double(s));
        x = qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie ? beside : x;
    }
    return code_of_end(q, output, x, s).want;
}

/* The canonical code of an exact number, converted to the division's type if that is not x's. */
static struct qd_code code_of_exact(const struct quantizer *q,
                                    const struct qd_output_quantizer *output, struct qd_interval x,
                                    double s)
{
    const enum qd_dtype type = q->division;
    if (type != q->x->want.dtype && type != QD_F32)
        x = (struct qd_interval){qd_float_round(type, QD_NEAREST_EVEN, x.lo),
                                 qd_float_round(type, QD_NEAREST_EVEN, x.hi)};
    x = x.lo < x.hi && type != QD_F32 ? qd_interval_open(x) : x; /* rounded ends may be met */
    int64_t least = code_beside(q, output, x.lo, qd_next_up(x.lo), x.lo < x.hi, s);
    int64_t most = code_beside(q, output, x.hi, qd_next_down(x.hi), x.lo < x.hi, s);
    return (struct qd_code){
        .want = least, .lo = least, .hi = least, .flags = least == most ? 0 : QD_NO_CANONICAL};
}

/* The numbers of an interval converted to D, from x's type or without it. D's own numbers and
 * wider types keep them as they are. */
static struct qd_interval in_division(const struct quantizer *q, struct qd_interval x)
{
    const enum qd_direction rne = QD_NEAREST_EVEN;
    enum qd_dtype from = q->x->want.dtype, to = q->division;
    if (to == from || to == QD_F32)
        return x;
    return (struct qd_interval){fmin(qd_float_round(to, rne, x.lo),
                                     qd_float_round(to, rne, qd_float_round(from, rne, x.lo))),
                                fmax(qd_float_round(to, rne, x.hi),
                                     qd_float_round(to, rne, qd_float_round(from, rne, x.hi)))};
}

/* The codes of both ends of an interval of x. */
static struct qd_code code_of_ends(const struct quantizer *q,
                                   const struct qd_output_quantizer *output, struct qd_interval x,
                                   double s)
{
    struct qd_code ends[2] = {code_of_end(q, output, x.lo, s), code_of_end(q, output, x.hi, s)};
    struct qd_code code = ends[0];
    qd_code_include(&code, ends[1].lo);
    qd_code_include(&code, ends[1].hi);
    return code;
}

/* The same of numbers that a fused kernel has: the last of its roundings is that of the
 * quotient. */
static struct qd_code code_of_fused(const struct quantizer *q, const struct parameter *p,
                                    struct qd_interval float_path, struct qd_interval fused)
{
    struct qd_code code = code_of_ends(q, &p->output, float_path, p->scale);
    qd_code_include(&code, code_exact(q, &p->output, fused.lo, p->scale));
    qd_code_include(&code, code_exact(q, &p->output, fused.hi, p->scale));
    return code;
}

/* Whether numbers are divided in float32, and nothing asks for another rounding. */
static bool divides_plainly(const struct quantizer *q, const struct qd_output_quantizer *output)
{
    return q->x->want.dtype == QD_F32 && q->division == QD_F32 && !q->precise &&
           q->evaluation->semantics->division == QD_DIVISION_DIVIDE &&
           qd_output_quantizer_is_monotone(output);
}

/* A code or a sum of codes between two scales has finitely many orders. False where one of them is lost. */
static bool rescale(const struct quantizer *q, int64_t i, const struct parameter *p, double a,
                    double factor, struct qd_code *code)
{
    struct qd_ratio real = qd_ratio_divide(qd_ratio_of_double(qd_value_exact(q->x, i).lo),
                                           qd_ratio_of_double(p->scale));
    struct qd_interval point = {a, a};
    const struct qd_operands operands = {
        .a = qd_enclosure_of((struct qd_arithmetic){.type = QD_F32}, point),
        .s = qd_enclosure_point(factor),
        .y = qd_enclosure_point(p->scale)};
    struct qd_code found = qd_code_of_orders(
        &p->output, real, &(struct qd_orders_of){&qd_orders_rescale, a}, &operands);
    if (found.flags & (QD_EXTREME_SCALE | QD_UNSPECIFIED))
        return false;
    *code = found;
    return true;
}

/* What kernels give for x that is made of codes: of one those orders alone; of a sum of some, or a mean, these if
 * the codes are summed first, and the hull of the floats' sum. False where they are not known. */
static bool code_of_codes(const struct quantizer *q, int64_t i, const struct parameter *p,
                          struct qd_code *code)
{
    double a, factor;
    if (qd_value_is_code(q->x, i, &a, &factor))
        return rescale(q, i, p, a, factor, code);
    struct qd_code scaled;
    if (!qd_value_is_sum(q->x, i, &a, &factor) || !rescale(q, i, p, a, factor, &scaled))
        return false;
    *code = code_of_ends(q, &p->output, qd_interval_of(q->x, i), p->scale);
    code->want = scaled.want;
    qd_code_include(code, scaled.lo);
    qd_code_include(code, scaled.hi);
    return true;
}

/* The hull over an interval of x. `exact` is the code of the exact number. */
static struct qd_code code_of_interval(const struct quantizer *q, int64_t i,
                                       const struct parameter *p, struct qd_interval x,
                                       struct qd_code exact)
{
    const struct qd_output_quantizer *output = &p->output;
    struct qd_code code = code_of_ends(q, output, in_division(q, x), p->scale);
    if (code.lo != code.hi && divides_plainly(q, output)) {
        if (code_of_codes(q, i, p, &code))
            return code;
        code = code_of_fused(q, p, qd_interval_of(q->x, i), x);
    }
    code.want = exact.want;
    code.flags = code.lo == code.hi ? 0 : exact.flags;
    if (exact.flags & QD_NO_CANONICAL) /* an example, from an end that is not met */
        code.want = exact.want < code.lo ? code.lo : exact.want > code.hi ? code.hi : exact.want;
    if (!qd_output_quantizer_is_monotone(output))
        qd_code_include(&code, code.want);
    return code;
}

/* Whether x is one number, and no kernel that computes it together with its terms has another. */
static bool is_point(const struct quantizer *q, int64_t i)
{
    return qd_value_is_point(q->x, i) &&
           (!q->x->fusion.dequantized || isinf(qd_tensor_value(&q->x->want, i)));
}

static struct qd_code quantize_to_integer(const struct quantizer *q, int64_t i,
                                          const struct parameter *p)
{
    double s = p->scale;
    uint8_t flags = qd_value_flags(q->x, i);
    double x = qd_float_round(q->division, QD_NEAREST_EVEN, qd_tensor_value(&q->x->want, i));
    if (flags & QD_UNSPECIFIED || s == 0 || !isfinite(s))
        return (struct qd_code){.want = 0, .lo = 0, .hi = 0, .flags = QD_UNSPECIFIED};
    if (flags & QD_NOT_NUMBER || isnan(x))
        return code_of_special(&p->output, (double)NAN, s);
    struct qd_code code = code_of_end(q, &p->output, x, s);
    int64_t wide[QUOTIENTS];
    size_t count = codes_wide(q, p, qd_tensor_value(&q->x->want, i), wide);
    for (size_t k = 0; k < count; k++)
        qd_code_include(&code, wide[k]);
    if (is_point(q, i))
        return code;
    struct qd_interval hull = qd_interval_fused(q->x, i, p->rough);
    bool finite = isfinite(hull.lo) && isfinite(hull.hi);
    if (hull.lo == hull.hi)
        return code;
    if (isfinite(qd_tensor_value(&q->x->want, i)) && !finite)
        return (struct qd_code){.want = 0, .lo = 0, .hi = 0, .flags = QD_UNSPECIFIED};
    return code_of_interval(q, i, p, hull,
                            code_of_exact(q, &p->output, qd_value_exact(q->x, i), s));
}

/* The value of the output type that a rounded quotient becomes. */
static double on_grid(const struct quantizer *q, double rounded)
{
    return qd_float_decode(q->y, qd_float_encode(q->y, rounded, q->saturate));
}

static enum qd_status store_open(const struct quantizer *q, int64_t i, struct qd_value *y)
{
    return qd_interval_store_flag(y, i, QD_UNSPECIFIED, q->evaluation->arena, q->evaluation->error);
}

/* x/s of finite numbers rounded once, or to D first; `in_division` is what D has. */
struct quotient {
    double in_division, once, twice;
};

static struct quotient divide(const struct quantizer *q, double x, double s)
{
    struct qd_ratio real = qd_ratio_divide(qd_ratio_of_double(x), qd_ratio_of_double(s));
    double in_division = qd_float_divide(q->division, QD_NEAREST_EVEN, x, s);
    return (struct quotient){.in_division = in_division,
                             .once = on_grid(q, qd_ratio_to_float(real, q->y, QD_NEAREST_EVEN)),
                             .twice =
                                 on_grid(q, qd_float_round(q->y, QD_NEAREST_EVEN, in_division))};
}

static struct qd_interval quotient_hull(const struct quantizer *q, const struct quotient *quotient)
{
    double want = q->precise ? quotient->twice : quotient->once;
    return (struct qd_interval){fmin(want, quotient->twice), fmax(want, quotient->twice)};
}

/* Equation (2): the exact quotient rounded once, or rounded to D first, as `precision` asks for. */
static enum qd_status quantize_to_float(const struct quantizer *q, int64_t i,
                                        const struct parameter *p, struct qd_value *y)
{
    double s = p->scale, given = qd_tensor_value(&q->x->want, i);
    double x = qd_float_round(q->division, QD_NEAREST_EVEN, given), special = s < 0 ? -x : x;
    if (s == 0 || !isfinite(s) || (isnan(x) && q->y == QD_F4E2M1))
        return store_open(q, i, y);
    struct quotient quotient = {special, on_grid(q, special), on_grid(q, special)};
    if (isfinite(x))
        quotient = divide(q, x, s);
    double want = q->precise ? quotient.twice : quotient.once;
    if ((isinf(quotient.in_division) && qd_float8_infinity_is_open(q->y, q->saturate, q->opset)) ||
        isfinite(want) != isfinite(quotient.twice))
        return store_open(q, i, y);
    if (isnan(want))
        return qd_interval_store_flag(y, i, QD_NOT_NUMBER, q->evaluation->arena,
                                      q->evaluation->error);
    struct qd_interval hull = quotient_hull(q, &quotient);
    if (q->evaluation->semantics->division == QD_DIVISION_WIDE && isfinite(given)) {
        struct quotient wide = divide(q, given, p->given_scale);
        hull = qd_interval_join(hull, quotient_hull(q, &wide));
    }
    return qd_interval_store(y, i, hull, qd_interval_point(want), q->evaluation->arena,
                             q->evaluation->error);
}

/* Of one x only the codes that a rounding of the quotient gives. */
static enum qd_status limit(const struct quantizer *q, int64_t i, const struct parameter *p,
                            struct qd_value *y)
{
    double x = qd_float_round(q->division, QD_NEAREST_EVEN, qd_tensor_value(&q->x->want, i));
    int64_t codes[QUOTIENTS];
    double points[QUOTIENTS];
    size_t count = codes_of_point(q, &p->output, x, p->scale, codes);
    count += codes_wide(q, p, qd_tensor_value(&q->x->want, i), &codes[count]);
    for (size_t k = 0; k < count; k++)
        points[k] = (double)codes[k];
    return qd_value_limit(y, i, points, count, q->evaluation->arena, q->evaluation->error);
}

static enum qd_status store_integer(const struct quantizer *q, int64_t i, const struct parameter *p,
                                    struct qd_value *y)
{
    double s = p->scale;
    struct qd_arena *arena = q->evaluation->arena;
    struct qd_error *error = q->evaluation->error;
    struct qd_code code = quantize_to_integer(q, i, p);
    enum qd_status status = qd_value_set_code(y, i, code, arena, error);
    if (status == QD_OK && code.hi > code.lo + 1 && is_point(q, i))
        status = limit(q, i, p, y);
    if (status != QD_OK || !q->evaluation->keep_reals || !isfinite(s) || s == 0)
        return status;
    struct qd_interval x = qd_value_exact(q->x, i);
    if (q->division != QD_F32 && q->division != q->x->want.dtype)
        x.lo = x.hi = qd_float_round(q->division, QD_NEAREST_EVEN, x.lo);
    if (!isfinite(x.lo) || !isfinite(x.hi))
        return status;
    struct qd_ratio real = qd_ratio_divide(qd_ratio_of_double(x.lo), qd_ratio_of_double(s));
    double rounded = qd_ratio_to_float(real, q->division, QD_NEAREST_EVEN);
    if (q->precise && isfinite(rounded))
        real = qd_ratio_of_double(rounded);
    bool tie = x.lo == x.hi && qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie;
    return qd_value_set_real(y, i, qd_ratio_to_float(real, QD_F64, QD_NEAREST_EVEN), tie, arena,
                             error);
}

static enum qd_status quantize(const struct quantizer *q, struct qd_value *y)
{
    enum qd_status status = QD_OK;
    bool integer = qd_dtype_is_integer(q->y);
    struct parameter p = {0};
    int64_t count = qd_sample_elements(q->evaluation, y, &status);
    for (int64_t i = 0; status == QD_OK && i < count; i++) {
        int64_t index = qd_granularity_index(&q->granularity, i);
        if (i == 0 || index != p.index)
            p = read_parameter(q, index);
        status = integer ? store_integer(q, i, &p, y) : quantize_to_float(q, i, &p, y);
    }
    return status;
}

static enum qd_status evaluate(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out)
{
    struct quantizer q = {0};
    struct qd_value y;
    enum qd_status status = read_node(evaluation, node, in, &q);
    if (status == QD_OK && qd_dtype_is_float(q.y))
        status = qd_operands_are_points(evaluation, node, in, 1);
    if (status == QD_OK)
        status = qd_value_init(&y, evaluation->arena, q.y, q.x->want.rank, q.x->want.dims,
                               evaluation->error);
    if (status == QD_OK)
        status = quantize(&q, &y);
    if (status == QD_OK)
        out[0] = y;
    return status;
}

const struct qd_op qd_op_quantize_linear = {
    .domain = "",
    .name = "QuantizeLinear",
    .since = 10,
    .min_inputs = 2,
    .max_inputs = 3,
    .outputs = 1,
    .form = QD_FORM_QUANTIZES,
    .operands = "x,y_scale,y_zero_point",
    .clause =
        "25: y = saturate((x / y_scale) + y_zero_point). ... For (x / y_scale), it rounds to "
        "the nearest even. ... The type of y_scale determines the precision of the division "
        "... unless the precision attribute is specified."
        "\n21<23: The quantization formula is y = saturate((x / y_scale) + y_zero_point). ... "
        "For (x / y_scale), it rounds to the nearest even."
        "\n19<21: The quantization formula is y = saturate ((x / y_scale) + y_zero_point). "
        "... For (x / y_scale), it's rounding to the nearest even.",
    .attributes = "axis:13-,saturate:19-,block_size:21-,output_dtype:21-,precision:23-",
    .flags = "saturate",
    .rules = "x-type,y_scale-type,y_zero_point-type,y_scale-shape,y_zero_point-shape,"
             "axis-range,block_size-negative,block_size-range,output_dtype-mismatch,"
             "output_dtype-value,precision-value",
    .evaluate = evaluate,
};
