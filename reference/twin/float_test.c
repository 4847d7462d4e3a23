/* SPDX-License-Identifier: Apache-2.0 */
/* Float operators as graph outputs against exact rationals and simulated kernels: Add, Sub, Mul,
 * Div, LeakyRelu, HardSigmoid, Reciprocal, squares by Pow, the means and ReduceSum,
 * BatchNormalization, ConvTranspose; Cast between all types. Alone:
 * <build>/tests/reference/twin/float_test; QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>
#include <cmocka.h>

#include "twin/twin.h"

static const enum qd_dtype float_types[] = {QD_F32, QD_F16, QD_BF16};

static void set_point(struct twin_element *element)
{
    twin_number_set(&element->lo, &element->want);
    twin_number_set(&element->hi, &element->want);
}

/* --- One rounding: Add, Sub, Mul, Div --- */

/* A double stands for every operand exactly; infinities follow IEEE 754. */
static void operate(char operation, const struct twin_number *a, const struct twin_number *b,
                    enum qd_dtype dtype, struct twin_number *out)
{
    static const double specials[] = {0, (double)INFINITY, -(double)INFINITY, (double)NAN};
    if (a->kind != TWIN_FINITE || b->kind != TWIN_FINITE) {
        double x = a->kind == TWIN_FINITE ? mpq_get_d(a->q) : specials[a->kind];
        double y = b->kind == TWIN_FINITE ? mpq_get_d(b->q) : specials[b->kind];
        double z = operation == '+'   ? x + y
                   : operation == '-' ? x - y
                   : operation == '*' ? x * y
                                      : x / y;
        out->kind = isnan(z)    ? TWIN_NAN
                    : !isinf(z) ? TWIN_FINITE
                    : z > 0     ? TWIN_PLUS_INF
                                : TWIN_MINUS_INF;
        if (out->kind == TWIN_FINITE)
            mpq_set_d(out->q, z);
        return;
    }
    out->kind = TWIN_FINITE;
    switch (operation) {
    case '+': mpq_add(out->q, a->q, b->q); break;
    case '-': mpq_sub(out->q, a->q, b->q); break;
    case '*': mpq_mul(out->q, a->q, b->q); break;
    default: mpq_div(out->q, a->q, b->q); break;
    }
    twin_round_number(dtype, out, out);
}

/* Any bits but zero (its sign decides 1/0); half of the time of like magnitude. */
static uint64_t random_bits(struct twin_random *random, enum qd_dtype dtype, bool alike)
{
    uint64_t bits = twin_random_bits(random) & (dtype == QD_F32 ? 0xffffffff : 0xffff);
    if (alike)
        bits = dtype == QD_F32    ? (bits & 0x80ffffff) | 0x40000000
               : dtype == QD_BF16 ? (bits & 0x80ff) | 0x4000
                                  : (bits & 0x87ff) | 0x4000;
    return bits << (dtype == QD_F32 ? 33 : 49) ? bits : bits | 1;
}

static void one_rounding(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        char operation;
    } rows[] = {{"Add", '+'}, {"Sub", '-'}, {"Mul", '*'}, {"Div", '/'}};
    struct twin_number a, b;
    twin_number_init(&a);
    twin_number_init(&b);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct twin_random random = {220 + r};
        struct twin_tally tally = {0};
        for (int64_t i = 0; i < twin_rounds(90); i++) {
            static const int64_t count = 200;
            enum qd_dtype dtype = float_types[i % 3];
            struct qd_arena arena;
            struct twin_node node;
            struct twin_result want;
            qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
            struct qd_tensor x = twin_tensor(&arena, dtype, 1, &count), y;
            y = twin_tensor(&arena, dtype, 1, &count);
            twin_result_init(&want, dtype, 1, &count);
            for (int64_t k = 0; k < count; k++) {
                twin_put(&x, k, random_bits(&random, dtype, k % 2));
                twin_put(&y, k, random_bits(&random, dtype, k % 2));
                twin_element_of(&x, k, &a);
                twin_element_of(&y, k, &b);
                operate(rows[r].operation, &a, &b, dtype, &want.elements[k].want);
                set_point(&want.elements[k]);
            }
            twin_node_init(&node, rows[r].name, 14, 1);
            twin_node_input(&node, &x);
            twin_node_input(&node, &y);
            twin_check(&node, false, &want, &tally);
            twin_result_clear(&want);
            qd_arena_clear(&arena);
        }
        twin_tally_print(rows[r].name, &tally);
        assert_int_equal(tally.slack, 0);
    }
    twin_number_clear(&a);
    twin_number_clear(&b);
}

/* --- The same on integers --- */

