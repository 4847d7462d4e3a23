/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation half-way between codes: one order at a time, every choice of it a bit of a number.
 * Alone: <build>/tests/reference/kernel/halves_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/chain_testlib.h"
#include "kernel/halves.h"

static uint32_t next(uint32_t *seed)
{
    return (*seed = *seed * 1664525U + 1013904223U) >> 8;
}

static float some_scale(uint32_t *seed)
{
    return ldexpf((float)(next(seed) >> 1) + 0x1p23F, -30);
}

static double step(double exact, unsigned *choices)
{
    bool rounds = *choices & 1;
    *choices >>= 1;
    return rounds ? (double)(float)exact : exact;
}

/* A step along one axis; how: two bits of the form, one of the last rounding. */
static double along(double a, double b, unsigned how)
{
    unsigned last = how >> 2;
    double difference = (double)(float)(b - a);
    double exact[] = {(a + b) / 2, a + difference / 2, b - difference / 2, fma(0.5, b, a / 2)};
    return step(exact[how & 3], &last);
}

/* What a set of answers shows: the ends, and the codes over y. */
struct answers {
    double least, most;
    int64_t least_code, most_code;
    float y;
};

static void include_code(struct answers *all, long double quotient)
{
    int64_t code = (int64_t)rintl(quotient);
    all->least_code = code < all->least_code ? code : all->least_code;
    all->most_code = code > all->most_code ? code : all->most_code;
}

static void include(struct answers *all, double x)
{
    all->least = fmin(all->least, x);
    all->most = fmax(all->most, x);
    include_code(all, (long double)x / (long double)all->y);
    include_code(all, (long double)(float)(x / (double)all->y));
}

static void include_sums(struct answers *all, const double *x)
{
    static const unsigned orders[12][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1},
                                           {0, 3, 1, 2}, {0, 3, 2, 1}, {1, 2, 0, 3}, {1, 2, 3, 0},
                                           {1, 3, 0, 2}, {1, 3, 2, 0}, {2, 3, 0, 1}, {2, 3, 1, 0}};
    for (unsigned k = 0; k < 12; k++)
        for (unsigned rounds = 0; rounds < 8; rounds++) {
            const unsigned *at = orders[k];
            unsigned line = rounds, pairs = rounds;
            double a = step(x[at[0]] + x[at[1]], &line);
            a = step(a + x[at[2]], &line);
            include(all, step(a + x[at[3]], &line) / 4);
            double b = step(x[at[0]] + x[at[1]], &pairs), c = step(x[at[2]] + x[at[3]], &pairs);
            include(all, step(b + c, &pairs) / 4);
        }
}

/* Rows or columns first, and of the three steps any. */
static void include_steps(struct answers *all, const double *x)
{
    for (unsigned how = 0; how < 1U << 10; how++) {
        unsigned first = how >> 9 ? 2 : 1;
        double low = along(x[0], x[first], how & 7), high = along(x[3 - first], x[3], how >> 3 & 7);
        include(all, along(low, high, how >> 6 & 7));
    }
}

/* Of n = 2 or 4 codes. */
static struct answers every_answer(const double *codes, unsigned n, float s, float y)
{
    struct answers all = {INFINITY, -INFINITY, INT64_MAX, INT64_MIN, y};
    double sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += codes[k];
    for (unsigned round = 0; round < 2; round++) {
        unsigned choices = round;
        include(&all, step(sum / n * (double)s, &choices));
    }
    for (unsigned picks = 0; picks < 1U << n; picks++) {
        double x[4];
        for (unsigned k = 0; k < n; k++) {
            unsigned pick = picks >> k;
            x[k] = step(codes[k] * (double)s, &pick);
        }
        for (unsigned how = 0; n == 2 && how < 8; how++)
            include(&all, along(x[0], x[1], how));
        if (n == 4) {
            include_steps(&all, x);
            include_sums(&all, x);
        }
    }
    include_code(&all, (long double)(sum / n) * (long double)(s / y));
    include_code(&all, (long double)(float)(sum / n * (double)(s / y)));
    return all;
}

/* The ends are those that a brute force finds. */
static void the_hull_is_that_of_every_order(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (unsigned round = 0; round < 400; round++) {
        unsigned axes = 1 + round % 2, n = 1U << axes, range = round % 3 ? 511 : 131071;
        double codes[4];
        for (unsigned k = 0; k < n; k++)
            codes[k] = (double)(next(&seed) % range) - (double)(range / 2);
        float s = some_scale(&seed);
        struct answers all = every_answer(codes, n, s, 1);
        struct qd_interval hull = qd_halves(codes, axes, (double)s);
        assert_true(hull.lo == all.least && hull.hi == all.most);
    }
}

