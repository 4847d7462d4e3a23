/* Powers of two by the bits of a double: what frexp and ldexp do, without a call. */
#ifndef QDIFF_REFERENCE_BINARY_H
#define QDIFF_REFERENCE_BINARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ⌊log2 |x|⌋ of a normal double; −1023 for zero and subnormal ones. */
static inline int qd_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 2047) - 1023;
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
