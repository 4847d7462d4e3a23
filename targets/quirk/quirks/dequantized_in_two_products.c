/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-in-two-products": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"
#include "quirk/two_products.h"

enum { X, X_SCALE, X_ZERO_POINT };

/* One scale of the whole tensor, and codes of up to 16 bits. */
static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    enum qd_dtype type = in[X]->want.dtype;
    return in[X_ZERO_POINT] && y->want.dtype == QD_F32 && in[X_SCALE]->want.count == 1 &&
           qd_dtype_is_integer(type) && qd_dtype_info(type)->bits <= 16;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || !is_concerned(in, y))
        return status;
    double s = qd_parameter_at(in[X_SCALE], 0), z = qd_parameter_at(in[X_ZERO_POINT], 0);
    for (int64_t i = 0; i < y->want.count; i++) {
        double made = qd_two_products(&in[X]->want, i, s, z);
        if (isfinite(made) && !(qd_value_flags(y, i) & QD_UNSPECIFIED))
            qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(QD_F32, made, true));
    }
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_dequantized_in_two_products = {.node = evaluate};
