#include "qdiff/scaled_product.h"

#include <math.h>
#include <stdlib.h>

/* Operands by bit: the accumulator, the factors, the divisor. */
#define ACCUMULATOR 1u
#define MAX_OPERANDS (QD_MAX_FACTORS + 2)

/* A magnitude known to lie in [lo, hi]; `some` is false as long as no order gives one. */
struct span {
    double lo, hi;
    bool some;
};

/* What every set of operands may be multiplied to. */
struct orders {
    enum qd_dtype type;
    enum qd_direction down, up; /* how the ends of a result inside an order are rounded */
    unsigned divisor;           /* its bit, 0: there is none */
    unsigned all;
    bool dropped;
    struct span of[1u << MAX_OPERANDS];
};

static void include(struct span *into, double lo, double hi)
{
    into->lo = into->some && into->lo < lo ? into->lo : lo;
    into->hi = into->some && into->hi > hi ? into->hi : hi;
    into->some = true;
}

/* One more order for a set. Intermediate results are lost when they overflow or are subnormal, the last one only when it
 * overflows: it is rounded to a code, or observed, at once. */
static void include_order(struct orders *o, unsigned set, double lo, double hi)
{
    bool tiny = set != o->all && hi > 0 && lo < qd_float_format(o->type)->least_normal;
    if (isinf(hi) || tiny)
        o->dropped = true;
    else
        include(&o->of[set], lo, hi);
}

static void include_product(struct orders *o, unsigned set, struct span a, struct span b)
{
    if (!a.some || !b.some)
        return;
    bool exact = set == o->all && !o->divisor; /* the caller rounds to nearest */
    double lo = exact ? a.lo * b.lo : qd_float_multiply(o->type, o->down, a.lo, b.lo);
    double hi = exact ? a.hi * b.hi : qd_float_multiply(o->type, o->up, a.hi, b.hi);
    include_order(o, set, lo, hi);
}

static void combine(struct orders *o, unsigned set, double divisor)
{
    unsigned lowest = set & (~set + 1);
    /* every split into two parts once: the first holds the lowest bit */
    for (unsigned part = (set - 1) & set; part; part = (part - 1) & set)
        if (part & lowest)
            include_product(o, set, o->of[part], o->of[set & ~part]);
    struct span dividend = o->of[set & ~o->divisor];
    if (set & o->divisor && set != (o->divisor | ACCUMULATOR) && dividend.some)
        include_order(o, set, qd_float_divide(o->type, o->down, dividend.lo, divisor),
                      qd_float_divide(o->type, o->up, dividend.hi, divisor));
}

/* A product that becomes a code is bounded by directed rounding; one that is seen itself is rounded to nearest at every step, as
 * any kernel does. */
static struct orders orders_of(const struct qd_scaled_product *p, enum qd_dtype type, int64_t acc)
{
    struct orders o = {.type = type, .all = (1u << (p->count + 1)) - 1};
    double exact = (double)llabs(acc); /* of int32 */
    o.down = o.up = QD_NEAREST_EVEN;
    if (p->divisor != 0) {
        o.divisor = o.all + 1;
        o.all |= o.divisor;
        o.down = QD_TO_MINUS_INFINITY;
        o.up = QD_TO_PLUS_INFINITY;
    }
    include_order(&o, ACCUMULATOR, qd_float_round(type, o.down, exact),
                  qd_float_round(type, o.up, exact));
    for (unsigned f = 0; f < p->count; f++)
        include(&o.of[2u << f], fabs(p->factors[f]), fabs(p->factors[f]));
    for (unsigned set = 3; set <= o.all; set++)
        if (set & (set - 1)) /* more than one operand */
            combine(&o, set, fabs(p->divisor));
    return o;
}

static bool is_negative(const struct qd_scaled_product *p, int64_t acc)
{
    bool negative = (acc < 0) != (p->divisor < 0);
    for (unsigned f = 0; f < p->count; f++)
        negative = negative != (p->factors[f] < 0);
    return negative;
}

static struct qd_ratio real_of(const struct qd_scaled_product *p, int64_t acc)
{
    struct qd_ratio real = qd_ratio_of_integer(acc);
    for (unsigned f = 0; f < p->count; f++)
        real = qd_ratio_multiply(real, qd_ratio_of_double(p->factors[f]));
    return p->divisor != 0 ? qd_ratio_divide(real, qd_ratio_of_double(p->divisor)) : real;
}

static bool is_finite(const struct qd_scaled_product *p)
{
    bool finite = isfinite(p->divisor);
    for (unsigned f = 0; f < p->count; f++)
        finite = finite && isfinite(p->factors[f]);
    return finite;
}

