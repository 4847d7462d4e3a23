/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "squared-in-float32": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { A, B };

/* The nearest int32. */
static int64_t square(float x)
{
    float product = x * x;
    return product >= 0x1p31F ? INT32_MAX : (int64_t)product;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || node->inputs[A] != node->inputs[B] || out[0].want.dtype != QD_S32)
        return status;
    for (int64_t i = 0; i < out[0].want.count; i++)
        qd_tensor_set(&out[0].want, i, square((float)qd_tensor_get(&in[A]->want, i)));
    qd_close_value(&out[0]);
    return QD_OK;
}

const struct qd_override qd_quirk_squared_in_float32 = {.node = evaluate};
