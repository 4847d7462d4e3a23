/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "fused-int16-pair-saturation": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/fuse.h"

/* How a QLinearConv is marked that was made of a Conv between codes. */
static const char mark[] = "(fused, saturates)";

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_fuse_convolutions(graph, mark, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.accumulator = QD_ACC_PAIR_SAT16_LAST;
    return qd_evaluate_marked(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_fused_int16_pair_saturation = {.graph = rewrite,
                                                                 .node = evaluate};
