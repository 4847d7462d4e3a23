/* SPDX-License-Identifier: Apache-2.0 */
/* The twin against what is known without it: the machine's float arithmetic, values from the ONNX
 * specification, ONNX's stored fixtures, convolutions done by hand.
 * Alone: <build>/tests/reference/twin/self_test */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

static const enum twin_direction directions[] = {TWIN_DOWN, TWIN_NEAREST, TWIN_UP};
static const int machine_modes[] = {FE_DOWNWARD, FE_TONEAREST, FE_UPWARD};

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float machine_multiply(int mode, float a, float b)
{
    volatile float x = a, y = b;
    fesetround(mode);
    volatile float z = x * y;
    fesetround(FE_TONEAREST);
    return z;
}

static float machine_divide(int mode, float a, float b)
{
    volatile float x = a, y = b;
    fesetround(mode);
    volatile float z = x / y;
    fesetround(FE_TONEAREST);
    return z;
}

/* Finite results must be equal. From 2^128 on, the twin says TWIN_HUGE in every direction, where
 * the machine gives the largest finite value towards zero. */
static void expect_float(float want, enum twin_direction direction, const mpq_t exact)
{
    mpq_t have;
    mpq_init(have);
    enum twin_size size = twin_round(QD_F32, direction, have, exact);
    if (isinf(want) || fabs(mpq_get_d(exact)) >= 0x1p128) {
        assert_int_equal(size, TWIN_HUGE);
    } else {
        bool tiny = fabsf(want) < 0x1p-126f && mpq_sgn(exact) != 0;
        assert_true(mpq_get_d(have) == (double)want);
        assert_int_equal(size, tiny ? TWIN_TINY : TWIN_ORDINARY);
    }
    mpq_clear(have);
}

static void rounding_equals_the_machine(void **state)
{
    (void)state;
    struct twin_random random = {1};
    mpq_t a, b, exact;
    mpq_inits(a, b, exact, NULL);
    for (int i = 0; i < twin_rounds(100000); i++) {
        uint32_t x = (uint32_t)twin_random_bits(&random), y = (uint32_t)twin_random_bits(&random);
        float fx = float_of(x), fy = float_of(y);
        if (!isfinite(fx) || !isfinite(fy) || fy == 0)
            continue;
        mpq_set_d(a, fx);
        mpq_set_d(b, fy);
        for (int d = 0; d < 3; d++) {
            mpq_mul(exact, a, b);
            expect_float(machine_multiply(machine_modes[d], fx, fy), directions[d], exact);
            mpq_div(exact, a, b);
            expect_float(machine_divide(machine_modes[d], fx, fy), directions[d], exact);
        }
    }
    mpq_clears(a, b, exact, NULL);
}

static void decoding_equals_the_machine(void **state)
{
    (void)state;
    struct twin_random random = {2};
    struct twin_number number;
    twin_number_init(&number);
    for (int i = 0; i < twin_rounds(200000); i++) {
        uint64_t bits = twin_random_bits(&random);
        float single = float_of((uint32_t)bits);
        twin_decode(QD_F32, (uint32_t)bits, &number);
        assert_true(number.kind == TWIN_FINITE ? mpq_get_d(number.q) == single : !isfinite(single));
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        twin_decode(QD_F64, bits, &number);
        assert_true(number.kind == TWIN_FINITE ? mpq_get_d(number.q) == wide : !isfinite(wide));
        if (isfinite(wide) && wide != 0)
            assert_true(twin_encode(QD_F64, number.q) == bits);
    }
    twin_number_clear(&number);
}

