/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and pools with their padding put there by hand. */
#ifndef QDIFF_TARGETS_QUIRK_GEOMETRY_H
#define QDIFF_TARGETS_QUIRK_GEOMETRY_H

#include "qdiff/convolve.h"
#include "quirk/edit.h"

struct qd_geometry {
    struct qd_conv_shape shape;
    int x, w; /* operands; w −1 for a pool */
};

/* Reads a convolution, MaxPool or AveragePool by the specification's rules; false when there is nothing to change: what
 * is wrong with the node is for its operator to say. */
bool qd_geometry_read(struct qd_edit *edit, struct qd_geometry *geometry);

enum qd_filler {
    QD_FILL_NEUTRAL, /* what contributes nothing: x_zero_point, 0, or for a maximum the least number */
    QD_FILL_0,       /* code or number 0 */
    QD_FILL_EDGE     /* the nearest element of x */
};

/* Operand i with `sizes` elements on its spatial axes, of which `begin` come before its own; around those stands
 * `code` or, with `edge`, the nearest of them. */
void qd_edit_surround(struct qd_edit *edit, int i, const int64_t *sizes, const int64_t *begin,
                      int64_t code, bool edge);

/* Pads x itself, `begin` elements before the data on each spatial axis and as many after it as the output's shape
 * needs, and takes the node's own padding away. */
void qd_edit_pad(struct qd_edit *edit, const struct qd_geometry *geometry, const int64_t *begin,
                 enum qd_filler filler);

/* Whether auto_pad is SAME_UPPER or SAME_LOWER. */
bool qd_pads_to_same(const struct qd_node *node);

/* Pads by hand for auto_pad SAME_*, of a kernel without its dilation: (out − 1)·stride + k − in elements, at least
 * `least`, half of them before the data, rounded down, and for SAME_LOWER up. A negative number is cut off. */
void qd_edit_pad_same(struct qd_edit *edit, int64_t least);

/* Elements of one channel: the product of the dimensions after the first two, at least 1. */
int64_t qd_shape_plane(const struct qd_tensor *tensor);

#endif
