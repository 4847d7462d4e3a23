#include "qdiff/requantize.h"

#include "binary.h"
#include "qdiff/fixed.h"

#include <math.h>
#include <stdlib.h>

struct qd_coder qd_coder_make(const struct qd_semantics *semantics, enum qd_dtype dtype,
                              int64_t zero_point)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    struct qd_coder coder = {semantics, dtype, zero_point, info->min, info->max};
    if (semantics->range == QD_RANGE_SYMMETRIC && info->kind == QD_CLASS_SINT)
        coder.min = -info->max;
    return coder;
}

static int64_t wrap(enum qd_dtype dtype, int64_t code)
{
    const struct qd_dtype_info *info = qd_dtype_info(dtype);
    uint64_t mask = ((uint64_t)1 << info->bits) - 1;
    int64_t low = (int64_t)((uint64_t)code & mask);
    return low > info->max ? low - (int64_t)mask - 1 : low;
}

static int64_t clamp(const struct qd_coder *coder, int64_t code)
{
    return code < coder->min ? coder->min : code > coder->max ? coder->max : code;
}

int64_t qd_coder_finish(const struct qd_coder *coder, int64_t rounded)
{
    int64_t z = coder->zero_point;
    switch (coder->semantics->range) {
    case QD_RANGE_WRAP: return wrap(coder->dtype, rounded + z);
    case QD_RANGE_BEFORE_ZERO_POINT: return wrap(coder->dtype, clamp(coder, rounded) + z);
    case QD_RANGE_INT32_INDEFINITE:
        rounded = rounded > INT32_MAX || rounded < INT32_MIN ? INT32_MIN : rounded;
        break;
    case QD_RANGE_MAGNITUDE: rounded = coder->min == 0 ? llabs(rounded) : rounded; break;
    case QD_RANGE_SATURATE:
    case QD_RANGE_SYMMETRIC: break;
    }
    return clamp(coder, rounded + z);
}

/* rne of a sum that has the zero point in it, without the zero point. */
static int64_t round_sum(const struct qd_coder *coder, double sum)
{
    if (!isfinite(sum))
        return sum < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT;
    struct qd_rounded r =
        qd_ratio_round(qd_ratio_of_double(sum), coder->semantics->rounding, false);
    return r.value - coder->zero_point;
}

int64_t qd_coder_sum(const struct qd_coder *coder, double sum)
{
    return qd_coder_finish(coder, round_sum(coder, sum));
}

/* The quirk "zero point before rounding, in float32": rne(fl32(v + z)). */
static double add_zero_point(const struct qd_coder *coder, double v)
{
    return isfinite(v) ? qd_float_round(QD_F32, QD_NEAREST_EVEN, v + (double)coder->zero_point) : v;
}

int64_t qd_coder_exact(const struct qd_coder *coder, struct qd_ratio real)
{
    const struct qd_semantics *semantics = coder->semantics;
    if (semantics->zero_point_order == QD_ZERO_POINT_BEFORE_F32) {
        double v = qd_ratio_to_float(real, QD_F32, QD_NEAREST_EVEN);
        return qd_coder_sum(coder, add_zero_point(coder, v));
    }
    bool odd = semantics->zero_point_order == QD_ZERO_POINT_BEFORE_EXACT && coder->zero_point & 1;
    return qd_coder_finish(coder, qd_ratio_round(real, semantics->rounding, odd).value);
}

int64_t qd_coder_float(const struct qd_coder *coder, double real)
{
    if (isnan(real)) {
        switch (coder->semantics->nan_to_integer) {
        case QD_NAN_MINIMUM: return coder->min;
        case QD_NAN_MAXIMUM: return coder->max;
        case QD_NAN_ZERO_POINT: return coder->zero_point;
        case QD_NAN_UNSPECIFIED:
        case QD_NAN_ZERO: return 0;
        }
    }
    if (isinf(real))
        return qd_coder_finish(coder, real < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT);
    int64_t whole;
    if (coder->semantics->zero_point_order == QD_ZERO_POINT_AFTER &&
        qd_rounding_is_nearest(coder->semantics->rounding) && qd_nearest_clearly(real, 0, &whole))
        return qd_coder_finish(coder, whole);
    return qd_coder_exact(coder, qd_ratio_of_double(real));
}