/* Values from the tables of the formats. */
static void small_floats_have_their_values(void **state)
{
    (void)state;
    static const struct {
        enum qd_dtype dtype;
        uint64_t bits;
        double value; /* NAN, INFINITY as such */
    } rows[] = {
        {QD_F16, 0x3c00, 1},
        {QD_F16, 0x7bff, 65504},
        {QD_F16, 0x0001, 0x1p-24},
        {QD_F16, 0x7c00, INFINITY},
        {QD_F16, 0x7c01, NAN},
        {QD_BF16, 0x3f80, 1},
        {QD_BF16, 0x0001, 0x1p-133},
        {QD_BF16, 0x7f7f, 0x1.fep127},
        {QD_F8E4M3FN, 0x7e, 448},
        {QD_F8E4M3FN, 0x7f, NAN},
        {QD_F8E4M3FN, 0x01, 0x1p-9},
        {QD_F8E4M3FN, 0x08, 0x1p-6},
        {QD_F8E4M3FNUZ, 0x7f, 240},
        {QD_F8E4M3FNUZ, 0x80, NAN},
        {QD_F8E4M3FNUZ, 0x01, 0x1p-10},
        {QD_F8E5M2, 0x7b, 57344},
        {QD_F8E5M2, 0x7c, INFINITY},
        {QD_F8E5M2, 0xfc, -INFINITY},
        {QD_F8E5M2, 0x7d, NAN},
        {QD_F8E5M2, 0x01, 0x1p-16},
        {QD_F8E5M2FNUZ, 0x7f, 57344},
        {QD_F8E5M2FNUZ, 0x80, NAN},
        {QD_F8E5M2FNUZ, 0x01, 0x1p-17},
        {QD_F4E2M1, 1, 0.5},
        {QD_F4E2M1, 3, 1.5},
        {QD_F4E2M1, 5, 3},
        {QD_F4E2M1, 7, 6},
        {QD_F4E2M1, 15, -6},
        {QD_F8E8M0, 0, 0x1p-127},
        {QD_F8E8M0, 254, 0x1p127},
        {QD_F8E8M0, 255, NAN},
        {QD_S4, 8, -8},
        {QD_U4, 15, 15},
        {QD_S2, 3, -1},
        {QD_S8, 0x80, -128},
        {QD_U16, 0xffff, 65535},
        {QD_S32, 0x80000000, -0x1p31},
    };
    struct twin_number number;
    twin_number_init(&number);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        twin_decode(rows[i].dtype, rows[i].bits, &number);
        if (isnan(rows[i].value))
            assert_int_equal(number.kind, TWIN_NAN);
        else if (isinf(rows[i].value))
            assert_int_equal(number.kind, rows[i].value > 0 ? TWIN_PLUS_INF : TWIN_MINUS_INF);
        else
            assert_true(number.kind == TWIN_FINITE && mpq_get_d(number.q) == rows[i].value);
    }
    twin_number_clear(&number);
}

/* In every small format: a value rounds to itself, the middle of two neighbours to the one with the
 * even code, and anything past the middle to its own side. */
static void rounding_on_grids(void **state)
{
    (void)state;
    static const struct {
        enum qd_dtype dtype;
        uint64_t codes; /* consecutive non-negative finite codes from 0 */
    } rows[] = {{QD_F16, 0x7c00},      {QD_BF16, 0x7f80}, {QD_F8E4M3FN, 0x7f},
                {QD_F8E4M3FNUZ, 0x80}, {QD_F8E5M2, 0x7c}, {QD_F8E5M2FNUZ, 0x80},
                {QD_F4E2M1, 8}};
    struct twin_number low, high;
    mpq_t middle, have, nudge;
    twin_number_init(&low);
    twin_number_init(&high);
    mpq_inits(middle, have, nudge, NULL);
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        for (uint64_t code = 0; code + 1 < rows[row].codes; code++) {
            twin_decode(rows[row].dtype, code, &low);
            twin_decode(rows[row].dtype, code + 1, &high);
            twin_round(rows[row].dtype, TWIN_NEAREST, have, low.q);
            assert_true(mpq_equal(have, low.q));
            assert_int_equal(twin_encode(rows[row].dtype, low.q), code);
            mpq_add(middle, low.q, high.q);
            mpq_div_2exp(middle, middle, 1);
            twin_round(rows[row].dtype, TWIN_NEAREST, have, middle);
            assert_true(mpq_equal(have, code % 2 == 0 ? low.q : high.q));
            mpq_div_2exp(nudge, middle, 40);
            mpq_add(middle, middle, nudge);
            twin_round(rows[row].dtype, TWIN_NEAREST, have, middle);
            assert_true(mpq_equal(have, high.q));
            twin_round(rows[row].dtype, TWIN_DOWN, have, middle);
            assert_true(mpq_equal(have, low.q));
            mpq_neg(middle, middle);
            twin_round(rows[row].dtype, TWIN_UP, have, middle);
            mpq_neg(have, have);
            assert_true(mpq_equal(have, low.q));
        }
    }
    mpq_clears(middle, have, nudge, NULL);
    twin_number_clear(&low);
    twin_number_clear(&high);
}

