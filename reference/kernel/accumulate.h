/* SPDX-License-Identifier: Apache-2.0 */
/* Exact dot products of quantized codes, and the seam for wrong accumulators. */
#ifndef QDIFF_REFERENCE_ACCUMULATE_H
#define QDIFF_REFERENCE_ACCUMULATE_H

#include "qdiff/evaluate.h"

/* What a dot product's operands were before their zero points were taken off: the wrong
 * accumulators of 16 bits add up products of raw codes and correct for the zero points
 * afterwards. */
struct qd_raw_codes {
    bool a_unsigned, b_unsigned;
    int16_t a_zero_point, b_zero_point;
    int64_t taps; /* terms of one channel, which follow each other; 1 for a matrix */
};

/* Σ a[i]·b[i], |a|, |b| ≤ 511, under the semantics' accumulator switch (before a bias and before
 * qd_accumulator_finish). */
int64_t qd_dot(const struct qd_semantics *semantics, const struct qd_raw_codes *raw,
               const int16_t *a, const int16_t *b, int64_t count);

/* The accumulator after the bias is in: wrapped or saturated to int32 where the switch says so. */
int64_t qd_accumulator_finish(const struct qd_semantics *semantics, int64_t acc);

/* Stores a finished accumulator as element i of an s32 value; beyond int32 the element is
 * unspecified. */
enum qd_status qd_accumulator_store(const struct qd_evaluation *evaluation, int64_t acc,
                                    struct qd_value *y, int64_t i);

/* One quantized operand's codes minus its zero points, in the arena: out[i] = q[i] − z[(i / inner)
 * % z_count], z read through the zero_points switch. The tensor is u8 or s8; z_count is 1 or the
 * size of the axis whose stride is inner. */
enum qd_status qd_subtract_zero_point(const struct qd_evaluation *evaluation,
                                      const struct qd_tensor *codes,
                                      const struct qd_tensor *zero_point, int64_t inner,
                                      int16_t **out);

/* Zero point c (0 if the tensor is NULL) through the zero_points switch. */
int64_t qd_zero_point(const struct qd_semantics *semantics, const struct qd_tensor *zero_point,
                      int64_t c);

/* What stands in the padding of x, its zero point taken off: 0, unless the padding switch says
 * otherwise. */
int16_t qd_padding(const struct qd_semantics *semantics, const struct qd_tensor *x,
                   const struct qd_tensor *zero_point);

#endif
