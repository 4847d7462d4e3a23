/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear and DequantizeLinear of com.microsoft: ONNX's operators of opset 21 with fewer
 * types and attributes.
 *
 * Source: ONNX Runtime, ContribOperators, com.microsoft.QuantizeLinear and
 * com.microsoft.DequantizeLinear version 1. */
#ifndef QDIFF_REFERENCE_VENDOR_LINEAR_H
#define QDIFF_REFERENCE_VENDOR_LINEAR_H

#include "qdiff/evaluate.h"

/* Checks what the vendor's text says of axis and shapes (inputs x, scale, zero point) and evaluates
 * ONNX's operator `op` in its place. Rules: axis-range, <scale_name>-shape: a scalar or [1] without
 * axis, one element for each index of x with it. UNSUPPORTED: a negative axis. */
enum qd_status qd_vendor_linear(struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, const char *scale_name,
                                const struct qd_op *op, struct qd_value *out);

#endif