static void integers_round_half_to_even(void **state)
{
    (void)state;
    static const struct {
        long num;
        unsigned long den;
        int64_t zero_point, code; /* as s8 */
    } rows[] = {{5, 2, 0, 2},       {7, 2, 0, 4},       {-5, 2, 0, -2},    {-7, 2, 0, -4},
                {1, 2, 0, 0},       {-1, 2, 0, 0},      {3, 2, 0, 2},      {5, 2, 1, 3},
                {7, 2, 1, 5},       {5, 3, 0, 2},       {-5, 3, 0, -2},    {4, 3, 0, 1},
                {500, 1, 0, 127},   {-500, 1, 0, -128}, {255, 2, -1, 127}, {253, 2, 1, 127},
                {-257, 2, 0, -128}, {0, 1, -128, -128}};
    mpq_t real;
    mpq_init(real);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpq_set_si(real, rows[i].num, rows[i].den);
        mpq_canonicalize(real);
        assert_int_equal(twin_code(QD_S8, real, rows[i].zero_point), rows[i].code);
    }
    mpq_clear(real);
}

/* The six orders in the machine's float32, round to nearest. */
static float machine_order(unsigned order, float a, float s1, float s2, float sy)
{
    volatile float t, u;
    switch (order) {
    case 0:
        t = s1 * s2;
        t = t / sy;
        u = a * t;
        break;
    case 1:
        t = s2 / sy;
        t = s1 * t;
        u = a * t;
        break;
    case 2:
        t = s1 / sy;
        t = t * s2;
        u = a * t;
        break;
    case 3:
        t = a * s1;
        t = t * s2;
        u = t / sy;
        break;
    case 4:
        t = a * s2;
        t = t * s1;
        u = t / sy;
        break;
    default:
        t = s1 * s2;
        t = a * t;
        u = t / sy;
        break;
    }
    return u;
}

static int64_t clamp(double rounded, int64_t zero_point)
{
    double code = rounded + (double)zero_point; /* exact: |rounded| is below 2^53 or far outside */
    return code < 0 ? 0 : code > 255 ? 255 : (int64_t)code;
}

static int64_t random_accumulator(struct twin_random *random)
{
    int64_t size = (int64_t)1 << twin_random_between(random, 1, 31);
    int64_t acc = twin_random_between(random, -size, size - 1);
    return acc == 0 ? 1 : acc;
}

/* Each order in the twin's round-to-nearest is the machine's, bit for bit in its code; and both,
 * and the same order in double, are in the twin's own set. */
static void orders_equal_the_machine(void **state)
{
    (void)state;
    struct twin_random random = {3};
    struct twin_number s1, s2, sy;
    struct twin_result hull;
    int64_t slack = 0, outside_canonical = 0;
    twin_number_init(&s1);
    twin_number_init(&s2);
    twin_number_init(&sy);
    twin_result_init(&hull, QD_U8, 0, NULL);
    for (int i = 0; i < twin_rounds(30000); i++) {
        int64_t acc = random_accumulator(&random), zero_point = twin_random_code(&random, QD_U8);
        uint32_t b1 = twin_random_scale(&random, -20, 5), b2 = twin_random_scale(&random, -20, 5);

        twin_decode(QD_F32, b1, &s1);
        twin_decode(QD_F32, b2, &s2);
        float fy = float_of(twin_solve_divisor(&random, acc, s1.q, s2.q));
        mpq_set_d(sy.q, fy);
        struct twin_element *element = &hull.elements[0];
        twin_requantize(acc, &s1, &s2, &sy, QD_F32, QD_U8, zero_point, element);
        assert_false(element->unspecified || element->extreme);
        for (unsigned order = 0; order < TWIN_ORDERS; order++) {
            int64_t code, wide;
            assert_true(twin_requantize_nearest(order, QD_F32, acc, s1.q, s2.q, sy.q, QD_U8,
                                                zero_point, &code));
            float real = machine_order(order, (float)acc, float_of(b1), float_of(b2), fy);
            assert_int_equal(code, clamp(nearbyint(real), zero_point));
            assert_true(twin_requantize_nearest(order, QD_F64, acc, s1.q, s2.q, sy.q, QD_U8,
                                                zero_point, &wide));
            assert_true(twin_element_admits(element, code));
            assert_true(twin_element_admits(element, wide));
            outside_canonical += mpq_cmp_si(element->want.q, code, 1) != 0;
        }
        slack += !mpq_equal(element->lo.q, element->hi.q);
    }
    print_message("# near-ties: %lld with slack, %lld answers not canonical\n", (long long)slack,
                  (long long)outside_canonical);
    assert_true(slack > 0 && outside_canonical > 0);
    twin_result_clear(&hull);
    twin_number_clear(&s1);
    twin_number_clear(&s2);
    twin_number_clear(&sy);
}

