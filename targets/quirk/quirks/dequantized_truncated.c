/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-truncated": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

/* The exact product lies in the hull, which an order that rounds twice may
 * widen by more: its end next to 0 is cut off. */
static double truncated(const struct qd_value *y, int64_t i)
{
    if (y->lo[i] > 0)
        return qd_float_round(y->want.dtype, QD_TO_MINUS_INFINITY, y->lo[i]);
    if (y->hi[i] < 0)
        return qd_float_round(y->want.dtype, QD_TO_PLUS_INFINITY, y->hi[i]);
    return qd_tensor_value(&y->want, i);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || !y->lo)
        return status;
    for (int64_t i = 0; i < y->want.count; i++)
        if (!(qd_value_flags(y, i) & (QD_UNSPECIFIED | QD_NOT_NUMBER)))
            qd_tensor_set(&y->want, i,
                          (int64_t)qd_float_encode(y->want.dtype, truncated(y, i), true));
    qd_close_value(y);
    return status;
}

const struct qd_override qd_quirk_dequantized_truncated = {.node = evaluate};
