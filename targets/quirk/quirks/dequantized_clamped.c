/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-clamped": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

static double clamp(double x, const struct qd_dtype_info *codes)
{
    double least = (double)codes->min, greatest = (double)codes->max;
    return x < least ? least : x > greatest ? greatest : x;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    const struct qd_dtype_info *codes = qd_dtype_info(in[0]->want.dtype);
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status != QD_OK || codes->kind == QD_CLASS_FLOAT)
        return status;
    struct qd_tensor *y = &out[0].want;
    for (int64_t i = 0; i < y->count; i++) {
        double x = qd_tensor_value(y, i), clamped = clamp(x, codes);
        clamped = qd_float_round(y->dtype, QD_NEAREST_EVEN, clamped);
        if (x != clamped)
            qd_tensor_set(y, i, (int64_t)qd_float_encode(y->dtype, clamped, false));
    }
    for (int64_t i = 0; out[0].exact && i < y->count; i++)
        out[0].exact[i] = (struct qd_interval){clamp(out[0].exact[i].lo, codes),
                                               clamp(out[0].exact[i].hi, codes)};
    for (int64_t i = 0; out[0].lo && i < y->count; i++) {
        out[0].lo[i] = clamp(out[0].lo[i], codes);
        out[0].hi[i] = clamp(out[0].hi[i], codes);
    }
    return status;
}

const struct qd_override qd_quirk_dequantized_clamped = {.node = evaluate};
