/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "normalized-in-steps": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/normalized.h"

static float code(const struct qd_normalized *channel, float q)
{
    float factor = channel->scale / channel->root, moved = channel->mean * factor;
    float step = channel->x_scale * factor, steps = (channel->bias - moved) / step;
    return (q - channel->zero + steps) * step;
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_mark_normalized(graph, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    return qd_normalize_codes(self, evaluation, node, in, code, out);
}

const struct qd_override qd_quirk_normalized_in_steps = {.graph = rewrite, .node = evaluate};
