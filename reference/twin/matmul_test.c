/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's QLinearMatMul and MatMulInteger against the twin's: vectors, matrices and batches
 * that broadcast, all type combinations, parameters per tensor, per row and per column in every
 * documented shape. Scales are solved so that some output of each case lies on or next to a
 * rounding edge. Alone: <build>/tests/reference/twin/matmul_test; QDIFF_TWIN_FACTOR=n runs n times
 * as much. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "twin/twin.h"

/* One random product, with zero points; scales have the zero points' shapes. */
struct problem {
    struct qd_arena arena;
    struct qd_tensor a, b, a_zero_point, b_zero_point, a_scale, b_scale, y_scale, y_zero_point;
};

static enum qd_dtype random_type(struct twin_random *random)
{
    return twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
}

static struct qd_tensor random_codes(struct problem *p, struct twin_random *random,
                                     enum qd_dtype dtype, unsigned rank, const int64_t *dims)
{
    struct qd_tensor tensor = twin_tensor(&p->arena, dtype, rank, dims);
    for (int64_t i = 0; i < tensor.count; i++)
        twin_put(&tensor, i, (uint64_t)twin_random_code(random, dtype));
    return tensor;
}

/* Batch dimensions of one operand that broadcast with `batch`: its last ones, some of them 1. */
static unsigned choose_batch(struct twin_random *random, unsigned batch_rank, const int64_t *batch,
                             int64_t *dims)
{
    unsigned rank = (unsigned)twin_random_between(random, 0, batch_rank);
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = twin_random_one_in(random, 4) ? 1 : batch[batch_rank - rank + axis];
    return rank;
}

static void choose_operands(struct problem *p, struct twin_random *random)
{
    int64_t m = twin_random_between(random, 1, 5), n = twin_random_between(random, 1, 5);
    int64_t k = twin_random_one_in(random, 8) ? 600 : twin_random_between(random, 1, 9);
    int64_t batch[3], dims[QD_MAX_RANK];
    unsigned batch_rank = (unsigned)twin_random_between(random, 0, 3);
    for (unsigned axis = 0; axis < batch_rank; axis++)
        batch[axis] = twin_random_between(random, 1, 3);
    unsigned rank = 0;
    if (!twin_random_one_in(random, 6)) {
        rank = choose_batch(random, batch_rank, batch, dims);
        dims[rank++] = m;
    }
    dims[rank++] = k;
    p->a = random_codes(p, random, random_type(random), rank, dims);
    bool is_vector = twin_random_one_in(random, 6);
    rank = is_vector ? 0 : choose_batch(random, batch_rank, batch, dims);
    dims[rank++] = k;
    if (!is_vector)
        dims[rank++] = n;
    p->b = random_codes(p, random, random_type(random), rank, dims);
}

/* Scalar, [1], [size] for matrices, or [batch…, size, 1] / [batch…, 1, size]. */
static unsigned parameter_shape(struct twin_random *random, const struct qd_tensor *of,
                                bool is_left, int64_t *dims)
{
    unsigned rank = of->rank;
    if (rank < 2 || twin_random_one_in(random, 3)) {
        dims[0] = 1;
        return twin_random_one_in(random, 2);
    }
    if (rank == 2 && twin_random_one_in(random, 2)) {
        dims[0] = is_left ? of->dims[0] : of->dims[1];
        return 1;
    }
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = of->dims[axis];
    dims[is_left ? rank - 1 : rank - 2] = 1;
    return rank;
}

static struct qd_tensor random_scales(struct problem *p, struct twin_random *random,
                                      const struct qd_tensor *like)
{
    struct qd_tensor tensor = twin_tensor(&p->arena, QD_F32, like->rank, like->dims);
    for (int64_t i = 0; i < tensor.count; i++)
        twin_put(&tensor, i, twin_random_scale(random, -10, 3));
    return tensor;
}

static void problem_start(struct problem *p, struct twin_random *random)
{
    int64_t dims[QD_MAX_RANK];
    *p = (struct problem){0};
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    choose_operands(p, random);
    unsigned rank = parameter_shape(random, &p->a, true, dims);
    p->a_zero_point = random_codes(p, random, p->a.dtype, rank, dims);
    rank = parameter_shape(random, &p->b, false, dims);
    p->b_zero_point = random_codes(p, random, p->b.dtype, rank, dims);
    p->a_scale = random_scales(p, random, &p->a_zero_point);
    p->b_scale = random_scales(p, random, &p->b_zero_point);
    p->y_zero_point = random_codes(p, random, random_type(random), 0, NULL);
}