/* Quotients towards zero. A result that the type does not hold, and 1/0, have no answer. */
static void operate_on_integers(char operation, int64_t a, int64_t b, enum qd_dtype dtype,
                                struct twin_element *out)
{
    int64_t result = 0;
    out->unspecified = operation == '/' && b == 0;
    if (!out->unspecified)
        result = operation == '+'   ? a + b
                 : operation == '-' ? a - b
                 : operation == '*' ? a * b
                                    : a / b;
    out->unspecified |= result < twin_code_min(dtype) || result > twin_code_max(dtype);
    mpq_set_si(out->want.q, result, 1);
    set_point(out);
}

/* All pairs of 8-bit codes, random ones of the wider types. */
static void integers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        char operation;
    } rows[] = {{"Add", '+'}, {"Sub", '-'}, {"Mul", '*'}, {"Div", '/'}};
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_U16, QD_S16, QD_S32};
    struct twin_random random = {229};
    struct twin_tally tally = {0};
    for (size_t r = 0; r < 4 * sizeof types / sizeof types[0]; r++) {
        enum qd_dtype dtype = types[r / 4];
        int64_t side = qd_dtype_is_8bit_code(dtype) ? 256 : 64, dims[] = {side, side};
        struct qd_arena arena;
        struct twin_node node;
        struct twin_result want;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor a = twin_tensor(&arena, dtype, 2, (int64_t[]){side, 1});
        struct qd_tensor b = twin_tensor(&arena, dtype, 1, &side);
        for (int64_t i = 0; i < side; i++) {
            bool every = side == 256;
            int64_t small = twin_random_between(&random, dtype == QD_U16 ? 0 : -181, 181);
            twin_put(&a, i,
                     (uint64_t)(every   ? i
                                : i % 2 ? small
                                        : twin_random_code(&random, dtype)));
            twin_put(&b, i,
                     (uint64_t)(every   ? i
                                : i % 3 ? small
                                        : twin_random_code(&random, dtype)));
        }
        twin_result_init(&want, dtype, 2, dims);
        for (int64_t i = 0; i < want.count; i++)
            operate_on_integers(rows[r % 4].operation, twin_integer_of(&a, i / side),
                                twin_integer_of(&b, i % side), dtype, &want.elements[i]);
        twin_node_init(&node, rows[r % 4].name, 14, 1);
        twin_node_input(&node, &a);
        twin_node_input(&node, &b);
        twin_check(&node, false, &want, &tally);
        twin_result_clear(&want);
        qd_arena_clear(&arena);
    }
    twin_tally_print("Add, Sub, Mul, Div of integers", &tally);
    assert_true(tally.slack == 0 && tally.unspecified > 0);
}

/* --- Cast --- */

static bool is_integer(enum qd_dtype dtype)
{
    return qd_dtype_is_integer(dtype) && dtype != QD_BOOL;
}

/* Reduced modulo 2^bits into the type's codes. */
static void wrap(mpq_t q, enum qd_dtype dtype)
{
    mpz_t code, modulus;
    mpz_inits(code, modulus, NULL);
    mpz_ui_pow_ui(modulus, 2, qd_dtype_info(dtype)->bits);
    mpz_set(code, mpq_numref(q));
    mpz_fdiv_r(code, code, modulus);
    if (mpz_cmp_si(code, twin_code_max(dtype)) > 0)
        mpz_sub(code, code, modulus);
    mpq_set_z(q, code);
    mpz_clears(code, modulus, NULL);
}

/* To nearest, ties to even: below 8 bits. */
static void round_quotient(mpz_t code, const mpq_t q)
{
    mpz_t twice, rest;
    mpz_inits(twice, rest, NULL);
    mpz_mul_2exp(twice, mpq_numref(q), 1);
    mpz_add(twice, twice, mpq_denref(q));
    mpz_mul_2exp(rest, mpq_denref(q), 1);
    mpz_fdiv_qr(code, rest, twice, rest); /* floor(q + 1/2) */
    if (mpz_sgn(rest) == 0 && mpz_odd_p(code))
        mpz_sub_ui(code, code, 1);
    mpz_clears(twice, rest, NULL);
}

/* Towards zero, or below 8 bits to nearest; what the type does not hold, an infinity and NaN have
 * no answer. */
static void to_whole_number(struct twin_number *number, enum qd_dtype dtype, bool *unspecified)
{
    *unspecified = number->kind != TWIN_FINITE;
    if (*unspecified)
        return;
    mpz_t code;
    mpz_init(code);
    if (qd_dtype_info(dtype)->bits < 8)
        round_quotient(code, number->q);
    else
        mpz_tdiv_q(code, mpq_numref(number->q), mpq_denref(number->q));
    *unspecified =
        mpz_cmp_si(code, twin_code_min(dtype)) < 0 || mpz_cmp_si(code, twin_code_max(dtype)) > 0;
    mpq_set_z(number->q, code);
    mpz_clear(code);
}

