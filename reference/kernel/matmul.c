/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/matmul.h"

#include <stdio.h>
#include <string.h>

#include "kernel/accumulate.h"
#include "qdiff/broadcast.h"

static enum qd_status read_matrices(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_tensor *a,
                                    const struct qd_tensor *b, struct qd_matmul_shape *s)
{
    if (a->rank == 0)
        return qd_node_rule(evaluation, node, "a-rank", "a is a scalar");
    if (b->rank == 0)
        return qd_node_rule(evaluation, node, "b-rank", "b is a scalar");
    s->m = a->rank == 1 ? 1 : a->dims[a->rank - 2];
    s->k = a->dims[a->rank - 1];
    s->n = b->rank == 1 ? 1 : b->dims[b->rank - 1];
    int64_t k = b->dims[b->rank == 1 ? 0 : b->rank - 2];
    if (k != s->k)
        return qd_node_rule(evaluation, node, "k-mismatch", "a has %lld columns, b %lld rows",
                            (long long)s->k, (long long)k);
    return QD_OK;
}

static enum qd_status read_batches(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_tensor *a,
                                   const struct qd_tensor *b, struct qd_matmul_shape *s)
{
    s->a_batch_rank = a->rank < 2 ? 0 : a->rank - 2;
    s->b_batch_rank = b->rank < 2 ? 0 : b->rank - 2;
    memcpy(s->a_batch, a->dims, s->a_batch_rank * sizeof *a->dims);
    memcpy(s->b_batch, b->dims, s->b_batch_rank * sizeof *b->dims);
    if (!qd_broadcast_shape(s->a_batch_rank, s->a_batch, s->b_batch_rank, s->b_batch,
                            &s->batch_rank, s->batch)) {
        char a_text[96], b_text[96];
        return qd_node_rule(evaluation, node, "batch-mismatch",
                            "the batches of %s and %s do not broadcast",
                            qd_tensor_describe(a, a_text, sizeof a_text),
                            qd_tensor_describe(b, b_text, sizeof b_text));
    }
    return qd_shape_count(s->batch_rank, s->batch, &s->batches, evaluation->error);
}

enum qd_status qd_matmul_shape_read(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const struct qd_tensor *a,
                                    const struct qd_tensor *b, struct qd_matmul_shape *shape)
{
    struct qd_matmul_shape s = {0};
    enum qd_status status = read_matrices(evaluation, node, a, b, &s);
    if (status == QD_OK)
        status = read_batches(evaluation, node, a, b, &s);
    if (status != QD_OK)
        return status;
    s.products = (double)s.batches * (double)s.m * (double)s.n * (double)(s.k ? s.k : 1);
    s.rank = s.batch_rank;
    memcpy(s.dims, s.batch, s.batch_rank * sizeof *s.dims);
    if (a->rank > 1)
        s.dims[s.rank++] = s.m;
    if (b->rank > 1)
        s.dims[s.rank++] = s.n;
    *shape = s;
    return QD_OK;
}

enum qd_status qd_matmul_begin(const struct qd_evaluation *evaluation,
                               const struct qd_matmul_shape *s, double weight)
{
    const struct qd_products all = {s->products * weight, s->n, s->batches * s->m, 0, false};
    return qd_sample_begin(evaluation, &all);
}

int64_t qd_matmul_a_batch(const struct qd_matmul_shape *s, int64_t batch)
{
    return qd_broadcast_index(s->a_batch_rank, s->a_batch, s->batch_rank, s->batch, batch);
}

int64_t qd_matmul_b_batch(const struct qd_matmul_shape *s, int64_t batch)
{
    return qd_broadcast_index(s->b_batch_rank, s->b_batch, s->batch_rank, s->batch, batch);
}

/* --- Parameters ------------------------------------------------------------------------------- */

/* How a parameter's shape relates to of's shape with 1 for the other dimension. */
enum fit { DOCUMENTED, BROADCASTS, WRONG };

static enum fit fit_full(const struct qd_tensor *parameter, const struct qd_tensor *of,
                         unsigned other)
{
    enum fit fit = DOCUMENTED;
    for (unsigned i = 0; i < of->rank; i++) {
        int64_t want = i == other ? 1 : of->dims[i];
        if (parameter->dims[i] != want)
            fit = parameter->dims[i] == 1 && fit != WRONG ? BROADCASTS : WRONG;
    }
    return fit;
}

static enum fit fit_of(const struct qd_tensor *parameter, const struct qd_tensor *of,
                       enum qd_matmul_side side)
{
    if (parameter->rank == 0 || (parameter->rank == 1 && parameter->count == 1))
        return DOCUMENTED;
    if (of->rank < 2)
        return WRONG;
    unsigned own = side == QD_MATMUL_ROWS ? of->rank - 2 : of->rank - 1;
    unsigned other = side == QD_MATMUL_ROWS ? of->rank - 1 : of->rank - 2;
    if (parameter->rank == 1 && parameter->count == of->dims[own])
        return of->rank == 2 ? DOCUMENTED : BROADCASTS;
    return parameter->rank == of->rank ? fit_full(parameter, of, other) : WRONG;
}