static bool is_moderate(const struct qd_scaled_product *p)
{
    bool moderate = qd_scale_is_moderate(p->divisor);
    for (unsigned f = 0; f < p->count; f++)
        moderate = moderate && qd_scale_is_moderate(p->factors[f]);
    return moderate;
}

static bool beyond_int32(int64_t acc)
{
    return acc > INT32_MAX || acc < INT32_MIN;
}

struct qd_code qd_scaled_product_code(const struct qd_coder *coder,
                                      const struct qd_scaled_product *p, int64_t acc)
{
    if (!is_finite(p) || p->divisor == 0 || beyond_int32(acc))
        return (struct qd_code){.flags = QD_UNSPECIFIED};
    struct qd_code settled;
    if (is_moderate(p) && qd_coder_settles(coder, real_of(p, acc), &settled))
        return settled;
    struct orders o = orders_of(p, p->type, acc);
    struct span hull = o.of[o.all];
    uint8_t flags =
        (uint8_t)((o.dropped ? QD_EXTREME_SCALE : 0) | (hull.some ? 0 : QD_UNSPECIFIED));
    int64_t want = qd_coder_exact(coder, real_of(p, acc));
    struct qd_code code = {want, want, want, flags};
    bool negative = is_negative(p, acc);
    const double ends[2] = {negative ? -hull.lo : hull.lo, negative ? -hull.hi : hull.hi};
    for (int e = 0; e < 2 && hull.some; e++) {
        int64_t c = qd_coder_float(coder, ends[e]);
        code.lo = c < code.lo ? c : code.lo;
        code.hi = c > code.hi ? c : code.hi;
    }
    return code;
}

/* Every value that one accumulator may give when computed in `type`, the exact one among them, before the last rounding and a
 * bias; false if no order is left. */
static bool product_hull(const struct qd_scaled_product *p, enum qd_dtype type, int64_t acc,
                         struct qd_interval *out)
{
    struct orders o = orders_of(p, type, acc);
    struct span hull = o.of[o.all];
    if (!hull.some)
        return false;
    struct qd_ratio real = real_of(p, acc);
    struct qd_interval all = {hull.lo, hull.hi};
    if (is_negative(p, acc))
        all = (struct qd_interval){-hull.hi, -hull.lo};
    all.lo = fmin(all.lo, qd_ratio_to_float(real, QD_F64, QD_TO_MINUS_INFINITY));
    all.hi = fmax(all.hi, qd_ratio_to_float(real, QD_F64, QD_TO_PLUS_INFINITY));
    *out = all;
    return true;
}

static struct qd_interval join(struct qd_interval a, struct qd_interval b)
{
    return (struct qd_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

/* Adds what computing in `type` may give to *hull; *some tells whether there was anything before, and is. */
static void include_type(const struct qd_scaled_product *p, enum qd_dtype type,
                         const int64_t acc[2], const double *bias, struct qd_interval *hull,
                         bool *some)
{
    for (int e = 0; e < (acc[0] == acc[1] ? 1 : 2); e++) {
        struct qd_interval v;
        if (!product_hull(p, type, acc[e], &v))
            continue;
        if (bias) /* v is exact before its rounding, which an fma leaves out */
            v = qd_interval_add(qd_interval_round(type, v), (struct qd_interval){*bias, *bias});
        v = qd_interval_round(type, v);
        v = type == p->type ? v : qd_interval_round(p->type, v);
        *hull = *some ? join(*hull, v) : v;
        *some = true;
    }
}

enum qd_status qd_scaled_product_store(const struct qd_evaluation *evaluation,
                                       const struct qd_scaled_product *p, int64_t acc_lo,
                                       int64_t acc_hi, const struct qd_tensor *bias, int64_t j,
                                       struct qd_value *y, int64_t i)
{
    double addend = bias ? qd_tensor_value(bias, j) : 0;
    const int64_t acc[2] = {acc_lo, acc_hi};
    struct qd_interval hull = {0, 0};
    bool some = false;
    bool defined =
        is_finite(p) && isfinite(addend) && !beyond_int32(acc_lo) && !beyond_int32(acc_hi);
    if (defined)
        include_type(p, QD_F32, acc, bias ? &addend : NULL, &hull, &some);
    if (defined && p->type != QD_F32)
        include_type(p, p->type, acc, bias ? &addend : NULL, &hull, &some);
    double limit = qd_float_format(p->type)->largest;
    if (!some || qd_interval_magnitude(hull) > limit)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    double want = qd_float_round(p->type, QD_NEAREST_EVEN, hull.lo);
    return qd_interval_store(y, i, hull, false, want, evaluation->arena, evaluation->error);
}
