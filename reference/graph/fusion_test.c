/* SPDX-License-Identifier: Apache-2.0 */
/* How many roundings a fused kernel can need, counted by hand: a, b, c integers, s, t, u, y scales, each operation of a
 * formula rounds once, and an integer once when it becomes a float. Alone: <build>/tests/reference/graph/fusion_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "graph/chain_testlib.h"
#include "qdiff/interval.h"

static const struct qd_fusion code = {.dequantized = true, .rough_scales = true, .scales = 1};
static const struct qd_fusion real = {.dequantized = false}; /* a float, no product of a code */

static void counted(void **state)
{
    (void)state;
    struct qd_fusion f = code;
    assert_int_equal(qd_fusion_roundings(&f, true), 3); /* fl(a)·(s/y) */
    assert_int_equal(qd_fusion_roundings(&f, false),
                     2); /* fl(a)·s, exact divided by a power of two */
    qd_fusion_add(&f, &code);
    assert_int_equal(qd_fusion_roundings(&f, true), 4); /* fl(a)·(s/y) + fl(b)·(t/y) */
    f = code;
    qd_fusion_multiply(&f, &code);
    assert_int_equal(qd_fusion_roundings(&f, true), 4); /* fl(a·b)·((s·t)/y) */
    qd_fusion_add(&f, &code);
    assert_int_equal(qd_fusion_roundings(&f, true), 5); /* … + fl(c)·(u/y) */
    f = code;
    qd_fusion_multiply(&f, &real);
    assert_int_equal(qd_fusion_roundings(&f, true), 4); /* fl(a)·((s·x)/y) */
    f = code;
    f.averaged = true;
    assert_int_equal(qd_fusion_roundings(&f, true), 5); /* fl(a)·((s·(1/n))/y) */
    qd_fusion_add(&f, &code);
    assert_int_equal(qd_fusion_roundings(&f, true), 6);
}

static void moving_costs_nothing(void **state)
{
    (void)state;
    struct qd_fusion product = code, moved = {.scales = 0};
    qd_fusion_multiply(&product, &code);
    qd_fusion_join(&moved, &code);
    qd_fusion_join(&moved, &product); /* of either */
    assert_int_equal(qd_fusion_roundings(&moved, true), qd_fusion_roundings(&product, true));
}

static void never_more_than_before(void **state)
{
    (void)state;
    struct qd_fusion f = code;
    for (int i = 0; i < 20; i++)
        qd_fusion_multiply(&f, &code);
    assert_int_equal(qd_fusion_roundings(&f, true), QD_MOST_ROUNDINGS);
}

/* 100 = Σ|terms|, 4 roundings of 2^-24: 100 ± 400·2^-24, and not 2^-20 of that more. */
static void widens_by_them(void **state)
{
    (void)state;
    float number = 100;
    double abs_sum = 100;
    struct qd_value value = {.want = {.dtype = QD_F32, .count = 1, .data = &number},
                             .abs_sum = &abs_sum,
                             .fusion = code};
    qd_fusion_add(&value.fusion, &code);
    struct qd_interval hull = qd_interval_fused(&value, 0, true);
    assert_true(hull.hi >= 100 + 400 * 0x1p-24 && hull.hi <= 100 + 400 * 0x1p-24 * (1 + 0x1p-19));
    assert_true(hull.lo <= 100 - 400 * 0x1p-24 && hull.lo >= 100 - 400 * 0x1p-24 * (1 + 0x1p-19));
    value.fusion.rough_scales = false;
    value.fusion.factored = true;
    assert_true(qd_interval_fused(&value, 0, false).hi > 100);
    uint8_t flags = QD_PLAIN; /* this one's factor is a power of two, as all scales are */
    value.flags = &flags;
    hull = qd_interval_fused(&value, 0, false);
    assert_true(hull.lo == 100 && hull.hi == 100);
    assert_true(qd_interval_fused(&value, 0, true).hi > 100);
    value.fusion.factored = false; /* powers of two: nothing rounds */
    hull = qd_interval_fused(&value, 0, false);
    assert_true(hull.lo == 100 && hull.hi == 100);
}