static void cast(const struct twin_number *x, enum qd_dtype from, enum qd_dtype to,
                 struct twin_element *out)
{
    struct twin_number *y = &out->want;
    twin_number_set(y, x);
    out->unspecified = false;
    if (to == QD_BOOL) {
        bool truth = x->kind != TWIN_FINITE || mpq_sgn(x->q) != 0;
        y->kind = TWIN_FINITE;
        mpq_set_ui(y->q, truth, 1);
    } else if (is_integer(to) && !qd_dtype_is_float(from)) {
        wrap(y->q, to);
    } else if (is_integer(to)) {
        to_whole_number(y, to, &out->unspecified);
    } else {
        twin_round_number(to, y, y);
    }
    set_point(out);
}

/* Half of the numbers are small enough for every integer type. */
static uint64_t random_number(struct twin_random *random, enum qd_dtype dtype)
{
    uint64_t bits = twin_random_bits(random);
    if (dtype == QD_BOOL)
        return bits & 1;
    if (is_integer(dtype) || twin_random_one_in(random, 2))
        return bits;
    mpq_t q;
    mpq_init(q);
    mpq_set_si(q, twin_random_between(random, -1200, 1200), 8);
    mpq_canonicalize(q);
    bits = twin_encode(dtype, q);
    mpq_clear(q);
    return bits;
}

static void casts(void **state)
{
    (void)state;
    static const enum qd_dtype types[] = {QD_F32, QD_F16, QD_BF16, QD_U8, QD_S8, QD_U16,
                                          QD_S16, QD_S32, QD_BOOL, QD_U4, QD_S4};
    static const int64_t count = 20, kinds = sizeof types / sizeof types[0];
    struct twin_random random = {230};
    struct twin_tally tally = {0};
    struct twin_number number;
    twin_number_init(&number);
    for (int64_t i = 0; i < twin_rounds(20 * kinds * kinds); i++) {
        enum qd_dtype from = types[i % kinds], to = types[i / kinds % kinds];
        struct qd_arena arena;
        struct twin_node node;
        struct twin_result want;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor x = twin_tensor(&arena, from, 1, &count);
        twin_result_init(&want, to, 1, &count);
        for (int64_t k = 0; k < count; k++) {
            twin_put(&x, k, random_number(&random, from));
            twin_element_of(&x, k, &number);
            cast(&number, from, to, &want.elements[k]);
        }
        twin_node_init(&node, "Cast", 21, 1);
        twin_node_int(&node, "to", qd_dtype_info(to)->onnx);
        twin_node_input(&node, &x);
        twin_check(&node, false, &want, &tally);
        twin_result_clear(&want);
        qd_arena_clear(&arena);
    }
    twin_number_clear(&number);
    twin_tally_print("Cast", &tally);
    assert_true(tally.slack == 0 && tally.unspecified > 0);
}

/* To float8 by the tables of Cast-24: rounded first; beyond the largest finite value, infinities
 * included, that value if `saturate`, else an infinity (E5M2) or NaN. */
static void cast_to_float8(const struct twin_number *x, enum qd_dtype to, long largest,
                           bool saturate, struct twin_element *out)
{
    struct twin_number *y = &out->want;
    twin_round_number(to, y, x);
    if (y->kind == TWIN_PLUS_INF || y->kind == TWIN_MINUS_INF) {
        long end = y->kind == TWIN_PLUS_INF ? largest : -largest;
        if (saturate) {
            y->kind = TWIN_FINITE;
            mpq_set_si(y->q, end, 1);
        } else if (to != QD_F8E5M2) {
            y->kind = TWIN_NAN;
        }
    }
    set_point(out);
}

