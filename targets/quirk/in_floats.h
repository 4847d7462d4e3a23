/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConv and operators of com.microsoft as what they say: dequantize, the operator in float32, quantize.
 * Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_IN_FLOATS_H
#define QDIFF_TARGETS_QUIRK_IN_FLOATS_H

#include "quirk/edit.h"

/* What one step of the bias is worth, in float32. */
typedef float qd_bias_step(float x_scale, float w_scale);

float qd_product_of_scales(float x_scale, float w_scale);

/* 1: the bias as it is. */
float qd_no_step(float x_scale, float w_scale);

/* How a target computes the layer. */
struct qd_layer_in_floats {
    qd_bias_step *step;
    int64_t w_axis;      /* along which the parameters of w run */
    bool has_infinities; /* the convolution is IEEE 754's, see below */
    bool nan_is_0;       /* the code of NaN is 0 */
};

/* The node by the pages of these operators: what order a float convolution leaves open is open in the answer. A step
 * of the bias that is subnormal counts as 0, and what the page of Conv leaves open because a term is no finite number
 * stays open. `has_infinities`: both are as IEEE 754 has it. */
enum qd_status qd_quirk_in_floats(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  const struct qd_layer_in_floats *layer, struct qd_value *out);

/* NOLINTBEGIN(bugprone-macro-parentheses): a name */
/* The quirk `name`: a layer with these fields of its struct. */
#define QD_QUIRK_LAYER_IN_FLOATS(name, ...)                                                      \
    static enum qd_status evaluate(const struct qd_override *self,                               \
                                   struct qd_evaluation *evaluation, const struct qd_node *node, \
                                   const struct qd_value *const *in, struct qd_value *out)       \
    {                                                                                            \
        static const struct qd_layer_in_floats layer = {__VA_ARGS__};                            \
        return qd_quirk_in_floats(self, evaluation, node, in, &layer, out);                      \
    }                                                                                            \
    const struct qd_override qd_quirk_##name = {.node = evaluate};
/* NOLINTEND(bugprone-macro-parentheses) */

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
