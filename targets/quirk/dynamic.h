/* SPDX-License-Identifier: Apache-2.0 */
/* DynamicQuantizeLinear in float32 by the range of x instead of its scale. */
#ifndef QDIFF_TARGETS_QUIRK_DYNAMIC_H
#define QDIFF_TARGETS_QUIRK_DYNAMIC_H

#include "qdiff/override.h"

struct qd_dynamic {
    double (*scale)(double range);
    bool without_subnormals; /* a subnormal scale is given as 0 */
    /* The zero point before it is rounded; least: how far x goes below 0. */
    double (*zero_point)(double least, double range, double scale);
    /* What is rounded and added to it for a number of x. */
    double (*steps)(double x, double range);
};

/* The node evaluated by what comes after `self`, and unless its range is empty or infinite, all outputs anew. */
enum qd_status qd_quantize_dynamically(const struct qd_dynamic *as, const struct qd_override *self,
                                       struct qd_evaluation *evaluation, const struct qd_node *node,
                                       const struct qd_value *const *in, struct qd_value *out);

/* Rounded to the nearest float32. */
double qd_f32(double x);
double qd_f32_divide(double a, double b);

/* The scale range*fl(1/255). */
double qd_dynamic_scale_by_reciprocal(double range);

#endif
