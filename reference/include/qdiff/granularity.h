/* SPDX-License-Identifier: Apache-2.0 */
/* Which scale and zero point belongs to which element: per tensor, per axis, blocked.
 *
 * Source: ONNX QuantizeLinear and DequantizeLinear, opsets 10 (per tensor), 13 (axis), 21
 * (block_size). */
#ifndef QDIFF_GRANULARITY_H
#define QDIFF_GRANULARITY_H

#include "qdiff/evaluate.h"

/* Element i of x, seen as [outer, size, inner] around `axis`, uses parameter
 *   per tensor 0; per axis d; blocked (o·blocks + d div block)·inner + r. */
struct qd_granularity {
    enum { QD_PER_TENSOR, QD_PER_AXIS, QD_BLOCKED } kind;
    int64_t size, inner, block, blocks;
};

/* Reads axis (opset ≥ 13, default 1) and block_size (≥ 21, default 0) and checks the shapes of
 * scale and zero point (NULL if absent). `scale_name`, `zero_name`: what the operator calls them,
 * for rules. Rules: <scale>-shape, <zero>-shape, axis-range, block_size-negative, block_size-range,
 * attribute-unknown (axis or block_size before their opset). One element of rank 0 or 1 is per
 * tensor whatever the axis. block_size with one scale that has not x's rank, or for a scalar x, is
 * UNSUPPORTED: the specification gives it no meaning. A broken rule is INVALID. */
enum qd_status qd_granularity_read(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *x,
                                   const struct qd_tensor *scale,
                                   const struct qd_tensor *zero_point, const char *scale_name,
                                   const char *zero_name, struct qd_granularity *granularity);

/* The same node as an operator of ONNX: com.microsoft's QuantizeLinear and DequantizeLinear are
 * those of opset 21 (4 and 16 bits, and the division in the type of x and y_scale), whatever
 * version of their domain they have. */
struct qd_node qd_linear_as_onnx(const struct qd_node *node);

/* Which entry of scale and zero point element i of x uses, row-major. */
int64_t qd_granularity_index(const struct qd_granularity *granularity, int64_t i);

/* Reads an attribute that holds a TensorProto.DataType: NONE when absent or 0; before `since` its
 * presence breaks rule attribute-unknown; a number outside `mask` (1 << enum qd_dtype) breaks rule
 * <name>-value. */
enum qd_status qd_dtype_attribute(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *name, int64_t since,
                                  uint32_t mask, enum qd_dtype *dtype);

#endif
