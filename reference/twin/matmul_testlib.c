/* SPDX-License-Identifier: Apache-2.0 */
/* The twin's matrix products on codes: for every output coordinate, every term, as numpy.matmul has
 * them. */
#include <assert.h>
#include <string.h>

#include "twin/twin.h"

/* One operand seen as [batch…, rows, columns]; a vector becomes [1, K] on the left and [K, 1] on
 * the right. */
struct operand {
    const struct qd_tensor *tensor;
    unsigned batch_rank;
    int64_t rows, columns;
};

static struct operand operand_of(const struct qd_tensor *tensor, bool is_left)
{
    struct operand operand = {.tensor = tensor};
    assert(tensor->rank >= 1);
    if (tensor->rank == 1) {
        operand.rows = is_left ? 1 : tensor->dims[0];
        operand.columns = is_left ? tensor->dims[0] : 1;
        return operand;
    }
    operand.batch_rank = tensor->rank - 2;
    operand.rows = tensor->dims[tensor->rank - 2];
    operand.columns = tensor->dims[tensor->rank - 1];
    return operand;
}

/* The number of an operand's matrix that serves the output's batch coordinates: its own coordinates
 * are the last ones, 0 where its size is 1. */
static int64_t matrix_of(const struct operand *operand, unsigned batch_rank, const int64_t *batch)
{
    int64_t matrix = 0;
    for (unsigned axis = 0; axis < operand->batch_rank; axis++) {
        int64_t size = operand->tensor->dims[axis];
        int64_t at = batch[batch_rank - operand->batch_rank + axis];
        matrix = matrix * size + (size == 1 ? 0 : at);
    }
    return matrix;
}

struct product {
    struct operand a, b;
    unsigned batch_rank, rank;
    int64_t batch[QD_MAX_RANK], dims[QD_MAX_RANK];
};

static int64_t batch_size(const struct operand *operand, unsigned batch_rank, unsigned axis)
{
    unsigned missing = batch_rank - operand->batch_rank;
    return axis < missing ? 1 : operand->tensor->dims[axis - missing];
}

static struct product product_of(const struct qd_tensor *a, const struct qd_tensor *b)
{
    struct product p = {.a = operand_of(a, true), .b = operand_of(b, false)};
    assert(p.a.columns == p.b.rows);
    p.batch_rank = p.a.batch_rank > p.b.batch_rank ? p.a.batch_rank : p.b.batch_rank;
    for (unsigned axis = 0; axis < p.batch_rank; axis++) {
        int64_t from_a = batch_size(&p.a, p.batch_rank, axis);
        int64_t from_b = batch_size(&p.b, p.batch_rank, axis);
        assert(from_a == from_b || from_a == 1 || from_b == 1);
        p.batch[axis] = p.dims[axis] = from_a == 1 ? from_b : from_a;
    }
    p.rank = p.batch_rank;
    if (a->rank > 1)
        p.dims[p.rank++] = p.a.rows;
    if (b->rank > 1)
        p.dims[p.rank++] = p.b.columns;
    return p;
}

/* Where in the result an element lies: matrices of a and b, row and column. */
struct place {
    int64_t a_matrix, b_matrix, row, column;
};

static struct place place_of(const struct product *p, int64_t i)
{
    struct place place;
    int64_t batch[QD_MAX_RANK];
    place.column = i % p->b.columns;
    i /= p->b.columns;
    place.row = i % p->a.rows;
    i /= p->a.rows;
    for (unsigned axis = p->batch_rank; axis-- > 0;) {
        batch[axis] = i % p->batch[axis];
        i /= p->batch[axis];
    }
    place.a_matrix = matrix_of(&p->a, p->batch_rank, batch);
    place.b_matrix = matrix_of(&p->b, p->batch_rank, batch);
    return place;
}

/* A parameter of a: one element; [M], one per row; [batch…, M, 1]. */
static int64_t row_parameter(const struct product *p, const struct qd_tensor *parameter,
                             const struct place *at)
{
    if (parameter->count == 1)
        return 0;
    return parameter->rank == 1 ? at->row : at->a_matrix * p->a.rows + at->row;
}

/* A parameter of b: one element; [N], one per column; [batch…, 1, N]. */
static int64_t column_parameter(const struct product *p, const struct qd_tensor *parameter,
                                const struct place *at)
{
    if (parameter->count == 1)
        return 0;
    return parameter->rank == 1 ? at->column : at->b_matrix * p->b.columns + at->column;
}

/* Σ (a − z_a)(b − z_b) */
static int64_t accumulate(const struct product *p, const struct qd_tensor *a_zero_point,
                          const struct qd_tensor *b_zero_point, const struct place *at)
{
    int64_t sum = 0, terms = p->a.columns;
    int64_t z_a =
        a_zero_point ? twin_integer_of(a_zero_point, row_parameter(p, a_zero_point, at)) : 0;
    int64_t z_b =
        b_zero_point ? twin_integer_of(b_zero_point, column_parameter(p, b_zero_point, at)) : 0;
    for (int64_t k = 0; k < terms; k++) {
        int64_t a = twin_integer_of(p->a.tensor, (at->a_matrix * p->a.rows + at->row) * terms + k);
        int64_t b =
            twin_integer_of(p->b.tensor, (at->b_matrix * terms + k) * p->b.columns + at->column);
        sum += (a - z_a) * (b - z_b);
    }
    return sum;
}

/* Inputs: A, B, a_zero_point, b_zero_point. */
void twin_matmul_integer(const struct qd_tensor *const *in, struct twin_result *out)
{
    struct product p = product_of(in[0], in[1]);
    twin_result_init(out, QD_S32, p.rank, p.dims);
    for (int64_t i = 0; i < out->count; i++) {
        struct twin_element *element = &out->elements[i];
        struct place at = place_of(&p, i);
        int64_t acc = accumulate(&p, in[2], in[3], &at);
        mpq_set_si(element->want.q, acc, 1);
        mpq_set_si(element->lo.q, acc, 1);
        mpq_set_si(element->hi.q, acc, 1);
        element->unspecified = acc < INT32_MIN || acc > INT32_MAX;
    }
}

/* Inputs: a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point. */
void twin_qlinear_matmul(const struct qd_tensor *const *in, struct twin_result *out)
{
    struct product p = product_of(in[0], in[3]);
    struct twin_number s1, s2, sy;
    twin_number_init(&s1);
    twin_number_init(&s2);
    twin_number_init(&sy);
    twin_element_of(in[6], 0, &sy);
    twin_result_init(out, in[7]->dtype, p.rank, p.dims);
    for (int64_t i = 0; i < out->count; i++) {
        struct place at = place_of(&p, i);
        int64_t acc = accumulate(&p, in[2], in[5], &at);
        twin_element_of(in[1], row_parameter(&p, in[1], &at), &s1);
        twin_element_of(in[4], column_parameter(&p, in[4], &at), &s2);
        twin_requantize(acc, &s1, &s2, &sy, in[1]->dtype, out->dtype, twin_integer_of(in[7], 0),
                        &out->elements[i]);
    }
    twin_number_clear(&s1);
    twin_number_clear(&s2);
    twin_number_clear(&sy);
}
