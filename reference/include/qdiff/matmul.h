/* SPDX-License-Identifier: Apache-2.0 */
/* What all matrix products share: numpy.matmul's shapes, parameters per row and per column, exact
 * accumulation.
 *
 * Source: numpy.matmul (to which the ONNX specification refers); ONNX MatMulInteger-10,
 * QLinearMatMul-10, -21. */
#ifndef QDIFF_MATMUL_H
#define QDIFF_MATMUL_H

#include "qdiff/evaluate.h"

/* a [a_batch…, m, k] · b [b_batch…, k, n] = y [batch…, m, n], the batches broadcast. A vector a
 * counts as [1, k], a vector b as [k, 1], and y loses that dimension again. Sizes may be 0; a sum
 * of no terms is 0. */
struct qd_matmul_shape {
    int64_t m, k, n;
    unsigned batch_rank, a_batch_rank, b_batch_rank;
    int64_t batch[QD_MAX_RANK], a_batch[QD_MAX_RANK], b_batch[QD_MAX_RANK];
    int64_t batches; /* product of batch */
    double products; /* multiply-accumulates, as work (qd_spend) */
    unsigned rank;   /* of y */
    int64_t dims[QD_MAX_RANK];
};

/* Reads the shapes of a and b. INVALID, with a rule: a-rank, b-rank (a scalar), k-mismatch,
 * batch-mismatch. LIMIT: too many matrices. */
enum qd_status qd_matmul_shape_read(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_tensor *a,
                                    const struct qd_tensor *b, struct qd_matmul_shape *shape);

/* Which matrix of a and of b the product number `batch` reads. */
int64_t qd_matmul_a_batch(const struct qd_matmul_shape *shape, int64_t batch);
int64_t qd_matmul_b_batch(const struct qd_matmul_shape *shape, int64_t batch);

enum qd_matmul_side { QD_MATMUL_ROWS, QD_MATMUL_COLUMNS };

/* Checks the shape of a scale or zero point of the matrix (or vector) `of`, by rows (a) or by
 * columns (b):
 *   a scalar or [1]; the vector [rows] or [columns] if `of` is a matrix; of's shape with 1 for the
 *   other dimension.
 * Rule <name>-shape. What the specification does not mention although it would broadcast is
 * UNSUPPORTED: a vector with a batch of matrices, and 1 in place of a batch dimension or of the
 * rows. */
enum qd_status qd_matmul_parameter_shape(const struct qd_evaluation *evaluation,
                                         const struct qd_node *node, const char *name,
                                         const struct qd_tensor *parameter,
                                         const struct qd_tensor *of, enum qd_matmul_side side);

/* Which entry of a checked parameter belongs to row or column `i` (of `size`) of matrix number
 * `batch`. */
int64_t qd_matmul_parameter_index(const struct qd_tensor *parameter, int64_t batch, int64_t size,
                                  int64_t i);

/* Takes the work of all products, each of that weight, or of a sample of rows and columns. As qd_sample_begin. */
enum qd_status qd_matmul_begin(const struct qd_evaluation *evaluation,
                               const struct qd_matmul_shape *shape, double weight);

/* acc[(batch·m + row)·n + column] = Σ (a − a_zero_point)·(b − b_zero_point), finished by the
 * accumulator switch. a and b are u8 or s8; zero points have checked shapes, NULL means 0. *acc has
 * batches·m·n entries in the arena, 0 where a sample leaves one out. As qd_matmul_begin. */
enum qd_status qd_matmul_accumulate(const struct qd_evaluation *evaluation,
                                    const struct qd_matmul_shape *shape, const struct qd_tensor *a,
                                    const struct qd_tensor *a_zero_point, const struct qd_tensor *b,
                                    const struct qd_tensor *b_zero_point, int64_t **acc);

#endif
