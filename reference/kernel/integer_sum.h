/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of integers: MatMul, Gemm, ReduceSum and ReduceMean of s32 and s64.
 *
 * No sentence says what a sum beyond its type is, nor in what order terms are added: a sum is specified if the
 * magnitudes of its terms add up to what the type holds, and then it is exact. */
#ifndef QDIFF_REFERENCE_INTEGER_SUM_H
#define QDIFF_REFERENCE_INTEGER_SUM_H

#include "qdiff/evaluate.h"

struct qd_integer_sum {
    int64_t total;    /* while `magnitude` is below 2^62 */
    double magnitude; /* of the terms, added up */
};
#define QD_INTEGER_SUM_EMPTY ((struct qd_integer_sum){0})

/* Whether a tensor is s32 or s64. */
bool qd_is_summed_integer(const struct qd_tensor *tensor);

/* Adds a · b. */
void qd_integer_sum_product(struct qd_integer_sum *sum, int64_t a, int64_t b);

/* Multiplies the sum by a factor, |factor| < 2^32. */
void qd_integer_sum_scale(struct qd_integer_sum *sum, int64_t factor);

/* Stores the sum at element i of y, s32 or s64. NO_MEMORY. */
enum qd_status qd_integer_sum_store(const struct qd_evaluation *evaluation,
                                    const struct qd_integer_sum *sum, struct qd_value *y,
                                    int64_t i);

/* Stores the sum over `terms`, 1 ≤ terms. Between two integers either is right: no sentence says how a mean is rounded.
 * NO_MEMORY. */
enum qd_status qd_integer_sum_store_mean(const struct qd_evaluation *evaluation,
                                         const struct qd_integer_sum *sum, int64_t terms,
                                         struct qd_value *y, int64_t i);

#endif
