/* SPDX-License-Identifier: Apache-2.0 */
/* What DepthToSpace and SpaceToDepth share: square blocks of [N, C, H, W]. */
#ifndef QDIFF_REFERENCE_SPACE_DEPTH_H
#define QDIFF_REFERENCE_SPACE_DEPTH_H

#include "qdiff/evaluate.h"

/* Reads attribute blocksize, 1 to QD_MAX_BLOCKSIZE (beyond: LIMIT), and checks that x has rank 4.
 * Rules: input-rank, blocksize-missing, blocksize-positive. */
#define QD_MAX_BLOCKSIZE 16384 /* b² elements are then the most a tensor may have */
enum qd_status qd_blocksize_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, int64_t *blocksize);

/* x's elements as six dimensions with strides (qd_move_strided), joined to four. */
enum qd_status qd_move_blocks(const struct qd_evaluation *evaluation, const struct qd_value *x,
                              const int64_t *six, const int64_t *stride, const int64_t *four,
                              struct qd_value *out);

#endif
