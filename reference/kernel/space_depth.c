/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/space_depth.h"

#include "qdiff/movement.h"

enum qd_status qd_blocksize_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_tensor *x, int64_t *blocksize)
{
    int64_t b;
    if (x->rank != 4)
        return qd_node_rule(evaluation, node, "input-rank", "input has rank %u, want 4", x->rank);
    if (!qd_node_attr(node, "blocksize"))
        return qd_node_rule(evaluation, node, "blocksize-missing", "blocksize is required");
    enum qd_status status = qd_node_int(node, "blocksize", 0, &b, evaluation->error);
    if (status != QD_OK)
        return status;
    if (b < 1)
        return qd_node_rule(evaluation, node, "blocksize-positive", "blocksize is %lld",
                            (long long)b);
    if (b > QD_MAX_BLOCKSIZE)
        return qd_fail(evaluation->error, QD_LIMIT, "%s: blocksize %lld is more than %d",
                       node->op_type, (long long)b, QD_MAX_BLOCKSIZE);
    *blocksize = b;
    return QD_OK;
}

enum qd_status qd_move_blocks(const struct qd_evaluation *evaluation, const struct qd_value *x,
                              const int64_t *six, const int64_t *stride, const int64_t *four,
                              struct qd_value *out)
{
    struct qd_value moved;
    enum qd_status status = qd_move_strided(evaluation, x, 6, six, 0, stride, &moved);
    return status == QD_OK ? qd_move_reshape(evaluation, &moved, 4, four, out) : status;
}
