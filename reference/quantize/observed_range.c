/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/observed_range.h"

#include <math.h>

#include "qdiff/exact.h"

/* The parts of a range, after widening. */
struct range {
    double rmin, rmax;
    double steps; /* qmax − qmin */
    int64_t mid;
};

static struct range widen(double rmin, double rmax, const struct qd_observed_rule *rule)
{
    /* (qmin + qmax + 1) div 2, rounded down for negative sums too. */
    int64_t sum = rule->qmin + rule->qmax + 1;
    return (struct range){fmin(rmin, 0), fmax(rmax, 0), (double)(rule->qmax - rule->qmin),
                          sum >= 0 ? sum / 2 : -((-sum + 1) / 2)};
}

static void include(struct qd_interval *hull, enum qd_dtype type, double scale)
{
    double rounded = qd_float_round(type, QD_NEAREST_EVEN, scale);
    if (isinf(rounded)) /* a way of computing that overflows does not count */
        return;
    hull->lo = fmin(hull->lo, rounded);
    hull->hi = fmax(hull->hi, rounded);
}

/* One quotient in float64, rounded either way. */
static void include_exact(struct qd_interval *hull, enum qd_dtype type, double a, double b)
{
    include(hull, type, qd_float_divide(QD_F64, QD_TO_MINUS_INFINITY, a, b));
    include(hull, type, qd_float_divide(QD_F64, QD_TO_PLUS_INFINITY, a, b));
}

/* The same of two float32 numbers, and in float32. */
static void include_quotient(struct qd_interval *hull, enum qd_dtype type, double a, double b)
{
    include_exact(hull, type, a, b);
    include(hull, type, qd_float_divide(QD_F32, QD_NEAREST_EVEN, a, b));
}

static double f32(double x)
{
    return qd_float_round(QD_F32, QD_NEAREST_EVEN, x);
}

static struct qd_interval asymmetric_scale(const struct range *r, enum qd_dtype type)
{
    struct qd_interval hull = {INFINITY, -INFINITY};
    double width = r->rmax - r->rmin;
    include_exact(&hull, type, width, r->steps);
    include_quotient(&hull, type, f32(width), r->steps);
    double high = qd_float_divide(QD_F32, QD_NEAREST_EVEN, r->rmax, r->steps);
    double low = qd_float_divide(QD_F32, QD_NEAREST_EVEN, r->rmin, r->steps);
    include(&hull, type, f32(high - low));
    include(&hull, type, r->rmax / r->steps - r->rmin / r->steps);
    return hull;
}

static struct qd_interval symmetric_scale(const struct range *r, enum qd_dtype type)
{
    struct qd_interval hull = {INFINITY, -INFINITY};
    include_quotient(&hull, type, 2 * fmax(-r->rmin, r->rmax), r->steps);
    return hull;
}

static struct qd_interval restricted_scale(const struct range *r,
                                           const struct qd_observed_rule *rule)
{
    struct qd_interval below = {INFINITY, -INFINITY}, above = below;
    if (r->rmin == 0) {
        include_quotient(&above, rule->scale_type, r->rmax, r->steps);
        return above;
    }
    include_quotient(&below, rule->scale_type, -r->rmin, (double)(r->mid - rule->qmin));
    include_quotient(&above, rule->scale_type, r->rmax, (double)(rule->qmax - r->mid));
    return (struct qd_interval){fmax(below.lo, above.lo), fmax(below.hi, above.hi)};
}

static int64_t saturate(double z, const struct qd_observed_rule *rule)
{
    double rounded = nearbyint(z);
    return rounded < (double)rule->qmin   ? rule->qmin
           : rounded > (double)rule->qmax ? rule->qmax
                                          : (int64_t)rounded;
}

/* The least positive number of a type. */
static double least_of(enum qd_dtype type)
{
    return qd_float_round(type, QD_TO_PLUS_INFINITY, 0x1p-300);
}

/* The numbers before rounding, for the scales of the hull and the exact one: −rmin/s falls as s
 * grows. */
