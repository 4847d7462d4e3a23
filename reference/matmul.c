#include "qdiff/matmul.h"

#include <string.h>

#include "qdiff/broadcast.h"

static enum qd_status read_matrices(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_tensor *a,
                                    const struct qd_tensor *b, struct qd_matmul_shape *s)
{
    if (a->rank == 0)
        return qd_node_rule(evaluation, node, "a-rank", "A is a scalar");
    if (b->rank == 0)
        return qd_node_rule(evaluation, node, "b-rank", "B is a scalar");
    s->m = a->rank == 1 ? 1 : a->dims[a->rank - 2];
    s->k = a->dims[a->rank - 1];
    s->n = b->rank == 1 ? 1 : b->dims[b->rank - 1];
    int64_t k = b->rank == 1 ? b->dims[0] : b->dims[b->rank - 2];
    if (k != s->k)
        return qd_node_rule(evaluation, node, "k-mismatch",
                            "A's rows have %lld elements, B's columns %lld", (long long)s->k,
                            (long long)k);
    s->a_batch_rank = a->rank > 2 ? a->rank - 2 : 0;
    s->b_batch_rank = b->rank > 2 ? b->rank - 2 : 0;
    memcpy(s->a_batch, a->dims, s->a_batch_rank * sizeof *a->dims);
    memcpy(s->b_batch, b->dims, s->b_batch_rank * sizeof *b->dims);
    return QD_OK;
}

enum qd_status qd_matmul_shape_read(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_tensor *a,
                                    const struct qd_tensor *b, struct qd_matmul_shape *shape)
{
    struct qd_matmul_shape s = {0};
    enum qd_status status = read_matrices(evaluation, node, a, b, &s);
    if (status != QD_OK)
        return status;
    if (!qd_broadcast_shape(s.a_batch_rank, s.a_batch, s.b_batch_rank, s.b_batch, &s.batch_rank,
                            s.batch))
        return qd_node_rule(evaluation, node, "batch-broadcast",
                            "the batch dimensions do not broadcast");
    status = qd_shape_count(s.batch_rank, s.batch, &s.batches, evaluation->error);
    if (status != QD_OK)
        return status;
    memcpy(s.dims, s.batch, s.batch_rank * sizeof *s.dims);
    s.rank = s.batch_rank;
    if (a->rank > 1)
        s.dims[s.rank++] = s.m;
    if (b->rank > 1)
        s.dims[s.rank++] = s.n;
    if ((double)s.batches * (double)s.m * (double)s.n * (double)s.k > QD_MAX_WORK)
        return qd_fail(evaluation->error, QD_LIMIT, "%s: more than %g products", node->op_type,
                       QD_MAX_WORK);
    *shape = s;
    return QD_OK;
}

int64_t qd_matmul_a_batch(const struct qd_matmul_shape *s, int64_t batch)
{
    return qd_broadcast_index(s->a_batch_rank, s->a_batch, s->batch_rank, s->batch, batch);
}

int64_t qd_matmul_b_batch(const struct qd_matmul_shape *s, int64_t batch)
{
    return qd_broadcast_index(s->b_batch_rank, s->b_batch, s->batch_rank, s->batch, batch);
}