/* A quarter of all float16 and bfloat16 bits, as many of float32. */
static void casts_to_float8(void **state)
{
    (void)state;
    static const struct {
        enum qd_dtype dtype;
        long largest;
    } targets[] = {
        {QD_F8E4M3FN, 448}, {QD_F8E4M3FNUZ, 240}, {QD_F8E5M2, 57344}, {QD_F8E5M2FNUZ, 57344}};
    static const int64_t count = 4096;
    struct twin_random random = {231};
    struct twin_tally tally = {0};
    struct twin_number number;
    twin_number_init(&number);
    for (int64_t i = 0; i < 3 * 4 * 2 * 4; i++) {
        enum qd_dtype from = float_types[i % 3], to = targets[i / 3 % 4].dtype;
        bool saturate = i / 12 % 2;
        struct qd_arena arena;
        struct twin_node node;
        struct twin_result want;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor x = twin_tensor(&arena, from, 1, &count);
        twin_result_init(&want, to, 1, &count);
        for (int64_t k = 0; k < count; k++) {
            uint64_t code = (uint64_t)(i / 24 + 4 * k) * 4 + (twin_random_bits(&random) & 3);
            twin_put(&x, k, from == QD_F32 ? random_bits(&random, from, false) : code & 0xffff);
            twin_element_of(&x, k, &number);
            cast_to_float8(&number, to, targets[i / 3 % 4].largest, saturate, &want.elements[k]);
        }
        twin_node_init(&node, "Cast", 24, 1);
        twin_node_int(&node, "to", qd_dtype_info(to)->onnx);
        twin_node_int(&node, "saturate", saturate);
        twin_node_input(&node, &x);
        twin_check(&node, false, &want, &tally);
        twin_result_clear(&want);
        qd_arena_clear(&arena);
    }
    twin_number_clear(&number);
    twin_tally_print("Cast to float8", &tally);
    assert_int_equal(tally.slack, 0);
}

/* --- Kernels in float32 --- */

struct floats {
    struct qd_arena arena;
    struct twin_random *random;
    struct twin_node node;
    struct qd_value value;
    struct twin_answers answers;
};

static void start(struct floats *f, struct twin_random *random, const char *op_type, int64_t opset)
{
    f->random = random;
    qd_arena_init(&f->arena, QD_ARENA_DEFAULT_BUDGET);
    twin_node_init(&f->node, op_type, opset, 1);
    twin_answers_init(&f->answers);
}

static void finish(struct floats *f)
{
    twin_answers_clear(&f->answers);
    qd_arena_clear(&f->arena);
}

static float random_float(struct twin_random *random)
{
    if (twin_random_one_in(random, 4))
        return (float)twin_random_between(random, -100, 100);
    float value = twin_float_of(twin_random_scale(random, -12, 12));
    return twin_random_one_in(random, 2) ? value : -value;
}

/* A tensor of the numbers, as the node's next input. */
static void feed(struct floats *f, const float *numbers, unsigned rank, const int64_t *dims)
{
    struct qd_tensor tensor = twin_tensor(&f->arena, QD_F32, rank, dims);
    memcpy(tensor.data, numbers, (size_t)tensor.count * sizeof numbers[0]);
    twin_node_input(&f->node, &tensor);
}

static void leaky_relu(void **state)
{
    (void)state;
    struct twin_random random = {240};
    struct twin_probe probe = {0};
    for (int64_t i = 0; i < twin_rounds(5000); i++) {
        struct floats f;
        mpq_t alpha;
        float x = random_float(&random), slope = random_float(&random);
        start(&f, &random, "LeakyRelu", 16);
        feed(&f, &x, 0, NULL);
        twin_node_float(&f.node, "alpha", slope);
        twin_node_answer(&f.node, &f.arena, &f.value);
        mpq_init(alpha);
        mpq_set_d(f.answers.exact, (double)x);
        mpq_set_d(alpha, (double)slope);
        if (x < 0)
            mpq_mul(f.answers.exact, f.answers.exact, alpha);
        mpq_clear(alpha);
        twin_answers_add(&f.answers, (double)(x < 0 ? slope * x : x), "one product");
        twin_probe_float(&probe, &f.value, 0, &f.answers, true);
        finish(&f);
    }
    twin_probe_print("LeakyRelu", &probe);
}

/* alpha·x + beta between 0 and 1, with two roundings or one. */
static void hard_sigmoid(void **state)
{
    (void)state;
    struct twin_random random = {245};
    struct twin_probe probe = {0};
    for (int64_t i = 0; i < twin_rounds(5000); i++) {
        struct floats f;
        mpq_t number;
        float x = random_float(&random), alpha = random_float(&random) / 64, beta;
        alpha = alpha == 0 ? 1 : alpha;
        beta = twin_random_one_in(&random, 2) ? 0.5F - alpha * x : random_float(&random) / 128;
        start(&f, &random, "HardSigmoid", 13);
        feed(&f, &x, 0, NULL);
        twin_node_float(&f.node, "alpha", alpha);
        twin_node_float(&f.node, "beta", beta);
        twin_node_answer(&f.node, &f.arena, &f.value);
        mpq_init(number);
        mpq_set_d(f.answers.exact, (double)x);
        mpq_set_d(number, (double)alpha);
        mpq_mul(f.answers.exact, f.answers.exact, number);
        mpq_set_d(number, (double)beta);
        mpq_add(f.answers.exact, f.answers.exact, number);
        if (mpq_sgn(f.answers.exact) < 0)
            mpq_set_ui(f.answers.exact, 0, 1);
        if (mpq_cmp_ui(f.answers.exact, 1, 1) > 0)
            mpq_set_ui(f.answers.exact, 1, 1);
        mpq_clear(number);
        float twice = alpha * x + beta, once = fmaf(alpha, x, beta);
        twin_answers_add(&f.answers, (double)fminf(fmaxf(twice, 0), 1), "two roundings");
        twin_answers_add(&f.answers, (double)fminf(fmaxf(once, 0), 1), "FMA");
        twin_probe_float(&probe, &f.value, 0, &f.answers, false);
        finish(&f);
    }
    twin_probe_print("HardSigmoid", &probe);
}

