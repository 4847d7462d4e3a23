/* SPDX-License-Identifier: Apache-2.0 */
/* What a QLinearConv case really exercises, computed from its model alone with GMP rationals: by
 * other code than the generator's and the reference's. */
#ifndef QDIFF_FAMILIES_CONV_FACTS_TESTLIB_H
#define QDIFF_FAMILIES_CONV_FACTS_TESTLIB_H

#include "qdiff/case.h"

struct qd_conv_facts {
    int64_t elements, terms; /* terms: products per element */
    int64_t ties;            /* exactly half-way between two integers */
    int64_t ties_in_range;   /* of these, with both neighbouring codes inside the output's range */
    int64_t near_ties;       /* not a tie, but within 2^-22 of one, relative to the value */
    int64_t at_edges;        /* the unsaturated code is within 1 of an end of the range */
    int64_t saturated;       /* and beyond an end */
    int64_t beyond_float;    /* |accumulator| > 2^24 */
    int64_t deep;            /* the sum before the bias is beyond 2^25 */
    int64_t beyond_int32;    /* |accumulator| ≥ 2^31: must not happen */
    int64_t full_pairs; /* accumulators with two neighbouring products of raw codes beyond int16 */
    /* y_scale is a power of two, x_scale and w_scale small odd multiples of one */
    bool powers_of_two;
};

/* Fails the running test if the case is not a single valid QLinearConv. codes, if not NULL,
 * receives the canonical output codes (facts->elements of them, at most `capacity`). */
void qd_conv_facts_of(const struct qd_case *kase, struct qd_conv_facts *facts, int64_t *codes,
                      size_t capacity);

#endif
