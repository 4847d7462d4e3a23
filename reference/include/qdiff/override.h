/* SPDX-License-Identifier: Apache-2.0 */
/* The seams at which wrong semantics that no switch can say replace what the specification says: a
 * node's operands, attributes or whole computation, or the graph before it is evaluated. Quirks
 * (targets/quirk) are made of these.
 *
 * Overrides form a list (`next`), the first in it is asked first; each hands on to the next, and
 * the last to the operator itself, by qd_override_node(). */
#ifndef QDIFF_OVERRIDE_H
#define QDIFF_OVERRIDE_H

#include "qdiff/evaluate.h"

struct qd_override {
    const struct qd_override *next; /* NULL: the last one */

    /* Evaluates one node, whose arity was checked, in the operator's place; NULL: hands on. It may
     * copy the node with other attributes, the operands with other values or the evaluation with
     * other semantics, and hands those to qd_override_node(evaluation, self->next, ...). The
     * contract is qd_op's `evaluate`. */
    enum qd_status (*node)(const struct qd_override *self, struct qd_evaluation *evaluation,
                           const struct qd_node *node, const struct qd_value *const *in,
                           struct qd_value *out);

    /* Gives the graph to evaluate instead: *rewritten is in the arena and may share with `graph`,
     * whose inputs and outputs it keeps in number and order; NULL: unchanged. It has to hold
     * qd_graph_check(). */
    enum qd_status (*graph)(const struct qd_override *self, const struct qd_graph *graph,
                            struct qd_arena *arena, const struct qd_graph **rewritten,
                            struct qd_error *error);
};

/* The node under the overrides from `first` on; by its operator when `first` is NULL. */
enum qd_status qd_override_node(struct qd_evaluation *evaluation, const struct qd_override *first,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out);

/* The graph rewritten by each override from `first` on, in order. */
enum qd_status qd_override_graph(const struct qd_override *first, const struct qd_graph *graph,
                                 struct qd_arena *arena, const struct qd_graph **rewritten,
                                 struct qd_error *error);

#endif
