/* SPDX-License-Identifier: Apache-2.0 */
/* Requantization as kernels without floats do it: dialects of one rounding each, and quirks. */
#ifndef QDIFF_FIXED_POINT_H
#define QDIFF_FIXED_POINT_H

#include <stdint.h>

/* A real multiplier as mantissa/2^31·2^shift; 2^30 ≤ |mantissa| ≤ 2^31, −31 ≤ shift ≤ 30. What is
 * smaller, or not finite, becomes 0; what is larger keeps its mantissa and gets the largest shift.
 * Source: gemmlowp and TensorFlow Lite's QuantizeMultiplier (mantissa rounded half away). */
struct qd_multiplier {
    int32_t mantissa;
    int shift;
};
struct qd_multiplier qd_multiplier_of(double real);

/* The same with a mantissa of 15 bits, rounded half away: what kernels with 16-bit multipliers
 * keep. */
struct qd_multiplier qd_multiplier_narrow(struct qd_multiplier multiplier);

/* acc·m by a 64-bit product and one rounding (half up): (acc·M + 2^(30−shift)) >> (31−shift).
 * Source: TensorFlow Lite built with TFLITE_SINGLE_ROUNDING. |acc| ≤ 2^31. */
int64_t qd_multiply_single(int64_t acc, struct qd_multiplier multiplier);

/* acc·m by a saturating rounding doubling high multiplication and then a rounding shift (half up,
 * then half away): two roundings. Source: gemmlowp fixedpoint, TensorFlow issue 25087. |acc| ≤
 * 2^31. */
int64_t qd_multiply_double(int64_t acc, struct qd_multiplier multiplier);

/* The same where the shift is rounded half up, as processors do it: Arm's SQRDMULH and SRSHL. Source: ruy. */
int64_t qd_multiply_double_up(int64_t acc, struct qd_multiplier multiplier);

/* acc·|scale| by the significand of a float32 and a shift, rounded half to even, in int64 whose
 * shifts count modulo 64, as processors have them; of the result the low 32 bits. A scale of 0 is
 * taken for 1. Source: tract's Scaler. |acc| ≤ 2^31. */
int64_t qd_multiply_masked(int64_t acc, float scale);

/* The same in vector registers: a shift that is as wide as the integer or wider leaves no bit, and
 * by a power of two the integer is an int32. Source: tract's kernels for AVX2 and AVX-512.
 * |acc| ≤ 2^31. */
int64_t qd_multiply_in_lanes(int64_t acc, float scale);

#endif
