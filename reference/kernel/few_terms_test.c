/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of few products: every order that a kernel may take lies in the set, and the set ends where the orders do.
 * Alone: <build>/tests/reference/kernel/few_terms_test */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#include "kernel/few_terms.h"
#include "kernel/float_testlib.h"

enum { MOST = 24 };

static struct qd_value dequantized(struct bench *b, const int *codes, float scale, int64_t count)
{
    const struct qd_op *op = qd_op_find("", "DequantizeLinear");
    struct qd_node node = {
        .name = "", .domain = "", .op_type = "DequantizeLinear", .opset = 13, .op = op};
    struct qd_tensor q, s;
    struct qd_value y;
    assert_int_equal(qd_tensor_init(&q, &b->arena, QD_S32, 1, &count, &b->error), QD_OK);
    assert_int_equal(qd_tensor_init(&s, &b->arena, QD_F32, 0, NULL, &b->error), QD_OK);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&q, i, codes[i]);
    qd_tensor_set(&s, 0, (int64_t)qd_float_encode(QD_F32, (double)scale, false));
    struct qd_value x = qd_value_of_tensor(&q), x_scale = qd_value_of_tensor(&s);
    const struct qd_value *in[] = {&x, &x_scale, NULL};
    assert_int_equal(op->evaluate(&b->evaluation, &node, in, &y), QD_OK);
    return y;
}

/* What an output may show of Σ x·w + bias; bias NULL: none. */
static struct qd_observation dot(struct bench *b, const struct qd_value *x,
                                 const struct qd_value *w, const struct qd_value *bias)
{
    struct qd_observation seen = bench_dot(b, x, w, bias, QD_FLOAT_SUM_OF_PRODUCTS);
    assert_false(seen.unspecified);
    return seen;
}

/* The bench is cleared for it first. */
static struct qd_observation dot_floats(struct bench *b, const float *x, const float *w,
                                        int64_t count)
{
    qd_arena_clear(&b->arena);
    bench_init(b);
    struct qd_value xv = bench_vector(b, x, count), wv = bench_vector(b, w, count);
    return dot(b, &xv, &wv, NULL);
}

static void assert_inside(struct qd_observation seen, float answer)
{
    assert_true(qd_observation_admits(&seen, (double)answer));
}

/* Of 24 bits, and of either sign; with the exponent of `spread` powers of two. */
static float random_float(uint64_t *seed, unsigned spread)
{
    float m = (float)(bench_random(seed) % 0x800000 + 0x800000) * (bench_random(seed) % 2 ? 1 : -1);
    return ldexpf(m, spread ? (int)(bench_random(seed) % spread) - 23 : -23);
}

/* The numbers of float32 that orders give, each once, and the ends of what they give before that. */
enum { MOST_GIVEN = 4096 };
struct given {
    double least, most;
    size_t count;
    float at[MOST_GIVEN];
};

static bool is_given(const struct given *given, float x)
{
    for (size_t k = 0; k < given->count; k++)
        if (given->at[k] == x)
            return true;
    return false;
}

static void give(struct given *given, double x)
{
    given->least = fmin(given->least, x);
    given->most = fmax(given->most, x);
    if (is_given(given, (float)x))
        return;
    assert_true(given->count < MOST_GIVEN);
    given->at[given->count++] = (float)x;
}

/* Adds up the numbers two at a time in every way, each sum rounded to float32 or to double. */
static void every_sum(const double *terms, unsigned count, struct given *given)
{
    if (count == 1) {
        give(given, terms[0]);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = i + 1; j < count; j++)
            for (int round = 0; round < 2; round++) {
                double left[QD_FEW_TERMS], sum = terms[i] + terms[j];
                unsigned kept = 0;
                for (unsigned k = 0; k < count; k++)
                    if (k != i && k != j)
                        left[kept++] = terms[k];
                left[kept] = round ? (double)(float)sum : sum;
                every_sum(left, kept + 1, given);
            }
}

static void every_order(const float *x, const float *w, unsigned count, struct given *given)
{
    *given = (struct given){.least = INFINITY, .most = -INFINITY};
    for (unsigned rounded = 0; rounded < 1U << count; rounded++) {
        double terms[QD_FEW_TERMS];
        for (unsigned k = 0; k < count; k++)
            terms[k] = rounded >> k & 1 ? (double)(x[k] * w[k]) : (double)x[k] * (double)w[k];
        every_sum(terms, count, given);
    }
}

