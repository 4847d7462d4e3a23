/* SPDX-License-Identifier: Apache-2.0 */
/* The float graphs of the quantizer suite, as rows of text. */
#ifndef QDIFF_QUANTIZER_GRAPHS_H
#define QDIFF_QUANTIZER_GRAPHS_H

#include <stdint.h>

#include "qdiff/case.h"

/* tensors: blank-separated "name:dims", a leading '@' for run-time inputs, others
 * are constants; "name#numbers" is a constant of int64, "name=number" a scalar one.
 * nodes: ';'-separated "Op inputs outputs attribute=number ..."; "=[1,2]" is a list. outputs: comma-separated. */
struct qd_quantizer_graph {
    const char *name, *tensors, *nodes, *outputs;
    int64_t opset_min, opset_max; /* of the operators as they are written */
};

const struct qd_quantizer_graph *qd_quantizer_graph_at(size_t i); /* NULL past the end */

/* Whether the reference evaluates its operators in float16. */
bool qd_quantizer_graph_has_half(const struct qd_quantizer_graph *graph);

/* What run-time inputs are filled with. */
struct qd_quantizer_data {
    double low, high; /* inputs lie evenly in between; equal: all are that number */
};

/* Builds it; constants are numbers of both signs, each output channel of its own size. dtype: QD_F32 or QD_F16. */
enum qd_status qd_quantizer_graph_build(const struct qd_quantizer_graph *graph, int64_t opset,
                                        enum qd_dtype dtype, struct qd_quantizer_data data,
                                        const char *id, struct qd_arena *arena,
                                        struct qd_case *kase, struct qd_error *error);

#endif
