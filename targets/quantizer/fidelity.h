/* SPDX-License-Identifier: Apache-2.0 */
/* The interval in which every right quantized form of a float model has to answer. README.md proves it. */
#ifndef QDIFF_QUANTIZER_FIDELITY_H
#define QDIFF_QUANTIZER_FIDELITY_H

#include "quantizer/edges.h"

/* Evaluates the float model where each tensor is, at the edges, clipped to what its parameters represent and widened by
 * half a step. `values` has graph->output_count entries. As qd_graph_evaluate. */
enum qd_status qd_fidelity_evaluate(const struct qd_case *kase, const struct qd_quant_edges *edges,
                                    struct qd_arena *arena, struct qd_value *values,
                                    struct qd_error *error);

/* The scale and zero point (0) that a bias of the node has to have on
 * index c: of its inputs 0 and 1. NaN: not known. */
double qd_bias_scale(const struct qd_quant_edges *edges, int node, int64_t c);

/* What multiplies that scale where a bias is added to the sum of codes: alpha/beta of a Gemm (com.microsoft QGemm has C
 * quantized so), else 1; NaN or infinite: nothing is known. */
double qd_bias_factor(const struct qd_graph *graph, int node);

/* (½ + ε): how far, in steps, a value may lie from its quantized one. */
double qd_half_step(const struct qd_quant_edge *edge);

#endif
