/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "product-wraps-int16": targets/include/qdiff/quirks.def says what it is. */
#include "qdiff/fixed_point.h"
#include "quirk/codes.h"
#include "quirk/edit.h"

enum { A_SCALE = 1, B_SCALE = 4, Y_SCALE = 6, Y_ZERO_POINT };

struct scaling {
    struct qd_multiplier multiplier;
    int64_t zero_point;
};

/* Without the zero point, which the caller adds. */
static int64_t multiply(const void *context, int64_t a, int64_t b)
{
    const struct scaling *s = context;
    int64_t product = qd_multiply_double(a * b, s->multiplier);
    product = product > INT16_MAX ? INT16_MAX : product < INT16_MIN ? INT16_MIN : product;
    return (int16_t)(uint16_t)(product + s->zero_point) - s->zero_point;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK)
        return status;
    const float product =
        (float)qd_parameter_at(in[A_SCALE], 0) * (float)qd_parameter_at(in[B_SCALE], 0);
    const struct scaling scaling = {
        qd_multiplier_of((double)(product / (float)qd_parameter_at(in[Y_SCALE], 0))),
        (int64_t)qd_parameter_at(in[Y_ZERO_POINT], 0)};
    return qd_codes_set(evaluation, in, 2, multiply, &scaling, out);
}

const struct qd_override qd_quirk_product_wraps_int16 = {.node = evaluate};
