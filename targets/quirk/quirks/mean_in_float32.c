/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-in-float32": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"
#include "quirk/means.h"

static int64_t code(const struct qd_means *means, int64_t i)
{
    const float ratio = (float)means->x_scale / (float)means->y_scale,
                factor = ratio * (1.0F / (float)means->terms),
                shift = (float)(means->terms * means->x_zero_point) * factor,
                zero_point = (float)means->y_zero_point - shift,
                product = (float)means->sums[i] * factor;
    const float sum = product + zero_point;
    return qd_round_to_s32((double)rintf(sum));
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_means_set(self, evaluation, node, in, NULL, code, out);
}

const struct qd_override qd_quirk_mean_in_float32 = {.node = evaluate};
