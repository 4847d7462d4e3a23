/* SPDX-License-Identifier: Apache-2.0 */
/* A decoded ONNX graph, free of protobuf: what the reference interprets. Built by the cases layer.
 *
 * Invariants (qd_graph_check establishes them): node inputs refer to values that exist; a value has
 * one producer; nodes are in topological order; every graph output is produced, a graph input or an
 * initializer. */
#ifndef QDIFF_GRAPH_H
#define QDIFF_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/tensor.h"

enum qd_attr_kind {
    QD_ATTR_INT = 1,
    QD_ATTR_FLOAT,
    QD_ATTR_STRING,
    QD_ATTR_INTS,
    QD_ATTR_FLOATS,
    QD_ATTR_TENSOR,
    QD_ATTR_OTHER /* present, but of a kind that no operator of ours takes */
};

struct qd_attr {
    const char *name;
    enum qd_attr_kind kind;
    int64_t i;
    float f;
    const char *s; /* NUL-terminated; a string with an inner NUL does not decode */
    size_t count;  /* of ints or floats */
    const int64_t *ints;
    const float *floats;
    const struct qd_tensor *tensor;
};

#define QD_NO_VALUE (-1) /* an absent optional input or an output that is not read */

struct qd_op;

struct qd_node {
    const char *name;   /* may be "" */
    const char *domain; /* "" for ai.onnx */
    const char *op_type;
    int64_t opset;          /* version of `domain` that the model imports */
    const struct qd_op *op; /* row of the operator list, NULL if the reference does not know it */
    size_t input_count, output_count, attr_count;
    const int *inputs; /* indices into graph->values, or QD_NO_VALUE */
    const int *outputs;
    const struct qd_attr *attrs;
};

struct qd_graph_value {
    const char *name;
    /* What the model declares, for graph inputs and outputs: NONE / rank −1 where it says nothing;
     * a dim of −1 is symbolic. */
    enum qd_dtype declared_dtype;
    int declared_rank;
    int64_t declared_dims[QD_MAX_RANK];
    const struct qd_tensor *initializer; /* NULL if none */
};

struct qd_graph {
    size_t value_count, node_count, input_count, output_count;
    const struct qd_graph_value *values;
    const struct qd_node *nodes;
    const int *inputs;  /* graph inputs without those that are initializers, in order */
    const int *outputs; /* in order */
};

/* Attribute by name, NULL if the node has none of that name. */
const struct qd_attr *qd_node_attr(const struct qd_node *node, const char *name);

/* Typed attribute readers: the default when absent; INVALID with rule "<Op>/attribute-type" when of
 * another kind. */
enum qd_status qd_node_int(const struct qd_node *node, const char *name, int64_t otherwise,
                           int64_t *value, struct qd_error *error);
enum qd_status qd_node_float(const struct qd_node *node, const char *name, float otherwise,
                             float *value, struct qd_error *error);
enum qd_status qd_node_string(const struct qd_node *node, const char *name, const char *otherwise,
                              const char **value, struct qd_error *error);
/* *values is NULL and *count 0 when absent. */
enum qd_status qd_node_ints(const struct qd_node *node, const char *name, const int64_t **values,
                            size_t *count, struct qd_error *error);

/* The number of the node that computes a value, −1 if none does. */
int qd_graph_producer(const struct qd_graph *graph, int value);

/* Bit i is set if the value is declared with an axis i that has no number. */
uint32_t qd_graph_open_axes(const struct qd_graph_value *value);

/* Whether the second of two Transposes puts all axes back, by the perm that both have. */
bool qd_transpose_undoes(const struct qd_node *second, const struct qd_node *first);

/* The node a graph is about: the first that is neither Quantize/DequantizeLinear nor Identity nor of a pair that
 * moves numbers there and back (two Reshape or Transpose, a Split and a Concat; also two Transposes that undo each
 * other, with a quantization between), else the first Identity of what a node computes that a node reads, else the
 * first quantization, else the first Identity of what a node computes, else the first node; NULL in a graph without
 * nodes. */
const struct qd_node *qd_graph_principal(const struct qd_graph *graph);

/* Establishes the invariants above; INVALID names the node and the value otherwise. */
enum qd_status qd_graph_check(const struct qd_graph *graph, struct qd_error *error);

#endif
