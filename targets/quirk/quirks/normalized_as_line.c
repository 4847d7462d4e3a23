/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "normalized-as-line": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/normalized.h"

static float code(const struct qd_normalized *channel, float q)
{
    float factor = channel->scale / channel->root, shift = -channel->zero * channel->x_scale;
    float from_mean = shift - channel->mean, product = from_mean * factor;
    return fmaf(q, channel->x_scale * factor, product + channel->bias);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_normalize_codes(self, evaluation, node, in, code, out);
}

const struct qd_override qd_quirk_normalized_as_line = {.graph = qd_mark_normalized,
                                                        .node = evaluate};