/* Scales of a formula whose terms put the result on or next to an edge. */
static struct twin_terms near_edge(struct twin_random *random, enum twin_formula formula)
{
    static const double one = 1;
    struct twin_terms terms = {.b = twin_random_between(random, -255, 255),
                               .c = twin_random_between(random, -255, 255),
                               .n = formula == TWIN_MEAN ? twin_random_between(random, 1, 49) : 1,
                               .s1 = (double)float_of(twin_random_scale(random, -10, 5)),
                               .s2 = (double)float_of(twin_random_scale(random, -10, 5))};
    mpq_t scale, other;
    mpq_inits(scale, other, NULL);
    bool two = formula == TWIN_PRODUCT || formula == TWIN_PRODUCT_OF_CODES;
    terms.a = formula == TWIN_PRODUCT ? random_accumulator(random)
              : two                   ? terms.b * terms.c
                                      : terms.b;
    mpq_set_d(scale, terms.s1);
    mpq_set_d(other, two ? terms.s2 : one);
    int64_t factor = terms.a;
    if (formula == TWIN_SUM) {
        mpq_set_d(scale, (double)terms.b * terms.s1);
        mpq_set_d(other, (double)terms.c * terms.s2);
        mpq_add(scale, scale, other);
        mpq_set_d(other, one);
        factor = 1;
    } else if (formula == TWIN_MEAN) {
        mpq_set_ui(other, 1, (unsigned long)terms.n);
    }
    terms.sy = (double)float_of(twin_solve_divisor(random, factor, scale, other));
    terms.f_lo = terms.f_hi = (double)terms.a * terms.s1;
    mpq_clears(scale, other, NULL);
    return terms;
}

/* Marks the codes that the machine gives: every order, every mixture of float32 and double. */
static void mark_codes(enum twin_formula formula, const struct twin_terms *terms,
                       int64_t zero_point, bool marked[256])
{
    for (unsigned i = 0; twin_order_of(formula, i); i++) {
        const char *order = twin_order_of(formula, i);
        unsigned operations = 0;
        for (const char *letter = order; *letter; letter++)
            operations += strchr("abcx:+", *letter) != NULL;
        for (uint64_t narrow = 0; narrow < (uint64_t)1 << operations; narrow++)
            marked[clamp(nearbyint(twin_kernel(order, terms, narrow)), zero_point)] = true;
    }
}

/* Where more than one code may be, the twin's set is the canonical code and the machine's codes. */
static void sets_equal_the_machine(void **state)
{
    (void)state;
    struct twin_random random = {6};
    struct twin_result result;
    twin_result_init(&result, QD_U8, 0, NULL);
    for (enum twin_formula formula = 0; formula < TWIN_FORMULAS; formula++) {
        int narrowed = 0, looked_at = 0;
        for (int64_t i = 0; i < twin_rounds(3000); i++) {
            bool marked[256] = {false};
            struct twin_element *element = result.elements;
            struct twin_terms terms = near_edge(&random, formula);
            int64_t zero_point = twin_random_code(&random, QD_U8);
            twin_admit(formula, &terms, QD_F32, QD_U8, zero_point, element);
            if (element->extreme)
                continue;
            mark_codes(formula, &terms, zero_point, marked);
            marked[mpz_get_si(mpq_numref(element->want.q))] = true;
            for (int code = 0; code < 256; code++)
                if (marked[code] != twin_element_admits(element, code))
                    fail_msg("%s: %d·%a·%a/%a, b %d, c %d, n %d: code %d: machine %d",
                             twin_order_of(formula, 0), (int)terms.a, terms.s1, terms.s2, terms.sy,
                             (int)terms.b, (int)terms.c, (int)terms.n, code, marked[code]);
            looked_at++;
            narrowed += element->narrowed;
        }
        print_message("# %s and its like: %d, %d narrowed\n", twin_order_of(formula, 0), looked_at,
                      narrowed);
        assert_true(narrowed > 0);
    }
    twin_result_clear(&result);
}