/* The set is the hull of all brackets, products rounded or not, sums rounded or not, as a brute force finds it: the
 * next number is wrong. */
static void the_set_is_the_hull_of_every_bracketing(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    uint64_t seed = 21;
    for (unsigned round = 0; round < 400; round++) {
        unsigned count = 2 + round % (QD_FEW_TERMS - 1);
        float x[QD_FEW_TERMS], w[QD_FEW_TERMS];
        struct given given;
        for (unsigned k = 0; k < count; k++) {
            x[k] = random_float(&seed, 0);
            w[k] = random_float(&seed, 0);
        }
        every_order(x, w, count, &given);
        struct qd_observation seen = dot_floats(&b, x, w, count);
        assert_true(seen.lo == (double)(float)given.least && seen.hi == (double)(float)given.most);
    }
    qd_arena_clear(&b.arena);
}

/* Two products that nearly cancel, and perhaps a third: what a brute force finds, and nothing between. */
static void of_up_to_three_terms_it_is_every_number_given(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    uint64_t seed = 31;
    size_t between = 0;
    for (unsigned round = 0; round < 2000; round++) {
        unsigned count = 2 + round % 2;
        float x[3], w[3];
        struct given given;
        for (unsigned k = 0; k < count; k++) {
            x[k] = random_float(&seed, 0);
            w[k] = random_float(&seed, 0);
        }
        w[1] = -x[0];
        x[1] = ldexpf(rintf(ldexpf(w[0], 20)), -20);
        x[2] = count == 3 ? ldexpf(x[2], -20) : 0;
        every_order(x, w, count, &given);
        struct qd_observation seen = dot_floats(&b, x, w, count);
        for (size_t k = 0; k < given.count; k++)
            assert_inside(seen, given.at[k]);
        if (given.count > QD_MAX_POINTS)
            continue;
        float y = (float)seen.lo;
        for (unsigned step = 0; step < 1000 && (double)y <= seen.hi; step++) {
            assert_int_equal(qd_observation_admits(&seen, (double)y), is_given(&given, y));
            between += !is_given(&given, y);
            y = nextafterf(y, INFINITY);
        }
    }
    assert_true(between > 1000);
    qd_arena_clear(&b.arena);
}

/* One random bracketing in float32; an FMA where one of the two is a product still. */
static float some_order(const float *x, const float *w, const unsigned *of, unsigned count,
                        uint64_t *seed)
{
    if (count == 1)
        return x[of[0]] * w[of[0]];
    unsigned in[2][QD_FEW_TERMS] = {{0}}, counts[2] = {0, 0};
    for (unsigned k = 0; k < count; k++) {
        unsigned to = counts[0] == 0 && k == count - 1   ? 0
                      : counts[1] == 0 && k == count - 1 ? 1
                                                         : (unsigned)(bench_random(seed) % 2);
        in[to][counts[to]++] = of[k];
    }
    float rest = some_order(x, w, in[0], counts[0], seed);
    if (counts[1] == 1 && bench_random(seed) % 2)
        return fmaf(x[in[1][0]], w[in[1][0]], rest);
    return rest + some_order(x, w, in[1], counts[1], seed);
}

/* Of any exponents, half of the cases with terms that cancel, among zeros. */
static void every_order_lies_inside(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    uint64_t seed = 23;
    for (unsigned round = 0; round < 4000; round++) {
        unsigned count = 1 + round % QD_FEW_TERMS, of[QD_FEW_TERMS];
        float x[MOST] = {0}, w[MOST];
        for (unsigned k = 0; k < MOST; k++)
            w[k] = random_float(&seed, 30);
        for (unsigned k = 0; k < count; k++) {
            of[k] = k * MOST / QD_FEW_TERMS;
            x[of[k]] = k % 2 && round % 2 ? -x[of[k - 1]] : random_float(&seed, 30);
            w[of[k]] = k % 2 && round % 4 == 3 ? nextafterf(w[of[k - 1]], INFINITY) : w[of[k]];
        }
        struct qd_observation seen = dot_floats(&b, x, w, MOST);
        double wide = 0;
        for (unsigned k = 0; k < count; k++)
            wide += (double)x[of[k]] * (double)w[of[k]];
        assert_inside(seen, (float)wide);
        for (int i = 0; i < 100; i++)
            assert_inside(seen, some_order(x, w, of, count, &seed));
    }
    qd_arena_clear(&b.arena);
}

