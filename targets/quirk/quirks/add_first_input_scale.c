/* The quirk "add-first-input-scale": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        const struct qd_node *node = &made.nodes[i];
        if (qd_node_is(node, "Add") || qd_node_is(node, "Mul"))
            qd_rewrite_share(
                &made, qd_rewrite_producer(&made, qd_node_input(node, 0), "DequantizeLinear"),
                qd_rewrite_producer(&made, qd_node_input(node, 1), "DequantizeLinear"), false);
    }
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

const struct qd_override qd_quirk_add_first_input_scale = {.graph = rewrite};
