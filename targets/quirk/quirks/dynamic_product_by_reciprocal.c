/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dynamic-product-by-reciprocal": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dynamic.h"

static double zero_point(double least, double range, double scale)
{
    (void)range;
    return qd_f32(least * qd_f32_divide(1, scale));
}

static double steps(double x, double range)
{
    return qd_f32(qd_f32(x * 255) * qd_f32_divide(1, range));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    static const struct qd_dynamic as = {qd_dynamic_scale_by_reciprocal, false, zero_point, steps};
    return qd_quantize_dynamically(&as, self, evaluation, node, in, out);
}

const struct qd_override qd_quirk_dynamic_product_by_reciprocal = {.node = evaluate};
