/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConv as what it says: dequantize, convolution in float32, quantize. Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_IN_FLOATS_H
#define QDIFF_TARGETS_QUIRK_IN_FLOATS_H

#include "qdiff/override.h"

/* What one step of the bias is worth, in float32. */
typedef float qd_bias_step(float x_scale, float w_scale);

/* The node by the pages of these operators: what order a float convolution leaves open is open in the answer. The
 * parameters of w run along `w_axis`. */
enum qd_status qd_quirk_in_floats(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  qd_bias_step *step, int64_t w_axis, struct qd_value *out);

#endif
