/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "fused-add-rounds-half-up": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

/* How a QuantizeLinear is marked that is computed together with what is before it. */
static const char mark[] = "(fused sum)";

static bool ends_sum(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    int value = qd_node_input(quantize, 0);
    const struct qd_node *relu = qd_rewrite_producer(made, value, "Relu");
    const struct qd_node *add =
        qd_rewrite_producer(made, relu ? qd_node_input(relu, 0) : value, "Add");
    return add && qd_rewrite_producer(made, qd_node_input(add, 0), "DequantizeLinear") &&
           qd_rewrite_producer(made, qd_node_input(add, 1), "DequantizeLinear");
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark(graph, mark, ends_sum, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.rounding = QD_ROUND_HALF_UP;
    return qd_evaluate_marked(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_fused_add_rounds_half_up = {.graph = rewrite, .node = evaluate};