static struct qd_value dequantized(struct chain *m, double number, float scale)
{
    struct qd_value q = chain_scalar(m, QD_U8, number), s = chain_scalar(m, QD_F32, (double)scale);
    return chain_apply(m, "DequantizeLinear", NULL, &q, &s, NULL);
}

static void expect_one_code(struct chain *m, const struct qd_value *x, double scale, int64_t want)
{
    struct qd_value s = chain_scalar(m, QD_F32, scale), z = chain_scalar(m, QD_U8, 0);
    struct qd_value y = chain_apply(m, "QuantizeLinear", NULL, x, &s, &z);
    assert_int_equal(qd_tensor_get(&y.want, 0), want);
    assert_true(qd_value_lo(&y, 0) == (double)want && qd_value_hi(&y, 0) == (double)want);
}

/* 13·0.9f + 0.1f over a scale that makes 2.5000008 of it: four roundings less are 2.50000011,
 * and one more would be a tie. */
static void the_last_rounding_is_that_of_the_quotient(void **state)
{
    struct chain *m = *state;
    struct qd_value a = dequantized(m, 13, 0.9F), b = dequantized(m, 1, 0.1F);
    struct qd_value sum = chain_apply(m, "Add", NULL, &a, &b, NULL);
    expect_one_code(m, &sum, 0x1.2e1474p+2, 3);
}

/* 12·0.9f over a scale that makes 7.499998882 of it: two roundings less and more are below the
 * tie, and what was the hull, 7.4999972 to 7.5000002, was not. Moved, clamped
 * or the greatest it is the same code. */
static void one_code_between_scales_rounds_twice(void **state)
{
    struct chain *m = *state;
    const double scale = 0x1.70a3dap+0;
    static const char *const ops[] = {"Identity", "Transpose", "Relu", "ReduceMax"};
    struct qd_value x = dequantized(m, 12, 0.9F);
    expect_one_code(m, &x, scale, 7);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct qd_value y = chain_apply(m, ops[i], NULL, &x, NULL, NULL);
        expect_one_code(m, &y, scale, 7);
    }
}

/* What a function gives of q - z times x_scale. */
static struct qd_observation function_of_code(struct chain *m, const char *op, struct qd_value q,
                                              double x_scale, double zero_point)
{
    struct qd_value s = chain_scalar(m, QD_F32, x_scale);
    struct qd_value z = chain_scalar(m, q.want.dtype, zero_point);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &q, &s, &z);
    struct qd_value y = chain_apply(m, op, NULL, &x, NULL, NULL);
    return qd_value_observe(&y, 0);
}

/* -78 * fl(0.0829932764) is -6.47347556 exactly and -6.47347546 rounded, of which Sigmoid is 0.00154147085 and
 * 0.00154147101; 6 * 2^-23 of that is 1.1e-9. Nothing else rounds before Sigmoid: a fused multiply and add of the
 * code and its zero point, 2.4e-9 away, is not admissible. */
static void one_code_before_a_function_is_rounded_once(void **state)
{
    struct chain *m = *state;
    struct qd_observation seen =
        function_of_code(m, "Sigmoid", chain_scalar(m, QD_U8, 19), 0x1.53f0c2p-4, 97);
    assert_true(qd_observation_admits(&seen, 0.00154146985f));
    assert_true(qd_observation_admits(&seen, 0.00154147196f));
    assert_false(qd_observation_admits(&seen, 0.00154146925f));
    assert_false(qd_observation_admits(&seen, 0.00154147257f));
}

/* -62 * fl(0.0394051820) before HardSigmoid, whose alpha joins the scale: fl(fl(-62 * fl(alpha * x_scale)) + 0.5), 43
 * units in the last place from what no joined scale gives. */
static void one_code_before_a_factor_is_rounded_twice(void **state)
{
    struct chain *m = *state;
    struct qd_observation seen =
        function_of_code(m, "HardSigmoid", chain_scalar(m, QD_U8, 35), 0x1.42cea8p-5, 97);
    assert_true(qd_observation_admits(&seen, 0x1.74c24p-7));
    assert_true(qd_observation_admits(&seen, 0x1.74c2cp-7));
}

