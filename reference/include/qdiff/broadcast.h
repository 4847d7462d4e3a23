/* SPDX-License-Identifier: Apache-2.0 */
/* Numpy-style broadcasting. Source: ONNX docs/Broadcasting.md. */
#ifndef QDIFF_REFERENCE_BROADCAST_H
#define QDIFF_REFERENCE_BROADCAST_H

#include "qdiff/tensor.h"

/* The common shape of two shapes (ranks up to QD_MAX_RANK); false if they do not broadcast. */
bool qd_broadcast_shape(unsigned a_rank, const int64_t *a, unsigned b_rank, const int64_t *b,
                        unsigned *rank, int64_t *dims);

/* Whether a shape broadcasts to another without changing it ("unidirectional broadcasting"). */
bool qd_broadcast_fits(unsigned rank, const int64_t *dims, unsigned to_rank, const int64_t *to);

/* Row-major index into an operand of shape (rank, dims) of element i of the common shape. */
int64_t qd_broadcast_index(unsigned rank, const int64_t *dims, unsigned common_rank,
                           const int64_t *common, int64_t i);

/* The same of two tensors: the element of x that is broadcast to element i of y. */
int64_t qd_broadcast_element(const struct qd_tensor *x, const struct qd_tensor *y, int64_t i);

#endif
