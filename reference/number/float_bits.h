/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of two by the bits of a double: what frexp and ldexp do, without a call. */
#ifndef QDIFF_REFERENCE_FLOAT_BITS_H
#define QDIFF_REFERENCE_FLOAT_BITS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ⌊log2 |x|⌋ of a normal double; −1023 for zero and subnormal ones. */
static inline int qd_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 2047) - 1023;
}

/* The next double above and below x: nextafter without a call. ±Infinity goes to the largest finite one or stays. */
static inline double qd_next_up(double x)
{
    int64_t bits;
    if (x == 0)
        return 0x1p-1074;
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? !isinf(x) : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double qd_next_down(double x)
{
    return -qd_next_up(-x);
}

/* The same of float32. */
static inline float qd_next_up_f32(float x)
{
    int32_t bits;
    if (x == 0)
        return 0x1p-149f;
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? !isinf(x) : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float qd_next_down_f32(float x)
{
    return -qd_next_up_f32(-x);
}

/* x rounded to float32, down and up: the machine's own conversion, stepped back when it went the
 * wrong way. */
static inline double qd_down_f32(double x)
{
    float nearest = (float)x;
    return (double)((double)nearest > x ? qd_next_down_f32(nearest) : nearest);
}

static inline double qd_up_f32(double x)
{
    float nearest = (float)x;
    return (double)((double)nearest < x ? qd_next_up_f32(nearest) : nearest);
}

/* a·b of two float32, which is exact in double, rounded to float32, down and up. */
static inline double qd_multiply_down_f32(double a, double b)
{
    return qd_down_f32(a * b);
}

static inline double qd_multiply_up_f32(double a, double b)
{
    return qd_up_f32(a * b);
}

/* a/b of two float32, rounded to float32, down and up; b is not 0. RN of a correctly rounded double
 * quotient is RN of the quotient (53 ≥ 2·24 + 2); the product of two floats is exact in double, so
 * the comparison decides on which side of a/b the result lies. */
static inline double qd_divide_down_f32(double a, double b)
{
    float q = (float)(a / b);
    double back = (double)q * b;
    return (double)((b > 0 ? back > a : back < a) ? qd_next_down_f32(q) : q);
}

static inline double qd_divide_up_f32(double a, double b)
{
    float q = (float)(a / b);
    double back = (double)q * b;
    return (double)((b > 0 ? back < a : back > a) ? qd_next_up_f32(q) : q);
}

/* The integer nearest to v; true when it is that of every number within |v|·margin of v too, and
 * none of them half-way between two: nearly always. |v| < 2^39 where it is true. */
static inline bool qd_nearest_clearly(double v, double margin, int64_t *whole)
{
    if (!(fabs(v) < 0x1p39))
        return false;
    double nearest = v + 0x1.8p52 - 0x1.8p52;
    *whole = (int64_t)nearest;
    return 0.5 - fabs(v - nearest) > fabs(v) * margin;
}

/* x·2^e. */
static inline double qd_scale(double x, int e)
{
    if (e < -1022 || e > 1023)
        return ldexp(x, e);
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return x * power; /* rounds only where ldexp would too: when the result is subnormal */
}

#endif
