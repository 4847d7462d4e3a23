/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of reals with double ends, every operation rounded outward, and only where it really
 * rounds.
 *
 * Operands are values of float32 or narrower types, or sums and products of such: the residuals
 * that decide whether an operation was exact do not underflow. */
#ifndef QDIFF_INTERVAL_H
#define QDIFF_INTERVAL_H

#include "qdiff/value.h"

struct qd_interval {
    double lo, hi;
};

struct qd_interval qd_interval_add(struct qd_interval a, struct qd_interval b);
struct qd_interval qd_interval_multiply(struct qd_interval a, struct qd_interval b);
struct qd_interval qd_interval_divide(struct qd_interval a, struct qd_interval b); /* 0 not in b */

/* The interval with `by` ≥ 0 added at both ends; untouched for by = 0. */
struct qd_interval qd_interval_widen(struct qd_interval a, double by);

/* One operation of a float type with its exact result in `exact`: the exact real (a consumer may be
 * fused) and its roundings to nearest, from float32 for 16-bit types too. */
struct qd_interval qd_interval_round(enum qd_dtype dtype, struct qd_interval exact);

/* Element i as an operand of a kernel that computes it together with what it is made of (struct
 * qd_fusion): such a kernel forms a combined scale, which costs at most 8 roundings, each below
 * 2^−24 of Σ|terms|; none if all scales are powers of two. `rough`: the consumer adds a scale that
 * is not. */
struct qd_interval qd_interval_fused(const struct qd_value *value, int64_t i, bool rough);

/* The greatest |x| of the interval. */
double qd_interval_magnitude(struct qd_interval a);

/* The hull of element i of a float value, in the numbers of its type or between them. A hull of 0
 * alone has the sign of `want`. */
struct qd_interval qd_interval_of(const struct qd_value *value, int64_t i);

/* Stores a hull as element i, and `want`, a value of the type: the canonical one, or, unless
 * `canonical`, an example of what is admissible (QD_NO_CANONICAL). A hull of one number is the
 * canonical value by itself. NO_MEMORY. */
enum qd_status qd_interval_store(struct qd_value *value, int64_t i, struct qd_interval hull,
                                 bool canonical, double want, struct qd_arena *arena,
                                 struct qd_error *error);

/* Stores element i with one flag and no hull: QD_NOT_NUMBER, which stores a NaN, or QD_UNSPECIFIED,
 * which stores 0. NO_MEMORY. */
enum qd_status qd_interval_store_flag(struct qd_value *value, int64_t i, enum qd_element_flag flag,
                                      struct qd_arena *arena, struct qd_error *error);

#endif
