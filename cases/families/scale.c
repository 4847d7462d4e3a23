/* SPDX-License-Identifier: Apache-2.0 */
#include "families/scale.h"

__extension__ typedef unsigned __int128 u128;

#define TOP (1u << 23) /* the leading bit of a 24-bit mantissa */

static struct qd_scale normalize(struct qd_scale s)
{
    while (s.mantissa < TOP) {
        s.mantissa <<= 1;
        s.exponent--;
    }
    return s;
}

struct qd_scale qd_scale_make(uint32_t mantissa, int exponent)
{
    return (struct qd_scale){mantissa, exponent};
}

struct qd_scale qd_scale_step(struct qd_scale scale, int steps)
{
    struct qd_scale s = normalize(scale);
    int64_t mantissa = (int64_t)s.mantissa + steps;
    if (mantissa < TOP) { /* floats below a power of two lie half as far apart, above it twice */
        mantissa += TOP;
        s.exponent--;
    } else if (mantissa >= 2 * (int64_t)TOP) {
        mantissa -= TOP;
        s.exponent++;
    }
    s.mantissa = (uint32_t)mantissa;
    return s;
}

uint32_t qd_scale_bits(struct qd_scale scale)
{
    struct qd_scale s = normalize(scale);
    int biased = s.exponent + 23 + 127;
    if (biased >= 255)
        return 0x7f7fffff;
    if (biased >= 1)
        return (uint32_t)biased << 23 | (s.mantissa & (TOP - 1));
    uint32_t bits = biased > -24 ? s.mantissa >> (1 - biased) : 0;
    return bits ? bits : 1;
}

struct qd_scale qd_scale_solve(uint64_t acc, uint64_t halves, struct qd_scale s_x,
                               struct qd_scale s_y)
{
    struct qd_scale x = normalize(s_x), y = normalize(s_y);
    u128 numerator = (u128)halves * y.mantissa, denominator = (u128)acc * x.mantissa;
    int exponent = y.exponent - x.exponent - 1;
    while (numerator < denominator << 23) {
        numerator <<= 1;
        exponent--;
    }
    while (numerator >= denominator << 24) {
        denominator <<= 1;
        exponent++;
    }
    u128 mantissa = (2 * numerator + denominator) / (2 * denominator);
    if (mantissa >> 24) {
        mantissa >>= 1;
        exponent++;
    }
    return (struct qd_scale){(uint32_t)mantissa, exponent};
}