/* 3 · 13421773·2^-27 is 40265319·2^-27, and 10066330·2^-25 rounded. */
static void one_code_alone(void **state)
{
    (void)state;
    const double code = 3;
    struct qd_interval hull = qd_halves(&code, 0, (double)0.1F);
    assert_true(hull.lo == 40265319 * 0x1p-27 && hull.hi == 10066330 * 0x1p-25);
}

/* Codes of u8 in a square, or next to each other, halved by Resize. */
static struct qd_value halved(struct chain *m, const double *codes, unsigned n, float s)
{
    const int64_t dims[] = {1, 1, n / 2, 2}, four[] = {4};
    const double scales[] = {1, 1, n == 4 ? 0.5 : 1, 0.5};
    const struct qd_attr mode = {.name = "mode", .kind = QD_ATTR_STRING, .s = "linear"};
    struct qd_value q = chain_vector(m, QD_U8, 4, dims, codes),
                    x_scale = chain_scalar(m, QD_F32, (double)s);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &q, &x_scale, NULL),
                    by = chain_vector(m, QD_F32, 1, four, scales);
    return chain_apply(m, "Resize", &mode, &x, NULL, &by);
}

/* With y of the scale of x, or three times that: the codes that some permitted evaluation gives, and no other. */
static void codes_of_what_is_half_way(void **state)
{
    struct chain *m = *state;
    uint32_t seed = 7;
    unsigned both = 0, one = 0;
    for (unsigned round = 0; round < 1200; round++) {
        const unsigned n = round % 2 ? 4 : 2;
        double codes[4], sum = 0;
        for (unsigned k = 0; k < n; k++)
            sum += codes[k] = next(&seed) % 250;
        codes[0] += n + n / 2 - (double)((unsigned)sum % n);
        codes[0] -= codes[0] > 255 ? n : 0;
        float s = some_scale(&seed), y = round % 5 ? s : s * 3;
        struct answers all = every_answer(codes, n, s, y);
        struct qd_value x = halved(m, codes, n, s), zero = chain_scalar(m, QD_U8, 0),
                        scale = chain_scalar(m, QD_F32, (double)y);
        struct qd_observation seen = qd_value_observe(&x, 0);
        assert_true(seen.lo == (double)(float)all.least && seen.hi == (double)(float)all.most);
        struct qd_value code = chain_apply(m, "QuantizeLinear", NULL, &x, &scale, &zero);
        assert_true(qd_value_lo(&code, 0) == (double)all.least_code);
        assert_true(qd_value_hi(&code, 0) == (double)all.most_code);
        both += all.least_code < all.most_code;
        one += all.least_code == all.most_code;
    }
    assert_true(both > 50 && one > 100);
}

/* Of one element kernels add eight eighths, in three dimensions: not always what it was. */
static void a_lone_element_is_a_sum(void **state)
{
    struct chain *m = *state;
    static const int64_t dims[] = {1, 1, 1, 1, 1}, five[] = {5};
    const double code = 1, sizes[] = {1, 1, 2, 2, 2};
    const struct qd_attr mode = {.name = "mode", .kind = QD_ATTR_STRING, .s = "linear"};
    float s = 1.04428554F, sum = 0;
    for (int k = 0; k < 8; k++)
        sum += s / 8;
    assert_true(sum > s);
    struct qd_value q = chain_vector(m, QD_U8, 5, dims, &code),
                    x_scale = chain_scalar(m, QD_F32, (double)s),
                    by = chain_vector(m, QD_F32, 1, five, sizes);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &q, &x_scale, NULL);
    x = chain_apply(m, "Resize", &mode, &x, NULL, &by);
    struct qd_observation seen = qd_value_observe(&x, 0);
    assert_true(seen.lo <= (double)s && seen.hi >= (double)sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hull_is_that_of_every_order),
        cmocka_unit_test(one_code_alone),
        cmocka_unit_test_setup_teardown(codes_of_what_is_half_way, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(a_lone_element_is_a_sum, chain_begin, chain_end),
    };
    return cmocka_run_group_tests_name("halves", tests, NULL, NULL);
}
