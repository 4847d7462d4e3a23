/* SPDX-License-Identifier: Apache-2.0 */
/* What a network keeps of its model, for the files of cases/ that open and cut it. */
#ifndef QDIFF_CASES_NETWORK_SOURCE_H
#define QDIFF_CASES_NETWORK_SOURCE_H

#include "onnx/onnx.pb-c.h"
#include "qdiff/network.h"
#include "qdiff/wire.h"

/* Borrowed bytes. */
struct qd_slice {
    const uint8_t *bytes;
    size_t size;
};

/* A node as it goes into a cut. */
struct qd_network_piece {
    const Onnx__NodeProto *proto;
    struct qd_slice bytes;
    bool calls; /* a function of the model */
};

struct qd_network_source {
    struct qd_slice file;
    bool mapped; /* the file, by qd_network_open */
    int64_t ir_version;
    struct qd_wire_out opsets, functions; /* fields of the model, as they are */
    size_t piece_count, piece_capacity;
    struct qd_network_piece *pieces;     /* per node */
    const struct qd_slice *initializers; /* per value; size 0: none */
    int *table;                          /* of names; a power of two, -1: free */
    size_t table_size;
};

/* The functions that a model defines, and the nodes that come of its graph. */
struct qd_network_functions {
    const char *path;
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_network_source *source;
    const Onnx__ModelProto *imports; /* opset_import alone */
    size_t count;
    struct qd_network_function {
        const Onnx__FunctionProto *proto;
        bool simple; /* can be replaced by its nodes */
    } * items;
    size_t inlined, branches; /* calls, and If nodes, that were replaced */
};

/* Adds a node of the graph, or, if it calls a simple function, that function's nodes. LIMIT: too many nodes, or
 * calls that nest too deep: a function that calls itself; NO_MEMORY. */
enum qd_status qd_network_add(struct qd_network_functions *functions, const Onnx__NodeProto *node,
                              struct qd_slice bytes);

/* The same of a node that was made here; it is packed. */
enum qd_status qd_network_add_made(struct qd_network_functions *functions,
                                   const Onnx__NodeProto *node);

/* Adds, in place of an If, the nodes of the branch that it takes, if its condition is constant: `initializer`, or if
 * that is NULL a Constant node added before, of one bool. *added: it was; not where the condition is computed, or the
 * branch has subgraphs of its own. LIMIT, NO_MEMORY as above. */
enum qd_status qd_network_add_if(struct qd_network_functions *functions,
                                 const Onnx__NodeProto *node, const Onnx__TensorProto *initializer,
                                 bool *added);

/* Which functions are simple: no subgraphs, no defaults of attributes, no versions of operators that differ from
 * the model's. */
void qd_network_judge_functions(struct qd_network_functions *functions);

#endif
