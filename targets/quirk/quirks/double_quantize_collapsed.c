/* The quirk "double-quantize-collapsed": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        const struct qd_node *second = &made.nodes[i];
        const struct qd_node *dequantize =
            qd_node_is(second, "QuantizeLinear")
                ? qd_rewrite_producer(&made, qd_node_input(second, 0), "DequantizeLinear")
                : NULL;
        const struct qd_node *first =
            dequantize ? qd_rewrite_producer(&made, qd_node_input(dequantize, 0), "QuantizeLinear")
                       : NULL;
        if (first)
            qd_rewrite_operand(&made, second, 0, qd_node_input(first, 0));
    }
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

const struct qd_override qd_quirk_double_quantize_collapsed = {.graph = rewrite};
