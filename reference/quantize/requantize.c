/* SPDX-License-Identifier: Apache-2.0 */
#include "quantize/requantize.h"

#include "qdiff/fixed_point.h"

#include <math.h>
#include <stdlib.h>

static int bits(uint64_t x)
{
    return 64 - __builtin_clzll(x);
}

/* Of a tame factor, whose numerator has at most 48 bits. */
static void form_multiplier(struct qd_requantizer *r)
{
    int up = 62 - bits((uint64_t)r->factor.num) + bits(r->factor.den);
    r->multiplier = (uint64_t)((r->factor.num << up) / r->factor.den);
    r->shift = up - r->factor.exponent;
}

/* qd_ratio_round by one multiplication, where that decides. The product is |acc|·factor·2^shift
 * less than |acc| units too small; a number farther from the half-integers than that and a 2^−18th
 * of itself rounds alike and is not near. */
static bool round_quickly(const struct qd_requantizer *r, int64_t acc, struct qd_rounded *rounded)
{
    enum qd_rounding rounding = r->quantizer.semantics->rounding;
    uint64_t magnitude = (uint64_t)llabs(acc);
    if (!qd_rounding_is_nearest(rounding) || r->multiplier == 0 || magnitude > UINT32_MAX)
        return false;
    qd_u128 product = (qd_u128)magnitude * r->multiplier, one = (qd_u128)1 << r->shift;
    qd_u128 fraction = product & (one - 1), half = one >> 1;
    qd_u128 distance = fraction > half ? fraction - half : half - fraction;
    qd_u128 whole = product >> r->shift;
    if (distance <= (product >> 18) + magnitude || whole >= (qd_u128)QD_ROUND_LIMIT)
        return false;
    int64_t value = (int64_t)whole + (fraction > half ? 1 : 0);
    *rounded = (struct qd_rounded){(acc < 0) != r->factor.negative ? -value : value, false, false};
    return true;
}

/* QD_ONE_SCALE: fl(fl(s1·s2)/sy) stands for the scales of float32, where it is a normal number. */
static void combine_scales(double *s1, double *s2, double *sy)
{
    float product = (float)*s1 * (float)*s2, combined = product / (float)*sy;
    if (!isnormal(combined))
        return;
    *s1 = (double)combined;
    *s2 = *sy = 1;
}

struct qd_requantizer qd_requantizer_make(struct qd_output_quantizer quantizer, enum qd_dtype type,
                                          double s1, double s2, double sy)
{
    if (quantizer.semantics->requantize == QD_ONE_SCALE && type == QD_F32)
        combine_scales(&s1, &s2, &sy);
    struct qd_requantizer r = {.quantizer = quantizer, .type = type, .s1 = s1, .s2 = s2, .sy = sy};
    r.undefined = !isfinite(s1) || !isfinite(s2) || !isfinite(sy) || sy == 0;
    if (r.undefined)
        return r;
    r.factor = qd_ratio_divide(qd_ratio_multiply(qd_ratio_of_double(s1), qd_ratio_of_double(s2)),
                               qd_ratio_of_double(sy));
    r.tame = type == QD_F32 && qd_scale_is_moderate(s1) && qd_scale_is_moderate(s2) &&
             qd_scale_is_moderate(sy);
    if (r.tame)
        form_multiplier(&r);
    r.magnitudes = (struct qd_operands){.s = qd_enclosure_point(fabs(s1)),
                                        .t = qd_enclosure_point(fabs(s2)),
                                        .y = qd_enclosure_point(fabs(sy))};
    qd_orders_form((struct qd_arithmetic){.type = QD_F32}, &r.magnitudes, r.in_f32);
    if (type != QD_F32)
        qd_orders_form((struct qd_arithmetic){.type = type}, &r.magnitudes, r.in_type);
    return r;
}

static void give_sign(const struct qd_requantizer *r, int64_t acc, struct qd_enclosure *results,
                      size_t count)
{
    if ((acc < 0) != r->factor.negative)
        for (size_t i = 0; i < count; i++)
            results[i] = qd_enclosure_negate(results[i]);
}

