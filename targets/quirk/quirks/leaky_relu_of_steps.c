/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "leaky-relu-of-steps": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/marked.h"

static const char mark[] = "(slope of steps)";

enum { X };
enum { SCALE, ZERO, NUMBERS };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    struct qd_steps x;
    if (!qd_node_is(node, "LeakyRelu") || !qd_rewrite_steps(made, node, X, true, &x))
        return;
    const float numbers[NUMBERS] = {x.scale, x.zero};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error)
{
    (void)self;
    return qd_rewrite_nodes(graph, visit, arena, rewritten, error);
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float of[NUMBERS];
    enum qd_status status = qd_override_node(evaluation, self->next, node, in, out);
    struct qd_value *y = &out[0];
    if (status != QD_OK || y->want.dtype != QD_F32 || !qd_marked_numbers(node, mark, of, NUMBERS))
        return status;
    const struct qd_attr *alpha = qd_node_attr(node, "alpha");
    const struct qd_steps codes = {of[SCALE], of[ZERO]};
    float slope = alpha ? alpha->f : 0.01F;
    for (int64_t i = 0; i < y->want.count; i++) {
        float steps = qd_code_before(&in[X]->want, i, codes) - codes.zero;
        float sloped = steps < 0 ? steps * slope : steps;
        qd_set_float(y, i, sloped * codes.scale);
    }
    qd_close_value(y);
    return QD_OK;
}

const struct qd_override qd_quirk_leaky_relu_of_steps = {.graph = rewrite, .node = evaluate};
