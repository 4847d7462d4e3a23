/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/fixed_point.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct qd_multiplier qd_multiplier_of(double real)
{
    if (real == 0 || !isfinite(real))
        return (struct qd_multiplier){0, 0};
    int shift;
    int64_t mantissa = (int64_t)round(frexp(real, &shift) * 0x1p31);
    if (mantissa == INT64_C(1) << 31) {
        mantissa /= 2;
        shift++;
    }
    if (shift < -31)
        return (struct qd_multiplier){0, 0};
    return (struct qd_multiplier){(int32_t)mantissa, shift > 30 ? 30 : shift};
}

struct qd_multiplier qd_multiplier_narrow(struct qd_multiplier multiplier)
{
    int64_t mantissa = (int64_t)round(multiplier.mantissa / 0x1p16) * (INT64_C(1) << 16);
    bool carried = mantissa > INT32_MAX || mantissa < INT32_MIN;
    if (!carried)
        return (struct qd_multiplier){(int32_t)mantissa, multiplier.shift};
    return (struct qd_multiplier){(int32_t)(mantissa / 2),
                                  multiplier.shift < 30 ? multiplier.shift + 1 : 30};
}

int64_t qd_multiply_single(int64_t acc, struct qd_multiplier multiplier)
{
    int total = 31 - multiplier.shift;
    return (acc * multiplier.mantissa + (INT64_C(1) << (total - 1))) >> total;
}

static int64_t saturate32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

/* 2·a·b/2^32, rounded half up by a nudge and a division that truncates. */
static int64_t doubling_high(int64_t a, int64_t b)
{
    int64_t product = a * b;
    int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
    return saturate32((product + nudge) / (INT64_C(1) << 31));
}

static int64_t rounding_shift(int64_t x, int exponent)
{
    int64_t mask = (INT64_C(1) << exponent) - 1;
    int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

/* What is left to shift to the right, if the multiplier is below 1. */
static int64_t multiply(int64_t acc, struct qd_multiplier multiplier)
{
    int left = multiplier.shift > 0 ? multiplier.shift : 0;
    return doubling_high(saturate32(acc * (INT64_C(1) << left)), multiplier.mantissa);
}

int64_t qd_multiply_double(int64_t acc, struct qd_multiplier multiplier)
{
    int right = multiplier.shift > 0 ? 0 : -multiplier.shift;
    return rounding_shift(multiply(acc, multiplier), right);
}

int64_t qd_multiply_double_up(int64_t acc, struct qd_multiplier multiplier)
{
    int64_t product = multiply(acc, multiplier);
    return multiplier.shift < 0
               ? (product + (INT64_C(1) << (-multiplier.shift - 1))) >> -multiplier.shift
               : product;
}

static uint64_t shift_right_to_even(uint64_t magnitude, int shift)
{
    uint64_t half = UINT64_C(1) << ((shift - 1) & 63), odd = magnitude >> (shift & 63) & 1;
    int64_t sum = (int64_t)(magnitude + half + odd - 1);
    return (uint64_t)(sum >> (shift & 63));
}

/* A factor 2^-shift, times the significand as an integer unless that is 0. */
struct shifted {
    uint64_t significand;
    int shift;
};

static struct shifted shifted_of(float scale)
{
    enum { BIAS = 127, FRACTION_BITS = 23, MORE_BITS = 7, ONE = 0x800000 };
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    int shift = scale == 0 ? 0 : BIAS - (int)(bits >> FRACTION_BITS & 0xff);
    uint64_t fraction = scale == 0 ? 0 : bits & (ONE - 1);
    if (fraction == 0)
        return (struct shifted){0, shift};
    return (struct shifted){(fraction | ONE) << MORE_BITS, shift + FRACTION_BITS + MORE_BITS};
}

static int64_t low_s32(int64_t acc, uint64_t magnitude)
{
    return (int32_t)(uint32_t)(acc < 0 ? 0 - magnitude : magnitude);
}

int64_t qd_multiply_masked(int64_t acc, float scale)
{
    struct shifted factor = shifted_of(scale);
    uint64_t magnitude = (uint64_t)llabs(acc);
    if (factor.significand != 0)
        magnitude *= factor.significand;
    magnitude = factor.shift > 0 ? shift_right_to_even(magnitude, factor.shift)
                                 : magnitude << (-factor.shift & 63);
    return acc == 0 ? 0 : low_s32(acc, magnitude);
}

/* In int64: by less than 0 is by more than 63. By 0 there is no half, and an even product is 1 less. */
static uint64_t multiply_wide_lane(uint64_t magnitude, struct shifted factor)
{
    int shift = factor.shift;
    uint64_t product = magnitude * factor.significand;
    if (shift < 0 || shift > 63)
        return 0;
    uint64_t half = shift == 0 ? 0 : UINT64_C(1) << (shift - 1);
    return (product + half + (product >> shift & 1) - 1) >> shift;
}

/* In int32: of a shift beyond the width the sign is left, and half of its unit counts modulo 32. */
static uint64_t shift_lane(uint64_t magnitude, int shift)
{
    if (shift <= 0)
        return shift > -32 ? magnitude << -shift : 0;
    int by = shift > 31 ? 31 : shift;
    uint64_t half = UINT64_C(1) << ((shift - 1) & 31), odd = magnitude >> by & 1;
    int32_t sum = (int32_t)(uint32_t)(magnitude + half + odd - 1);
    return (uint64_t)(int64_t)(sum >> by);
}

int64_t qd_multiply_in_lanes(int64_t acc, float scale)
{
    struct shifted factor = shifted_of(scale);
    uint64_t magnitude = (uint64_t)llabs(acc);
    return low_s32(acc, factor.significand != 0 ? multiply_wide_lane(magnitude, factor)
                                                : shift_lane(magnitude, factor.shift));
}
