/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenCV's float convolution makes of sums that leave float32. Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_CONV_OVERFLOW_H
#define QDIFF_TARGETS_QUIRK_CONV_OVERFLOW_H

#include "quirk/edit.h"

/* Conv of float32 by what comes after `self`; where x, the bias or the output is not finite, the sums anew: by fma in
 * float32 without subnormals, tap after tap, an infinite number of another group among the same eight channels times 0
 * in them, and what is not below the greatest float32 that number. */
enum qd_status qd_conv_overflow(const struct qd_override *self, struct qd_evaluation *evaluation,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out);

#endif
