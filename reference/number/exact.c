/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/exact.h"

#include "number/float_bits.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int bits64(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

static int bits128(qd_u128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? 64 + bits64(high) : bits64((uint64_t)x);
}

struct qd_ratio qd_ratio_of_double(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    uint64_t m = word & (((uint64_t)1 << 52) - 1);
    int e = (int)(word >> 52 & 2047);
    if (e)
        m |= (uint64_t)1 << 52;
    else
        e = 1;
    /* Without trailing zeros a float32 has at most 24 bits and products stay small. */
    int zeros = m ? __builtin_ctzll(m) : 0;
    return (struct qd_ratio){word >> 63, m >> zeros, 1, m ? e - 1075 + zeros : 0};
}

struct qd_ratio qd_ratio_of_integer(int64_t x)
{
    uint64_t magnitude = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    return (struct qd_ratio){x < 0, magnitude, 1, 0};
}

struct qd_ratio qd_ratio_multiply(struct qd_ratio a, struct qd_ratio b)
{
    return (struct qd_ratio){a.negative != b.negative, a.num * b.num, a.den * b.den,
                             a.exponent + b.exponent};
}

struct qd_ratio qd_ratio_divide(struct qd_ratio a, struct qd_ratio b)
{
    return (struct qd_ratio){a.negative != b.negative, a.num, a.den * (uint64_t)b.num,
                             a.exponent - b.exponent};
}

/* Both numerators have at most 34 bits: shifted by 90 the sum stays below 2^125. */
#define NEAR_EXPONENTS 90
#define FAR_SHIFT 50

struct qd_ratio qd_ratio_add(struct qd_ratio a, struct qd_ratio b)
{
    if (a.num == 0 || b.num == 0)
        return a.num == 0 ? b : a;
    if (a.exponent < b.exponent) {
        struct qd_ratio swap = a;
        a = b;
        b = swap;
    }
    int distance = a.exponent - b.exponent;
    if (distance > NEAR_EXPONENTS) { /* b < 2^(34 − 91 + 50) of the unit it becomes */
        distance = FAR_SHIFT;
        b.num = 1;
        b.exponent = a.exponent - FAR_SHIFT;
    }
    qd_u128 high = a.num << distance;
    struct qd_ratio sum = {a.negative, 0, 1, b.exponent};
    if (a.negative == b.negative) {
        sum.num = high + b.num;
    } else {
        bool less = high < b.num;
        sum.negative = less ? b.negative : a.negative;
        sum.num = less ? b.num - high : high - b.num;
    }
    return sum;
}

/* |a| = num/den as whole + rest/den with 0 ≤ rest < den; `tiny` adds an amount below 1/den that is
 * not 0. */
struct parts {
    qd_u128 num, whole, rest, den;
    bool tiny;
};

/* Most numbers fit the machine's own division, which is many times faster. */
static qd_u128 divide(qd_u128 num, qd_u128 den)
{
    if (num >> 64 == 0)
        return den >> 64 == 0 ? (uint64_t)num / (uint64_t)den : 0;
    return num / den;
}

/* False when |a| ≥ QD_ROUND_LIMIT. */
static bool split(struct qd_ratio a, struct parts *parts)
{
    int num_bits = bits128(a.num), den_bits = bits64(a.den);
    qd_u128 num = a.num, den = a.den;
    bool tiny = false;
    if (a.num && num_bits - den_bits + a.exponent > 41)
        return false;
    if (a.exponent >= 0) {
        num <<= a.num ? a.exponent : 0; /* num_bits + exponent ≤ 41 + 62 */
    } else if (den_bits - a.exponent <= 126) {
        den <<= -a.exponent;
    } else {
        /* |a| < 2^(num_bits − 126 + …): below 1/4, and only its being nonzero matters. */
        tiny = num != 0;
        num = 0;
    }
    qd_u128 whole =
        a.den == 1 && num != 0 && a.exponent < 0 ? num >> -a.exponent : divide(num, den);
    *parts = (struct parts){num, whole, num - whole * den, den, tiny};
    return whole < (qd_u128)QD_ROUND_LIMIT;
}

/* −1, 0, 1: the fraction is below, at or above one half. */
static int half(const struct parts *p)
{
    qd_u128 rest = p->den - p->rest;
    if (p->rest != rest)
        return p->rest < rest ? -1 : 1;
    return p->tiny ? 1 : 0;
}

static bool rounds_up(const struct parts *p, enum qd_rounding rounding, bool negative, bool odd)
{
    bool fraction = p->rest != 0 || p->tiny;
    int side = half(p);
    switch (rounding) {
    case QD_ROUND_HALF_EVEN: return side > 0 || (side == 0 && ((p->whole & 1) != 0) != odd);
    case QD_ROUND_HALF_AWAY: return side >= 0;
    case QD_ROUND_HALF_UP: return negative ? side > 0 : side >= 0;
    case QD_ROUND_HALF_TO_ZERO: return side > 0;
    case QD_ROUND_FLOOR: return negative && fraction;
    case QD_ROUND_CEIL: return !negative && fraction;
    case QD_ROUND_TRUNCATE: break;
    }
    return false;
}