/* 1 + 1 + 1 + 2^-30: any order loses the last term or keeps it, and the sum is 3. By gamma_6 it might be off by
 * 18·2^-24, four units of 3. */
static void four_terms_that_a_bound_leaves_open(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    static const float x[] = {1, 1, 1, 0x1p-15F}, w[] = {1, 1, 1, 0x1p-15F};
    struct qd_observation seen = dot_floats(&b, x, w, 4);
    assert_true(seen.lo == 3 && seen.hi == 3);
    qd_arena_clear(&b.arena);
}

/* (1 + 2^-12)² - 1 = 2^-11 + 2^-24 by an FMA; the rounded product is a tie that goes to 1 + 2^-11. */
static void a_product_may_be_rounded_or_not(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b);
    static const float x[] = {1 + 0x1p-12F, -1}, w[] = {1 + 0x1p-12F, 1};
    struct qd_observation seen = dot_floats(&b, x, w, 2);
    assert_true(seen.lo == 0x1p-11 && seen.hi == 0x1p-11 + 0x1p-24);
    qd_arena_clear(&b.arena);
}

/* Codes of one scale: what integer kernels give, and such that scale the sum of floats and codes. */
static void kernels_of_codes_lie_inside(void **state)
{
    (void)state;
    uint64_t seed = 29;
    for (unsigned round = 0; round < 3000; round++) {
        struct bench b;
        bench_init(&b);
        int count = 1 + (int)(round % (QD_FEW_TERMS - 1)), q[QD_FEW_TERMS], v[QD_FEW_TERMS];
        int limit = round % 3 ? 255 : 65535;
        float s = fabsf(random_float(&seed, 0)), t = fabsf(random_float(&seed, 0)),
              bias = random_float(&seed, 30);
        float st = s * t;
        for (int k = 0; k < count; k++) {
            q[k] = (int)(bench_random(&seed) % (uint64_t)(2 * limit)) - limit;
            v[k] = (int)(bench_random(&seed) % (uint64_t)(2 * limit)) - limit;
        }
        int biases[] = {(int)(bench_random(&seed) % 2000001) - 1000000};
        struct qd_value x = dequantized(&b, q, s, count), w = dequantized(&b, v, t, count);
        struct qd_value b_float = bench_vector(&b, &bias, 1),
                        b_code = dequantized(&b, biases, st, 1);
        struct qd_observation none = dot(&b, &x, &w, NULL), floats = dot(&b, &x, &w, &b_float),
                              codes = dot(&b, &x, &w, &b_code);
        int64_t acc = 0;
        float by_x = 0, by_w = 0, plain = 0;
        for (int k = 0; k < count; k++) {
            acc += (int64_t)q[k] * v[k];
            by_x += (float)q[k] * ((float)v[k] * t);
            by_w = fmaf((float)q[k] * s, (float)v[k], by_w);
            plain = fmaf((float)q[k] * s, (float)v[k] * t, plain);
        }
        float a = (float)acc, with = (float)(acc + biases[0]), code = (float)biases[0] * st;
        const float answers[] = {a * st, (a * s) * t, (a * t) * s, by_x * s, by_w * t, plain};
        for (size_t k = 0; k < sizeof answers / sizeof *answers; k++) {
            assert_inside(none, answers[k]);
            assert_inside(floats, answers[k] + bias);
            assert_inside(codes, answers[k] + code);
        }
        assert_inside(floats, fmaf(a, st, bias));
        assert_inside(codes, with * st);
        assert_inside(codes, (with * s) * t);
        assert_inside(codes, (with * t) * s);
        qd_arena_clear(&b.arena);
    }
}

/* --- Means -------------------------------------------------------------------------------------- */

/* What an output may show of the mean of n numbers. */
static struct qd_observation mean(struct bench *b, const struct qd_value *x)
{
    struct qd_float_operand terms;
    const struct qd_float_operand *operand = &terms;
    struct qd_float_sum sum = QD_FLOAT_SUM_OF_TERMS;
    struct qd_value y;
    int64_t one = 1;
    assert_int_equal(qd_float_operand_make(&b->evaluation, x, &terms), QD_OK);
    assert_int_equal(qd_value_init(&y, &b->arena, QD_F32, 1, &one, &b->error), QD_OK);
    assert_int_equal(qd_float_sum_begin(&b->evaluation, &operand, 1, &y), QD_OK);
    for (int64_t i = 0; i < x->want.count; i++)
        qd_float_sum_term(&sum, &terms, i);
    assert_int_equal(qd_float_sum_store_mean(&b->evaluation, &sum, x->want.count, &y, 0), QD_OK);
    return qd_value_observe(&y, 0);
}

