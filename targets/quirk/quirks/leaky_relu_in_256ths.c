/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "leaky-relu-in-256ths": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/codes.h"
#include "quirk/edit.h"

enum { X_SCALE = 1, Y_SCALE = 3 };

struct multipliers {
    int64_t above, below;
};

static int64_t leaky(const void *context, int64_t a, int64_t b)
{
    const struct multipliers *m = context;
    (void)b;
    return (a * (a < 0 ? m->below : m->above) + 128) >> 8;
}

static bool fits(float factor)
{
    return fabsf(factor) >= 0x1p-8F && fabsf(factor) <= 0x1p7F;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float alpha;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status == QD_OK)
        status = qd_node_float(node, "alpha", 0.01F, &alpha, evaluation->error);
    if (status != QD_OK)
        return status;
    float above = (float)qd_parameter_at(in[X_SCALE], 0) / (float)qd_parameter_at(in[Y_SCALE], 0);
    float below = above * alpha;
    if (!fits(above) || !fits(below)) /* the kernel has no place for it */
        return QD_OK;
    const struct multipliers m = {lrintf(256 * above), lrintf(256 * below)};
    return qd_codes_set(evaluation, in, 1, leaky, &m, out);
}

const struct qd_override qd_quirk_leaky_relu_in_256ths = {.node = evaluate};