bool qd_coder_is_monotone(const struct qd_coder *coder)
{
    enum qd_range range = coder->semantics->range;
    return range == QD_RANGE_SATURATE || range == QD_RANGE_SYMMETRIC;
}

/* No code has more than 16 bits: a number beyond 2^18 saturates, and so does all near it. */
static bool saturates(const struct qd_coder *coder, int64_t rounded)
{
    return qd_coder_is_monotone(coder) && coder->max <= UINT16_MAX && llabs(rounded) >= 1 << 18;
}

bool qd_coder_settles(const struct qd_coder *coder, struct qd_ratio real, struct qd_code *code)
{
    const struct qd_semantics *semantics = coder->semantics;
    if (semantics->zero_point_order != QD_ZERO_POINT_AFTER)
        return false;
    struct qd_rounded rounded = qd_ratio_round(real, semantics->rounding, false);
    bool inside = !rounded.near && llabs(rounded.value) < QD_ROUND_LIMIT;
    if (!inside && !saturates(coder, rounded.value))
        return false;
    int64_t c = qd_coder_finish(coder, rounded.value);
    *code = (struct qd_code){c, c, c, 0};
    return true;
}

/* A magnitude known to lie in [lo, hi], computed in a float type; dropped once an operation over- or underflowed. */
struct span {
    enum qd_dtype type;
    double lo, hi;
    bool dropped;
};

static struct span multiply(struct span a, struct span b)
{
    bool dropped = a.dropped || b.dropped;
    if (a.type == QD_F32)
        return (struct span){a.type, qd_multiply_down_f32(a.lo, b.lo),
                             qd_multiply_up_f32(a.hi, b.hi), dropped};
    return (struct span){a.type, qd_float_multiply(a.type, QD_TO_MINUS_INFINITY, a.lo, b.lo),
                         qd_float_multiply(a.type, QD_TO_PLUS_INFINITY, a.hi, b.hi), dropped};
}

static struct span divide(struct span a, struct span b)
{
    bool dropped = a.dropped || b.dropped;
    if (a.type == QD_F32)
        return (struct span){a.type, qd_divide_down_f32(a.lo, b.hi), qd_divide_up_f32(a.hi, b.lo),
                             dropped};
    return (struct span){a.type, qd_float_divide(a.type, QD_TO_MINUS_INFINITY, a.lo, b.hi),
                         qd_float_divide(a.type, QD_TO_PLUS_INFINITY, a.hi, b.lo), dropped};
}

/* An intermediate result: lost when it overflows or is subnormal. */
static struct span step(struct span a)
{
    a.dropped =
        a.dropped || isinf(a.hi) || (a.hi > 0 && a.lo < qd_float_format(a.type)->least_normal);
    return a;
}

/* The result of an order is rounded to a code at once, so that there only an overflow loses it. */
static struct span last(struct span a)
{
    a.dropped = a.dropped || isinf(a.hi);
    return a;
}

static struct span span_of(enum qd_dtype type, double x)
{
    return (struct span){type, fabs(x), fabs(x), false};
}

bool qd_scale_is_moderate(double scale)
{
    double a = fabs(scale);
    return a >= 0x1p-20 && a <= 0x1p20;
}

static void form_factors(enum qd_dtype type, const struct qd_requantizer *r,
                         struct qd_factor_order orders[QD_FACTOR_ORDERS])
{
    struct span a = span_of(type, r->s1), b = span_of(type, r->s2), y = span_of(type, r->sy);
    struct span formed[QD_FACTOR_ORDERS] = {
        step(divide(step(multiply(a, b)), y)),
        step(multiply(a, step(divide(b, y)))),
        step(multiply(b, step(divide(a, y)))),
    };
    for (int i = 0; i < QD_FACTOR_ORDERS; i++)
        orders[i] = (struct qd_factor_order){formed[i].lo, formed[i].hi, formed[i].dropped};
}

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

/* qd_ratio_round by one multiplication, where that can tell. The product is |acc|·factor·2^shift less than |acc| units too small;
 * a number farther from the half-integers than that and a 2^−18th of itself rounds alike and is not near. */