static void integer_node(const struct problem *p, struct twin_node *node, bool a_zero_point,
                         bool b_zero_point)
{
    twin_node_init(node, "MatMulInteger", 10, 1);
    twin_node_input(node, &p->a);
    twin_node_input(node, &p->b);
    twin_node_input(node, a_zero_point ? &p->a_zero_point : NULL);
    twin_node_input(node, b_zero_point ? &p->b_zero_point : NULL);
}

/* y_scale puts one output with the first scales of a and b on or next to an edge, where there is
 * such an output. */
static void solve(struct problem *p, struct twin_random *random, const struct twin_result *sums)
{
    struct twin_number s1, s2;
    twin_number_init(&s1);
    twin_number_init(&s2);
    int64_t i = p->a_scale.count == 1 && p->b_scale.count == 1
                    ? twin_random_between(random, 0, sums->count - 1)
                    : 0;
    twin_element_of(&p->a_scale, 0, &s1);
    twin_element_of(&p->b_scale, 0, &s2);
    int64_t acc = mpz_get_si(mpq_numref(sums->elements[i].want.q));
    p->y_scale = twin_scalar(&p->arena, QD_F32, twin_solve_divisor(random, acc, s1.q, s2.q));
    twin_number_clear(&s1);
    twin_number_clear(&s2);
}

/* A scale of a narrower type: the nearest one, 1 where that is not an ordinary number. */
static struct qd_tensor narrow(struct problem *p, enum qd_dtype dtype,
                               const struct qd_tensor *scale)
{
    struct qd_tensor made = twin_tensor(&p->arena, dtype, scale->rank, scale->dims);
    struct twin_number number;
    twin_number_init(&number);
    for (int64_t i = 0; i < scale->count; i++) {
        twin_element_of(scale, i, &number);
        if (number.kind != TWIN_FINITE ||
            twin_round(dtype, TWIN_NEAREST, number.q, number.q) != TWIN_ORDINARY)
            mpq_set_ui(number.q, 1, 1);
        twin_put(&made, i, twin_encode(dtype, number.q));
    }
    twin_number_clear(&number);
    return made;
}

/* The types of scales since opset 21, in which kernels may requantize. */
static void narrow_scales(struct problem *p, enum qd_dtype dtype)
{
    p->a_scale = narrow(p, dtype, &p->a_scale);
    p->b_scale = narrow(p, dtype, &p->b_scale);
    p->y_scale = narrow(p, dtype, &p->y_scale);
}

static void quantized_node(const struct problem *p, struct twin_node *node, int64_t opset)
{
    const struct qd_tensor *in[] = {&p->a,       &p->a_scale,     &p->a_zero_point,
                                    &p->b,       &p->b_scale,     &p->b_zero_point,
                                    &p->y_scale, &p->y_zero_point};
    twin_node_init(node, "QLinearMatMul", opset, 1);
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
        twin_node_input(node, in[i]);
}

/* The product with an output fitted to its sums; scales of 16 bits are rounded to their type. */
static void check_product(struct problem *p, struct twin_random *random, enum qd_dtype scales,
                          int64_t opset, bool initializers, struct twin_tally *tally)
{
    struct twin_node node;
    struct twin_result sums, want;
    integer_node(p, &node, true, true);
    twin_matmul_integer(node.in, &sums);
    solve(p, random, &sums);
    if (scales != QD_F32)
        narrow_scales(p, scales);
    quantized_node(p, &node, opset);
    twin_qlinear_matmul(node.in, &want);
    twin_check(&node, initializers, &want, tally);
    twin_result_clear(&sums);
    twin_result_clear(&want);
}

static void qlinear_matmul(void **state)
{
    (void)state;
    struct twin_random random = {51};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(2500); i++) {
        struct problem p;
        int64_t opset = twin_random_one_in(&random, 2) ? 10 : 21;
        enum qd_dtype scales = QD_F32;
        if (opset == 21 && twin_random_one_in(&random, 2))
            scales = twin_random_one_in(&random, 2) ? QD_F16 : QD_BF16;
        problem_start(&p, &random);
        check_product(&p, &random, scales, opset, i % 2 == 0, &tally);
        qd_arena_clear(&p.arena);
    }
    twin_tally_print("QLinearMatMul", &tally);
    assert_true(tally.slack > 0);
    assert_true(tally.unspecified <= tally.elements / 1000); /* sums of 0, times a lost factor */
}

