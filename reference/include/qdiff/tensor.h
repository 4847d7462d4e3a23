/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: dtype, shape, packed bytes exactly as ONNX's raw_data (little endian, sub-byte types
 * packed). */
#ifndef QDIFF_TENSOR_H
#define QDIFF_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/arena.h"
#include "qdiff/dtype.h"
#include "qdiff/status.h"

#define QD_MAX_RANK 8
#define QD_MAX_ELEMENTS ((int64_t)1 << 28)

struct qd_tensor {
    enum qd_dtype dtype;
    unsigned rank;             /* 0 = scalar, at most QD_MAX_RANK */
    int64_t dims[QD_MAX_RANK]; /* each ≥ 0 */
    int64_t count;             /* product of dims; 1 for a scalar */
    void *data; /* qd_dtype_bytes(dtype, count) bytes; owned by an arena or by the caller */
};

/* Number of elements of a shape; fails with LIMIT above QD_MAX_ELEMENTS or rank, INVALID on a
 * negative dim. */
enum qd_status qd_shape_count(unsigned rank, const int64_t *dims, int64_t *count,
                              struct qd_error *error);

/* A zeroed tensor in the arena. */
enum qd_status qd_tensor_init(struct qd_tensor *tensor, struct qd_arena *arena, enum qd_dtype dtype,
                              unsigned rank, const int64_t *dims, struct qd_error *error);

size_t qd_tensor_bytes(const struct qd_tensor *tensor);

/* Element i (row-major) of an integer tensor, sign-extended; of a float tensor its bit pattern. */
int64_t qd_tensor_get(const struct qd_tensor *tensor, int64_t i);
void qd_tensor_set(const struct qd_tensor *tensor, int64_t i, int64_t code);

/* Element i as a number: integers exact (|v| < 2^53), float types decoded. */
double qd_tensor_value(const struct qd_tensor *tensor, int64_t i);

bool qd_tensor_same_shape(const struct qd_tensor *a, const struct qd_tensor *b);

/* "u8[1,3,8,8]" into text. Returns text. */
const char *qd_tensor_describe(const struct qd_tensor *tensor, char *text, size_t size);

/* Row-major index ↔ coordinates; coordinates has rank entries. */
void qd_tensor_coordinates(const struct qd_tensor *tensor, int64_t i, int64_t *coordinates);

#endif
