/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of float sums share. */
#include "kernel/float_testlib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void bench_init(struct bench *b)
{
    static const struct qd_semantics defaults = {0};
    qd_arena_init(&b->arena, (size_t)64 << 20);
    b->evaluation =
        (struct qd_evaluation){.semantics = &defaults, .arena = &b->arena, .error = &b->error};
}

uint64_t bench_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct qd_value bench_vector(struct bench *b, const float *x, int64_t count)
{
    struct qd_value v;
    assert_int_equal(qd_value_init(&v, &b->arena, QD_F32, 1, &count, &b->error), QD_OK);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&v.want, i, (int64_t)qd_float_encode(QD_F32, (double)x[i], false));
    return v;
}

struct qd_observation bench_dot(struct bench *b, const struct qd_value *x, const struct qd_value *w,
                                const struct qd_value *bias, struct qd_float_sum sum)
{
    struct qd_float_operand xo, wo, bo;
    struct qd_value y;
    int64_t one = 1;
    assert_int_equal(qd_float_operand_make(&b->evaluation, x, &xo), QD_OK);
    assert_int_equal(qd_float_operand_make(&b->evaluation, w, &wo), QD_OK);
    if (bias)
        assert_int_equal(qd_float_operand_make(&b->evaluation, bias, &bo), QD_OK);
    assert_int_equal(qd_value_init(&y, &b->arena, QD_F32, 1, &one, &b->error), QD_OK);
    const struct qd_float_operand *operands[] = {&xo, &wo, bias ? &bo : NULL};
    assert_int_equal(qd_float_sum_begin(&b->evaluation, operands, 3, &y), QD_OK);
    for (int64_t i = 0; i < x->want.count; i++)
        qd_float_sum_product(&sum, &xo, i, &wo, i);
    if (bias)
        qd_float_sum_term(&sum, &bo, 0);
    assert_int_equal(qd_float_sum_store(&b->evaluation, &sum, 0, &y, 0), QD_OK);
    return qd_value_observe(&y, 0);
}