/* 9·1/6 = 1.5 is code 2, and so is all that the two orders give:
 *   (9·1)/6     exact
 *   9·(1/6)     1/6 in float32 is 24 bits 1010…10 and 10… after them, hence 1/6 + 2^-26/3;
 *               9 times that is 1.5 + 3·2^-26, in float32 1.5 (half an ulp is 4·2^-26)
 *               1/6 in double is 53 bits 1010…101 and 01… after them, hence 1/6 − 2^-55/3;
 *               9 times that is 1.5 − 3·2^-55, in double 1.5 (half an ulp is 4·2^-55)
 * Rounded down to float32 1/6 is 1/6 − 2·2^-26/3; 9 times that is 1.5 − 6·2^-26 and code 1, which
 * the hull of directed roundings holds. */
static void no_evaluation_gives_it(void **state)
{
    (void)state;
    struct twin_result result;
    struct twin_element *element;
    twin_result_init(&result, QD_U8, 0, NULL);
    element = result.elements;
    for (int64_t zero_point = 0; zero_point < 256; zero_point += 51) {
        const struct twin_terms terms = {.a = 9, .s1 = 1, .sy = 6};
        twin_admit(TWIN_RESCALED, &terms, QD_F32, QD_U8, zero_point, element);
        int64_t want = zero_point + 2 < 255 ? zero_point + 2 : 255;
        assert_false(element->extreme);
        assert_true(element->narrowed || zero_point == 255);
        for (int64_t code = 0; code < 256; code++)
            assert_int_equal(twin_element_admits(element, code), code == want);
        assert_true(mpq_cmp_si(element->want.q, want, 1) == 0);
        assert_true(mpq_equal(element->lo.q, element->hi.q));
    }
    twin_result_clear(&result);
}

/* 6·(2^24 − 1) − 100663288 = 2. As a float32, a multiple of 8, 6·(2^24 − 1) = 100663290 is
 * 100663288, and the sum 0. Nothing else rounds: 0 and 2 are right, 1 is not. Rounded up the
 * product is 100663296, hence the hull of directed roundings [0, 8]. */
static void no_code_between(void **state)
{
    (void)state;
    const struct twin_terms terms = {.b = 6, .c = -1, .s1 = 0x1p24 - 1, .s2 = 100663288, .sy = 1};
    struct twin_result result;
    twin_result_init(&result, QD_U8, 0, NULL);
    twin_admit(TWIN_SUM, &terms, QD_F32, QD_U8, 0, result.elements);
    assert_true(result.elements->narrowed && !result.elements->extreme);
    for (int64_t code = 0; code < 256; code++)
        assert_int_equal(twin_element_admits(result.elements, code), code == 0 || code == 2);
    assert_true(mpq_cmp_ui(result.elements->want.q, 2, 1) == 0);
    twin_result_clear(&result);
}

/* An exact tie between power-of-two scales has one admissible code, whatever the zero point. */
static void exact_ties_have_no_slack(void **state)
{
    (void)state;
    struct twin_number s1, s2, sy;
    struct twin_result result;
    twin_number_init(&s1);
    twin_number_init(&s2);
    twin_number_init(&sy);
    twin_result_init(&result, QD_U8, 0, NULL);
    mpq_set_d(s1.q, 0x1p-3);
    mpq_set_d(s2.q, 0x1p-5);
    mpq_set_d(sy.q, 0x1p-7);
    for (int64_t acc = -255; acc <= 255; acc += 2) { /* real = acc/2 */
        for (int64_t zero_point = 0; zero_point < 256; zero_point += 51) {
            struct twin_element *element = &result.elements[0];
            twin_requantize(acc, &s1, &s2, &sy, QD_F32, QD_U8, zero_point, element);
            int64_t lower = (acc - 1) / 2 - (acc < 0 && (acc - 1) % 2 != 0);
            int64_t even = lower % 2 == 0 ? lower : lower + 1;
            assert_true(mpq_cmp_si(element->want.q, clamp((double)even, zero_point), 1) == 0);
            assert_true(mpq_equal(element->lo.q, element->hi.q));
        }
    }
    twin_result_clear(&result);
    twin_number_clear(&s1);
    twin_number_clear(&s2);
    twin_number_clear(&sy);
}

