/* SPDX-License-Identifier: Apache-2.0 */
/* Editing a case: what the neighbour generator, the fuzzer's mutations and the reducer do to one.
 *
 * qd_case_edit_begin() takes a case apart into arrays that may be changed freely; qd_case_edit_finish() puts a case
 * together again, through the same hostile-input path as a file: what an edit broke (a cycle, a doubled name) is
 * INVALID there. Everything lives in the arena given at the beginning. Texts and tensors
 * are borrowed: replace a tensor, do not write into it. */
#ifndef QDIFF_CASE_EDIT_H
#define QDIFF_CASE_EDIT_H

#include "qdiff/case.h"
#include "qdiff/evaluate.h"

#define QD_CASE_EDIT_MAX_ATTRS 16
#define QD_CASE_EDIT_MAX_NODES 64
#define QD_CASE_EDIT_MAX_VALUES 512
#define QD_CASE_EDIT_MAX_OUTPUTS 32

struct qd_case_edit_value {
    const char *name; /* unique and without a comma, or "": finish makes one up */
    const struct qd_tensor
        *tensor;   /* an initializer's or a fed input's; NULL: a node computes it */
    bool is_input; /* with a tensor: it is fed at run time */
    /* Of an input: bit i is set if axis i is declared without a number. Then no axis of an inferred output has one. */
    uint32_t open_axes;
    /* Of an input: which of their inputs the steps with the case's own model (metadata.steps)
     * have for it; −1: `tensor` itself. */
    int of_steps;
    enum qd_dtype declared_dtype; /* of a graph output; NONE: nothing is declared */
    int declared_rank;            /* the same; −1: nothing */
};

struct qd_case_edit_node {
    const char *domain, *op_type;
    size_t input_count, output_count, attr_count;
    int inputs[QD_MAX_OPERANDS]; /* indices of values, or QD_NO_VALUE */
    int outputs[QD_MAX_OPERANDS];
    struct qd_attr attrs[QD_CASE_EDIT_MAX_ATTRS];
};

/* Graph inputs are the values with is_input, in order. Nodes stand in topological order. */
struct qd_case_edit {
    struct qd_arena *arena;
    int64_t opset;
    size_t value_count, node_count, output_count;
    /* Set: outputs are declared as qd_build_output_inferred() does, for targets that ask for types and shapes. */
    bool infers;
    /* Set with it: the outputs' axes are open, and those whose types and ranks the case declares are not inferred. */
    bool opens;
    struct qd_case_edit_value *values;     /* room for QD_CASE_EDIT_MAX_VALUES */
    struct qd_case_edit_node *nodes;       /* room for QD_CASE_EDIT_MAX_NODES */
    int outputs[QD_CASE_EDIT_MAX_OUTPUTS]; /* of the graph, in order */
    struct qd_case metadata;               /* id, expectation, origin and tags; borrowed */
};

/* UNSUPPORTED: an attribute of a kind no operator takes, a domain other than "" and com.microsoft; LIMIT: more nodes,
 * values, operands or attributes than there is room for; NO_MEMORY. */
enum qd_status qd_case_edit_begin(const struct qd_case *kase, struct qd_arena *arena,
                                  struct qd_case_edit *edit, struct qd_error *error);

/* Adds a value, and says which it is; QD_NO_VALUE when there is no room. `tensor` NULL: a node will compute it. */
int qd_case_edit_add_value(struct qd_case_edit *edit, const struct qd_tensor *tensor,
                           bool is_input);

/* Adds an empty node before node `at` (≤ node_count); NULL when there is no room. */
struct qd_case_edit_node *qd_case_edit_add_node(struct qd_case_edit *edit, size_t at,
                                                const char *domain, const char *op_type);

/* Takes node `at` out. Its outputs stay as values without a producer: the caller gives them another one or their
 * readers another value (qd_case_edit_replace). */
void qd_case_edit_remove_node(struct qd_case_edit *edit, size_t at);

/* Every reader of value `from` reads `to` instead; a graph output moves too. */
void qd_case_edit_replace(struct qd_case_edit *edit, int from, int to);

/* The node that computes a value, NULL if none does. */
struct qd_case_edit_node *qd_case_edit_producer(const struct qd_case_edit *edit, int value);

/* Sets or takes away (NULL) an attribute; false when there is no room. */
bool qd_case_edit_set_attr(struct qd_case_edit_node *node, const struct qd_attr *attr);
void qd_case_edit_remove_attr(struct qd_case_edit_node *node, const char *name);

/* A tensor of the arena with the same type and shape and a copy of the data, to be changed; NULL when out of memory. */
struct qd_tensor *qd_case_edit_copy_tensor(const struct qd_case_edit *edit,
                                           const struct qd_tensor *tensor);

/* The edited case, with the metadata of the old one. Values that no node reads and that are no
 * outputs are left out; steps with the case's own model have the inputs that it has now. With
 * `hashed` the id gets "/hash8" of model and inputs. INVALID: the edit broke the graph's
 * invariants (the operators' own rules are the evaluation's business); NO_MEMORY, LIMIT. */
enum qd_status qd_case_edit_finish(const struct qd_case_edit *edit, const char *id, bool hashed,
                                   struct qd_case *kase, struct qd_error *error);

#endif
