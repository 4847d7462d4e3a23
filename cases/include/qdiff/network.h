/* SPDX-License-Identifier: Apache-2.0 */
/* A network: a real model, taken apart into cases.
 *
 * The model may be large and hold what qdiff does not understand: the file is mapped, constants are read when a
 * case needs them, and a node of an unknown operator, with a subgraph or of a foreign domain is a node like any
 * other. What is refused is what is no graph at all. Calls of the model's own functions are replaced by their nodes
 * where that is simple. */
#ifndef QDIFF_NETWORK_H
#define QDIFF_NETWORK_H

#include "qdiff/case.h"

/* More nodes, inlined ones included, are LIMIT. */
#define QD_NETWORK_MAX_NODES 32768

struct qd_network_value {
    const char *name;
    int producer;     /* number of the node that gives it, -1 if none does */
    size_t readers;   /* how often nodes read it, their subgraphs included */
    bool is_input;    /* a graph input that has to be given */
    bool is_output;   /* a graph output */
    bool is_constant; /* an initializer, or what a Constant node gives */
    /* Of inputs, what the model declares: NONE and rank -1 where it says nothing, a dimension of -1 where it is
     * open. */
    enum qd_dtype dtype;
    int rank;
    int64_t dims[QD_MAX_RANK];
};

struct qd_network_node {
    const char *name, *domain, *op_type; /* name may be "" */
    const struct qd_op *op;              /* NULL: the reference does not have it */
    size_t input_count, output_count, capture_count;
    const int *inputs, *outputs; /* values, or QD_NO_VALUE */
    const int *captures;         /* values that only its subgraphs read */
};

/* Values are numbered in the order of the graph's inputs, initializers and nodes; nodes are in topological order. */
struct qd_network {
    const char *path;
    size_t value_count, node_count, input_count, output_count;
    const struct qd_network_value *values;
    const struct qd_network_node *nodes;
    const int *inputs,
        *outputs;    /* in the order of values; inputs without those that have an initializer */
    size_t inlined;  /* calls of functions that were replaced */
    size_t branches; /* If nodes of a constant condition that were replaced */
    struct qd_network_source *source;
};

/* Opens a model; everything lives in the arena but the mapping, which lasts until close. IO; MALFORMED: no
 * protobuf; INVALID: no graph, a value that nothing gives, unsorted nodes or a cycle, two producers; LIMIT: too
 * many nodes, functions that call themselves; NO_MEMORY. */
enum qd_status qd_network_open(const char *path, struct qd_arena *arena, struct qd_network *network,
                               struct qd_error *error);
/* The same for bytes, which are borrowed until close; `path` is for messages, and where external data would be. */
enum qd_status qd_network_read(const char *path, const uint8_t *bytes, size_t size,
                               struct qd_arena *arena, struct qd_network *network,
                               struct qd_error *error);

void qd_network_close(struct qd_network *network);

/* The value of that name, QD_NO_VALUE if there is none. */
int qd_network_find(const struct qd_network *network, const char *name);

/* The tensor of a constant value. As qd_tensor_decode; INVALID also for external data outside of the model's
 * directory. */
enum qd_status qd_network_constant(const struct qd_network *network, int value,
                                   struct qd_arena *arena, struct qd_tensor *tensor,
                                   struct qd_error *error);

/* A tensor for a value that the nodes of a cut read. */
struct qd_network_feed {
    int value;
    struct qd_tensor tensor;
    bool as_constant; /* an initializer of the new model, else a graph input */
};

/* Some nodes as a model of their own. What they read is given by another of them, by a feed, or a constant of the
 * network. */
struct qd_network_cut {
    const char *id;
    size_t node_count, feed_count, output_count;
    const int *nodes; /* in order */
    const struct qd_network_feed *feeds;
    const int *outputs; /* values that become graph outputs */
};

/* The cut as a case; `shapes` (output_count) are declared for the outputs, NULL: nothing is. USAGE: a value that
 * nothing gives; else as qd_case_decode: UNSUPPORTED for subgraphs and the like. */
enum qd_status qd_network_cut_case(const struct qd_network *network,
                                   const struct qd_network_cut *cut, const struct qd_tensor *shapes,
                                   struct qd_arena *arena, struct qd_case *kase,
                                   struct qd_error *error);

/* The same for nodes that qdiff does not understand: the graph of the case has inputs and outputs and no nodes, its
 * model all. It can be given to a target, and not to the reference. */
enum qd_status qd_network_cut_blind(const struct qd_network *network,
                                    const struct qd_network_cut *cut, struct qd_arena *arena,
                                    struct qd_case *kase, struct qd_error *error);

#endif
