/* SPDX-License-Identifier: Apache-2.0 */
/* A graph about to be evaluated with something changed: what graph quirks are written with. Nodes keep their places;
 * those that nobody reads any more are left out. */
#ifndef QDIFF_TARGETS_QUIRK_REWRITE_H
#define QDIFF_TARGETS_QUIRK_REWRITE_H

#include "qdiff/override.h"

struct qd_rewrite {
    const struct qd_graph *graph; /* as given */
    struct qd_graph made;
    struct qd_node *nodes; /* made's */
    int **inputs;          /* of each node */
    int *outputs;          /* made's */
    int *producers;        /* of each value: a node's number, or −1 */
    struct qd_arena *arena;
    struct qd_error *error;
};

/* The function `rewrite` of an override: the graph after visit() of each of its nodes. */
#define QD_REWRITE_BY(visit)                                                                    \
    static enum qd_status rewrite(const struct qd_override *self, const struct qd_graph *graph, \
                                  struct qd_arena *arena, const struct qd_graph **rewritten,    \
                                  struct qd_error *error)                                       \
    {                                                                                           \
        (void)self;                                                                             \
        return qd_rewrite_nodes(graph, visit, arena, rewritten, error);                         \
    }

/* The quirk `name`, qd_quirk_<name>: the block that follows, for each node as given, changes `made`. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of parameters */
#define QD_QUIRK_REWRITE(name, made, node)                         \
    static qd_node_visit visit;                                    \
    QD_REWRITE_BY(visit)                                           \
    const struct qd_override qd_quirk_##name = {.graph = rewrite}; \
    static void visit(struct qd_rewrite *made, const struct qd_node *node)
/* NOLINTEND(bugprone-macro-parentheses) */

typedef void qd_node_visit(struct qd_rewrite *made, const struct qd_node *node);

/* The graph after a visit to each of its nodes, in order. */
enum qd_status qd_rewrite_nodes(const struct qd_graph *graph, qd_node_visit *visit,
                                struct qd_arena *arena, const struct qd_graph **rewritten,
                                struct qd_error *error);

enum qd_status qd_rewrite_begin(struct qd_rewrite *rewrite, const struct qd_graph *graph,
                                struct qd_arena *arena, struct qd_error *error);

/* The changed graph, checked. */
enum qd_status qd_rewrite_finish(struct qd_rewrite *rewrite, const struct qd_graph **rewritten);

/* Whether a node is that operator of the default domain. */
bool qd_node_is(const struct qd_node *node, const char *op_type);

/* Operand or output i of a node, QD_NO_VALUE when it has none: nobody has counted them yet. */
int qd_node_input(const struct qd_node *node, size_t i);
int qd_node_output(const struct qd_node *node, size_t i);

/* The node that gives a value if it is of that operator, else NULL. */
struct qd_node *qd_rewrite_producer(const struct qd_rewrite *rewrite, int value,
                                    const char *op_type);

/* What an Identity, or several, give as that value; else the value itself. */
int qd_rewrite_source(const struct qd_rewrite *rewrite, int value);

/* Changes operand i of a node. */
void qd_rewrite_operand(struct qd_rewrite *rewrite, const struct qd_node *node, size_t i,
                        int value);

/* A new constant, whose data is borrowed; QD_NO_VALUE when there is no room. */
int qd_rewrite_initializer(struct qd_rewrite *rewrite, const struct qd_tensor *tensor);

/* How many operands and graph outputs are that value. */
size_t qd_rewrite_uses(const struct qd_rewrite *rewrite, int value);

/* Whoever reads `from` reads `to` instead; graph outputs too. Neither may be absent, or nothing changes. */
void qd_rewrite_use(struct qd_rewrite *rewrite, int from, int to);

/* `to` takes the scale of `from`, and its zero point too if asked and the codes are of one type; both are
 * QuantizeLinear or DequantizeLinear of one parameter, otherwise, or if one is NULL, nothing changes. */
void qd_rewrite_share(struct qd_rewrite *rewrite, const struct qd_node *from,
                      const struct qd_node *to, bool zero_point_too);

/* Names the QuantizeLinear nodes that `fused` picks `mark`, and changes nothing else: how a quirk tells a quantization
 * that is computed together with what is before it. Quirks that are combined have marks of their own. */
typedef bool qd_node_test(const struct qd_rewrite *rewrite, const struct qd_node *node);
enum qd_status qd_rewrite_mark(const struct qd_graph *graph, const char *mark, qd_node_test *fused,
                               struct qd_arena *arena, const struct qd_graph **rewritten,
                               struct qd_error *error);

/* Whether a node has that mark. */
bool qd_is_marked(const struct qd_node *node, const char *mark);

/* Evaluates a node by what comes after `self`: one so marked under `changed`, any other as it is. */
enum qd_status qd_evaluate_marked(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const char *mark, const struct qd_semantics *changed,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  struct qd_value *out);

/* A value's type as far as the graph tells it: of an initializer, as declared, or of what QuantizeLinear gives. */
enum qd_dtype qd_rewrite_dtype(const struct qd_rewrite *rewrite, int value);

/* The initializer that a value is, NULL if it is none. */
const struct qd_tensor *qd_rewrite_constant(const struct qd_rewrite *rewrite, int value);

/* The constant scale of the DequantizeLinear that gives operand i of a node; NULL if there is no such thing. */
const struct qd_tensor *qd_rewrite_scale(const struct qd_rewrite *rewrite,
                                         const struct qd_node *node, size_t i);

/* Whether a value is an initializer of one element or of unknown size. */
bool qd_rewrite_single(const struct qd_rewrite *rewrite, int value);

#endif
