/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "hard-swish-sixth-first": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

enum { BLOCK = 4 };

static float hard_swish(float x, bool in_block)
{
    const float sum = x + 3.0F, gate = fminf(6.0F, fmaxf(0.0F, sum)),
                first = x * (in_block ? 1.0F / 6.0F : gate);
    return first * (in_block ? gate : 1.0F / 6.0F);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_tensor *y = &out[0].want;
    if (status != QD_OK || y->dtype != QD_F32)
        return status;
    for (int64_t i = 0; i < y->count; i++) {
        float made =
            hard_swish((float)qd_tensor_value(&in[0]->want, i), i < y->count / BLOCK * BLOCK);
        if (isfinite(made) && !(qd_value_flags(&out[0], i) & QD_UNSPECIFIED))
            qd_tensor_set(y, i, (int64_t)qd_float_encode(QD_F32, (double)made, true));
    }
    qd_close_value(&out[0]);
    return QD_OK;
}

const struct qd_override qd_quirk_hard_swish_sixth_first = {.node = evaluate};
