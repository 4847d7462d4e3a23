/* SPDX-License-Identifier: Apache-2.0 */
/* Where an answer quantizes which tensor of the float model, and how: one form for answers that are models and for
 * those that are lists of edges. */
#ifndef QDIFF_QUANTIZER_EDGES_H
#define QDIFF_QUANTIZER_EDGES_H

#include "qdiff/quantizer_check.h"

/* Where, for `node` of struct qd_quant_edge, no node reads the tensor. */
#define QD_AT_PRODUCER \
    (-1) /* as the operator that computes it gives it: all that read it see codes */
#define QD_AT_OUTPUT (-2) /* as the graph's output only */

struct qd_quant_edge {
    int tensor; /* value of the float graph */
    int node;   /* node of the float graph, or above */
    uint32_t input;
    enum qd_dtype type; /* of the codes */
    int64_t qmin, qmax; /* of the storage type */
    size_t count;       /* 1, or one for each index of axis */
    const double *scales;
    const int64_t *zero_points;
    enum qd_dtype scale_type;
    int64_t axis; /* ≥ 0 */
    uint64_t group;
    const struct qd_tensor *codes; /* a constant: its codes, of the tensor's shape */
    bool implied; /* a bias whose scale is the product of those of inputs 0 and 1 */
    bool dynamic; /* parameters are computed at run time: no scales */
};

struct qd_quant_edges {
    size_t count;
    struct qd_quant_edge *items;
    const char
        *disagreement; /* a QuantizeLinear and its DequantizeLinear differ: which; NULL: none do */
    const char *
        blind; /* something is quantized in a way that nobody here can read; NULL: all is understood */
};

/* Reads the edges of a produced model. `made` is the decoded answer. NO_MEMORY. */
enum qd_status qd_quant_edges_of_model(const struct qd_graph *graph, const struct qd_graph *made,
                                       struct qd_arena *arena, struct qd_quant_edges *edges,
                                       struct qd_error *error);

/* Takes over the edges of an answer; those of tensors or nodes that the model does not have set `blind`. NO_MEMORY. */
enum qd_status qd_quant_edges_of_answer(const struct qd_graph *graph,
                                        const struct qd_quantizer_answer *answer,
                                        struct qd_arena *arena, struct qd_quant_edges *edges,
                                        struct qd_error *error);

/* Scale and zero point of index c of the axis. */
double qd_quant_scale(const struct qd_quant_edge *edge, int64_t c);
int64_t qd_quant_zero(const struct qd_quant_edge *edge, int64_t c);

/* The index of the edge's axis for element i of a tensor of this shape. */
int64_t qd_quant_channel(const struct qd_quant_edge *edge, const struct qd_tensor *shape,
                         int64_t i);

bool qd_quant_same(const struct qd_quant_edge *a, const struct qd_quant_edge *b);

#endif