static void asymmetric_zero_point(const struct range *r, const struct qd_observed_rule *rule,
                                  struct qd_observed_parameters *p)
{
    double least_scale = least_of(rule->scale_type);
    double exact = fmax((r->rmax - r->rmin) / r->steps, rule->scale_floor);
    exact = exact < least_scale / 2 ? least_scale : exact; /* no number of the type is near it */
    double least = fmin(p->scale.lo, exact), most = fmax(p->scale.hi, exact);
    double from = qd_float_round(QD_F32, QD_TO_MINUS_INFINITY,
                                 qd_float_divide(QD_F64, QD_TO_MINUS_INFINITY, -r->rmin, most));
    double to = qd_float_round(QD_F32, QD_TO_PLUS_INFINITY,
                               qd_float_divide(QD_F64, QD_TO_PLUS_INFINITY, -r->rmin, least));
    p->zero_point_lo =
        saturate(qd_float_round(QD_F32, QD_TO_MINUS_INFINITY, (double)rule->qmin + from), rule);
    p->zero_point_hi =
        saturate(qd_float_round(QD_F32, QD_TO_PLUS_INFINITY, (double)rule->qmin + to), rule);
}

static void choose_zero_point(const struct range *r, const struct qd_observed_rule *rule,
                              struct qd_observed_parameters *p)
{
    switch (rule->scheme) {
    case QD_OBSERVED_ASYMMETRIC: asymmetric_zero_point(r, rule, p); return;
    case QD_OBSERVED_SYMMETRIC:
        p->zero_point_lo = p->zero_point_hi = rule->qmin < 0 ? 0 : r->mid;
        return;
    case QD_OBSERVED_RESTRICTED:
        p->zero_point_lo = p->zero_point_hi = r->rmin == 0 ? rule->qmin : r->mid;
        return;
    }
}

/* Numbers that processors flush to zero, and 0: that nothing of them is left is nobody's mistake. */
static bool may_be_flushed(const struct range *r)
{
    return fmax(-r->rmin, r->rmax) < 0x1p-126;
}

enum qd_status qd_observed_to_parameters(double rmin, double rmax,
                                         const struct qd_observed_rule *rule,
                                         struct qd_observed_parameters *parameters,
                                         struct qd_error *error)
{
    if (!isfinite(rmin) || !isfinite(rmax) || rmin > rmax)
        return qd_fail(error, QD_INVALID, "the range [%g, %g] is not finite or not in order", rmin,
                       rmax);
    struct range r = widen(rmin, rmax, rule);
    struct qd_observed_parameters p = {.tiny = false};
    p.scale = rule->scheme == QD_OBSERVED_ASYMMETRIC  ? asymmetric_scale(&r, rule->scale_type)
              : rule->scheme == QD_OBSERVED_SYMMETRIC ? symmetric_scale(&r, rule->scale_type)
                                                      : restricted_scale(&r, rule);
    if (p.scale.lo > p.scale.hi)
        return qd_fail(error, QD_INVALID, "no scale of type %s is as large as [%g, %g] asks for",
                       qd_dtype_info(rule->scale_type)->word, rmin, rmax);
    double floor = fmax(rule->scale_floor, least_of(rule->scale_type));
    p.scale.lo = fmax(p.scale.lo, floor);
    p.scale.hi = fmax(p.scale.hi, floor);
    p.tiny = p.scale.lo < 0x1p-126 && may_be_flushed(&r);
    choose_zero_point(&r, rule, &p);
    *parameters = p;
    return QD_OK;
}

static bool end_is_covered(double r, double scale, int64_t zero_point,
                           const struct qd_observed_rule *rule, double slack)
{
    double least = scale * (double)(rule->qmin - zero_point);
    double most = scale * (double)(rule->qmax - zero_point);
    double margin = (0.5 + slack) * scale;
    return least - margin <= r && r <= most + margin;
}

bool qd_observed_is_covered(double rmin, double rmax, double scale, int64_t zero_point,
                            const struct qd_observed_rule *rule, double slack)
{
    struct range r = widen(rmin, rmax, rule);
    return end_is_covered(r.rmin, scale, zero_point, rule, slack) &&
           end_is_covered(r.rmax, scale, zero_point, rule, slack);
}

bool qd_observed_is_unclipped(double rmin, double rmax, double scale, int64_t zero_point,
                              const struct qd_observed_rule *rule)
{
    struct range r = widen(rmin, rmax, rule);
    double next = nextafter(scale, INFINITY);
    /* The next number of the scale's type, not of double. */
    next = qd_float_round(rule->scale_type, QD_TO_PLUS_INFINITY, next);
    return next * (double)(rule->qmin - zero_point) <= r.rmin &&
           r.rmax <= next * (double)(rule->qmax - zero_point);
}
