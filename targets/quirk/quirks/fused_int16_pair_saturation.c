/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "fused-int16-pair-saturation": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/fuse.h"

/* How an operator is marked that was made of a Conv, MatMul or Gemm between codes. */
static const char mark[] = "(fused, saturates)";

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    const struct qd_fuse_rule rule = {.mark = mark, .as_unsigned = true};
    const struct qd_graph *convolved;
    enum qd_status status = qd_fuse_convolutions(graph, &rule, arena, &convolved, error);
    return status == QD_OK ? qd_fuse_products(convolved, &rule, arena, rewritten, error) : status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.accumulator = QD_ACC_PAIR_SAT16_SHIFTED;
    return qd_evaluate_fused(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_fused_int16_pair_saturation = {.graph = rewrite,
                                                                 .node = evaluate};