/* --- Fixtures --- */

static int open_arena(void **state)
{
    struct qd_arena *arena = malloc(sizeof *arena);
    assert_non_null(arena);
    qd_arena_init(arena, QD_ARENA_DEFAULT_BUDGET);
    *state = arena;
    return 0;
}

static int close_arena(void **state)
{
    qd_arena_clear(*state);
    free(*state);
    return 0;
}

static struct qd_tensor codes(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                              const int64_t *dims, const int64_t *values)
{
    struct qd_tensor tensor = twin_tensor(arena, dtype, rank, dims);
    for (int64_t i = 0; i < tensor.count; i++)
        twin_put(&tensor, i, (uint64_t)values[i]);
    return tensor;
}

static struct qd_tensor floats(struct qd_arena *arena, unsigned rank, const int64_t *dims,
                               const float *values)
{
    struct qd_tensor tensor = twin_tensor(arena, QD_F32, rank, dims);
    memcpy(tensor.data, values, (size_t)tensor.count * sizeof *values);
    return tensor;
}

static void add_float(struct qd_arena *arena, struct twin_node *twin, float value)
{
    struct qd_tensor tensor = floats(arena, 0, NULL, &value);
    twin_node_input(twin, &tensor);
}

static void add_code(struct qd_arena *arena, struct twin_node *twin, enum qd_dtype dtype,
                     int64_t code)
{
    struct qd_tensor tensor = twin_scalar(arena, dtype, (uint64_t)code);
    twin_node_input(twin, &tensor);
}

static void expect_values(const struct twin_result *have, const double *want, int64_t count)
{
    assert_int_equal(have->count, count);
    for (int64_t i = 0; i < count; i++) {
        assert_false(have->elements[i].unspecified);
        if (mpq_get_d(have->elements[i].want.q) != want[i])
            fail_msg("element %d: have %g, want %g", (int)i, mpq_get_d(have->elements[i].want.q),
                     want[i]);
    }
}

/* ONNX backend test test_qlinearconv (onnx 1.21.0). */
static void official_qlinear_conv(void **state)
{
    struct qd_arena *arena = *state;
    static const int64_t dims[] = {1, 1, 7, 7}, kernel[] = {1, 1, 1, 1};
    static const int64_t x[49] = {255, 174, 162, 25,  203, 168, 58,  15,  59,  237, 95,  129, 0,
                                  64,  56,  242, 153, 221, 168, 12,  166, 232, 178, 186, 195, 237,
                                  162, 237, 188, 39,  124, 77,  80,  102, 43,  127, 230, 21,  83,
                                  41,  40,  134, 255, 154, 92,  141, 42,  148, 247};
    static const double y[49] = {0,   81,  93,  230, 52,  87,  197, 240, 196, 18,  160, 126, 255,
                                 191, 199, 13,  102, 34,  87,  243, 89,  23,  77,  69,  60,  18,
                                 93,  18,  67,  216, 131, 178, 175, 153, 212, 128, 25,  234, 172,
                                 214, 215, 121, 0,   101, 163, 114, 213, 107, 8};
    static const int64_t weight = 0, weight_zero_point = 255;
    static const float weight_scale = 0x1.c4f87ap-10f;
    struct twin_node node;
    struct qd_tensor tensor = codes(arena, QD_U8, 4, dims, x);
    twin_node_init(&node, "QLinearConv", 10, 1);
    twin_node_input(&node, &tensor);
    add_float(arena, &node, 0x1.e3ec8ap-9f);
    add_code(arena, &node, QD_U8, 132);
    tensor = codes(arena, QD_U8, 4, kernel, &weight);
    twin_node_input(&node, &tensor);
    tensor = floats(arena, 1, kernel, &weight_scale);
    twin_node_input(&node, &tensor);
    tensor = codes(arena, QD_U8, 1, kernel, &weight_zero_point);
    twin_node_input(&node, &tensor);
    add_float(arena, &node, 0x1.aa758cp-10f);
    add_code(arena, &node, QD_U8, 123);
    struct twin_result result;
    twin_qlinear_conv(&node.node, node.in, &result);
    assert_int_equal(result.rank, 4);
    expect_values(&result, y, 49);
    twin_result_clear(&result);
}

