/* SPDX-License-Identifier: Apache-2.0 */
#include "quantize/scaled_product.h"

#include <math.h>
#include <stdlib.h>

/* Operands by bit: the accumulator, the factors, the divisor. */
#define ACCUMULATOR 1u
#define MAX_OPERANDS (QD_MAX_FACTORS + 2)

/* What every set of operands may be multiplied to: the hull of its orders. Magnitudes. */
struct orders {
    struct qd_arithmetic how;
    unsigned divisor; /* its bit, 0: there is none */
    unsigned all;
    bool lost;                                  /* some order was */
    struct qd_enclosure of[1u << MAX_OPERANDS]; /* lost: no order gives one */
};

/* One more order for a set. */
static void include_order(struct orders *o, unsigned set, struct qd_enclosure a)
{
    struct qd_enclosure *into = &o->of[set];
    if (a.lost) {
        o->lost = true;
        return;
    }
    into->lo = !into->lost && into->lo < a.lo ? into->lo : a.lo;
    into->hi = !into->lost && into->hi > a.hi ? into->hi : a.hi;
    into->lost = false;
}

static enum qd_stage stage_of(const struct orders *o, unsigned set)
{
    return set == o->all ? QD_LAST : QD_INTERMEDIATE;
}

static void include_product(struct orders *o, unsigned set, struct qd_enclosure a,
                            struct qd_enclosure b)
{
    if (a.lost || b.lost)
        return;
    if (set == o->all && !o->divisor) /* the caller rounds the exact product to nearest */
        include_order(o, set, (struct qd_enclosure){a.lo * b.lo, a.hi * b.hi, false});
    else
        include_order(o, set, qd_enclosure_multiply(o->how, stage_of(o, set), a, b));
}

static void combine(struct orders *o, unsigned set, struct qd_enclosure divisor)
{
    unsigned lowest = set & (~set + 1);
    /* every split into two parts once: the first holds the lowest bit */
    for (unsigned part = (set - 1) & set; part; part = (part - 1) & set)
        if (part & lowest)
            include_product(o, set, o->of[part], o->of[set & ~part]);
    struct qd_enclosure dividend = o->of[set & ~o->divisor];
    if (set & o->divisor && set != (o->divisor | ACCUMULATOR) && !dividend.lost)
        include_order(o, set, qd_enclosure_divide(o->how, stage_of(o, set), dividend, divisor));
}

/* A product that becomes a code is bounded by directed rounding; one that is seen itself is rounded
 * to nearest at every step, as any kernel does. */
static struct orders orders_of(const struct qd_scaled_product *p, enum qd_dtype type, int64_t acc)
{
    struct orders o = {.how = {.type = type, .nearest = p->divisor == 0},
                       .all = (1u << (p->count + 1)) - 1};
    if (p->divisor != 0) {
        o.divisor = o.all + 1;
        o.all |= o.divisor;
    }
    for (unsigned set = 0; set <= o.all; set++)
        o.of[set] = qd_enclosure_lost();
    include_order(&o, ACCUMULATOR, qd_enclosure_integer(o.how, llabs(acc)));
    for (unsigned f = 0; f < p->count; f++)
        o.of[2u << f] = qd_enclosure_point(fabs(p->factors[f]));
    for (unsigned set = 3; set <= o.all; set++)
        if (set & (set - 1)) /* more than one operand */
            combine(&o, set, qd_enclosure_point(fabs(p->divisor)));
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

struct qd_code qd_scaled_product_code(const struct qd_output_quantizer *quantizer,
                                      const struct qd_scaled_product *p, int64_t acc)
{
    if (!is_finite(p) || p->divisor == 0 || beyond_int32(acc))
        return (struct qd_code){.flags = QD_UNSPECIFIED};
    struct qd_code settled;
    if (is_moderate(p) && qd_output_quantizer_settles(quantizer, real_of(p, acc), &settled))
        return settled;
    struct orders o = orders_of(p, p->type, acc);
    struct qd_enclosure hull = o.of[o.all];
    if (is_negative(p, acc))
        hull = qd_enclosure_negate(hull);
    struct qd_code code = qd_code_of_results(quantizer, real_of(p, acc), &hull, 1);
    code.flags |= o.lost ? QD_EXTREME_SCALE : 0;
    return code;
}

/* Every value that one accumulator may give when computed in `type`, the exact one among them,
 * before the last rounding and a bias; false if no order is left. */
static bool product_hull(const struct qd_scaled_product *p, enum qd_dtype type, int64_t acc,
                         struct qd_interval *out)
{
    struct orders o = orders_of(p, type, acc);
    struct qd_enclosure hull = o.of[o.all];
    if (hull.lost)
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

/* Adds what computing in `type` may give to *hull; *some says whether there was anything before,
 * and is. */
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
        *hull = *some ? qd_interval_join(*hull, v) : v;
        *some = true;
    }
}

