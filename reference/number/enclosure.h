/* SPDX-License-Identifier: Apache-2.0 */
/* A number inside an order of evaluation, enclosed by directed rounding.
 *
 * An operation rounds its lower end down and its upper end up in the type that the order computes
 * in: a result that is representable adds no width. An intermediate result is lost if it overflows
 * or may be subnormal. The last one is rounded to a code, or observed, at once: only an overflow
 * loses it. What is computed from a lost result is lost.
 *
 * Source: reference/README.md, "Admissible sets". */
#ifndef QDIFF_REFERENCE_ENCLOSURE_H
#define QDIFF_REFERENCE_ENCLOSURE_H

#include "number/float_bits.h"
#include "qdiff/exact.h"
#include "qdiff/interval.h"

/* The number lies in [lo, hi], which are finite unless it is lost. */
struct qd_enclosure {
    double lo, hi;
    bool lost;
};

/* What computes an order: operations of float32, float16, bfloat16 or double, rounded outward or,
 * `nearest`, to nearest even. */
struct qd_arithmetic {
    enum qd_dtype type;
    bool nearest;
    bool all; /* what over- or underflows is not lost, but what IEEE 754 gives; with `nearest` */
};

enum qd_stage { QD_INTERMEDIATE, QD_LAST };

/* A value of the type. */
static inline struct qd_enclosure qd_enclosure_point(double x)
{
    return (struct qd_enclosure){x, x, false};
}

static inline double qd_arithmetic_least_normal(struct qd_arithmetic how)
{
    return how.type == QD_F32 ? 0x1p-126 : qd_float_format(how.type)->least_normal;
}

static inline enum qd_direction qd_arithmetic_direction(struct qd_arithmetic how, bool up)
{
    if (how.nearest)
        return QD_NEAREST_EVEN;
    return up ? QD_TO_PLUS_INFINITY : QD_TO_MINUS_INFINITY;
}

/* One end of x, a·b and a/b, all values of the type except x; b of a quotient is not 0. */
static inline double qd_arithmetic_round(struct qd_arithmetic how, bool up, double x)
{
    return qd_float_round(how.type, qd_arithmetic_direction(how, up), x);
}

static inline double qd_arithmetic_multiply(struct qd_arithmetic how, bool up, double a, double b)
{
    if (how.type == QD_F32 && !how.nearest)
        return up ? qd_multiply_up_f32(a, b) : qd_multiply_down_f32(a, b);
    return qd_float_multiply(how.type, qd_arithmetic_direction(how, up), a, b);
}

static inline double qd_arithmetic_divide(struct qd_arithmetic how, bool up, double a, double b)
{
    if (how.type == QD_F32 && !how.nearest)
        return up ? qd_divide_up_f32(a, b) : qd_divide_down_f32(a, b);
    if (how.all && (!isfinite(a) || !isfinite(b) || b == 0))
        return a / b;
    return qd_float_divide(how.type, qd_arithmetic_direction(how, up), a, b);
}

/* An operand that the order is given, rounded to the type: never lost. */
static inline struct qd_enclosure qd_enclosure_of(struct qd_arithmetic how,
                                                  struct qd_interval exact)
{
    return (struct qd_enclosure){qd_arithmetic_round(how, false, exact.lo),
                                 qd_arithmetic_round(how, true, exact.hi), false};
}

/* The rule of what is lost. */
static inline struct qd_enclosure qd_enclosure_keep(struct qd_arithmetic how, enum qd_stage stage,
                                                    struct qd_enclosure a)
{
    double l = fabs(a.lo), h = fabs(a.hi), most = l > h ? l : h;
    if (how.all) {
        a.lost = isnan(a.lo) || isnan(a.hi);
        return a;
    }
    a.lost = isinf(most);
    if (stage == QD_LAST || most == 0)
        return a;
    double fewest = a.lo < 0 && a.hi > 0 ? most : l > h ? h : l;
    a.lost = a.lost || fewest < qd_arithmetic_least_normal(how);
    return a;
}

static inline struct qd_enclosure qd_enclosure_lost(void)
{
    return (struct qd_enclosure){0, 0, true};
}

static inline struct qd_enclosure qd_enclosure_negate(struct qd_enclosure a)
{
    return (struct qd_enclosure){-a.hi, -a.lo, a.lost};
}

/* An accumulator converted to the type. |x| < 2^53. */
static inline struct qd_enclosure qd_enclosure_integer(struct qd_arithmetic how, int64_t x)
{
    struct qd_interval exact = {(double)x, (double)x};
    return qd_enclosure_keep(how, QD_INTERMEDIATE, qd_enclosure_of(how, exact));
}

/* The least and the greatest of the four products of ends. */
struct qd_enclosure qd_enclosure_corners(struct qd_arithmetic how, struct qd_enclosure a,
                                         struct qd_enclosure b);

static inline struct qd_enclosure qd_enclosure_multiply(struct qd_arithmetic how,
                                                        enum qd_stage stage, struct qd_enclosure a,
                                                        struct qd_enclosure b)
{
    if (a.lost || b.lost)
        return qd_enclosure_lost();
    bool points = a.lo == a.hi && b.lo == b.hi;
    if (!points && (a.lo < 0 || b.lo < 0))
        return qd_enclosure_keep(how, stage, qd_enclosure_corners(how, a, b));
    struct qd_enclosure r = {qd_arithmetic_multiply(how, false, a.lo, b.lo),
                             qd_arithmetic_multiply(how, true, a.hi, b.hi), false};
    return qd_enclosure_keep(how, stage, r);
}

/* b is a point and not 0, or lost. */
static inline struct qd_enclosure qd_enclosure_divide(struct qd_arithmetic how, enum qd_stage stage,
                                                      struct qd_enclosure a, struct qd_enclosure b)
{
    if (a.lost || b.lost)
        return qd_enclosure_lost();
    double least = b.lo < 0 ? a.hi : a.lo, most = b.lo < 0 ? a.lo : a.hi;
    struct qd_enclosure r = {qd_arithmetic_divide(how, false, least, b.lo),
                             qd_arithmetic_divide(how, true, most, b.lo), false};
    return qd_enclosure_keep(how, stage, r);
}

/* A sum: floats that are added do not round in the subnormal range. */
static inline struct qd_enclosure qd_enclosure_add(struct qd_arithmetic how, struct qd_enclosure a,
                                                   struct qd_enclosure b)
{
    if (a.lost || b.lost)
        return qd_enclosure_lost();
    if (how.all && (!isfinite(a.lo) || !isfinite(b.lo)))
        return qd_enclosure_keep(how, QD_LAST,
                                 (struct qd_enclosure){a.lo + b.lo, a.hi + b.hi, false});
    struct qd_interval sum =
        how.nearest
            ? (struct qd_interval){a.lo + b.lo, a.hi + b.hi} /* rounded to double: innocuous */
            : qd_interval_add((struct qd_interval){a.lo, a.hi}, (struct qd_interval){b.lo, b.hi});
    return qd_enclosure_keep(how, QD_LAST, qd_enclosure_of(how, sum));
}

#endif