/* 1/x, one rounding; x², whose kernels may be off by some ulps. */
static void reciprocals_and_squares(void **state)
{
    (void)state;
    struct twin_random random = {246};
    struct twin_probe reciprocals = {0}, squares = {0};
    const float two = 2;
    for (int64_t i = 0; i < twin_rounds(5000); i++) {
        struct floats f;
        float x = random_float(&random);
        x = x == 0 ? 3 : x;
        start(&f, &random, "Reciprocal", 13);
        feed(&f, &x, 0, NULL);
        twin_node_answer(&f.node, &f.arena, &f.value);
        mpq_set_d(f.answers.exact, (double)x);
        mpq_inv(f.answers.exact, f.answers.exact);
        twin_answers_add(&f.answers, (double)(1 / x), "a division");
        twin_probe_float(&reciprocals, &f.value, 0, &f.answers, true);
        finish(&f);

        start(&f, &random, "Pow", 13);
        feed(&f, &x, 0, NULL);
        feed(&f, &two, 0, NULL);
        twin_node_answer(&f.node, &f.arena, &f.value);
        mpq_set_d(f.answers.exact, (double)x);
        mpq_mul(f.answers.exact, f.answers.exact, f.answers.exact);
        float square = x * x;
        bool exact = fmaf(x, x, -square) == 0;
        twin_answers_add(&f.answers, (double)square, "a product");
        twin_answers_add(&f.answers, (double)(exact ? square : twin_nudged(&random, square, 12)),
                         "12 ulp off");
        twin_probe_float(&squares, &f.value, 0, &f.answers, false);
        finish(&f);
    }
    twin_probe_print("Reciprocal", &reciprocals);
    twin_probe_print("Pow", &squares);
}

#define MAX_TERMS 40

/* The operators over all elements of one [1, 1, count]; the sum is divided by 1. */
static void means(void **state)
{
    (void)state;
    static const char *const names[] = {"ReduceMean", "GlobalAveragePool", "AveragePool",
                                        "ReduceSum"};
    for (int operation = 0; operation < 4; operation++) {
        struct twin_random random = {250};
        struct twin_probe probe = {0};
        for (int64_t i = 0; i < twin_rounds(3000); i++) {
            struct floats f;
            const int64_t count = twin_random_between(&random, 1, MAX_TERMS),
                          dims[] = {1, 1, count};
            float x[MAX_TERMS];
            mpq_t term;
            start(&f, &random, names[operation], operation == 0 ? 18 : operation == 3 ? 13 : 22);
            mpq_init(term);
            for (int64_t k = 0; k < count; k++) {
                x[k] = random_float(&random);
                mpq_set_d(term, (double)x[k]);
                mpq_add(f.answers.exact, f.answers.exact, term);
            }
            int64_t divisor = operation == 3 ? 1 : count;
            mpq_set_si(term, divisor, 1);
            mpq_div(f.answers.exact, f.answers.exact, term);
            mpq_clear(term);
            feed(&f, x, 3, dims);
            if (operation == 2)
                twin_node_ints(&f.node, "kernel_shape", &count, 1);
            twin_node_answer(&f.node, &f.arena, &f.value);
            for (int repeat = 0; repeat < 4; repeat++) {
                float terms[MAX_TERMS], n = (float)divisor, reciprocal = 1 / n;
                memcpy(terms, x, sizeof terms);
                float sum = twin_random_tree(&random, terms, count);
                twin_answers_add(&f.answers, (double)(sum / n), "sum, divided");
                twin_answers_add(&f.answers, (double)(sum * reciprocal), "sum, times 1/n");
            }
            twin_probe_float(&probe, &f.value, 0, &f.answers, count == 1);
            finish(&f);
        }
        twin_probe_print(names[operation], &probe);
    }
}

/* --- BatchNormalization --- */

struct normalization {
    float x, scale, bias, mean, variance, epsilon;
};

