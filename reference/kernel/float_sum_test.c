/* SPDX-License-Identifier: Apache-2.0 */
/* Float operators on intervals: exact where nothing rounds, RN for one rounding, and every real
 * order inside. Alone: <build>/tests/reference/kernel/float_sum_test */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#include "kernel/float_testlib.h"

static const struct qd_semantics defaults = {0};

static float random_float(uint64_t *state)
{
    return ldexpf((float)((int64_t)(bench_random(state) % 20001) - 10000),
                  (int)(bench_random(state) % 12) - 14);
}

static const struct qd_op *op(const char *name)
{
    const struct qd_op *found = qd_op_find("", name);
    assert_non_null(found);
    return found;
}

static struct qd_value binary(struct bench *b, const char *name, float x, float y)
{
    struct qd_value a = bench_vector(b, &x, 1), c = bench_vector(b, &y, 1), out;
    const struct qd_value *in[] = {&a, &c};
    struct qd_node node = {.name = "", .domain = "", .op_type = name, .opset = 14, .op = op(name)};
    assert_int_equal(node.op->evaluate(&b->evaluation, &node, in, &out), QD_OK);
    return out;
}

/* At a graph output one operation of two points is the machine's own, and nothing else. */
static void one_operation_is_round_to_nearest(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        struct bench b;
        bench_init(&b);
        float x = random_float(&seed), y = random_float(&seed);
        struct qd_value sum = binary(&b, "Add", x, y), product = binary(&b, "Mul", x, y);
        struct qd_observation s = qd_value_observe(&sum, 0), p = qd_value_observe(&product, 0);
        assert_true(s.lo == (double)(x + y) && s.hi == s.lo);
        assert_true(p.lo == (double)(x * y) && p.hi == p.lo);
        qd_arena_clear(&b.arena);
    }
}

/* 2^24 + 1 + tiny: the tiny part is lost in any double, and still decides the tie. */
static void a_tiny_term_breaks_a_tie(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    struct qd_value up = binary(&b, "Add", 0x1p30f + 0x1p7f, 0x1p6f);
    assert_true(qd_value_observe(&up, 0).lo == (double)(0x1p30f + 0x1p7f + 0x1p6f));
    struct qd_value tiny = binary(&b, "Add", 0x1p60f, 0x1p-60f);
    assert_true(qd_value_observe(&tiny, 0).lo == 0x1p60);
    assert_true(qd_value_hi(&tiny, 0) > 0x1p60);
    qd_arena_clear(&b.arena);
}

/* One dot product through the sum; returns what a graph output may show. */
static struct qd_observation dot(struct bench *b, const float *x, const float *w, int64_t count)
{
    struct qd_value xv = bench_vector(b, x, count), wv = bench_vector(b, w, count);
    return bench_dot(b, &xv, &wv, NULL, QD_FLOAT_SUM_EMPTY);
}

/* The sum of float16 numbers under a switch. */
static struct qd_observation sum_f16(const struct qd_semantics *semantics, const float *x,
                                     int64_t count)
{
    struct bench b;
    struct qd_value y;
    struct qd_float_operand terms;
    int64_t one = 1;
    bench_init(&b);
    b.evaluation.semantics = semantics;
    struct qd_value xv = bench_vector(&b, x, count);
    const struct qd_float_operand *operands[] = {&terms};
    assert_int_equal(qd_float_operand_make(&b.evaluation, &xv, &terms), QD_OK);
    assert_int_equal(qd_value_init(&y, &b.arena, QD_F16, 1, &one, &b.error), QD_OK);
    assert_int_equal(qd_float_sum_begin(&b.evaluation, operands, 1, &y), QD_OK);
    struct qd_float_sum sum = QD_FLOAT_SUM_EMPTY;
    for (int64_t i = 0; i < count; i++)
        qd_float_sum_term(&sum, &terms, i);
    assert_int_equal(qd_float_sum_store(&b.evaluation, &sum, 0, &y, 0), QD_OK);
    struct qd_observation seen = qd_value_observe(&y, 0);
    qd_arena_clear(&b.arena);
    return seen;
}

/* float16 has 11 digits: 2048 + 1 is 2048 there. */
static void narrow_sums_are_a_dialect(void **state)
{
    (void)state;
    static const struct qd_semantics own = {.float_accumulator = QD_FLOAT_ACC_OWN};
    static const float ties[] = {2048, 1, 1}, few[] = {2040, 4, 4}, big[] = {60000, 60000, -60000};
    struct qd_observation wide = sum_f16(&defaults, ties, 3), narrow = sum_f16(&own, ties, 3);
    assert_true(wide.lo == 2050 && wide.hi == 2050);
    assert_true(narrow.lo <= 2048 && narrow.hi >= 2050);
    assert_true(narrow.lo > 2030 &&
                narrow.hi < 2070); /* three roundings of at most half a unit, 2 */
    narrow = sum_f16(&own, few, 3);
    assert_true(narrow.lo == 2048 && narrow.hi == 2048); /* every partial sum fits */
    /* Of 2000 terms in float16 no error has a bound; of the float32 sum 1 - 2^-11 and 1999/2 and one more rounding. */
    static float many[2000];
    for (size_t i = 0; i < 2000; i++)
        many[i] = i == 0 ? 0.99951171875f : 0.5f;
    wide = sum_f16(&defaults, many, 2000);
    narrow = sum_f16(&own, many, 2000);
    assert_true(wide.lo == 1000.5 && wide.hi == 1000.5);
    assert_true(narrow.lo >= 998.5 && narrow.lo <= 1000 && narrow.hi >= 1001 &&
                narrow.hi <= 1002.5);
    narrow = sum_f16(&own, big, 3);
    /* In one order nothing overflows; the infinity of another is no excuse. */
    assert_true(narrow.lo > 59000 && narrow.lo < 60000 && narrow.hi > 60000 && narrow.hi < 61000);
}

