/* SPDX-License-Identifier: Apache-2.0 */
/* Bound. Let k be the integer nearest to x/ln 2, |k| ≤ 1011, r = x − k·ln 2, |r| < 0.35.
 *   reduction  HIGH has 33 significant bits, so k·HIGH is exact; LOW and its product with k are off
 *              by less than 2^−52·2^−32·k each; two subtractions, whose results are below 0.36,
 *              round by at most 2^−54 each: |δr| < 2^−52.
 *   truncation the Taylor remainder after r^17: 0.35^18/18!·e^0.35 < 2^−79.
 *   evaluation Horner's scheme with 17 steps of two roundings and coefficients of one: at most
 *              γ_52·Σ|r^i/i!| < 52·2^−53·1.0001·e^0.35 < 2^−46.7, relative to e^r ≥ 0.7 below
 *              2^−46.1.
 * In sum the relative error is below 2^−45.9 < 2^−45; scaling by 2^k is exact for |x| ≤ 700. */
#include "number/exponential.h"

#include <math.h>

#include "number/float_bits.h"

#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define RELATIVE_ERROR 0x1p-45
#define LARGEST_ARGUMENT 700.0
#define TAYLOR_TERMS 17

/* 1/i!: every divisor is exact. A division in each step would take most of the time. */
static const double coefficients[TAYLOR_TERMS + 1] = {1.0,
                                                      1.0,
                                                      1.0 / 2,
                                                      1.0 / 6,
                                                      1.0 / 24,
                                                      1.0 / 120,
                                                      1.0 / 720,
                                                      1.0 / 5040,
                                                      1.0 / 40320,
                                                      1.0 / 362880,
                                                      1.0 / 3628800,
                                                      1.0 / 39916800,
                                                      1.0 / 479001600,
                                                      1.0 / 6227020800,
                                                      1.0 / 87178291200,
                                                      1.0 / 1307674368000,
                                                      1.0 / 20922789888000,
                                                      1.0 / 355687428096000};

static double taylor(double r)
{
    double sum = coefficients[TAYLOR_TERMS];
    for (int i = TAYLOR_TERMS - 1; i >= 0; i--)
        sum = coefficients[i] + sum * r;
    return sum;
}

struct qd_interval qd_exponential(double x)
{
    if (x == 0)
        return (struct qd_interval){1, 1};
    if (isnan(x)) /* nothing is known of it */
        return (struct qd_interval){0, 0x1.fffffffffffffp1023};
    if (x < -LARGEST_ARGUMENT)
        return (struct qd_interval){0, qd_exponential(-LARGEST_ARGUMENT).hi};
    if (x > LARGEST_ARGUMENT)
        return (struct qd_interval){qd_exponential(LARGEST_ARGUMENT).lo, 0x1.fffffffffffffp1023};
    double k = rint(x / (LN2_HIGH + LN2_LOW));
    double r = x - k * LN2_HIGH - k * LN2_LOW;
    double e = qd_scale(taylor(r), (int)k);
    return (struct qd_interval){e * (1 - RELATIVE_ERROR), e * (1 + RELATIVE_ERROR)};
}

struct qd_interval qd_logistic(double x)
{
    if (x == 0)
        return (struct qd_interval){0.5, 0.5};
    struct qd_interval sum = qd_interval_add((struct qd_interval){1, 1}, qd_exponential(-x));
    /* One rounding of the quotient is far below an ulp more. */
    double lo = nextafter(1 / sum.hi, 0), hi = nextafter(1 / sum.lo, 2);
    return (struct qd_interval){lo, hi < 1 ? hi : 1};
}
