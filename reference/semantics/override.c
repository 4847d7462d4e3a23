/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/override.h"

enum qd_status qd_override_node(struct qd_evaluation *evaluation, const struct qd_override *first,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out)
{
    while (first && !first->node)
        first = first->next;
    return first ? first->node(first, evaluation, node, in, out)
                 : node->op->evaluate(evaluation, node, in, out);
}

enum qd_status qd_override_graph(const struct qd_override *first, const struct qd_graph *graph,
                                 struct qd_arena *arena, const struct qd_graph **rewritten,
                                 struct qd_error *error)
{
    for (; first; first = first->next) {
        enum qd_status status =
            first->graph ? first->graph(first, graph, arena, &graph, error) : QD_OK;
        if (status != QD_OK)
            return status;
    }
    *rewritten = graph;
    return QD_OK;
}
