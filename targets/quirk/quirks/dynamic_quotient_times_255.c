/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dynamic-quotient-times-255": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dynamic.h"

static double zero_point(double least, double range, double scale)
{
    (void)scale;
    return qd_f32(qd_f32_divide(least, range) * 255);
}

static double steps(double x, double range)
{
    return qd_f32(qd_f32_divide(x, range) * 255);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dynamic as = {qd_dynamic_scale_by_reciprocal, false, zero_point, steps};
    return qd_quantize_dynamically(&as, self, evaluation, node, in, out);
}

const struct qd_override qd_quirk_dynamic_quotient_times_255 = {.node = evaluate};
