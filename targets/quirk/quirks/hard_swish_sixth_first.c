/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "hard-swish-sixth-first": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"

enum { BLOCK = 4 };

static float hard_swish(float x)
{
    const float sixth = x * (1.0F / 6.0F), sum = x + 3.0F;
    return sixth * fminf(6.0F, fmaxf(0.0F, sum));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_tensor *y = &out[0].want;
    if (status != QD_OK || y->dtype != QD_F32)
        return status;
    for (int64_t i = 0; i < y->count / BLOCK * BLOCK; i++) {
        float made = hard_swish((float)qd_tensor_value(&in[0]->want, i));
        if (isfinite(made) && !(qd_value_flags(&out[0], i) & QD_UNSPECIFIED))
            qd_tensor_set(y, i, (int64_t)qd_float_encode(QD_F32, (double)made, true));
    }
    out[0].lo = out[0].hi = NULL;
    out[0].exact = NULL;
    return QD_OK;
}

const struct qd_override qd_quirk_hard_swish_sixth_first = {.node = evaluate};
