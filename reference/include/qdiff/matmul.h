/* What all matrix products share: numpy.matmul's shapes.
 *
 * Source: ONNX MatMul-13, MatMulInteger-10, QLinearMatMul-10 ("behaves like numpy.matmul"). */
#ifndef QDIFF_MATMUL_H
#define QDIFF_MATMUL_H

#include "qdiff/evaluate.h"

/* a [batch…, m, k], b [batch…, k, n], y [batch…, m, n]; batches broadcast. A 1-D a is [1, k], a 1-D b is [k, 1], and y then lacks
 * that dimension. */
struct qd_matmul_shape {
    int64_t m, n, k, batches;
    unsigned rank;             /* of y */
    int64_t dims[QD_MAX_RANK]; /* of y */
    unsigned batch_rank, a_batch_rank, b_batch_rank;
    int64_t batch[QD_MAX_RANK], a_batch[QD_MAX_RANK], b_batch[QD_MAX_RANK];
};

/* Rules: a-rank, b-rank (scalars), k-mismatch, batch-broadcast. LIMIT beyond QD_MAX_WORK products. */
enum qd_status qd_matmul_shape_read(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_tensor *a,
                                    const struct qd_tensor *b, struct qd_matmul_shape *shape);

/* Index of the matrices of a and b, counted in whole matrices, that give matrix `batch` of y. */
int64_t qd_matmul_a_batch(const struct qd_matmul_shape *shape, int64_t batch);
int64_t qd_matmul_b_batch(const struct qd_matmul_shape *shape, int64_t batch);

#endif
