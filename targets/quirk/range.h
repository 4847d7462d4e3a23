/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear as the range of its codes, in float32:
 * low = RN(s*(least - z)), high = RN(s*(greatest - z)). */
#ifndef QDIFF_TARGETS_QUIRK_RANGE_H
#define QDIFF_TARGETS_QUIRK_RANGE_H

#include "qdiff/override.h"

struct qd_range_of_codes {
    float scale, zero, low, high;
    int64_t least, greatest;
    bool is_one; /* for all elements */
    enum qd_rounding rounding;
};

/* The code of x, at most 16 bits. */
typedef int64_t qd_range_code(const struct qd_range_of_codes *range, float x);

/* (x - low), x cut to the range, in steps between codes: each operation rounded to float32. NaN of NaN. */
float qd_steps_above_low(const struct qd_range_of_codes *range, float x);

/* The node evaluated by what comes after `self`, and where its codes are integers of at most
 * 16 bits, each element replaced by code(). */
enum qd_status qd_quantize_by_range(const struct qd_override *self,
                                    struct qd_evaluation *evaluation, const struct qd_node *node,
                                    const struct qd_value *const *in, struct qd_value *out,
                                    qd_range_code *code);

#endif
