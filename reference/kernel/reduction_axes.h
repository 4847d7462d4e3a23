/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions share: the axes by ONNX's rules, and which elements each output element is made
 * of.
 *
 * Source: ONNX ReduceMean and ReduceMax, opsets 1, 11, 13, 18, 20. */
#ifndef QDIFF_REFERENCE_REDUCTION_AXES_H
#define QDIFF_REFERENCE_REDUCTION_AXES_H

#include "qdiff/evaluate.h"

struct qd_reduction {
    unsigned rank; /* of the output */
    int64_t dims[QD_MAX_RANK];
    int64_t stride[QD_MAX_RANK]; /* of the output's axes in the input */
    int64_t terms;               /* elements of the input to each of the output */
    const int64_t *offset;       /* theirs, from the first one */
};

/* Reads axes (an attribute up to opset 17, then an input), keepdims (1) and noop_with_empty_axes
 * (18). Rules: axes-type, axes-rank, axes-range, input-count. UNSUPPORTED: negative axes before
 * opset 11, an axis named twice, an attribute without axes. */
enum qd_status qd_reduction_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, const struct qd_value *axes,
                                 struct qd_reduction *reduction);
#define QD_REDUCTION_ATTRIBUTES "axes:-17,keepdims,noop_with_empty_axes:18-"
#define QD_REDUCTION_RULES "axes-type,axes-rank,axes-range"

/* Index in the input of the first element of output element i. */
int64_t qd_reduction_first(const struct qd_reduction *reduction, int64_t i);

#endif