static bool round_quickly(const struct qd_requantizer *r, int64_t acc, struct qd_rounded *rounded)
{
    enum qd_rounding rounding = r->coder.semantics->rounding;
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

struct qd_requantizer qd_requantizer_make(struct qd_coder coder, enum qd_dtype type, double s1,
                                          double s2, double sy)
{
    struct qd_requantizer r = {.coder = coder, .type = type, .s1 = s1, .s2 = s2, .sy = sy};
    r.undefined = !isfinite(s1) || !isfinite(s2) || !isfinite(sy) || sy == 0;
    if (r.undefined)
        return r;
    r.factor = qd_ratio_divide(qd_ratio_multiply(qd_ratio_of_double(s1), qd_ratio_of_double(s2)),
                               qd_ratio_of_double(sy));
    r.tame = type == QD_F32 && qd_scale_is_moderate(s1) && qd_scale_is_moderate(s2) &&
             qd_scale_is_moderate(sy);
    if (r.tame)
        form_multiplier(&r);
    form_factors(QD_F32, &r, r.in_f32);
    if (type != QD_F32)
        form_factors(type, &r, r.in_type);
    return r;
}

/* Takes the codes of a result's ends. */
static void widen(const struct qd_coder *coder, struct span v, bool negative, struct qd_code *code)
{
    qd_code_include(code, qd_coder_float(coder, negative ? -v.lo : v.lo));
    if (v.hi != v.lo)
        qd_code_include(code, qd_coder_float(coder, negative ? -v.hi : v.hi));
}

/* Takes what several orders give. Their hull's ends are enough, unless codes need not come in order (a wrapping range). */
static bool widen_all(const struct qd_coder *coder, const struct span *results, size_t count,
                      bool negative, struct qd_code *code)
{
    struct span all = {.lo = INFINITY, .hi = -INFINITY};
    bool some = false, monotone = qd_coder_is_monotone(coder);
    for (size_t i = 0; i < count; i++) {
        if (results[i].dropped) {
            code->flags |= QD_EXTREME_SCALE;
            continue;
        }
        some = true;
        all.lo = results[i].lo < all.lo ? results[i].lo : all.lo;
        all.hi = results[i].hi > all.hi ? results[i].hi : all.hi;
        if (!monotone)
            widen(coder, results[i], negative, code);
    }
    if (some && monotone)
        widen(coder, all, negative, code);
    return some;
}

static bool hull_in(const struct qd_requantizer *r, enum qd_dtype type,
                    const struct qd_factor_order orders[QD_FACTOR_ORDERS], int64_t acc,
                    struct qd_code *code)
{
    double exact = (double)llabs(acc);
    struct span magnitude =
        step((struct span){type, qd_float_round(type, QD_TO_MINUS_INFINITY, exact),
                           qd_float_round(type, QD_TO_PLUS_INFINITY, exact), false});
    struct span a = span_of(type, r->s1), b = span_of(type, r->s2), y = span_of(type, r->sy);
    struct span results[2 * QD_FACTOR_ORDERS];
    for (int i = 0; i < QD_FACTOR_ORDERS; i++) {
        struct span m = {type, orders[i].lo, orders[i].hi, orders[i].dropped};
        results[i] = last(multiply(magnitude, m));
    }
    struct span ways[QD_FACTOR_ORDERS] = {
        step(multiply(step(multiply(magnitude, a)), b)),
        step(multiply(step(multiply(magnitude, b)), a)),
        step(multiply(magnitude, step(multiply(a, b)))),
    };
    for (int i = 0; i < QD_FACTOR_ORDERS; i++)
        results[QD_FACTOR_ORDERS + i] = last(divide(ways[i], y));
    return widen_all(&r->coder, results, sizeof results / sizeof *results,
                     (acc < 0) != r->factor.negative, code);
}

/* Whether all orders in double, of at most four roundings of 2^-53 each, give the canonical code. */
static bool settled_in_double(const struct qd_requantizer *r, int64_t acc)
{
    const struct qd_semantics *semantics = r->coder.semantics;
    int64_t whole;
    return semantics->zero_point_order == QD_ZERO_POINT_AFTER &&
           qd_rounding_is_nearest(semantics->rounding) &&
           qd_nearest_clearly((double)acc * (r->s1 * r->s2 / r->sy), 0x1p-49, &whole);
}

/* A kernel that computes in double lies inside the hull of float32, unless that lost an order: double loses none. */
static void hull(const struct qd_requantizer *r, int64_t acc, struct qd_code *code)
{
    bool some = hull_in(r, QD_F32, r->in_f32, acc, code);
    if (r->type != QD_F32)
        some = hull_in(r, r->type, r->in_type, acc, code) || some;
    if (!some)
        code->flags |= QD_UNSPECIFIED;
    if (code->flags & QD_EXTREME_SCALE && !settled_in_double(r, acc)) {
        struct qd_factor_order in_f64[QD_FACTOR_ORDERS];
        form_factors(QD_F64, r, in_f64);
        hull_in(r, QD_F64, in_f64, acc, code);
    }
}

/* The dialects and quirks that do not compute the real product. */
static int64_t round_other(const struct qd_requantizer *r, int64_t acc)
{
    enum qd_requantize form = r->coder.semantics->requantize;
    double real = r->s1 * r->s2 / r->sy;
    if (form == QD_REQUANTIZE_F16) {
        double factor = qd_float_round(QD_F16, QD_NEAREST_EVEN, real);
        double product = qd_float_round(QD_F32, QD_NEAREST_EVEN, (double)acc * factor);
        if (!isfinite(product))
            return product < 0 ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT;
        return qd_ratio_round(qd_ratio_of_double(product), r->coder.semantics->rounding, false)
            .value;
    }
    struct qd_multiplier multiplier = qd_multiplier_of(real);
    if (form == QD_FIXED15)
        multiplier = qd_multiplier_narrow(multiplier);
    return form == QD_FIXED31_DOUBLE ? qd_multiply_double(acc, multiplier)
                                     : qd_multiply_single(acc, multiplier);
}

static bool computes_real_product(const struct qd_semantics *semantics)
{
    return semantics->requantize == QD_REQUANTIZE_REAL ||
           semantics->requantize == QD_CHANNEL0_SCALE;
}

static struct qd_ratio real_of(const struct qd_requantizer *r, int64_t acc)
{
    return qd_ratio_multiply(qd_ratio_of_integer(acc), r->factor);
}

static struct qd_code requantize_real(const struct qd_requantizer *r, int64_t acc)
{
    struct qd_code code = {0};
    struct qd_rounded rounded;
    if (r->coder.semantics->zero_point_order != QD_ZERO_POINT_AFTER) {
        code.want = code.lo = code.hi = qd_coder_exact(&r->coder, real_of(r, acc));
        hull(r, acc, &code);
        return code;
    }
    if (!round_quickly(r, acc, &rounded))
        rounded = qd_ratio_round(real_of(r, acc), r->coder.semantics->rounding, false);
    code.want = code.lo = code.hi = qd_coder_finish(&r->coder, rounded.value);
    /* Four roundings move a tame value by less than 2^−20 of itself: away from every edge, each
     * order gives the canonical code. */
    if (!r->tame || (rounded.near && !saturates(&r->coder, rounded.value)))
        hull(r, acc, &code);
    return code;
}

struct qd_code qd_requantize(const struct qd_requantizer *r, int64_t acc)
{
    bool beyond = acc > INT32_MAX || acc < INT32_MIN;
    if (r->undefined)
        return (struct qd_code){.flags = QD_UNSPECIFIED};
    if (computes_real_product(r->coder.semantics)) {
        struct qd_code code = requantize_real(r, acc);
        code.flags |= beyond ? QD_UNSPECIFIED : 0;
        return code;
    }
    if (beyond)
        return (struct qd_code){.flags = QD_UNSPECIFIED};
    int64_t code = qd_coder_finish(&r->coder, round_other(r, acc));
    return (struct qd_code){code, code, code, 0};
}

enum qd_status qd_requantize_into(const struct qd_evaluation *evaluation,
                                  const struct qd_requantizer *r, int64_t acc, struct qd_value *y,
                                  int64_t i)
{
    enum qd_status status =
        qd_value_set_code(y, i, qd_requantize(r, acc), evaluation->arena, evaluation->error);
    if (status != QD_OK || !evaluation->keep_reals || r->undefined)
        return status;
    struct qd_ratio real = real_of(r, acc);
    return qd_value_set_real(y, i, qd_ratio_to_float(real, QD_F64, QD_NEAREST_EVEN),
                             qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie, evaluation->arena,
                             evaluation->error);
}
