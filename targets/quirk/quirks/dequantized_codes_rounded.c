/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-codes-rounded": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

enum { X, X_SCALE, X_ZERO_POINT };

/* One scale, and an output of 16 bits. */
static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    enum qd_dtype type = y->want.dtype;
    return (type == QD_F16 || type == QD_BF16) && qd_dtype_is_integer(in[X]->want.dtype) &&
           in[X_SCALE]->want.count == 1 && (!in[X_ZERO_POINT] || in[X_ZERO_POINT]->want.count == 1);
}

static double dequantized(enum qd_dtype type, double q, float s, double z)
{
    double code = qd_float_round(type, QD_NEAREST_EVEN, q);
    double zero = qd_float_round(type, QD_NEAREST_EVEN, z), difference = code - zero;
    if (isfinite(difference))
        difference = qd_float_round(type, QD_NEAREST_EVEN, difference);
    float product = (float)difference * s;
    return isfinite(product) ? qd_float_round(type, QD_NEAREST_EVEN, (double)product)
                             : (double)product;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || !is_concerned(in, y))
        return status;
    enum qd_dtype type = y->want.dtype;
    float s = (float)qd_parameter_at(in[X_SCALE], 0);
    double z = qd_parameter_at(in[X_ZERO_POINT], 0);
    status = qd_value_need_flags(y, evaluation->arena, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++) {
        double made = dequantized(type, qd_tensor_value(&in[X]->want, i), s, z);
        qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(type, made, false));
        y->flags[i] &= QD_UNSPECIFIED;
        y->flags[i] |= isnan(made) ? QD_NOT_NUMBER : 0;
    }
    qd_close_value(y);
    y->points = NULL;
    return status;
}

const struct qd_override qd_quirk_dequantized_codes_rounded = {.node = evaluate};