/* -16777221 is not float32: it becomes -16777220, and Sigmoid of that times x_scale, -79.779, lies 64 * 2^-23 of
 * itself from where the product alone is rounded. */
static void a_long_code_before_a_function_is_converted(void **state)
{
    struct chain *m = *state;
    struct qd_observation seen =
        function_of_code(m, "Sigmoid", chain_scalar(m, QD_S32, -16777221), 0x1.3f22ap-18, 0);
    assert_true(qd_observation_admits(&seen, 0x1.dc7a62p-116));
    assert_true(qd_observation_admits(&seen, 0x1.dc7958p-116));
}

/* Of 1/(k·s), s = 0.1 in float32 = 13421773·2^-27, in units in the last place: the number rounded
 * once, and which of its neighbours 1/RN(k·s), (1/k)/s, (1/s)/k or (1/k)·(1/s) gives. */
static void reciprocal_of_one_code(void **state)
{
    struct chain *m = *state;
    static const struct {
        double code, want, unit;
        bool below, above;
    } rows[] = {
        {7, 11983726, 0x1p-23, false, false}, /* 11983725.54 to 11983726.25 */
        {3, 13981013, 0x1p-22, false, true},  /* RN(1/3)/s: 13981013.54 */
        {9, 9320675, 0x1p-23, false, true},   /* RN(1/s)/9: 9320675.56 */
        {13, 12905551, 0x1p-24, true, false}, /* 1/RN(13·s): 12905550.06 */
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct qd_value x = dequantized(m, rows[r].code, 0.1F),
                        y = chain_apply(m, "Reciprocal", NULL, &x, NULL, NULL),
                        same = chain_apply(m, "Identity", NULL, &y, NULL, NULL);
        struct qd_observation seen = qd_value_observe(&same, 0);
        assert_true(qd_tensor_value(&y.want, 0) == rows[r].want * rows[r].unit);
        assert_true(qd_observation_admits(&seen, rows[r].want * rows[r].unit));
        assert_int_equal(qd_observation_admits(&seen, (rows[r].want - 1) * rows[r].unit),
                         rows[r].below);
        assert_int_equal(qd_observation_admits(&seen, (rows[r].want + 1) * rows[r].unit),
                         rows[r].above);
        assert_false(qd_observation_admits(&seen, (rows[r].want - 2) * rows[r].unit));
        assert_false(qd_observation_admits(&seen, (rows[r].want + 2) * rows[r].unit));
    }
}

/* Codes 1, 2, 4 in windows of three without the padding: (1 + 2)/2 is a tie, to even 2, though 7/3 is next to it. */
static void a_mean_of_two_next_to_one_of_three(void **state)
{
    struct chain *m = *state;
    const int64_t dims[] = {1, 1, 3}, kernel[] = {3}, pads[] = {1, 1};
    const double codes[] = {1, 2, 4};
    struct qd_attr attrs[] = {
        {.name = "kernel_shape", .kind = QD_ATTR_INTS, .ints = kernel, .count = 1},
        {.name = "pads", .kind = QD_ATTR_INTS, .ints = pads, .count = 2}};
    struct qd_value q = chain_vector(m, QD_U8, 3, dims, codes), s = chain_scalar(m, QD_F32, 1);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &q, &s, NULL);
    const struct qd_value *in[QD_MAX_OPERANDS] = {&x};
    struct qd_value y = chain_apply_all(m, "AveragePool", attrs, 2, in);
    expect_one_code(m, &y, 1, 2);
}

/* --- Means of 2^k codes ------------------------------------------------------------------------- */

/* The least and the greatest of some codes. */
struct codes {
    int64_t least, most;
};