/* Codes times a scale, rounded or not, added in every way, and the sum of codes times it. */
static void every_mean(const int *codes, unsigned count, float scale, double n, struct given *given)
{
    double sum = 0;
    *given = (struct given){.least = INFINITY, .most = -INFINITY};
    for (unsigned rounded = 0; rounded < 1U << count; rounded++) {
        double terms[QD_FEW_TERMS];
        for (unsigned k = 0; k < count; k++)
            terms[k] =
                rounded >> k & 1 ? (double)((float)codes[k] * scale) : codes[k] * (double)scale;
        every_sum(terms, count, given);
    }
    for (unsigned k = 0; k < count; k++)
        sum += codes[k];
    give(given, sum * (double)scale);
    for (size_t k = 0; k < given->count; k++)
        given->at[k] /= (float)n;
    given->least /= n;
    given->most /= n;
}

/* The mean of 2^k codes, up to five of them not 0, ends where the orders do. Of up to three nothing lies between. */
static void a_mean_of_few_codes_is_what_orders_give(void **state)
{
    (void)state;
    uint64_t seed = 37;
    size_t between = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct bench b;
        struct given given;
        bench_init(&b);
        unsigned count = 2 + round % (QD_FEW_TERMS - 1);
        int n = count == 2 && round % 3 ? 2 : count <= 4 ? 4 : 8, codes[8] = {0};
        int limit = round % 5 ? 255 : 65535;
        float scale = random_float(&seed, 40);
        for (unsigned k = 0; k < count; k++)
            codes[k] = (int)(bench_random(&seed) % (uint64_t)limit) + 1;
        for (unsigned k = 1; k < count; k += 2)
            codes[k] = -codes[k];
        every_mean(codes, count, scale, n, &given);
        struct qd_value x = dequantized(&b, codes, scale, n);
        struct qd_observation seen = mean(&b, &x);
        assert_true(seen.lo == (double)(float)given.least && seen.hi == (double)(float)given.most);
        float y = (float)seen.lo;
        for (unsigned step = 0; step < 1000 && count <= 3 && (double)y <= seen.hi; step++) {
            bool is = is_given(&given, y);
            assert_true(qd_observation_admits(&seen, (double)y) >= is);
            if (given.count <= QD_MAX_POINTS)
                assert_int_equal(qd_observation_admits(&seen, (double)y), is);
            between += !is;
            y = nextafterf(y, INFINITY);
        }
        qd_arena_clear(&b.arena);
    }
    assert_true(between > 100);
}

/* Numbers whose halves have fewer bits: the bound alone, which has every order's answer. */
static void a_mean_of_least_numbers_is_bounded(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (unsigned round = 0; round < 300; round++) {
        struct bench b;
        float x[4];
        bench_init(&b);
        for (unsigned k = 0; k < 4; k++)
            x[k] = ldexpf(random_float(&seed, 20), -110);
        struct qd_value v = bench_vector(&b, x, 4);
        struct qd_observation seen = mean(&b, &v);
        assert_inside(seen, (((x[0] + x[1]) + x[2]) + x[3]) / 4);
        assert_inside(seen, ((x[0] / 4 + x[1] / 4) + x[2] / 4) + x[3] / 4);
        assert_inside(seen, ((x[0] + x[2]) + (x[1] + x[3])) / 4);
        qd_arena_clear(&b.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_set_is_the_hull_of_every_bracketing),
        cmocka_unit_test(of_up_to_three_terms_it_is_every_number_given),
        cmocka_unit_test(every_order_lies_inside),
        cmocka_unit_test(four_terms_that_a_bound_leaves_open),
        cmocka_unit_test(a_product_may_be_rounded_or_not),
        cmocka_unit_test(kernels_of_codes_lie_inside),
        cmocka_unit_test(a_mean_of_few_codes_is_what_orders_give),
        cmocka_unit_test(a_mean_of_least_numbers_is_bounded),
    };
    return cmocka_run_group_tests_name("few terms", tests, NULL, NULL);
}
