/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers: ± num/den · 2^exponent with integers of at most 128 bits, and their roundings.
 *
 * Every finite value of the float types is m·2^e with |m| < 2^53, every code an integer, so a
 * requantized product acc·s_1·s_2/s_y is such a number with num < 2^64·2^24·2^24 and den < 2^24: no
 * operation here ever rounds. */
#ifndef QDIFF_EXACT_H
#define QDIFF_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "qdiff/dtype.h"
#include "qdiff/semantics.h"

__extension__ typedef unsigned __int128 qd_u128;

struct qd_ratio {
    bool negative;
    qd_u128 num;
    uint64_t den; /* 0 < den < 2^62 */
    int exponent;
};

/* The exact value of a finite double or of an integer. */
struct qd_ratio qd_ratio_of_double(double x);
struct qd_ratio qd_ratio_of_integer(int64_t x);

/* a·b, and a/b for den(b) = 1 and num(b) > 0. The caller guarantees num(a)·num(b) < 2^127 and
 * denominators below 2^62. */
struct qd_ratio qd_ratio_multiply(struct qd_ratio a, struct qd_ratio b);
struct qd_ratio qd_ratio_divide(struct qd_ratio a, struct qd_ratio b);

/* a + b for integers times powers of two, |num| < 2^34, den 1. Where the exponents are too far
 * apart for 127 bits, the smaller one is replaced by one that is too small to move the sum across,
 * or onto, any of the numbers (2k + 1)·m·2^e with |k| < 2^10 and m < 2^24. */
struct qd_ratio qd_ratio_add(struct qd_ratio a, struct qd_ratio b);

/* Bound beyond which qd_ratio_round saturates: all codes and zero points are far smaller. */
#define QD_ROUND_LIMIT ((int64_t)1 << 40)

/* What rounding to an integer found. */
struct qd_rounded {
    int64_t value; /* the rounded integer, within ±QD_ROUND_LIMIT */
    bool tie;      /* the number lies exactly half-way between two integers */
    bool near; /* |number − nearest edge| ≤ |number|·2^−19: an order may cross the edge */
};

/* Whether the edges of a mode are the half-integers. */
bool qd_rounding_is_nearest(enum qd_rounding rounding);

/* Rounds to an integer. `odd` is the parity of a zero point added *before* rounding (ties then go
 * to the even sum); false for rounding proper. The edges of `near` are the half-integers for the
 * nearest modes, the integers for the directed ones. */
struct qd_rounded qd_ratio_round(struct qd_ratio a, enum qd_rounding rounding, bool odd);

/* Rounds to a float type, in any direction, correctly (subnormals, overflow as qd_float_round). */
double qd_ratio_to_float(struct qd_ratio a, enum qd_dtype dtype, enum qd_direction direction);

/* a·b and a/b of two finite values of the type (at most 24 significant bits, or any doubles for
 * exact dtype F64), rounded to the type. b of a division is not 0. */
double qd_float_multiply(enum qd_dtype dtype, enum qd_direction direction, double a, double b);
double qd_float_divide(enum qd_dtype dtype, enum qd_direction direction, double a, double b);

#endif
