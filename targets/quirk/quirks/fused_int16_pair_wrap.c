/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "fused-int16-pair-wrap": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/fuse.h"

/* How a QLinearConv is marked that was made of a Conv between codes. */
static const char mark[] = "(fused, wraps)";

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    const struct qd_fuse_rule rule = {.mark = mark};
    return qd_fuse_convolutions(graph, &rule, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.accumulator = QD_ACC_PAIR_WRAP16_LAST;
    return qd_evaluate_fused(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_fused_int16_pair_wrap = {.graph = rewrite, .node = evaluate};
