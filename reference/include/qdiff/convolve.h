/* SPDX-License-Identifier: Apache-2.0 */
/* What all convolutions share: the geometry by ONNX's rules, and exact integer accumulation.
 *
 * Source: ONNX Conv-1/-11, ConvInteger-10, QLinearConv-10 (attributes, "pads", "auto_pad",
 * "group").
 *
 * Reading a shape may fail with INVALID and a rule, with UNSUPPORTED where that is said, or with
 * LIMIT (more elements than tensor.h allows); visiting and accumulating with LIMIT (more work than
 * is left, qd_spend) or NO_MEMORY. */
#ifndef QDIFF_CONVOLVE_H
#define QDIFF_CONVOLVE_H

#include "qdiff/evaluate.h"

#define QD_MAX_SPATIAL (QD_MAX_RANK - 2)

/* x [batch, channels, in…], w [filters, channels/group, kernel…], y [batch, filters, out…]. All
 * sizes ≥ 1 but for batch, filters and out, which may be 0. */
struct qd_conv_shape {
    unsigned spatial;
    int64_t batch, channels, filters, group;
    int64_t in[QD_MAX_SPATIAL], out[QD_MAX_SPATIAL], kernel[QD_MAX_SPATIAL];
    int64_t stride[QD_MAX_SPATIAL], dilation[QD_MAX_SPATIAL];
    int64_t pad_begin[QD_MAX_SPATIAL], pad_end[QD_MAX_SPATIAL];
};

#define QD_CONV_ATTRIBUTES "auto_pad,dilations,group,kernel_shape,pads,strides"
#define QD_WINDOW_RULES                                                            \
    "x-rank,kernel_shape-length,strides-length,strides-positive,dilations-length," \
    "dilations-positive,pads-length,pads-negative,auto_pad-value,auto_pad-with-pads,output-empty"
#define QD_CONV_RULES \
    "w-rank,group-positive,group-channels,group-outputs,kernel_shape-mismatch," QD_WINDOW_RULES
#define QD_POOL_RULES "kernel_shape-missing,kernel_shape-positive," QD_WINDOW_RULES

/* Reads attributes and shapes. Rules: x-rank, w-rank, group-positive, group-channels,
 * group-outputs, kernel_shape-length, kernel_shape-mismatch, strides-length, strides-positive,
 * dilations-length, dilations-positive, pads-length, pads-negative, auto_pad-value,
 * auto_pad-with-pads, output-empty (QD_CONV_RULES).
 * An output of no elements is one; output-empty is a size below 0.
 *   NOTSET, VALID: out = ⌊(in + pad_begin + pad_end − ((kernel − 1)·dilation + 1)) / stride⌋ + 1
 *   SAME_*:        out = ⌈in/stride⌉, padding max((out − 1)·stride + (kernel − 1)·dilation + 1 −
 *                  in, 0), the odd one at the end for UPPER, at the beginning for LOWER. */
enum qd_status qd_conv_shape_read(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x,
                                  const struct qd_tensor *w, struct qd_conv_shape *shape);

/* The same for a pool: windows instead of filters. group = filters = channels, and qd_conv_visit
 * calls once for each window of each channel. Rules as above without those of w and group, and
 * kernel_shape-missing, kernel_shape-positive (QD_POOL_RULES).
 *   ceil_mode (NOTSET only): out = ⌈(in + pad_begin + pad_end − ((kernel − 1)·dilation + 1)) /
 *                  stride⌉ + 1, less the windows that would start after input and pad_begin: so says
 *                  the specification since opset 22; before, one that the rounding up adds there is
 *                  UNSUPPORTED, and so is a kernel that exceeds the padded input. */
enum qd_status qd_pool_shape_read(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_tensor *x, bool ceil,
                                  struct qd_conv_shape *shape);

/* The same for a transposed convolution: w [channels, filters/group, kernel…]. Rules as above
 * (group-channels: w's channels, and that they divide into groups), and output_padding-length,
 * output_padding-range (below the stride or the dilation), output_shape-length,
 * output_shape-positive.
 *   full = stride·(in − 1) + output_padding + (kernel − 1)·dilation + 1;  out = full − pad_begin −
 *     pad_end
 *   SAME_*: out = in·stride; output_shape: out as given, pads are not looked at. Then total = full
 *           − out, or 0 where out is the greater (as in the official fixture: nothing reaches the
 *           end), and the begin gets ⌊total/2⌋ for SAME_UPPER and ⌈total/2⌉ else. UNSUPPORTED
 *           before opset 11: SAME_* without output_shape, an odd total. */
enum qd_status qd_conv_transpose_shape_read(const struct qd_evaluation *evaluation,
                                            const struct qd_node *node, const struct qd_tensor *x,
                                            const struct qd_tensor *w, struct qd_conv_shape *shape);

/* The spatial index (flat) in x that output position o (flat) of a transposed convolution takes kernel position t
 * (flat) from, −1 if none. */
int64_t qd_conv_transpose_source(const struct qd_conv_shape *shape, int64_t o, int64_t t);

/* Whether the window of a spatial output position (row-major) has elements
 * after the input and its padding: ceil_mode. */
bool qd_pool_window_overhangs(const struct qd_conv_shape *shape, int64_t position);

/* Writes y's dimensions, at most QD_MAX_RANK; returns how many. */
unsigned qd_conv_output_dims(const struct qd_conv_shape *shape, int64_t *dims);

/* Number of products of one output element: channels/group · Π kernel. */
int64_t qd_conv_terms(const struct qd_conv_shape *shape);

/* For each output element (row-major): calls with the positions of its K terms. x_index[t] is the
 * flat index into x, −1 in the padding; the weights of filter m start at m·K and run along with t.
 * `output` is the first filter's element of a group; the others of the group follow at multiples of
 * `step` (the spatial size of y). Each product costs `weight` units of work. Of a sample (sample.h) only
 * what is chosen is visited, some filters of a group one by one. */
typedef void qd_conv_visitor(void *context, const int64_t *x_index, int64_t first_filter,
                             int64_t filters, int64_t output, int64_t step);
enum qd_status qd_conv_visit(const struct qd_evaluation *evaluation,
                             const struct qd_conv_shape *shape, double weight,
                             qd_conv_visitor *visit, void *context);

/* acc[y] = Σ (x − x_zero_point)·(w − w_zero_point[m]); the padding contributes 0, unless the
 * padding switch says otherwise. x and w are u8 or s8; zero points have checked shapes (x's one
 * element, w's one or one per filter), NULL means 0. acc, the
 * caller's, has one entry per output element. */
enum qd_status qd_conv_accumulate(const struct qd_evaluation *evaluation,
                                  const struct qd_conv_shape *shape, const struct qd_tensor *x,
                                  const struct qd_tensor *x_zero_point, const struct qd_tensor *w,
                                  const struct qd_tensor *w_zero_point, int64_t *acc);

#endif