bool qd_rounding_is_nearest(enum qd_rounding rounding)
{
    return rounding == QD_ROUND_HALF_EVEN || rounding == QD_ROUND_HALF_AWAY ||
           rounding == QD_ROUND_HALF_UP || rounding == QD_ROUND_HALF_TO_ZERO;
}

static bool near_edge(const struct parts *p, enum qd_rounding rounding)
{
    /* In units of 1/den the number is num, and twice its distance from a half-integer |2·rest −
     * den|. */
    bool nearest = qd_rounding_is_nearest(rounding);
    qd_u128 other = p->den - p->rest;
    if (p->tiny)
        return !nearest;
    if (nearest)
        return (other > p->rest ? other - p->rest : p->rest - other) <= p->num >> 18;
    return (p->rest < other ? p->rest : other) <= p->num >> 19;
}

/* The integer nearest to |a| by the machine's own arithmetic, whose three roundings, of 2^-53 each,
 * are far below what `near` asks for. */
static bool magnitude_clearly(struct qd_ratio a, int64_t *magnitude)
{
    if (a.num >> 64 != 0)
        return false;
    double v = qd_scale((double)(uint64_t)a.num / (double)a.den, a.exponent);
    return qd_nearest_clearly(v, 0x1p-18, magnitude);
}

struct qd_rounded qd_ratio_round(struct qd_ratio a, enum qd_rounding rounding, bool odd)
{
    struct parts p;
    int64_t clear;
    if (qd_rounding_is_nearest(rounding) && magnitude_clearly(a, &clear))
        return (struct qd_rounded){a.negative ? -clear : clear, false, false};
    if (!split(a, &p))
        return (struct qd_rounded){a.negative ? -QD_ROUND_LIMIT : QD_ROUND_LIMIT, false, false};
    int64_t magnitude = (int64_t)p.whole + (rounds_up(&p, rounding, a.negative, odd) ? 1 : 0);
    return (struct qd_rounded){a.negative ? -magnitude : magnitude, half(&p) == 0,
                               near_edge(&p, rounding)};
}

/* num/den·2^exponent as an integer of 61 to 63 bits times 2^*exponent; the integer's last bit also
 * says "or a bit more" (sticky). */
static uint64_t normalise(struct qd_ratio a, int *exponent)
{
    assert(a.den > 0);
    int shift = 62 - bits128(a.num) + bits64(a.den);
    qd_u128 num = a.num;
    bool sticky = false;
    if (shift >= 0) {
        num <<= shift;
    } else {
        sticky = (num & (((qd_u128)1 << -shift) - 1)) != 0;
        num >>= -shift;
    }
    uint64_t quotient = a.den == 1 ? (uint64_t)num : (uint64_t)(num / a.den);
    sticky = sticky || (qd_u128)quotient * a.den != num;
    *exponent = a.exponent - shift;
    return quotient | (sticky ? 1 : 0);
}

double qd_ratio_to_float(struct qd_ratio a, enum qd_dtype dtype, enum qd_direction direction)
{
    if (a.num == 0)
        return 0;
    const struct qd_float_format *f = qd_float_format(dtype);
    int exponent, least = qd_exponent(f->least_normal) + 1;
    uint64_t m = normalise(a, &exponent);
    int top = bits64(m) + exponent;
    int grid = (top > least ? top : least) - 1 - (int)f->fraction_bits;
    int drop = grid - exponent; /* ≥ 61 − 53 > 0 */
    uint64_t whole = drop < 64 ? m >> drop : 0;
    uint64_t rest = drop < 64 ? m & (((uint64_t)1 << drop) - 1) : m;
    bool up;
    if (direction != QD_NEAREST_EVEN)
        up = rest != 0 && (direction == QD_TO_PLUS_INFINITY) != a.negative;
    else if (drop > 64)
        up = false;
    else
        up = rest > (uint64_t)1 << (drop - 1) || (rest == (uint64_t)1 << (drop - 1) && whole & 1);
    double magnitude = qd_scale((double)(whole + (up ? 1 : 0)), grid);
    if (magnitude > f->largest) {
        bool towards_zero =
            a.negative ? direction == QD_TO_PLUS_INFINITY : direction == QD_TO_MINUS_INFINITY;
        magnitude = towards_zero ? f->largest : (double)INFINITY;
    }
    return a.negative ? -magnitude : magnitude;
}

static double divide_f32(enum qd_direction direction, double a, double b)
{
    if (direction == QD_TO_MINUS_INFINITY)
        return qd_divide_down_f32(a, b);
    return direction == QD_TO_PLUS_INFINITY ? qd_divide_up_f32(a, b) : (double)(float)(a / b);
}

double qd_float_multiply(enum qd_dtype dtype, enum qd_direction direction, double a, double b)
{
    if (dtype != QD_F64)
        return qd_float_round(dtype, direction, a * b); /* at most 24 + 24 bits: exact */
    return qd_ratio_to_float(qd_ratio_multiply(qd_ratio_of_double(a), qd_ratio_of_double(b)), dtype,
                             direction);
}

double qd_float_divide(enum qd_dtype dtype, enum qd_direction direction, double a, double b)
{
    if (dtype == QD_F32)
        return divide_f32(direction, a, b);
    return qd_ratio_to_float(qd_ratio_divide(qd_ratio_of_double(a), qd_ratio_of_double(b)), dtype,
                             direction);
}