/* Of a number over a scale: the quotient as it is, and rounded to float32. */
static void include_quotients(struct codes *codes, double x, float y)
{
    const int64_t of[] = {(int64_t)rintl((long double)x / (long double)y),
                          (int64_t)rintl((long double)(float)(x / (double)y))};
    for (int k = 0; k < 2; k++) {
        codes->least = of[k] < codes->least ? of[k] : codes->least;
        codes->most = of[k] > codes->most ? of[k] : codes->most;
    }
}

static double step(double exact, bool rounds)
{
    return rounds ? (double)(float)exact : exact;
}

/* Of up to four terms, 0 among them, every bracketing, each sum rounded or not: over n and y. */
static void include_sums(struct codes *codes, const double *x, unsigned n, float y)
{
    static const unsigned orders[12][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1},
                                           {0, 3, 1, 2}, {0, 3, 2, 1}, {1, 2, 0, 3}, {1, 2, 3, 0},
                                           {1, 3, 0, 2}, {1, 3, 2, 0}, {2, 3, 0, 1}, {2, 3, 1, 0}};
    for (unsigned round = 0; round < 8; round++)
        for (unsigned k = 0; k < 12; k++) {
            const unsigned *at = orders[k];
            const bool a = round & 1, b = round & 2, c = round & 4;
            double first = step(x[at[0]] + x[at[1]], a);
            double line = step(step(first + x[at[2]], b) + x[at[3]], c);
            double pairs = step(first + step(x[at[2]] + x[at[3]], b), c);
            include_quotients(codes, line / n, y);
            include_quotients(codes, pairs / n, y);
        }
}

/* Whatever is permitted of the mean of codes q times s, over y: floats, each rounded or not, added in every way; or the
 * mean of the codes and one scale. */
static struct codes every_mean(const double *q, unsigned n, float s, float y)
{
    struct codes codes = {INT64_MAX, INT64_MIN};
    double a = 0;
    for (unsigned k = 0; k < n; k++)
        a += q[k] / n;
    include_quotients(&codes, a * (double)s, y);
    include_quotients(&codes, (double)(float)(a * (double)s), y);
    include_quotients(&codes, a * (double)(s / y), 1);
    include_quotients(&codes, a * ((double)s / (double)y), 1);
    for (unsigned pick = 0; pick < 1U << n; pick++) {
        double x[4] = {0};
        for (unsigned k = 0; k < n; k++)
            x[k] = step(q[k] * (double)s, pick >> k & 1);
        include_sums(&codes, x, n, y);
    }
    return codes;
}

static uint32_t next(uint32_t *seed)
{
    return *seed = *seed * 1664525U + 1013904223U;
}

static float some_scale(uint32_t *seed)
{
    return ldexpf((float)(next(seed) >> 9) + 0x1p23F, -30);
}

/* n codes whose mean is half-way between two. */
static void some_codes(uint32_t *seed, unsigned n, double *q)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++) {
        q[k] = next(seed) >> 24;
        sum += (unsigned)q[k];
    }
    q[0] += n / 2 - (double)(sum % n);
    q[0] += q[0] < 0 ? n : 0;
    q[0] -= q[0] > 255 ? n : 0;
}

static struct qd_value mean_of_codes(struct chain *m, const double *q, unsigned n, float s)
{
    const int64_t dims[] = {1, 1, n};
    struct qd_value codes = chain_vector(m, QD_U8, 3, dims, q),
                    scale = chain_scalar(m, QD_F32, (double)s);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &codes, &scale, NULL);
    x = chain_apply(m, "GlobalAveragePool", NULL, &x, NULL, NULL);
    return chain_apply(m, "Transpose", NULL, &x, NULL, NULL);
}

/* Two and four codes, with y their scale, a multiple of it or three times that: the codes that some permitted
 * evaluation gives, and no other. */
