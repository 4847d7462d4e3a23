/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "fused-zero-point-before-rounding": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/rewrite.h"

/* How a QuantizeLinear is marked that is computed together with what is before it. */
static const char mark[] = "(fused)";

/* The type of the codes of a QuantizeLinear or DequantizeLinear, by a constant zero point; else NONE. */
static enum qd_dtype code_type(const struct qd_rewrite *made, const struct qd_node *node)
{
    int z = qd_node_input(node, 2);
    const struct qd_tensor *constant = z == QD_NO_VALUE ? NULL : made->graph->values[z].initializer;
    return constant ? constant->dtype : QD_DTYPE_NONE;
}

/* Whether all operands come from DequantizeLinear, of codes of the same type as those of `quantize`: there is no kernel
 * for two types. */
static bool is_block(const struct qd_rewrite *made, const struct qd_node *node,
                     const struct qd_node *quantize)
{
    enum qd_dtype y = code_type(made, quantize);
    bool block = node->input_count > 0;
    for (size_t k = 0; block && k < node->input_count; k++) {
        const struct qd_node *from =
            qd_rewrite_producer(made, qd_node_input(node, k), "DequantizeLinear");
        enum qd_dtype x = from ? code_type(made, from) : QD_DTYPE_NONE;
        block = from && (x == y || x == QD_DTYPE_NONE || y == QD_DTYPE_NONE);
    }
    return block;
}

/* Before what a quantization is carried past: it gives the same numbers there. */
static int value_before_moves(const struct qd_rewrite *made, int value)
{
    static const char *const ops[] = {"MaxPool", "Reshape",   "Transpose",
                                      "Squeeze", "Unsqueeze", "Slice"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct qd_node *node = qd_rewrite_producer(made, value, ops[i]);
        if (node && qd_rewrite_uses(made, value) == 1) {
            value = qd_node_input(node, 0);
            i = (size_t)-1; /* once more from the first */
        }
    }
    return value;
}

static bool ends_block(const struct qd_rewrite *made, const struct qd_node *quantize)
{
    static const char *const ops[] = {"Add", "Mul", "AveragePool"};
    int value = value_before_moves(made, qd_node_input(quantize, 0));
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct qd_node *node = qd_rewrite_producer(made, value, ops[i]);
        if (node && is_block(made, node, quantize) && qd_rewrite_uses(made, value) == 1)
            return true;
    }
    return false;
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_mark(graph, mark, ends_block, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_semantics changed = *evaluation->semantics;
    changed.zero_point_order = QD_ZERO_POINT_BEFORE_F32;
    return qd_evaluate_marked(self, evaluation, mark, &changed, node, in, out);
}

const struct qd_override qd_quirk_fused_zero_point_before_rounding = {.graph = rewrite,
                                                                      .node = evaluate};
