/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions share: which elements each output element is made of (by ONNX's axes, or all of
 * a channel), and their sum, mean and greatest.
 *
 * Source: ONNX ReduceSum, ReduceMean and ReduceMax, opsets 1, 11, 13, 18, 20; GlobalAveragePool and
 * GlobalMaxPool, opsets 1, 22. */
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

/* Reads axes (an attribute before opset `axes_input_since`, then an input), keepdims (1) and
 * noop_with_empty_axes. Rules: axes-type, axes-rank, axes-range, input-count. UNSUPPORTED: negative axes before
 * opset 11, an axis named twice, an attribute without axes. */
enum qd_status qd_reduction_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, const struct qd_value *axes,
                                 int64_t axes_input_since, struct qd_reduction *reduction);
#define QD_REDUCTION_ATTRIBUTES "axes:-17,keepdims,noop_with_empty_axes:18-"
#define QD_REDUCTION_FLAGS "keepdims,noop_with_empty_axes"
#define QD_REDUCTION_RULES "axes-type,axes-rank,axes-range"

/* Of x [N, C, D1…Dn], n ≥ 1, of f32|f16 (22: bf16), over all of D1…Dn, which have size 1 then.
 * Rules: x-type, x-rank. UNSUPPORTED: f64. */
enum qd_status qd_reduction_of_channels(const struct qd_evaluation *evaluation,
                                        const struct qd_node *node, const struct qd_tensor *x,
                                        struct qd_reduction *reduction);

/* f32, f16, bf16, or s32 and s64 that are points; a mean of no element is unspecified, a
 * sum 0. Latitude: float_sum.h, integer_sum.h. */
enum qd_status qd_reduction_sum(const struct qd_evaluation *evaluation,
                                const struct qd_reduction *reduction, const struct qd_value *x,
                                struct qd_value *y);
enum qd_status qd_reduction_mean(const struct qd_evaluation *evaluation,
                                 const struct qd_reduction *reduction, const struct qd_value *x,
                                 struct qd_value *y);

/* What is summed: f32, f16, s32 and s64; 13: bf16. Rule data-type. UNSUPPORTED: f64, and integers that may have several
 * values. */
enum qd_status qd_reduction_sum_check(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct qd_value *x);

/* Any type; of no element: unspecified. Latitude: maximum.h. */
enum qd_status qd_reduction_maximum(const struct qd_evaluation *evaluation,
                                    const struct qd_reduction *reduction, const struct qd_value *x,
                                    struct qd_value *y);

#endif