/* A ConvInteger node on s8 codes with one attribute list set by the caller. */
static void expect_conv(struct twin_node *node, const double *want, int64_t count)
{
    struct twin_result result;
    node->node.attrs = node->attrs;
    twin_conv_integer(&node->node, node->in, &result);
    expect_values(&result, want, count);
    twin_result_clear(&result);
}

static void start_conv(struct qd_arena *arena, struct twin_node *node, const int64_t *x_dims,
                       const int64_t *x, const int64_t *w_dims, const int64_t *w)
{
    struct qd_tensor x_tensor = codes(arena, QD_S8, 3, x_dims, x),
                     w_tensor = codes(arena, QD_S8, 3, w_dims, w);
    twin_node_init(node, "ConvInteger", 10, 1);
    twin_node_input(node, &x_tensor);
    twin_node_input(node, &w_tensor);
}

/* Small convolutions of [1, 2, 3, 4] with [1, 10], done by hand. */
static void convolutions_by_hand(void **state)
{
    struct qd_arena *arena = *state;
    static const int64_t x_dims[] = {1, 1, 4}, w_dims[] = {1, 1, 2}, x[] = {1, 2, 3, 4},
                         w[] = {1, 10};
    static const int64_t one[] = {1, 1}, two[] = {2};
    struct twin_node node;
    start_conv(arena, &node, x_dims, x, w_dims, w);
    expect_conv(&node, (const double[]){21, 32, 43}, 3);
    start_conv(arena, &node, x_dims, x, w_dims, w);
    twin_node_ints(&node, "pads", one, 2);
    expect_conv(&node, (const double[]){10, 21, 32, 43, 4}, 5);
    twin_node_ints(&node, "strides", two, 1);
    expect_conv(&node, (const double[]){10, 32, 4}, 3);
    start_conv(arena, &node, x_dims, x, w_dims, w);
    twin_node_ints(&node, "dilations", two, 1);
    expect_conv(&node, (const double[]){31, 42}, 2);
    start_conv(arena, &node, x_dims, x, w_dims, w);
    twin_node_string(&node, "auto_pad", "SAME_UPPER");
    expect_conv(&node, (const double[]){21, 32, 43, 4}, 4);
    start_conv(arena, &node, x_dims, x, w_dims, w);
    twin_node_string(&node, "auto_pad", "SAME_LOWER");
    expect_conv(&node, (const double[]){10, 21, 32, 43}, 4);
    start_conv(arena, &node, x_dims, x, w_dims, w);
    twin_node_string(&node, "auto_pad", "VALID");
    add_code(arena, &node, QD_S8, 1); /* x_zero_point: [0, 1, 2, 3] */
    add_code(arena, &node, QD_S8, 2); /* w_zero_point: [−1, 8] */
    expect_conv(&node, (const double[]){8, 15, 22}, 3);
}

/* Two groups of one channel, two filters each. */
static void groups_by_hand(void **state)
{
    struct qd_arena *arena = *state;
    static const int64_t x_dims[] = {1, 2, 2}, w_dims[] = {4, 1, 1}, x[] = {1, 2, 3, 4},
                         w[] = {1, 10, 5, 7};
    struct twin_node node;
    start_conv(arena, &node, x_dims, x, w_dims, w);
    twin_node_int(&node, "group", 2);
    expect_conv(&node, (const double[]){1, 2, 10, 20, 15, 20, 21, 28}, 8);
}