static void a_mean_of_codes_has_the_codes_of_its_orders(void **state)
{
    struct chain *m = *state;
    uint32_t seed = 5;
    unsigned both = 0, one = 0;
    for (unsigned round = 0; round < 4000; round++) {
        const unsigned n = round % 2 ? 4 : 2;
        double q[4];
        some_codes(&seed, n, q);
        float s = some_scale(&seed), y = s;
        if (round % 3 == 0)
            y = s * ldexpf(1, (int)(next(&seed) >> 30)) * (round % 9 ? 1 : 3);
        struct codes want = every_mean(q, n, s, y);
        struct qd_value mean = mean_of_codes(m, q, n, s), zero = chain_scalar(m, QD_U8, 0),
                        scale = chain_scalar(m, QD_F32, (double)y);
        struct qd_value y_code = chain_apply(m, "QuantizeLinear", NULL, &mean, &scale, &zero);
        assert_true(qd_value_lo(&y_code, 0) == (double)want.least);
        assert_true(qd_value_hi(&y_code, 0) == (double)want.most);
        both += want.least < want.most;
        one += want.least == want.most;
    }
    assert_true(both > 100 && one > 1000);
}

/* (106 + 255)/2 of x and y alike: 1.83713198 over y is 180.5, in every order 180. */
static void a_tie_of_two_codes_that_no_order_turns(void **state)
{
    const double codes[] = {106, 255};
    const float scale = 0.010178016498684883F;
    struct codes orders = every_mean(codes, 2, scale, scale);
    struct qd_value mean = mean_of_codes(*state, codes, 2, scale);
    assert_true(orders.least == 180 && orders.most == 180);
    expect_one_code(*state, &mean, (double)scale, 180);
}

/* 1.5·2/sqrt(4) is a tie by 1, to even 2: nothing rounds. */
static void a_normalization_by_a_power_of_two(void **state)
{
    struct chain *m = *state;
    const int64_t dims[] = {1, 1, 1}, one[] = {1};
    const double three = 3, scale = 2, zero = 0, var = 4;
    struct qd_attr epsilon = {.name = "epsilon", .kind = QD_ATTR_FLOAT, .f = 0};
    struct qd_value q = chain_vector(m, QD_U8, 3, dims, &three),
                    half = chain_scalar(m, QD_F32, 0.5);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &q, &half, NULL),
                    s = chain_vector(m, QD_F32, 1, one, &scale),
                    none = chain_vector(m, QD_F32, 1, one, &zero),
                    v = chain_vector(m, QD_F32, 1, one, &var);
    const struct qd_value *in[QD_MAX_OPERANDS] = {&x, &s, &none, &none, &v};
    struct qd_value y = chain_apply_all(m, "BatchNormalization", &epsilon, 1, in);
    expect_one_code(m, &y, 1, 2);
}

/* -41·(1/8) times the slope by 1/8 is 0.49999998, rounded to float32 before the division 0.49999997: 0. */
static void a_slope_alone_forms_no_scale(void **state)
{
    struct chain *m = *state;
    const struct qd_attr alpha = {
        .name = "alpha", .kind = QD_ATTR_FLOAT, .f = -0.012195121496915817F};
    struct qd_value q = chain_scalar(m, QD_S8, -41), s = chain_scalar(m, QD_F32, 0.125);
    struct qd_value x = chain_apply(m, "DequantizeLinear", NULL, &q, &s, NULL);
    struct qd_value y = chain_apply(m, "LeakyRelu", &alpha, &x, NULL, NULL);
    expect_one_code(m, &y, 0.125, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted),
        cmocka_unit_test(moving_costs_nothing),
        cmocka_unit_test(never_more_than_before),
        cmocka_unit_test(widens_by_them),
        cmocka_unit_test_setup_teardown(a_mean_of_two_next_to_one_of_three, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(a_mean_of_codes_has_the_codes_of_its_orders, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(a_tie_of_two_codes_that_no_order_turns, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(a_normalization_by_a_power_of_two, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(a_slope_alone_forms_no_scale, chain_begin, chain_end),
        cmocka_unit_test_setup_teardown(the_last_rounding_is_that_of_the_quotient, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(one_code_between_scales_rounds_twice, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(one_code_before_a_function_is_rounded_once, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(one_code_before_a_factor_is_rounded_twice, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(a_long_code_before_a_function_is_converted, chain_begin,
                                        chain_end),
        cmocka_unit_test_setup_teardown(reciprocal_of_one_code, chain_begin, chain_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
