/* The quirk "relu-dropped-by-zero-point": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

enum { X, ZERO_POINT = 2 };

/* Whether the constant zero point of a QuantizeLinear is one least code. */
static bool starts_at_least_code(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    const struct qd_tensor *zero = qd_rewrite_constant(made, qd_node_input(quantize, ZERO_POINT));
    return zero && zero->count == 1 && qd_dtype_is_integer(zero->dtype) &&
           qd_tensor_get(zero, 0) == qd_dtype_info(zero->dtype)->min;
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        const struct qd_node *quantize = &made.nodes[i];
        if (!qd_node_is(quantize, "QuantizeLinear") || !starts_at_least_code(&made, quantize))
            continue;
        int x = qd_node_input(quantize, X);
        const struct qd_node *relu = qd_rewrite_producer(&made, x, "Relu");
        if (relu && qd_rewrite_uses(&made, x) == 1)
            qd_rewrite_operand(&made, quantize, X, qd_node_input(relu, 0));
    }
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

const struct qd_override qd_quirk_relu_dropped_by_zero_point = {.graph = rewrite};