enum qd_status qd_matmul_parameter_shape(const struct qd_evaluation *evaluation,
                                         const struct qd_node *node, const char *name,
                                         const struct qd_tensor *parameter,
                                         const struct qd_tensor *of, enum qd_matmul_side side)
{
    enum fit fit = fit_of(parameter, of, side);
    if (fit == DOCUMENTED)
        return QD_OK;
    char slug[40], text[96], of_text[96];
    snprintf(slug, sizeof slug, "%s-shape", name);
    qd_tensor_describe(parameter, text, sizeof text);
    qd_tensor_describe(of, of_text, sizeof of_text);
    if (fit == BROADCASTS)
        return qd_fail(evaluation->error, QD_UNSUPPORTED,
                       "%s: %s is %s for %s, which the specification does not describe",
                       node->op_type, name, text, of_text);
    return qd_node_rule(evaluation, node, slug, "%s is %s, which fits %s neither whole nor by %s",
                        name, text, of_text, side == QD_MATMUL_ROWS ? "rows" : "columns");
}

int64_t qd_matmul_parameter_index(const struct qd_tensor *parameter, int64_t batch, int64_t size,
                                  int64_t i)
{
    return parameter->count == 1 ? 0 : batch * size + i;
}

/* --- Accumulation ----------------------------------------------------------------------------- */

/* b with its matrices transposed: [batch…, n, k], so that a column is contiguous. */
static enum qd_status transpose(const struct qd_evaluation *evaluation, const struct qd_tensor *b,
                                int64_t k, int64_t n, struct qd_tensor *out)
{
    struct qd_tensor t;
    enum qd_status status =
        qd_tensor_init(&t, evaluation->arena, b->dtype, 1, &b->count, evaluation->error);
    if (status != QD_OK)
        return status;
    for (int64_t i = 0; i < b->count; i++) {
        int64_t matrix = i / (k * n), row = i / n % k, column = i % n;
        qd_tensor_set(&t, (matrix * n + column) * k + row, qd_tensor_get(b, i));
    }
    *out = t;
    return QD_OK;
}

/* One operand: its rows or columns of centred codes, and what was taken off them. */
struct side {
    const struct qd_tensor *zero_point;
    const int16_t *centred;
    bool is_unsigned;
};

static int16_t zero_point_of(const struct qd_semantics *semantics, const struct side *side,
                             int64_t vector)
{
    int64_t count = side->zero_point ? side->zero_point->count : 1;
    return (int16_t)qd_zero_point(semantics, side->zero_point, vector % count);
}

static void multiply(const struct qd_evaluation *evaluation, const struct qd_matmul_shape *s,
                     const struct side *a, const struct side *b, int64_t *acc)
{
    const struct qd_semantics *semantics = evaluation->semantics;
    struct qd_raw_codes raw = {
        .a_unsigned = a->is_unsigned, .b_unsigned = b->is_unsigned, .taps = 1};
    for (int64_t batch = 0; batch < s->batches; batch++) {
        int64_t first_row = qd_matmul_a_batch(s, batch) * s->m;
        int64_t first_column = qd_matmul_b_batch(s, batch) * s->n;
        for (int64_t row = first_row; row < first_row + s->m; row++) {
            bool whole = qd_sample_position(evaluation, batch * s->m + row - first_row, false);
            raw.a_zero_point = zero_point_of(semantics, a, row);
            for (int64_t column = first_column; column < first_column + s->n; column++, acc++) {
                if (!whole && !qd_sample_channel(evaluation, column - first_column))
                    continue;
                raw.b_zero_point = zero_point_of(semantics, b, column);
                int64_t sum = qd_dot(semantics, &raw, a->centred + row * s->k,
                                     b->centred + column * s->k, s->k);
                *acc = qd_accumulator_finish(semantics, sum);
            }
        }
    }
}

enum qd_status qd_matmul_accumulate(const struct qd_evaluation *evaluation,
                                    const struct qd_matmul_shape *s, const struct qd_tensor *a,
                                    const struct qd_tensor *a_zero_point, const struct qd_tensor *b,
                                    const struct qd_tensor *b_zero_point, int64_t **acc)
{
    enum qd_status status = qd_matmul_begin(evaluation, s, 1);
    if (status != QD_OK)
        return status;
    int64_t count = s->batches * s->m * s->n;
    int64_t *sums = qd_arena_array(evaluation->arena, (size_t)count, sizeof *sums);
    struct qd_tensor columns;
    int16_t *rows_centred, *columns_centred;
    if (!sums)
        return qd_fail(evaluation->error, QD_NO_MEMORY, "no room for %lld accumulators",
                       (long long)count);
    if (qd_sample_is_none(evaluation)) {
        *acc = sums;
        return QD_OK;
    }
    /* A zero point per row or column has one entry per k codes, in the order of rows and
     * columns. */
    status = qd_subtract_zero_point(evaluation, a, a_zero_point, s->k, &rows_centred);
    if (status == QD_OK)
        status = transpose(evaluation, b, s->k, s->n, &columns);
    if (status == QD_OK)
        status = qd_subtract_zero_point(evaluation, &columns, b_zero_point, s->k, &columns_centred);
    if (status != QD_OK)
        return status;
    const struct side rows = {a_zero_point, rows_centred, a->dtype == QD_U8};
    const struct side columns_of_b = {b_zero_point, columns_centred, b->dtype == QD_U8};
    multiply(evaluation, s, &rows, &columns_of_b, sums);
    *acc = sums;
    return QD_OK;
}