/* What the lost ones of `results` are with the infinities and subnormals of IEEE 754. */
static void drop_lost(const struct qd_requantizer *r, enum qd_dtype type, int64_t acc,
                      const struct qd_enclosure *results, struct qd_code *code)
{
    struct qd_arithmetic how = {.type = type, .nearest = true, .all = true};
    struct qd_enclosure factors[QD_FACTORS], given[QD_MOST_RESULTS];
    qd_orders_form(how, &r->magnitudes, factors);
    size_t count = qd_orders_requantize(how, qd_enclosure_integer(how, llabs(acc)), &r->magnitudes,
                                        factors, given);
    give_sign(r, acc, given, count);
    qd_code_drop_lost(code, &r->quantizer, results, given, count);
}

static bool hull_in(const struct qd_requantizer *r, enum qd_dtype type,
                    const struct qd_enclosure factors[QD_FACTORS], int64_t acc,
                    struct qd_code *code)
{
    struct qd_arithmetic how = {.type = type};
    struct qd_enclosure results[QD_MOST_RESULTS];
    size_t count = qd_orders_requantize(how, qd_enclosure_integer(how, llabs(acc)), &r->magnitudes,
                                        factors, results);
    give_sign(r, acc, results, count);
    bool some =
        qd_code_include_results(code, &r->quantizer, qd_output_quantizer_float, results, count);
    if (code->flags & QD_EXTREME_SCALE && r->type == QD_F32)
        drop_lost(r, type, acc, results, code);
    return some;
}

static struct qd_operands signed_scales(const struct qd_requantizer *r)
{
    return (struct qd_operands){.s = qd_enclosure_point(r->s1),
                                .t = qd_enclosure_point(r->s2),
                                .y = qd_enclosure_point(r->sy)};
}

/* Whether all orders in double, of at most four roundings of 2^-53 each, give the canonical
 * code. */
static bool settled_in_double(const struct qd_requantizer *r, int64_t acc)
{
    const struct qd_semantics *semantics = r->quantizer.semantics;
    int64_t whole;
    return semantics->zero_point_order == QD_ZERO_POINT_AFTER &&
           qd_rounding_is_nearest(semantics->rounding) &&
           qd_nearest_clearly((double)acc * (r->s1 * r->s2 / r->sy), 0x1p-49, &whole);
}

/* Scales of 16 bits: leaves the codes that the orders give, each operation in float32, rounded
 * outward, or to nearest in that type, and those of double. None of them is outside the hull of
 * either type unless an order was dropped, which another mixture of the types may keep: a sum
 * beyond float16 times a factor formed in it. */
static void take_mixtures(const struct qd_requantizer *r, int64_t acc, const struct qd_code *in_f64,
                          struct qd_code *hull)
{
    const struct qd_orders_of orders = {&qd_orders_product, (double)acc};
    const struct qd_steps mixed = {.in = {.type = QD_F32}, .type = r->type},
                          ieee = {{.type = QD_F32, .nearest = true, .all = true}, r->type, 0};
    const struct qd_code any = {.lo = r->quantizer.min, .hi = r->quantizer.max};
    const struct qd_operands operands = signed_scales(r);
    bool extreme = hull->flags & QD_EXTREME_SCALE;
    struct qd_codes codes = {.at = {hull->want}, .count = 1};
    qd_codes_include(&codes, in_f64->lo);
    qd_codes_include(&codes, in_f64->hi);
    if (qd_codes_add(&codes, extreme ? &any : hull, &r->quantizer, &orders, mixed, &operands))
        hull->flags &= (uint8_t)~QD_UNSPECIFIED;
    qd_code_limit(hull, codes.at, codes.count);
    if (hull->lo == hull->hi)
        hull->point_count = 0;
    if (extreme)
        qd_code_drop_ways(hull, &r->quantizer, &orders, ieee, &operands);
}

/* A kernel that computes in double lies inside the hull of float32, unless that lost an order:
 * double loses none. */