/* ONNX backend tests test_quantizelinear, test_dequantizelinear, and the axis forms' rule. */
static void official_linear(void **state)
{
    struct qd_arena *arena = *state;
    static const int64_t six = 6, four = 4, grid[] = {2, 3}, three = 3;
    struct twin_node node;
    struct twin_result result;
    struct qd_tensor x = floats(arena, 1, &six, (const float[]){0, 2, 3, 1000, -254, -1000});
    twin_node_init(&node, "QuantizeLinear", 10, 1);
    twin_node_input(&node, &x);
    add_float(arena, &node, 2);
    add_code(arena, &node, QD_U8, 128);
    twin_quantize_linear(&node.node, node.in, &result);
    expect_values(&result, (const double[]){128, 129, 130, 255, 1, 0}, 6);
    twin_result_clear(&result);

    x = codes(arena, QD_U8, 1, &four, (const int64_t[]){0, 3, 128, 255});
    twin_node_init(&node, "DequantizeLinear", 10, 1);
    twin_node_input(&node, &x);
    add_float(arena, &node, 2);
    add_code(arena, &node, QD_U8, 128);
    twin_dequantize_linear(&node.node, node.in, &result);
    expect_values(&result, (const double[]){-256, -250, 0, 254}, 4);
    twin_result_clear(&result);

    x = floats(arena, 2, grid, (const float[]){2.5F, 5, 10, 3.5F, 7, 14});
    struct qd_tensor scale = floats(arena, 1, &three, (const float[]){1, 2, 4});
    twin_node_init(&node, "QuantizeLinear", 13, 1);
    twin_node_input(&node, &x);
    twin_node_input(&node, &scale);
    twin_node_input(&node, NULL);
    twin_quantize_linear(&node.node, node.in, &result);
    expect_values(&result, (const double[]){2, 2, 2, 4, 4, 4}, 6);
    twin_result_clear(&result);
}

/* 2·3·5·7·8 = 1680 by every order, since nothing rounds: (2·3)·5 and its like thrice, one scale
 * after the other thrice, and the eighteen ways to combine three factors and a divisor. The 24
 * orders are not one order 24 times: with scales that round they differ. */
static void products_in_every_order(void **state)
{
    (void)state;
    struct twin_answers answers;
    double least = 1e30, greatest = 0;
    twin_answers_init(&answers);
    twin_answers_product(&answers, 2, (const float[]){3, 5, 7}, 3, 0x1p-3F);
    assert_int_equal(answers.count, 24);
    assert_true(mpq_cmp_ui(answers.exact, 1680, 1) == 0);
    for (unsigned i = 0; i < answers.count; i++)
        assert_true(answers.real[i] == 1680);
    answers.count = 0;
    twin_answers_product(&answers, 12345, (const float[]){0.1F, 0.7F, 1.3F}, 3, 0.9F);
    for (unsigned i = 0; i < answers.count; i++) {
        least = answers.real[i] < least ? answers.real[i] : least;
        greatest = answers.real[i] > greatest ? answers.real[i] : greatest;
    }
    assert_true(least < greatest && greatest < least * (1 + 0x1p-20));
    twin_answers_clear(&answers);
}

/* Sums of small integers are exact in every order; a nudged number stays within its ulps. */
static void random_trees_add_up(void **state)
{
    (void)state;
    struct twin_random random = {5};
    for (int trial = 0; trial < 100; trial++) {
        float x[] = {1, 2, 3, 4, 5}, w[] = {10, 20, 30, 40, 50};
        assert_true(twin_random_sum(&random, x, w, 5, 7) == 557);
        assert_true(twin_random_tree(&random, x, 5) == 15);
        float moved = twin_nudged(&random, 1, 2);
        assert_true(moved >= 1 - 0x1p-23F && moved <= 1 + 0x1p-22F);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_in_every_order),
        cmocka_unit_test(random_trees_add_up),
        cmocka_unit_test(rounding_equals_the_machine),
        cmocka_unit_test(decoding_equals_the_machine),
        cmocka_unit_test(small_floats_have_their_values),
        cmocka_unit_test(rounding_on_grids),
        cmocka_unit_test(integers_round_half_to_even),
        cmocka_unit_test(orders_equal_the_machine),
        cmocka_unit_test(sets_equal_the_machine),
        cmocka_unit_test(no_evaluation_gives_it),
        cmocka_unit_test(no_code_between),
        cmocka_unit_test(exact_ties_have_no_slack),
        cmocka_unit_test(official_qlinear_conv),
        cmocka_unit_test(convolutions_by_hand),
        cmocka_unit_test(groups_by_hand),
        cmocka_unit_test(official_linear),
    };
    return cmocka_run_group_tests_name("twin_self", tests, open_arena, close_arena);
}
