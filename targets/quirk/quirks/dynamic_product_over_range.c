/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dynamic-product-over-range": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dynamic.h"

static double scale(double range)
{
    return qd_f32_divide(range, 255);
}

static double zero_point(double least, double range, double y_scale)
{
    (void)range;
    return qd_f32_divide(least, y_scale);
}

static double steps(double x, double range)
{
    return qd_f32_divide(qd_f32(x * 255), range);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dynamic as = {scale, true, zero_point, steps};
    return qd_quantize_dynamically(&as, self, evaluation, node, in, out);
}

const struct qd_override qd_quirk_dynamic_product_over_range = {.node = evaluate};
