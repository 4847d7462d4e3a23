/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of reals with double ends, every operation rounded outward, and only where it really
 * rounds.
 *
 * Operands are values of float32 or narrower types, or sums and products of such: the residuals
 * that decide whether an operation was exact do not underflow. Of operands that are exact numbers
 * (struct qd_interval) the result is one, too. */
#ifndef QDIFF_INTERVAL_H
#define QDIFF_INTERVAL_H

#include "qdiff/value.h"

struct qd_interval qd_interval_add(struct qd_interval a, struct qd_interval b);
struct qd_interval qd_interval_multiply(struct qd_interval a, struct qd_interval b);
struct qd_interval qd_interval_divide(struct qd_interval a, struct qd_interval b); /* 0 not in b */

struct qd_interval qd_interval_point(double x);

/* The least interval with both. */
struct qd_interval qd_interval_join(struct qd_interval a, struct qd_interval b);

/* The interval with `by` ≥ 0 added at both ends; untouched for by = 0. */
struct qd_interval qd_interval_widen(struct qd_interval a, double by);

/* One operation of a float type with its exact result in `exact`: the exact real (a consumer may be
 * fused) and its roundings to nearest, from float32 for 16-bit types too. */
struct qd_interval qd_interval_round(enum qd_dtype dtype, struct qd_interval exact);

/* Element i as an operand of a kernel that computes it together with what it is made of (struct
 * qd_fusion): such a kernel forms a combined scale, which costs qd_fusion_roundings, each below
 * 2^−24 of Σ|terms|; none if all scales are powers of two. `rough`: the consumer adds a scale that
 * is not. */
struct qd_interval qd_interval_fused(const struct qd_value *value, int64_t i, bool rough);

/* The same for a function that multiplies its operand with nothing (Sigmoid; not HardSigmoid, whose
 * alpha joins the scale): one code that float32 holds has nothing to combine its scale with, and the
 * hull has the rounding of their product. A logarithm of 2 that joins the scale saves one. */
struct qd_interval qd_interval_argument(const struct qd_value *value, int64_t i);

/* The greatest |x| of the interval. */
double qd_interval_magnitude(struct qd_interval a);

/* The hull of element i of a float value, in the numbers of its type or between them. A hull of 0
 * alone has the sign of `want`. */
struct qd_interval qd_interval_of(const struct qd_value *value, int64_t i);

/* A hull within which nothing is known of the exact number: every number of it may be it. */
struct qd_interval qd_interval_open(struct qd_interval hull);

/* Rounds an exact number, which is no NaN, to nearest, to a float or integer type (which then has it
 * if it is one). *rounded is it where that is decided, else an example. */
bool qd_interval_nearest(enum qd_dtype dtype, struct qd_interval exact, double *rounded);

/* Stores a hull as element i, and the exact number within it, whose rounding to nearest is the
 * canonical value; where that is not decided, QD_NO_CANONICAL. Of a hull of one number only the sign
 * of `exact` is looked at. NO_MEMORY. */
enum qd_status qd_interval_store(struct qd_value *value, int64_t i, struct qd_interval hull,
                                 struct qd_interval exact, struct qd_arena *arena,
                                 struct qd_error *error);

/* Stores element i with one flag and no hull: QD_NOT_NUMBER, which stores a NaN, or QD_UNSPECIFIED,
 * which stores 0. NO_MEMORY. */
enum qd_status qd_interval_store_flag(struct qd_value *value, int64_t i, enum qd_element_flag flag,
                                      struct qd_arena *arena, struct qd_error *error);

#endif
