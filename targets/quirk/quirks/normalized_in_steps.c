/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "normalized-in-steps": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/normalized.h"

static float code(const struct qd_normalized *channel, float q)
{
    float factor = channel->scale / channel->root, moved = channel->mean * factor;
    float step = channel->x_scale * factor, steps = (channel->bias - moved) / step;
    return (q - channel->zero + steps) * step;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_normalize_codes(self, evaluation, node, in, code, out);
}

const struct qd_override qd_quirk_normalized_in_steps = {.graph = qd_mark_normalized,
                                                         .node = evaluate};