static void exact_normalization(const struct normalization *n, mpq_t out)
{
    mpfr_t y, root;
    mpfr_inits2(240, y, root, (mpfr_ptr)NULL);
    mpfr_set_flt(root, n->variance, MPFR_RNDN);
    mpfr_add_d(root, root, (double)n->epsilon, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    mpfr_set_flt(y, n->x, MPFR_RNDN);
    mpfr_sub_d(y, y, (double)n->mean, MPFR_RNDN);
    mpfr_div(y, y, root, MPFR_RNDN);
    mpfr_mul_d(y, y, (double)n->scale, MPFR_RNDN);
    mpfr_add_d(y, y, (double)n->bias, MPFR_RNDN);
    mpfr_get_q(out, y);
    mpfr_clears(y, root, (mpfr_ptr)NULL);
}

static void normalization_answers(const struct normalization *n, struct twin_answers *answers)
{
    float root = sqrtf(n->variance + n->epsilon), inverse = 1 / root, centred = n->x - n->mean;
    float unit = centred / root, near_unit = centred * inverse;
    twin_answers_add(answers, (double)(unit * n->scale + n->bias), "as written");
    twin_answers_add(answers, (double)fmaf(unit, n->scale, n->bias), "as written, FMA");
    twin_answers_add(answers, (double)(near_unit * n->scale + n->bias), "times 1/sqrt");
    twin_answers_add(answers, (double)(centred * n->scale / root + n->bias), "divided last");
    const float slopes[] = {n->scale / root, n->scale * inverse};
    for (int i = 0; i < 2; i++) {
        float slope = slopes[i], folded = n->bias - n->mean * slope;
        twin_answers_add(answers, (double)(centred * slope + n->bias), "one slope");
        twin_answers_add(answers, (double)fmaf(centred, slope, n->bias), "one slope, FMA");
        twin_answers_add(answers, (double)(n->x * slope + folded), "slope and folded bias");
        twin_answers_add(answers, (double)fmaf(n->x, slope, folded), "the same, FMA");
        folded = fmaf(-n->mean, slope, n->bias);
        twin_answers_add(answers, (double)fmaf(n->x, slope, folded), "the same, FMA twice");
    }
}

static void batch_normalization(void **state)
{
    (void)state;
    struct twin_random random = {260};
    struct twin_probe probe = {0};
    for (int64_t i = 0; i < twin_rounds(3000); i++) {
        static const int64_t dims[] = {1, 2, 3}, channels = 2;
        struct floats f;
        float x[6], parameters[4][2];
        float epsilon = twin_random_one_in(&random, 2) ? 1e-5F : 0.25F;
        for (int k = 0; k < 6; k++)
            x[k] = random_float(&random);
        for (int p = 0; p < 4; p++)
            for (int c = 0; c < 2; c++)
                parameters[p][c] = p == 3 ? twin_float_of(twin_random_scale(&random, -8, 8))
                                          : random_float(&random);
        if (twin_random_one_in(&random, 4))
            parameters[2][0] = x[0]; /* nothing left but the bias */
        start(&f, &random, "BatchNormalization", 15);
        feed(&f, x, 3, dims);
        for (int p = 0; p < 4; p++)
            feed(&f, parameters[p], 1, &channels);
        twin_node_float(&f.node, "epsilon", epsilon);
        twin_node_answer(&f.node, &f.arena, &f.value);
        for (int k = 0; k < 6; k++) {
            const struct normalization n = {x[k],
                                            parameters[0][k / 3],
                                            parameters[1][k / 3],
                                            parameters[2][k / 3],
                                            parameters[3][k / 3],
                                            epsilon};
            f.answers.count = 0;
            exact_normalization(&n, f.answers.exact);
            normalization_answers(&n, &f.answers);
            twin_probe_float(&probe, &f.value, k, &f.answers, false);
        }
        finish(&f);
    }
    twin_probe_print("BatchNormalization", &probe);
}

/* The comparison can fail: epsilon forgotten, or added to the root, must fall outside. */
static void wrong_epsilons_fall_outside(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 1, 1}, one = 1;
    struct twin_random random = {261};
    int outside[2] = {0};
    for (int i = 0; i < 500; i++) {
        struct floats f;
        const struct normalization n = {
            .x = random_float(&random),
            .scale = random_float(&random),
            .mean = random_float(&random),
            .variance = twin_float_of(twin_random_scale(&random, -2, 8)),
            .epsilon = 1e-3F,
        };
        const float *parameters[] = {&n.scale, &n.bias, &n.mean, &n.variance};
        start(&f, &random, "BatchNormalization", 15);
        feed(&f, &n.x, 3, dims);
        for (int p = 0; p < 4; p++)
            feed(&f, parameters[p], 1, &one);
        twin_node_float(&f.node, "epsilon", n.epsilon);
        twin_node_answer(&f.node, &f.arena, &f.value);
        struct qd_observation seen = qd_value_observe(&f.value, 0);
        const float roots[] = {sqrtf(n.variance), sqrtf(n.variance) + n.epsilon};
        for (int w = 0; w < 2; w++) {
            double answer = (double)((n.x - n.mean) / roots[w] * n.scale);
            outside[w] += answer < seen.lo || answer > seen.hi;
        }
        finish(&f);
    }
    print_message("# no epsilon: %d, epsilon after the root: %d of 500 outside\n", outside[0],
                  outside[1]);
    assert_true(outside[0] > 250 && outside[1] > 250);
}