/* Exponents of scales whose products and quotients their type may not hold. */
static void lose_numbers(struct problem *p, struct twin_random *random, enum qd_dtype dtype)
{
    bool far = dtype == QD_BF16 && twin_random_one_in(random, 2);
    for (int64_t i = 0; i < p->a_scale.count; i++)
        twin_put(&p->a_scale, i, twin_random_scale(random, far ? 60 : -14, far ? 126 : 4));
    for (int64_t i = 0; i < p->b_scale.count; i++)
        twin_put(&p->b_scale, i, twin_random_scale(random, far ? -126 : -14, far ? -60 : 4));
}

/* What a type of 16 bits loses in one mixture of it and float32 it keeps in another: a sum beyond
 * float16, times a factor formed in it. */
static void mixtures_of_types(void **state)
{
    (void)state;
    struct twin_random random = {53};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(600); i++) {
        struct problem p;
        enum qd_dtype dtype = i % 2 ? QD_F16 : QD_BF16;
        problem_start(&p, &random);
        lose_numbers(&p, &random, dtype);
        check_product(&p, &random, dtype, 21, i % 2 == 0, &tally);
        qd_arena_clear(&p.arena);
    }
    twin_tally_print("QLinearMatMul with scales of 16 bits", &tally);
    assert_true(tally.slack > 0 && tally.extreme > tally.elements / 4);
}

static void matmul_integer(void **state)
{
    (void)state;
    struct twin_random random = {52};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(5000); i++) {
        struct problem p;
        struct twin_node node;
        struct twin_result want;
        problem_start(&p, &random);
        integer_node(&p, &node, !twin_random_one_in(&random, 4), !twin_random_one_in(&random, 4));
        twin_matmul_integer(node.in, &want);
        twin_check(&node, i % 2 == 0, &want, &tally);
        twin_result_clear(&want);
        qd_arena_clear(&p.arena);
    }
    twin_tally_print("MatMulInteger", &tally);
    assert_int_equal(tally.slack, 0);
}

/* The twin itself, by hand: [2, 1, 2] by [2, 2] with one zero point of a and one per column of
 * b. */
static void products_by_hand(void **state)
{
    (void)state;
    static const int64_t a_dims[] = {2, 1, 2}, b_dims[] = {2, 2};
    static const int64_t a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, z_b[] = {10, 20};
    struct problem p = {0};
    struct twin_node node;
    struct twin_result have;
    qd_arena_init(&p.arena, QD_ARENA_DEFAULT_BUDGET);
    p.a = twin_tensor(&p.arena, QD_S8, 3, a_dims);
    p.b = twin_tensor(&p.arena, QD_U8, 2, b_dims);
    for (int64_t i = 0; i < 4; i++) {
        twin_put(&p.a, i, (uint64_t)a[i]);
        twin_put(&p.b, i, (uint64_t)b[i]);
    }
    p.a_zero_point = twin_scalar(&p.arena, QD_S8, (uint64_t)-7); /* a − z: 8 9 | 10 11 */
    p.b_zero_point = twin_vector(&p.arena, QD_U8, 2, z_b); /* b − z: −5 −14 | −3 −12 */
    integer_node(&p, &node, true, true);
    twin_matmul_integer(node.in, &have);
    assert_int_equal(have.rank, 3);
    assert_int_equal(have.count, 4);
    static const int64_t want[] = {8 * -5 + 9 * -3, 8 * -14 + 9 * -12, 10 * -5 + 11 * -3,
                                   10 * -14 + 11 * -12};
    for (int64_t i = 0; i < 4; i++)
        assert_true(mpq_cmp_si(have.elements[i].want.q, want[i], 1) == 0);
    twin_result_clear(&have);
    qd_arena_clear(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_by_hand),
        cmocka_unit_test(qlinear_matmul),
        cmocka_unit_test(mixtures_of_types),
        cmocka_unit_test(matmul_integer),
    };
    return cmocka_run_group_tests_name("twin_matmul", tests, NULL, NULL);
}