static float forward(const float *x, const float *w, int count)
{
    float s = 0;
    for (int i = 0; i < count; i++)
        s += x[i] * w[i];
    return s;
}

static float backward_fma(const float *x, const float *w, int count)
{
    float s = 0;
    for (int i = count; i-- > 0;)
        s = fmaf(x[i], w[i], s);
    return s;
}

static float pairwise(const float *x, const float *w, int count)
{
    return count == 1 ? x[0] * w[0]
                      : pairwise(x, w, count / 2) +
                            pairwise(x + count / 2, w + count / 2, count - count / 2);
}

static void every_order_lies_inside(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    uint64_t seed = 11;
    for (int round = 0; round < 3000; round++) {
        float x[COUNT], w[COUNT];
        int count = 1 + (int)(bench_random(&seed) % COUNT);
        for (int i = 0; i < count; i++) {
            x[i] = random_float(&seed);
            w[i] = i % 2 && round % 2 ? -w[i - 1] : random_float(&seed); /* half of them cancel */
        }
        struct bench b;
        bench_init(&b);
        struct qd_observation seen = dot(&b, x, w, count);
        float orders[] = {forward(x, w, count), backward_fma(x, w, count), pairwise(x, w, count)};
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            assert_true(seen.lo <= (double)orders[i] && (double)orders[i] <= seen.hi);
        assert_false(seen.unspecified);
        qd_arena_clear(&b.arena);
    }
}

/* Small integers: no partial sum rounds, so the admissible set is the sum alone. */
static void exact_sums_have_no_width(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int round = 0; round < 1000; round++) {
        float x[64], w[64];
        int64_t want = 0;
        for (int i = 0; i < 64; i++) {
            int64_t a = (int64_t)(bench_random(&seed) % 511) - 255,
                    c = (int64_t)(bench_random(&seed) % 511) - 255;
            x[i] = (float)a * 0.25f;
            w[i] = (float)c * 0.5f;
            want += a * c;
        }
        struct bench b;
        bench_init(&b);
        struct qd_observation seen = dot(&b, x, w, 64);
        assert_true(seen.lo == (double)want * 0.125 && seen.hi == seen.lo);
        qd_arena_clear(&b.arena);
    }
}

static void nothing_is_claimed_of_nan_and_overflow(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    float nan[] = {1, NAN}, huge[] = {3e38f, 3e38f}, one[] = {1, 1};
    assert_true(dot(&b, nan, one, 2).unspecified);
    assert_true(dot(&b, huge, one, 2).unspecified);
    struct qd_value sum = binary(&b, "Add", INFINITY, -INFINITY);
    assert_true(qd_value_observe(&sum, 0).nan);
    sum = binary(&b, "Add", INFINITY, 1);
    assert_true(qd_value_observe(&sum, 0).lo == (double)INFINITY);
    qd_arena_clear(&b.arena);
}

/* A kernel that multiplies padding makes NaN of an infinite weight, and alpha may come after an
 * overflowing sum. */
static void padding_and_overflow_leave_it_open(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    float w[] = {INFINITY, 1}, x[] = {1, 1}, big[] = {0x1p65f}, one[] = {0};
    struct qd_value wv = bench_vector(&b, w, 2), xv = bench_vector(&b, x, 2),
                    bigv = bench_vector(&b, big, 1);
    struct qd_value y = bench_vector(&b, one, 1);
    struct qd_float_operand wo, xo, bo;
    assert_int_equal(qd_float_operand_make(&b.evaluation, &wv, &wo), QD_OK);
    assert_int_equal(qd_float_operand_make(&b.evaluation, &xv, &xo), QD_OK);
    assert_int_equal(qd_float_operand_make(&b.evaluation, &bigv, &bo), QD_OK);
    const struct qd_float_operand *operands[] = {&xo, &wo};
    assert_int_equal(qd_float_sum_begin(&b.evaluation, operands, 2, &y), QD_OK);
    struct qd_float_sum padded = QD_FLOAT_SUM_EMPTY, scaled = QD_FLOAT_SUM_EMPTY;
    qd_float_sum_padding(&padded, &wo, 1);
    qd_float_sum_product(&padded, &xo, 0, &wo, 1);
    assert_int_equal(qd_float_sum_store(&b.evaluation, &padded, 0, &y, 0), QD_OK);
    assert_false(qd_value_observe(&y, 0).unspecified);
    qd_float_sum_padding(&padded, &wo, 0);
    assert_int_equal(qd_float_sum_store(&b.evaluation, &padded, 0, &y, 0), QD_OK);
    assert_true(qd_value_observe(&y, 0).unspecified);
    qd_float_sum_product(&scaled, &bo, 0, &bo, 0);
    qd_float_sum_scale(&scaled, 0x1p-20);
    assert_int_equal(qd_float_sum_store(&b.evaluation, &scaled, 2, &y, 0), QD_OK);
    assert_true(qd_value_observe(&y, 0).unspecified);
    qd_arena_clear(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_operation_is_round_to_nearest),
        cmocka_unit_test(a_tiny_term_breaks_a_tie),
        cmocka_unit_test(narrow_sums_are_a_dialect),
        cmocka_unit_test(every_order_lies_inside),
        cmocka_unit_test(exact_sums_have_no_width),
        cmocka_unit_test(nothing_is_claimed_of_nan_and_overflow),
        cmocka_unit_test(padding_and_overflow_leave_it_open),
    };
    return cmocka_run_group_tests_name("float", tests, NULL, NULL);
}