/* --- ConvTranspose --- */

#define MAX_PAIRS 64

struct transposed {
    struct floats f;
    unsigned spatial;
    int64_t group, inputs, per_group; /* channels of x; of y in one group */
    int64_t in[2], kernel[2], strides[2], dilations[2], pads[4], extra[2], out[2], shape[2];
    float x[64], w[256], bias[8];
    bool has_bias, exact, with_shape;
};

/* What is added up for output channel m at (row, column): every input element and filter tap whose
 * product lands there. */
static int64_t pairs_at(const struct transposed *t, int64_t m, const int64_t *at, float *x,
                        float *w)
{
    int64_t count = 0, area = t->in[0] * t->in[1], taps = t->kernel[0] * t->kernel[1];
    int64_t in_group = t->inputs / t->group, g = m / t->per_group;
    for (int64_t c = g * in_group; c < (g + 1) * in_group; c++)
        for (int64_t i = 0; i < area; i++)
            for (int64_t k = 0; k < taps; k++) {
                const int64_t from[] = {i / t->in[1], i % t->in[1]};
                const int64_t tap[] = {k / t->kernel[1], k % t->kernel[1]};
                bool lands = true;
                for (int axis = 0; axis < 2; axis++)
                    lands = lands && from[axis] * t->strides[axis] +
                                             tap[axis] * t->dilations[axis] - t->pads[axis] ==
                                         at[axis];
                if (!lands)
                    continue;
                assert_true(count < MAX_PAIRS);
                x[count] = t->x[c * area + i];
                w[count++] = t->w[(c * t->per_group + m % t->per_group) * taps + k];
            }
    return count;
}

/* Padding of one axis: given, or what makes the output the asked extent, the odd one in front
 * except for SAME_UPPER. */
