/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConv and operators of com.microsoft as what they say: dequantize, the operator in float32, quantize.
 * Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_IN_FLOATS_H
#define QDIFF_TARGETS_QUIRK_IN_FLOATS_H

#include "quirk/edit.h"

/* What one step of the bias is worth, in float32. */
typedef float qd_bias_step(float x_scale, float w_scale);

/* The node by the pages of these operators: what order a float convolution leaves open is open in the answer. The
 * parameters of w run along `w_axis`. */
enum qd_status qd_quirk_in_floats(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  qd_bias_step *step, int64_t w_axis, struct qd_value *out);

/* The same of QLinearAdd, QLinearMul, QLinearLeakyRelu, QLinearConcat and QLinearAveragePool; another node, and one
 * with the channels last, as it is. */
enum qd_status qd_quirk_vendor_in_floats(const struct qd_override *self,
                                         struct qd_evaluation *evaluation,
                                         const struct qd_node *node,
                                         const struct qd_value *const *in, struct qd_value *out);

/* An operator in the node's place, with the attribute `axis` instead of the node's unless it is NULL. */
enum qd_status qd_in_floats_call(const struct qd_override *self, struct qd_edit *edit,
                                 const char *op_type, const struct qd_attr *axis,
                                 const struct qd_value *const *in, struct qd_value *out);

/* Operand i, a parameter, as a scalar (count 0), or one for each of `count` filters; those that are missing count as
 * the first. */
void qd_in_floats_spread(struct qd_edit *edit, int i, int64_t count);

#endif