/* The exact number: of the exact sum of products and a bias. */
static struct qd_interval exact_of(const struct qd_scaled_product *p, int64_t acc, double bias)
{
    struct qd_ratio real = real_of(p, acc);
    struct qd_interval product = {qd_ratio_to_float(real, QD_F64, QD_TO_MINUS_INFINITY),
                                  qd_ratio_to_float(real, QD_F64, QD_TO_PLUS_INFINITY)};
    return bias == 0 ? product : qd_interval_add(product, (struct qd_interval){bias, bias});
}

/* Numbers of float32, each once; `full` where there were more. */
struct numbers {
    double at[QD_MAX_POINTS];
    size_t count;
    bool full;
};

static void add_number(struct numbers *set, double x)
{
    x = qd_float_round(QD_F32, QD_NEAREST_EVEN, x);
    for (size_t k = 0; k < set->count; k++)
        if (set->at[k] == x)
            return;
    if (set->count == QD_MAX_POINTS)
        set->full = true;
    else
        set->at[set->count++] = x;
}

/* What a product before its rounding gives, and with a bias after it or by an fma. */
static void add_product(struct numbers *set, double product, const double *bias)
{
    if (!bias) {
        add_number(set, product);
        return;
    }
    double rounded = qd_float_round(QD_F32, QD_NEAREST_EVEN, product);
    for (int k = 0; k < 2; k++) {
        double x = k == 0 ? rounded : product;
        struct qd_interval sum =
            qd_interval_add((struct qd_interval){x, x}, (struct qd_interval){*bias, *bias});
        add_number(set, sum.lo);
        add_number(set, sum.hi);
    }
}

/* What float32 can give of one accumulator and two factors: three bracketings, and the exact product. False where an
 * order is lost, or there are more than a set holds. */
static bool every_number(const struct qd_scaled_product *p, int64_t acc, const double *bias,
                         struct numbers *set)
{
    struct orders o = orders_of(p, QD_F32, acc);
    double sign = is_negative(p, acc) ? -1 : 1;
    struct qd_interval real = exact_of(p, acc, 0);
    if (o.lost)
        return false;
    for (unsigned part = ACCUMULATOR; part < o.all; part += 2) {
        struct qd_enclosure a = o.of[part], b = o.of[o.all & ~part];
        add_product(set, sign * a.lo * b.lo, bias);
    }
    add_product(set, real.lo, bias);
    add_product(set, real.hi, bias);
    return !set->full;
}

/* One accumulator, or two that are apart, and two scales have finitely many orders in float32: between what they give
 * lies nothing. */
static enum qd_status keep_few(const struct qd_evaluation *evaluation,
                               const struct qd_scaled_product *p, struct qd_sums sums,
                               const double *bias, struct qd_value *y, int64_t i)
{
    struct numbers set = {.count = 0};
    bool one = sums.least == sums.most;
    bool few = p->type == QD_F32 && p->count <= 2 && p->divisor == 0 && (one || sums.apart);
    if (!few || !y->lo || !every_number(p, sums.least, bias, &set) ||
        (!one && !every_number(p, sums.most, bias, &set)))
        return QD_OK;
    return qd_value_limit(y, i, set.at, set.count, evaluation->arena, evaluation->error);
}

enum qd_status qd_scaled_product_store(const struct qd_evaluation *evaluation,
                                       const struct qd_scaled_product *p, struct qd_sums sums,
                                       const struct qd_tensor *bias, int64_t j, struct qd_value *y,
                                       int64_t i)
{
    double addend = bias ? qd_tensor_value(bias, j) : 0;
    const int64_t acc[2] = {sums.least, sums.most};
    struct qd_interval hull = {0, 0};
    bool some = false;
    bool defined =
        is_finite(p) && isfinite(addend) && !beyond_int32(acc[0]) && !beyond_int32(acc[1]);
    if (defined)
        include_type(p, QD_F32, acc, bias ? &addend : NULL, &hull, &some);
    if (defined && p->type != QD_F32)
        include_type(p, p->type, acc, bias ? &addend : NULL, &hull, &some);
    double limit = qd_float_format(p->type)->largest;
    if (!some || qd_interval_magnitude(hull) > limit)
        return qd_interval_store_flag(y, i, QD_UNSPECIFIED, evaluation->arena, evaluation->error);
    enum qd_status status = qd_interval_store(y, i, hull, exact_of(p, sums.exact, addend),
                                              evaluation->arena, evaluation->error);
    return status == QD_OK ? keep_few(evaluation, p, sums, bias ? &addend : NULL, y, i) : status;
}
