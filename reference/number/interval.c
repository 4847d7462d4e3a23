/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/interval.h"

#include "number/float_bits.h"

#include <math.h>

/* s + error = a + b exactly (Knuth). */
static double sum_error(double a, double b, double s)
{
    double bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

static double add_down(double a, double b)
{
    double s = a + b;
    return isfinite(s) && sum_error(a, b, s) < 0 ? qd_next_down(s) : s;
}

static double add_up(double a, double b)
{
    double s = a + b;
    return isfinite(s) && sum_error(a, b, s) > 0 ? qd_next_up(s) : s;
}

struct qd_interval qd_interval_add(struct qd_interval a, struct qd_interval b)
{
    return (struct qd_interval){add_down(a.lo, b.lo), add_up(a.hi, b.hi)};
}

/* 0 times an infinity: the hull becomes NaN, and stays so, since no comparison with it holds. */
static void include_product(struct qd_interval *hull, double a, double b)
{
    double p = a * b;
    if (isnan(p))
        *hull = (struct qd_interval){p, p};
    double error = isfinite(p) ? fma(a, b, -p) : 0;
    double lo = error < 0 ? qd_next_down(p) : p, hi = error > 0 ? qd_next_up(p) : p;
    hull->lo = lo < hull->lo ? lo : hull->lo;
    hull->hi = hi > hull->hi ? hi : hull->hi;
}

struct qd_interval qd_interval_multiply(struct qd_interval a, struct qd_interval b)
{
    struct qd_interval hull = {INFINITY, -INFINITY};
    include_product(&hull, a.lo, b.lo);
    if (b.hi != b.lo)
        include_product(&hull, a.lo, b.hi);
    if (a.hi != a.lo) {
        include_product(&hull, a.hi, b.lo);
        include_product(&hull, a.hi, b.hi);
    }
    return hull;
}

static void include_quotient(struct qd_interval *hull, double a, double b)
{
    double q = a / b;
    double rest = isfinite(q) ? -fma(q, b, -a) : 0; /* a − q·b, exact */
    bool above = b > 0 ? rest > 0 : rest < 0;       /* the quotient exceeds q */
    double lo = rest != 0 && !above ? qd_next_down(q) : q, hi = above ? qd_next_up(q) : q;
    hull->lo = lo < hull->lo ? lo : hull->lo;
    hull->hi = hi > hull->hi ? hi : hull->hi;
}

struct qd_interval qd_interval_divide(struct qd_interval a, struct qd_interval b)
{
    struct qd_interval hull = {INFINITY, -INFINITY};
    include_quotient(&hull, a.lo, b.lo);
    include_quotient(&hull, a.hi, b.lo);
    include_quotient(&hull, a.lo, b.hi);
    include_quotient(&hull, a.hi, b.hi);
    return hull;
}

struct qd_interval qd_interval_point(double x)
{
    return (struct qd_interval){x, x};
}

struct qd_interval qd_interval_join(struct qd_interval a, struct qd_interval b)
{
    return (struct qd_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

struct qd_interval qd_interval_widen(struct qd_interval a, double by)
{
    return by > 0 ? (struct qd_interval){add_down(a.lo, -by), add_up(a.hi, by)} : a;
}

struct qd_interval qd_interval_round(enum qd_dtype dtype, struct qd_interval exact)
{
    /* A 16-bit operation may be computed in float32 first. */
    double lo = dtype == QD_F32 ? exact.lo : qd_float_round(QD_F32, QD_TO_MINUS_INFINITY, exact.lo);
    double hi = dtype == QD_F32 ? exact.hi : qd_float_round(QD_F32, QD_TO_PLUS_INFINITY, exact.hi);
    lo = qd_float_round(dtype, QD_NEAREST_EVEN, lo);
    hi = qd_float_round(dtype, QD_NEAREST_EVEN, hi);
    return (struct qd_interval){fmin(lo, exact.lo), fmax(hi, exact.hi)};
}

struct qd_interval qd_interval_fused(const struct qd_value *value, int64_t i, bool rough)
{
    struct qd_fusion fusion = value->fusion;
    if (qd_value_flags(value, i) & QD_PLAIN)
        fusion.averaged = fusion.factored = false;
    bool forms_scale =
        fusion.dequantized && (fusion.rough_scales || fusion.averaged || fusion.factored || rough);
    /* n roundings of 2^-24 each: (1 + 2^-24)^n − 1 is less than n·2^-24·(1 + 2^-20) */
    double relative = qd_fusion_roundings(&fusion, rough) * 0x1p-24 * (1 + 0x1p-20);
    return qd_interval_widen(qd_interval_of(value, i),
                             forms_scale ? qd_value_abs_sum(value, i) * relative : 0);
}

struct qd_interval qd_interval_argument(const struct qd_value *value, int64_t i)
{
    double code, factor;
    bool is_product = qd_value_is_code(value, i, &code, &factor) && fabs(code) <= 0x1p24;
    return is_product ? qd_interval_of(value, i) : qd_interval_fused(value, i, false);
}

double qd_interval_magnitude(struct qd_interval a)
{
    return fmax(fabs(a.lo), fabs(a.hi));
}

struct qd_interval qd_interval_of(const struct qd_value *value, int64_t i)
{
    struct qd_interval hull = {qd_value_lo(value, i), qd_value_hi(value, i)};
    if (hull.lo == 0 &&
        hull.hi == 0) /* lo and hi may have come from fmin, which takes either sign */
        hull.lo = hull.hi = qd_tensor_value(&value->want, i);
    return hull;
}

struct qd_interval qd_interval_open(struct qd_interval hull)
{
    return (struct qd_interval){qd_next_down(hull.lo), qd_next_up(hull.hi)};
}

/* RN of what lies next to x, above or below: x itself may be a tie. */
static double nearest_beside(enum qd_dtype dtype, double x, bool above)
{
    double down = qd_float_round(dtype, QD_TO_MINUS_INFINITY, x),
           up = qd_float_round(dtype, QD_TO_PLUS_INFINITY, x);
    if (down < x && x < up && x == down / 2 + up / 2)
        return above ? up : down;
    return qd_float_round(dtype, QD_NEAREST_EVEN, x);
}

bool qd_interval_nearest(enum qd_dtype dtype, struct qd_interval exact, double *rounded)
{
    bool point = exact.lo == exact.hi;
    if (!qd_dtype_is_float(dtype)) {
        *rounded = ceil(exact.lo);
        return point;
    }
    if (point) {
        *rounded = exact.lo == 0 ? exact.lo : qd_float_round(dtype, QD_NEAREST_EVEN, exact.lo);
        return true;
    }
    *rounded = nearest_beside(dtype, exact.lo, true);
    return *rounded == nearest_beside(dtype, exact.hi, false);
}

static void set_want(struct qd_value *value, int64_t i, double want)
{
    enum qd_dtype dtype = value->want.dtype;
    int64_t code =
        qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, want, false) : (int64_t)want;
    qd_tensor_set(&value->want, i, code);
}

static enum qd_status set_exact(struct qd_value *value, int64_t i, struct qd_interval exact,
                                double want, struct qd_arena *arena, struct qd_error *error)
{
    bool more = qd_dtype_is_float(value->want.dtype) && (exact.lo != want || exact.hi != want);
    enum qd_status status = more ? qd_value_need_exact(value, arena, error) : QD_OK;
    if (status == QD_OK && value->exact)
        value->exact[i] = exact;
    return status;
}

enum qd_status qd_interval_store(struct qd_value *value, int64_t i, struct qd_interval hull,
                                 struct qd_interval exact, struct qd_arena *arena,
                                 struct qd_error *error)
{
    double want;
    bool decided = qd_interval_nearest(value->want.dtype, exact, &want);
    bool point = hull.lo == hull.hi;
    if (!decided && value->want.dtype == QD_F64) /* nothing rounds the ends of an open `exact` */
        want = fmin(fmax(want, hull.lo), hull.hi);
    if (point) { /* a zero keeps the sign of `exact`: a hull's may have come from fmin */
        want = want == hull.lo ? want : hull.lo;
        exact = (struct qd_interval){want, want};
        decided = true;
    }
    set_want(value, i, want);
    enum qd_status status = point ? QD_OK : qd_value_need_hull(value, arena, error);
    if (status == QD_OK && !decided)
        status = qd_value_need_flags(value, arena, error);
    if (status == QD_OK)
        status = set_exact(value, i, exact, want, arena, error);
    if (status != QD_OK)
        return status;
    if (value->lo) {
        value->lo[i] = hull.lo;
        value->hi[i] = hull.hi;
    }
    if (value->flags)
        value->flags[i] = decided ? 0 : QD_NO_CANONICAL;
    return QD_OK;
}

enum qd_status qd_interval_store_flag(struct qd_value *value, int64_t i, enum qd_element_flag flag,
                                      struct qd_arena *arena, struct qd_error *error)
{
    enum qd_status status = qd_value_need_flags(value, arena, error);
    if (status != QD_OK)
        return status;
    set_want(value, i,
             flag == QD_NOT_NUMBER && qd_dtype_is_float(value->want.dtype) ? (double)NAN : 0);
    value->flags[i] = (uint8_t)flag;
    if (value->lo)
        value->lo[i] = value->hi[i] = 0;
    if (value->exact)
        value->exact[i] = (struct qd_interval){0, 0};
    return QD_OK;
}