static void choose_padding(struct transposed *t, int axis, const char *auto_pad)
{
    struct twin_random *random = t->f.random;
    int64_t full = t->strides[axis] * (t->in[axis] - 1) + t->extra[axis] +
                   (t->kernel[axis] - 1) * t->dilations[axis] + 1;
    int64_t total = 0;
    if (t->with_shape) {
        total = twin_random_between(random, 0, full > 1 ? (full - 1) / 2 : 0);
        t->pads[axis] = strcmp(auto_pad, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
    } else {
        t->pads[axis] = twin_random_between(random, 0, full > 2 ? 1 : 0);
        t->pads[2 + axis] = twin_random_between(random, 0, full > 2 ? 1 : 0);
        total = t->pads[axis] + t->pads[2 + axis];
    }
    t->out[axis] = t->shape[axis] = full - total;
}

static void choose_transposed(struct transposed *t, struct twin_random *random)
{
    static const char *const auto_pads[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER"};
    *t = (struct transposed){.spatial = (unsigned)twin_random_between(random, 1, 2)};
    start(&t->f, random, "ConvTranspose", 11);
    t->group = twin_random_between(random, 1, 2);
    t->inputs = t->group * twin_random_between(random, 1, 2);
    t->per_group = twin_random_between(random, 1, 2);
    t->has_bias = twin_random_one_in(random, 2);
    t->exact = twin_random_one_in(random, 3);
    t->with_shape = twin_random_one_in(random, 3);
    const char *auto_pad = auto_pads[twin_random_between(random, 0, 2)];
    for (int axis = 0; axis < 2; axis++) {
        bool used = axis >= 2 - (int)t->spatial; /* one axis: columns alone */
        t->in[axis] = used ? twin_random_between(random, 1, 3) : 1;
        t->kernel[axis] = used ? twin_random_between(random, 1, 3) : 1;
        t->strides[axis] = used ? twin_random_between(random, 1, 3) : 1;
        t->dilations[axis] = used ? twin_random_between(random, 1, 2) : 1;
        t->extra[axis] = used ? twin_random_between(random, 0, t->strides[axis] - 1) : 0;
        t->out[axis] = 1;
        if (used)
            choose_padding(t, axis, auto_pad);
    }
    size_t first = 2 - t->spatial, spatial = t->spatial;
    static const char *const lists[] = {"strides", "dilations", "output_padding"};
    const int64_t *values[] = {t->strides, t->dilations, t->extra};
    for (int i = 0; i < 3; i++)
        twin_node_ints(&t->f.node, lists[i], values[i] + first, spatial);
    twin_node_int(&t->f.node, "group", t->group);
    if (t->with_shape) {
        twin_node_ints(&t->f.node, "output_shape", t->shape + first, spatial);
        if (strcmp(auto_pad, "NOTSET") != 0)
            twin_node_string(&t->f.node, "auto_pad", auto_pad);
    }
}

static void evaluate_transposed(struct transposed *t)
{
    int64_t pads[] = {t->pads[0], t->pads[1], t->pads[2], t->pads[3]};
    int64_t x_dims[] = {1, t->inputs, t->in[0], t->in[1]};
    int64_t w_dims[] = {t->inputs, t->per_group, t->kernel[0], t->kernel[1]};
    int64_t outputs = t->group * t->per_group;
    struct twin_random *random = t->f.random;
    for (int i = 0; i < 64; i++)
        t->x[i] = t->exact ? (float)twin_random_between(random, -99, 99) : random_float(random);
    for (int i = 0; i < 256; i++)
        t->w[i] = t->exact ? (float)twin_random_between(random, -99, 99) : random_float(random);
    for (int i = 0; i < 8; i++)
        t->bias[i] = t->exact ? (float)twin_random_between(random, -99, 99) : random_float(random);
    if (t->spatial == 1) {
        x_dims[2] = x_dims[3];
        w_dims[2] = w_dims[3];
        pads[0] = pads[1];
        pads[1] = pads[3];
    }
    if (!t->with_shape)
        twin_node_ints(&t->f.node, "pads", pads, 2 * (size_t)t->spatial);
    feed(&t->f, t->x, 2 + t->spatial, x_dims);
    feed(&t->f, t->w, 2 + t->spatial, w_dims);
    if (t->has_bias)
        feed(&t->f, t->bias, 1, &outputs);
    twin_node_answer(&t->f.node, &t->f.arena, &t->f.value);
    const struct qd_tensor *y = &t->f.value.want;
    assert_int_equal(y->rank, 2 + t->spatial);
    assert_true(y->dims[1] == outputs && y->dims[2] == t->out[2 - t->spatial]);
    assert_int_equal(y->count, outputs * t->out[0] * t->out[1]);
}

static void check_transposed(struct transposed *t, struct twin_probe *probe)
{
    int64_t area = t->out[0] * t->out[1];
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    for (int64_t i = 0; i < t->f.value.want.count; i++) {
        float x[MAX_PAIRS], w[MAX_PAIRS];
        const int64_t m = i / area, at[] = {i % area / t->out[1], i % t->out[1]};
        int64_t count = pairs_at(t, m, at, x, w);
        float bias = t->has_bias ? t->bias[m] : 0;
        mpq_set_d(t->f.answers.exact, (double)bias);
        for (int64_t k = 0; k < count; k++) {
            mpq_set_d(a, (double)x[k]);
            mpq_set_d(b, (double)w[k]);
            mpq_mul(a, a, b);
            mpq_add(t->f.answers.exact, t->f.answers.exact, a);
        }
        t->f.answers.count = 0;
        for (int repeat = 0; repeat < 4 && count > 0; repeat++)
            twin_answers_add(&t->f.answers, (double)twin_random_sum(t->f.random, x, w, count, bias),
                             "a float sum");
        twin_probe_float(probe, &t->f.value, i, &t->f.answers, t->exact || count == 0);
    }
    mpq_clears(a, b, NULL);
}

static void conv_transpose(void **state)
{
    (void)state;
    struct twin_random random = {270};
    struct twin_probe probe = {0}, exact = {0};
    for (int64_t i = 0; i < twin_rounds(1500); i++) {
        struct transposed t;
        choose_transposed(&t, &random);
        evaluate_transposed(&t);
        check_transposed(&t, t.exact ? &exact : &probe);
        finish(&t.f);
    }
    twin_probe_print("ConvTranspose", &probe);
    twin_probe_print("... of integers", &exact);
    assert_int_equal(exact.slack, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rounding),
        cmocka_unit_test(integers),
        cmocka_unit_test(casts_to_float8),
        cmocka_unit_test(casts),
        cmocka_unit_test(leaky_relu),
        cmocka_unit_test(hard_sigmoid),
        cmocka_unit_test(reciprocals_and_squares),
        cmocka_unit_test(means),
        cmocka_unit_test(batch_normalization),
        cmocka_unit_test(wrong_epsilons_fall_outside),
        cmocka_unit_test(conv_transpose),
    };
    return cmocka_run_group_tests_name("twin_float", tests, NULL, NULL);
}