static void hull(const struct qd_requantizer *r, int64_t acc, struct qd_code *code)
{
    bool some = hull_in(r, QD_F32, r->in_f32, acc, code);
    if (r->type != QD_F32)
        some = hull_in(r, r->type, r->in_type, acc, code) || some;
    if (!some)
        code->flags |= QD_UNSPECIFIED;
    struct qd_code in_f64 = {.want = code->want, .lo = code->want, .hi = code->want};
    if (code->flags & QD_EXTREME_SCALE && !settled_in_double(r, acc)) {
        struct qd_enclosure factors[QD_FACTORS];
        qd_orders_form((struct qd_arithmetic){.type = QD_F64}, &r->magnitudes, factors);
        hull_in(r, QD_F64, factors, acc, &in_f64);
        qd_code_include(code, in_f64.lo);
        qd_code_include(code, in_f64.hi);
    }
    const struct qd_orders_of orders = {&qd_orders_product, (double)acc};
    const struct qd_operands operands = signed_scales(r);
    if (r->type == QD_F32)
        qd_code_take_union(code, &r->quantizer, &orders, 1, &operands);
    else if (code->lo != code->hi || code->flags & QD_EXTREME_SCALE)
        take_mixtures(r, acc, &in_f64, code);
}

/* The dialects and quirks that do not compute the real product. */
static int64_t round_other(const struct qd_requantizer *r, int64_t acc)
{
    enum qd_requantize form = r->quantizer.semantics->requantize;
    double real = r->s1 * r->s2 / r->sy;
    if (form == QD_REQUANTIZE_F16) {
        double factor = qd_float_round(QD_F16, QD_NEAREST_EVEN, real);
        double product = qd_float_round(QD_F32, QD_NEAREST_EVEN, (double)acc * factor);
        if (!isfinite(product))
            return product < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT;
        return qd_ratio_round(qd_ratio_of_double(product), r->quantizer.semantics->rounding, false)
            .value;
    }
    if (form == QD_SHIFT_MASKED)
        return qd_multiply_masked(acc, (float)r->s1 * (float)r->s2 / (float)r->sy);
    if (form == QD_SHIFT_IN_LANES)
        return qd_multiply_in_lanes(acc, (float)r->s1 * (float)r->s2 / (float)r->sy);
    struct qd_multiplier multiplier = qd_multiplier_of(real);
    if (form == QD_FIXED15)
        multiplier = qd_multiplier_narrow(multiplier);
    if (form == QD_FIXED31_DOUBLE_UP)
        return qd_multiply_double_up(acc, multiplier);
    return form == QD_FIXED31_DOUBLE ? qd_multiply_double(acc, multiplier)
                                     : qd_multiply_single(acc, multiplier);
}

static bool computes_real_product(const struct qd_semantics *semantics)
{
    return semantics->requantize == QD_REQUANTIZE_REAL || semantics->requantize == QD_ANY_ORDER ||
           semantics->requantize == QD_CHANNEL0_SCALE || semantics->requantize == QD_ONE_SCALE;
}

static struct qd_ratio real_of(const struct qd_requantizer *r, int64_t acc)
{
    return qd_ratio_multiply(qd_ratio_of_integer(acc), r->factor);
}

static struct qd_code requantize_real(const struct qd_requantizer *r, int64_t acc)
{
    struct qd_code code = {0};
    struct qd_rounded rounded;
    if (r->quantizer.semantics->zero_point_order != QD_ZERO_POINT_AFTER) {
        code.want = code.lo = code.hi = qd_output_quantizer_exact(&r->quantizer, real_of(r, acc));
        hull(r, acc, &code);
        return code;
    }
    if (!round_quickly(r, acc, &rounded))
        rounded = qd_ratio_round(real_of(r, acc), r->quantizer.semantics->rounding, false);
    code.want = code.lo = code.hi = qd_output_quantizer_finish(&r->quantizer, rounded.value);
    /* Four roundings move a tame value by less than 2^−20 of itself: away from every edge, each
     * order gives the canonical code. */
    if (!r->tame || (rounded.near && !qd_output_quantizer_saturates(&r->quantizer, rounded.value)))
        hull(r, acc, &code);
    return code;
}

