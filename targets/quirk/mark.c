/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/rewrite.h"

#include <string.h>

enum qd_status qd_rewrite_mark(const struct qd_graph *graph, const char *mark, qd_node_test *fused,
                               struct qd_arena *arena, const struct qd_graph **rewritten,
                               struct qd_error *error)
{
    struct qd_rewrite made;
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    for (size_t i = 0; status == QD_OK && i < graph->node_count; i++)
        if (qd_node_is(&made.nodes[i], "QuantizeLinear") && fused(&made, &made.nodes[i]))
            made.nodes[i].name = mark;
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

bool qd_is_marked(const struct qd_node *node, const char *mark)
{
    return node->name && strcmp(node->name, mark) == 0;
}

enum qd_status qd_evaluate_marked(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const char *mark, const struct qd_semantics *changed,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  struct qd_value *out)
{
    struct qd_evaluation other = *evaluation;
    other.semantics = changed;
    return qd_override_node(qd_is_marked(node, mark) ? &other : evaluation, self->next, node, in,
                            out);
}
