/* The quirk "fused-add-rounds-half-up": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "quirk/rewrite.h"

/* How a QuantizeLinear is marked that is computed together with the sum before it. */
static const char fused[] = "(fused sum)";

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
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        if (qd_node_is(&made.nodes[i], "QuantizeLinear") && ends_sum(&made, &made.nodes[i]))
            made.nodes[i].name = fused;
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics half_up = *evaluation->semantics;
    struct qd_evaluation changed = *evaluation;
    half_up.rounding = QD_ROUND_HALF_UP;
    changed.semantics = &half_up;
    bool marked = node->name && strcmp(node->name, fused) == 0;
    return qd_override_node(marked ? &changed : evaluation, self->next, node, in, out);
}

const struct qd_override qd_quirk_fused_add_rounds_half_up = {.graph = rewrite, .node = evaluate};
