/* SPDX-License-Identifier: Apache-2.0 */
/* float32 scales as mantissa·2^exponent, and the scale that brings an accumulator to a
 * wished-for value: by integers only, so that nothing depends on the floating-point environment. */
#ifndef QDIFF_FAMILIES_SCALE_H
#define QDIFF_FAMILIES_SCALE_H

#include <stdint.h>

/* The positive number mantissa·2^exponent. */
struct qd_scale {
    uint32_t mantissa; /* 1 to 2^24 − 1 */
    int exponent;
};

/* odd·2^exponent. */
struct qd_scale qd_scale_make(uint32_t mantissa, int exponent);

/* The scale one step (unit in the last place of its 24-bit mantissa) above (steps > 0) or below,
 * |steps| ≤ 1024. */
struct qd_scale qd_scale_step(struct qd_scale scale, int steps);

/* Its float32 bits; subnormal results are exact only if the mantissa's low bits allow, else they
 * are cut off. Beyond the largest finite float it is that; below the smallest it is the smallest
 * subnormal. */
uint32_t qd_scale_bits(struct qd_scale scale);

/* The 24-bit s_w nearest to s with acc·s_x·s/s_y = halves/2. acc ≠ 0 below 2^32, 0 < halves <
 * 2^20. */
struct qd_scale qd_scale_solve(uint64_t acc, uint64_t halves, struct qd_scale s_x,
                               struct qd_scale s_y);

#endif
