/* The quirk "concat-first-input-parameters": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        const struct qd_node *concat = &made.nodes[i];
        if (!qd_node_is(concat, "Concat"))
            continue;
        const struct qd_node *first =
            qd_rewrite_producer(&made, qd_node_input(concat, 0), "DequantizeLinear");
        for (size_t k = 1; first && k < concat->input_count; k++)
            qd_rewrite_share(
                &made, first,
                qd_rewrite_producer(&made, qd_node_input(concat, k), "DequantizeLinear"), true);
    }
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

const struct qd_override qd_quirk_concat_first_input_parameters = {.graph = rewrite};
