/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-sum-wraps-int32": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>
#include <stdio.h>

#include "quirk/rewrite.h"

/* How a node is marked whose terms are integers times one scale: with 2^32 of these. */
static const char mark[] = "(a sum that repeats every %a)",
                  read_mark[] = "(a sum that repeats every %la)";

/* The scale of a DequantizeLinear that has one and a zero point, as a constant; 0 for anything else. */
static double constant_scale(const struct qd_rewrite *made, int value)
{
    const struct qd_node *node = qd_rewrite_producer(made, value, "DequantizeLinear");
    int scale = node ? qd_node_input(node, 1) : QD_NO_VALUE;
    const struct qd_tensor *tensor = qd_rewrite_constant(made, scale);
    return tensor && tensor->count == 1 ? qd_tensor_value(tensor, 0) : 0;
}

static bool is_product(const struct qd_node *node)
{
    static const char *const ops[] = {"Conv", "ConvTranspose", "MatMul", "Gemm"};
    bool found = false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        found = found || qd_node_is(node, ops[i]);
    return found && qd_node_input(node, 2) == QD_NO_VALUE;
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    struct qd_rewrite made;
    (void)self;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++) {
        struct qd_node *node = &made.nodes[i];
        double period = is_product(node) ? 0x1p32 * constant_scale(&made, qd_node_input(node, 0)) *
                                               constant_scale(&made, qd_node_input(node, 1))
                                         : 0;
        const char *name =
            period > 0 && isfinite(period) ? qd_arena_printf(arena, mark, period) : NULL;
        if (name)
            node->name = name;
    }
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

/* Takes whole periods off, as cutting the integer to 32 bits does. */
static enum qd_status wrap(struct qd_value *value, double period, struct qd_arena *arena,
                           struct qd_error *error)
{
    struct qd_tensor *y = &value->want;
    enum qd_status status = qd_value_need_hull(value, arena, error);
    if (status == QD_OK)
        status = qd_value_need_exact(value, arena, error);
    for (int64_t i = 0; status == QD_OK && i < y->count; i++) {
        double x = qd_tensor_value(y, i), off = period * floor(x / period + 0.5);
        if (off == 0 || !isfinite(off))
            continue;
        qd_tensor_set(y, i, (int64_t)qd_float_encode(y->dtype, x - off, false));
        value->exact[i].lo -= off;
        value->exact[i].hi -= off;
        value->lo[i] -= off;
        value->hi[i] -= off;
    }
    return status;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    double period;
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    if (status == QD_OK && node->name && sscanf(node->name, read_mark, &period) == 1 && period > 0)
        status = wrap(&out[0], period, evaluation->arena, evaluation->error);
    return status;
}

const struct qd_override qd_quirk_dequantized_sum_wraps_int32 = {.graph = rewrite,
                                                                 .node = evaluate};
