/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "lone-zero-point-in-fused-product": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

/* How a QuantizeLinear is marked that is no part of a layer. */
static const char mark[] = "(alone)";

enum { FACTORS = 2 };

/* Whether both factors come from DequantizeLinear. */
static bool is_layer(const struct qd_rewrite *made, const struct qd_node *node)
{
    for (size_t k = 0; k < FACTORS; k++)
        if (!qd_rewrite_producer(made, qd_node_input(node, k), "DequantizeLinear"))
            return false;
    return true;
}

static bool is_alone(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    static const char *const ops[] = {"Conv", "ConvTranspose", "Gemm", "MatMul"};
    int value = qd_node_input(quantize, 0);
    const struct qd_node *relu = qd_rewrite_producer(made, value, "Relu");
    if (relu && qd_rewrite_uses(made, value) == 1)
        value = qd_node_input(relu, 0);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct qd_node *node = qd_rewrite_producer(made, value, ops[i]);
        if (node && is_layer(made, node) && qd_rewrite_uses(made, value) == 1)
            return false;
    }
    return true;
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark(graph, mark, is_alone, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.division = QD_DIVISION_RECIPROCAL;
    changed.zero_point_order = QD_ZERO_POINT_BEFORE_FUSED;
    return qd_evaluate_marked(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_lone_zero_point_in_fused_product = {.graph = rewrite,
                                                                      .node = evaluate};