/* How far the quotient moves where the bias has the scale fl(s_1·s_2) and the rest does not: in units of y_scale. It is
 * large where that product is a subnormal number. */
static double bias_apart(const struct qd_requantizer *r)
{
    double scale = qd_float_round(QD_F32, QD_NEAREST_EVEN, r->s1 * r->s2);
    return r->bias == 0 || !isfinite(scale) ? 0 : (double)r->bias * (scale - r->s1 * r->s2) / r->sy;
}

/* Whether no product of some of the accumulator, the scales and 1/y_scale leaves the normal numbers of float32. */
static bool stays_normal(const struct qd_requantizer *r, int64_t acc)
{
    const double factors[] = {fabs((double)acc), fabs(r->s1), fabs(r->s2), 1 / fabs(r->sy)};
    if (r->type != QD_F32)
        return false;
    for (unsigned some = 1; some < 16; some++) {
        double product = 1;
        for (unsigned i = 0; i < 4; i++)
            product *= some >> i & 1 ? factors[i] : 1;
        if (!(product >= 0x1p-126 && product < 0x1p127))
            return false;
    }
    return true;
}

/* What four roundings in float32 may give of the number. */
static void include_around(const struct qd_requantizer *r, double real, struct qd_code *code)
{
    const double margin = 0x1.00001p-22;
    qd_code_include(code, qd_output_quantizer_float(&r->quantizer, real * (1 - margin)));
    qd_code_include(code, qd_output_quantizer_float(&r->quantizer, real * (1 + margin)));
}

/* What three operations in float32, in whatever order, and a conversion before them may give. An exact tie goes to even
 * whatever the order. Of steps that leave the normal numbers only a bias on its own is added. */
static void take_any_order(const struct qd_requantizer *r, int64_t acc, struct qd_code *code)
{
    double apart = bias_apart(r);
    struct qd_ratio exact = real_of(r, acc);
    bool orders =
        (r->tame || stays_normal(r, acc)) && !qd_ratio_round(exact, QD_ROUND_HALF_EVEN, false).tie;
    double real = qd_ratio_to_float(exact, QD_F64, QD_NEAREST_EVEN);
    struct qd_code any = *code;
    any.point_count = 0;
    if (orders)
        include_around(r, real, &any);
    if (apart != 0)
        include_around(r, real + apart, &any);
    if (orders || apart != 0)
        qd_code_join(code, &any);
}

struct qd_code qd_requantize(const struct qd_requantizer *r, int64_t acc)
{
    bool beyond = acc > INT32_MAX || acc < INT32_MIN;
    if (r->undefined)
        return (struct qd_code){.flags = QD_UNSPECIFIED};
    if (computes_real_product(r->quantizer.semantics)) {
        struct qd_code code = requantize_real(r, acc);
        code.flags |= beyond ? QD_UNSPECIFIED : 0;
        if (r->quantizer.semantics->requantize == QD_ANY_ORDER)
            take_any_order(r, acc, &code);
        return code;
    }
    if (beyond)
        return (struct qd_code){.flags = QD_UNSPECIFIED};
    int64_t code = qd_output_quantizer_finish(&r->quantizer, round_other(r, acc));
    return (struct qd_code){.want = code, .lo = code, .hi = code, .flags = 0};
}

enum qd_status qd_requantize_into(const struct qd_evaluation *evaluation,
                                  const struct qd_requantizer *r, int64_t acc, struct qd_value *y,
                                  int64_t i)
{
    if (evaluation->sample && evaluation->sample->none)
        return QD_OK; /* all are marked when the node ends */
    enum qd_status status =
        qd_value_set_code(y, i, qd_requantize(r, acc), evaluation->arena, evaluation->error);
    if (status != QD_OK || !evaluation->keep_reals || r->undefined)
        return status;
    struct qd_ratio real = real_of(r, acc);
    return qd_value_set_real(y, i, qd_ratio_to_float(real, QD_F64, QD_NEAREST_EVEN),
                             qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie, evaluation->arena,
                             evaluation->error);
}
