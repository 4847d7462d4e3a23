/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/transcendental.h"

#include <math.h>

#include "number/exponential.h"

typedef struct qd_interval enclosure(double x);

/* An increasing function by its values at the ends. Of a point they are one, but for zeros of two signs. */
static struct qd_interval over(enclosure *f, struct qd_interval x)
{
    struct qd_interval low = f(x.lo);
    return x.lo == x.hi && x.lo != 0 ? low : (struct qd_interval){low.lo, f(x.hi).hi};
}

static struct qd_interval exp_at(double x)
{
    if (isinf(x))
        return (struct qd_interval){x < 0 ? 0 : x, x < 0 ? 0 : x};
    return qd_exponential(x);
}

static struct qd_interval logistic_at(double x)
{
    if (isinf(x))
        return (struct qd_interval){x > 0, x > 0};
    return qd_logistic(x);
}

/* The series of tanh alternates, its terms decreasing: two partial sums enclose it. For x² < 2^−8
 * the last term is below 2^−55 of the first, and the roundings of Horner's scheme below 2^−48. */
static struct qd_interval tanh_by_series(double x)
{
    static const double c[] = {1.0 / 3, 2.0 / 15, 17.0 / 315, 62.0 / 2835, 1382.0 / 155925};
    double x2 = x * x, sum = 0;
    for (int i = 5; i-- > 0;)
        sum = x2 * (c[i] - sum);
    double y = x - x * sum, error = fabs(x) * 0x1p-46;
    return (struct qd_interval){y - error, y + error};
}

/* Of x ≥ 1/16: 1 − 2/(1 + e^(2x)), at most 2^−45 relative in e^(2x), which is 2^−41 in the
 * result. */
static struct qd_interval tanh_of_positive(double x)
{
    struct qd_interval one = {1, 1}, two = {2, 2};
    struct qd_interval part =
        qd_interval_divide(two, qd_interval_add(one, qd_exponential(x > 100 ? 200 : 2 * x)));
    struct qd_interval y = {1 - part.hi, 1 - part.lo};
    return (struct qd_interval){nextafter(y.lo, 0), fmin(nextafter(y.hi, 2), 1)};
}

static struct qd_interval tanh_at(double x)
{
    if (x == 0) /* tanh is odd: of its sign */
        return (struct qd_interval){x, x};
    if (isinf(x))
        return (struct qd_interval){x > 0 ? 1 : -1, x > 0 ? 1 : -1};
    if (fabs(x) < 0.0625)
        return tanh_by_series(x);
    struct qd_interval y = tanh_of_positive(fabs(x));
    return x > 0 ? y : (struct qd_interval){-y.hi, -y.lo};
}

/* 2/√π · e^(−x²) · Σ 2^n x^(2n+1)/(1·3·…·(2n+1)), of 0 < x ≤ 6: every term is positive. The terms halve from
 * 4x² ≤ 2n + 3 on, so that what is left is at most the last one, below 2^−60 of the sum after at most 140 terms. With 4
 * roundings a term the sum is off by less than 560·2^−53 < 2^−43.8, and x², rounded once, moves e^(−x²) by less than
 * 36·2^−53 < 2^−47: within 2^−42 all together. */
static struct qd_interval erf_by_series(double x)
{
    static const double two_over_root_pi = 1.1283791670955126;
    double x2 = x * x, term = x, sum = x;
    for (int n = 0; !(term <= sum * 0x1p-60 && 4 * x2 <= 2 * n + 1); n++) {
        term = term * (2 * x2) / (2 * n + 3);
        sum += term;
    }
    struct qd_interval e = qd_exponential(-x2);
    double y = two_over_root_pi * sum;
    return (struct qd_interval){e.lo * y * (1 - 0x1p-42), fmin(e.hi * y * (1 + 0x1p-42), 1)};
}

/* Beyond 6 it is within 2.2e-17 < 2^−55 of 1. */
static struct qd_interval erf_at(double x)
{
    if (isnan(x))
        return (struct qd_interval){-1, 1};
    if (x == 0)
        return (struct qd_interval){x, x};
    if (isinf(x))
        return (struct qd_interval){x > 0 ? 1 : -1, x > 0 ? 1 : -1};
    struct qd_interval y =
        fabs(x) > 6 ? (struct qd_interval){1 - 0x1p-53, 1} : erf_by_series(fabs(x));
    return x > 0 ? y : (struct qd_interval){-y.hi, -y.lo};
}

struct qd_interval qd_enclose_erf(struct qd_interval x)
{
    return over(erf_at, x);
}

struct qd_interval qd_enclose_exp(struct qd_interval x)
{
    return over(exp_at, x);
}

struct qd_interval qd_enclose_tanh(struct qd_interval x)
{
    return over(tanh_at, x);
}

struct qd_interval qd_enclose_logistic(struct qd_interval x)
{
    return over(logistic_at, x);
}

struct qd_interval qd_interval_ulps(struct qd_interval exact, double ulps)
{
    if (exact.lo == exact.hi)
        return exact;
    double step = ulps * (1 + 0x1p-20); /* for the roundings here */
    return (struct qd_interval){exact.lo - step * (fabs(exact.lo) * 0x1p-23 + 0x1p-149),
                                exact.hi + step * (fabs(exact.hi) * 0x1p-23 + 0x1p-149)};
}
