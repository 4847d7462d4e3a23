/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix products of com.microsoft against exact rationals and simulated kernels: QGemm,
 * MatMulIntegerToFloat, DynamicQuantizeMatMul, MatMulNBits. Random shapes and codes, scales solved
 * so that QGemm's answers fall next to rounding edges. Alone:
 * <build>/tests/reference/twin/vendor_matmul_test; QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

#define MAX_K 64
#define MAX_N 3

/* A [M, K] times B [K, N] of codes, or of floats and codes. */
struct product {
    struct qd_arena arena;
    struct twin_random *random;
    int64_t m, k, n;
    bool powers_of_two, transposed_a, transposed_b, per_column, has_zero_points, has_addend;
    struct qd_tensor a, b, addend;
    int64_t a_zero_point, b_zero_points[MAX_N], y_zero_point;
    float s_a, s_b[MAX_N], alpha, s_y;
    enum qd_dtype y_type; /* QD_F32: not quantized */
};

static int64_t between(struct product *p, int64_t min, int64_t max)
{
    return twin_random_between(p->random, min, max);
}

static float random_scale(struct product *p)
{
    return twin_float_of(twin_random_scale(p->random, -8, 2) &
                         (p->powers_of_two ? 0x7f800000 : 0x7fffffff));
}

static enum qd_dtype random_type(struct product *p)
{
    return twin_random_one_in(p->random, 2) ? QD_U8 : QD_S8;
}

static struct qd_tensor random_matrix(struct product *p, int64_t rows, int64_t columns, bool turned)
{
    const int64_t dims[] = {turned ? columns : rows, turned ? rows : columns};
    struct qd_tensor codes = twin_tensor(&p->arena, random_type(p), 2, dims);
    for (int64_t i = 0; i < codes.count; i++)
        twin_put(&codes, i, (uint64_t)twin_random_code(p->random, codes.dtype));
    return codes;
}

static void choose(struct product *p, struct twin_random *random, bool transposable)
{
    static const float alphas[] = {1, 1, 0.5F, 0.3F, 3};
    *p = (struct product){.random = random, .alpha = 1};
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    p->m = between(p, 1, 3);
    p->k = between(p, 1, 20);
    p->n = between(p, 1, MAX_N);
    p->powers_of_two = twin_random_one_in(random, 4);
    p->per_column = twin_random_one_in(random, 2);
    p->has_zero_points = twin_random_one_in(random, 2);
    p->has_addend = twin_random_one_in(random, 2);
    p->transposed_a = transposable && twin_random_one_in(random, 3);
    p->transposed_b = transposable && twin_random_one_in(random, 3);
    p->a = random_matrix(p, p->m, p->k, p->transposed_a);
    p->b = random_matrix(p, p->k, p->n, p->transposed_b);
    p->a_zero_point = twin_random_code(random, p->a.dtype);
    p->s_a = random_scale(p);
    for (int64_t j = 0; j < MAX_N; j++) {
        bool first = j == 0 || p->per_column;
        p->s_b[j] = first ? random_scale(p) : p->s_b[0];
        p->b_zero_points[j] = first ? twin_random_code(random, p->b.dtype) : p->b_zero_points[0];
    }
    if (transposable)
        p->alpha = p->powers_of_two ? 0.5F : alphas[between(p, 0, 4)];
}

static int64_t a_at(const struct product *p, int64_t row, int64_t k)
{
    return twin_integer_of(&p->a, p->transposed_a ? k * p->m + row : row * p->k + k) -
           p->a_zero_point;
}

static int64_t b_at(const struct product *p, int64_t k, int64_t column)
{
    return twin_integer_of(&p->b, p->transposed_b ? column * p->k + k : k * p->n + column) -
           p->b_zero_points[column];
}

static int64_t dot(const struct product *p, int64_t row, int64_t column)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < p->k; k++)
        sum += a_at(p, row, k) * b_at(p, k, column);
    return sum;
}

/* A scalar or one per column. */
static void add_columns(struct product *p, struct twin_node *node, bool scales)
{
    int64_t count = p->n;
    enum qd_dtype dtype = scales ? QD_F32 : p->b.dtype;
    struct qd_tensor tensor = p->per_column ? twin_tensor(&p->arena, dtype, 1, &count)
                                            : twin_tensor(&p->arena, dtype, 0, NULL);
    for (int64_t j = 0; j < tensor.count; j++)
        twin_put(&tensor, j, scales ? twin_bits_of(p->s_b[j]) : (uint64_t)p->b_zero_points[j]);
    twin_node_input(node, &tensor);
}

/* --- QGemm --- */

/* C of one of the shapes that broadcast to [M, N]. */
static void choose_c(struct product *p)
{
    const int64_t shapes[][2] = {{p->n, 0}, {1, p->n}, {p->m, 1}, {p->m, p->n}};
    int64_t shape = between(p, 0, 4);
    p->addend = shape == 4 ? twin_tensor(&p->arena, QD_S32, 0, NULL)
                           : twin_tensor(&p->arena, QD_S32, shape == 0 ? 1 : 2, shapes[shape]);
    for (int64_t i = 0; i < p->addend.count; i++)
        twin_put(&p->addend, i, (uint64_t)between(p, -100000, 100000));
}

static int64_t c_at(const struct product *p, int64_t row, int64_t column)
{
    const struct qd_tensor *c = &p->addend;
    if (!p->has_addend)
        return 0;
    int64_t rows = c->rank == 2 ? c->dims[0] : 1, columns = c->rank ? c->dims[c->rank - 1] : 1;
    return twin_integer_of(c, (rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column));
}

/* The output's scale puts one element on or next to an edge. */
static void solve(struct product *p)
{
    int64_t row = between(p, 0, p->m - 1), column = between(p, 0, p->n - 1);
    mpq_t s1, s2;
    mpq_inits(s1, s2, NULL);
    mpq_set_d(s1, (double)p->s_a * (double)p->s_b[column]);
    mpq_set_d(s2, (double)p->alpha);
    p->s_y = twin_float_of(
        twin_solve_divisor(p->random, dot(p, row, column) + c_at(p, row, column), s1, s2));
    mpq_clears(s1, s2, NULL);
}

static void qgemm(struct product *p, struct qd_value *value)
{
    struct twin_node node;
    struct twin_operand a = {p->a, p->s_a, p->a_zero_point};
    twin_node_init_vendor(&node, "QGemm");
    twin_node_float(&node, "alpha", p->alpha);
    twin_node_int(&node, "transA", p->transposed_a);
    twin_node_int(&node, "transB", p->transposed_b);
    twin_node_operand(&node, &p->arena, &a);
    twin_node_input(&node, &p->b);
    add_columns(p, &node, true);
    add_columns(p, &node, false);
    twin_node_input(&node, p->has_addend ? &p->addend : NULL);
    if (p->y_type != QD_F32)
        twin_node_output(&node, &p->arena, p->y_type, p->s_y, p->y_zero_point);
    twin_node_answer(&node, &p->arena, value);
}

/* What the elements of QGemms are compared with: kernels' answers and, where alpha is 1, whole
 * sets of codes. */
struct gemms {
    struct twin_probe coded, real, exact;
    struct twin_tally sets;
};

/* One element. Without alpha 1/s_y is no part of any order. */
static void check_qgemm(struct product *p, const struct qd_value *value, int64_t i,
                        struct twin_answers *answers, struct gemms *gemms)
{
    int64_t row = i / p->n, column = i % p->n;
    int64_t acc = dot(p, row, column) + c_at(p, row, column);
    const float factors[] = {p->s_a, p->s_b[column], p->alpha};
    bool plain = p->alpha == 1, tight = p->powers_of_two;
    answers->count = 0;
    twin_answers_product(answers, acc, factors, plain ? 2 : 3, p->s_y);
    if (p->y_type == QD_F32) {
        twin_probe_float(tight ? &gemms->exact : &gemms->real, value, i, answers, tight);
        return;
    }
    if (plain) {
        const struct twin_terms terms = {
            .a = acc, .s1 = (double)factors[0], .s2 = (double)factors[1], .sy = (double)p->s_y};
        twin_answers_orders(answers, TWIN_PRODUCT, &terms, p->random);
        twin_check_formula(TWIN_PRODUCT, &terms, p->y_zero_point, value, i, &gemms->sets);
    }
    twin_probe_code(tight ? &gemms->exact : &gemms->coded, value, i, answers, p->y_zero_point,
                    tight);
}

static void qgemms(void **state)
{
    (void)state;
    struct twin_random random = {200};
    struct gemms gemms = {0};
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < twin_rounds(3000); i++) {
        struct product p;
        struct qd_value value;
        choose(&p, &random, true);
        choose_c(&p);
        p.y_type = twin_random_one_in(&random, 4) ? QD_F32 : random_type(&p);
        p.y_zero_point = p.y_type == QD_F32 ? 0 : twin_random_code(&random, p.y_type);
        p.s_y = p.powers_of_two ? random_scale(&p) * 64 : 1;
        if (p.y_type != QD_F32 && !p.powers_of_two)
            solve(&p);
        if (p.y_type == QD_F32)
            p.s_y = 1;
        qgemm(&p, &value);
        assert_true(value.want.rank == 2 && value.want.count == p.m * p.n);
        for (int64_t j = 0; j < value.want.count; j++)
            check_qgemm(&p, &value, j, &answers, &gemms);
        qd_arena_clear(&p.arena);
    }
    twin_answers_clear(&answers);
    twin_probe_print("QGemm", &gemms.coded);
    twin_probe_print("QGemm to float", &gemms.real);
    twin_probe_print("... with power-of-two scales", &gemms.exact);
    twin_tally_print("... sets without alpha", &gemms.sets);
    assert_true(gemms.coded.not_canonical > 0 && gemms.coded.slack * 2 < gemms.coded.elements);
    assert_true(gemms.sets.narrowed > 0);
    assert_int_equal(gemms.exact.slack, 0);
}

/* --- MatMulIntegerToFloat, DynamicQuantizeMatMul --- */

/* One per column; with power-of-two scales small multiples of the product's, so that sums are
 * exact. */
static void choose_bias(struct product *p)
{
    p->addend = twin_tensor(&p->arena, QD_F32, 1, &p->n);
    for (int64_t j = 0; j < p->n; j++) {
        float value = twin_float_of(twin_random_scale(p->random, -8, 12));
        if (p->powers_of_two)
            value = (float)between(p, -1000, 1000) * p->s_a * p->s_b[j];
        twin_put(&p->addend, j, twin_bits_of(value));
    }
}

static float bias_at(const struct product *p, int64_t column)
{
    struct twin_number number;
    if (!p->has_addend)
        return 0;
    twin_number_init(&number);
    twin_element_of(&p->addend, column, &number);
    float value = (float)mpq_get_d(number.q);
    twin_number_clear(&number);
    return value;
}

/* acc·s_a·s_b + bias: the exact number; the integer sum scaled in any order, the bias added with or
 * without FMA. The products are integers by the operators' names: no sum of dequantized ones. */
static void real_answers(const struct product *p, int64_t row, int64_t column, float s_a,
                         struct twin_answers *answers)
{
    const float factors[] = {s_a, p->s_b[column]};
    float bias = bias_at(p, column);
    int64_t acc = dot(p, row, column);
    mpq_t addend;
    answers->count = 0;
    twin_answers_product(answers, acc, factors, 2, 1);
    for (unsigned i = 0; i < answers->count; i++)
        answers->real[i] = (double)((float)answers->real[i] + bias);
    twin_answers_add(answers, (double)fmaf((float)acc, factors[0] * factors[1], bias),
                     "one combined scale, FMA");
    mpq_init(addend);
    mpq_set_d(addend, (double)bias);
    mpq_add(answers->exact, answers->exact, addend);
    mpq_clear(addend);
}

static void matmul_integer_to_float(struct product *p, struct qd_value *value)
{
    struct twin_node node;
    struct qd_tensor s_a = twin_float_scalar(&p->arena, p->s_a);
    struct qd_tensor z_a = twin_scalar(&p->arena, p->a.dtype, (uint64_t)p->a_zero_point);
    twin_node_init_vendor(&node, "MatMulIntegerToFloat");
    twin_node_input(&node, &p->a);
    twin_node_input(&node, &p->b);
    twin_node_input(&node, &s_a);
    add_columns(p, &node, true);
    twin_node_input(&node, &z_a);
    add_columns(p, &node, false);
    twin_node_input(&node, p->has_addend ? &p->addend : NULL);
    twin_node_answer(&node, &p->arena, value);
}

static void matmuls_integer_to_float(void **state)
{
    (void)state;
    struct twin_random random = {201};
    struct twin_probe probe = {0}, exact = {0};
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < twin_rounds(3000); i++) {
        struct product p;
        struct qd_value value;
        choose(&p, &random, false);
        choose_bias(&p);
        matmul_integer_to_float(&p, &value);
        assert_true(value.want.rank == 2 && value.want.count == p.m * p.n);
        for (int64_t j = 0; j < value.want.count; j++) {
            real_answers(&p, j / p.n, j % p.n, p.s_a, &answers);
            twin_probe_float(p.powers_of_two ? &exact : &probe, &value, j, &answers,
                             p.powers_of_two);
        }
        qd_arena_clear(&p.arena);
    }
    twin_answers_clear(&answers);
    twin_probe_print("MatMulIntegerToFloat", &probe);
    twin_probe_print("... with power-of-two scales", &exact);
    assert_int_equal(exact.slack, 0);
}

/* A quantized as DynamicQuantizeLinear would by the twin: p->a, its scale and zero point. */
static void quantize_a(struct product *p, const struct qd_tensor *a)
{
    struct twin_result codes[3];
    twin_dynamic_quantize_linear(a, codes);
    p->a = twin_tensor(&p->arena, QD_U8, 2, a->dims);
    for (int64_t i = 0; i < a->count; i++)
        twin_put(&p->a, i, (uint64_t)mpq_get_d(codes[0].elements[i].want.q));
    p->s_a = (float)mpq_get_d(codes[1].elements->want.q);
    p->a_zero_point = (int64_t)mpq_get_d(codes[2].elements->want.q);
    for (int i = 0; i < 3; i++)
        twin_result_clear(&codes[i]);
}

static void dynamic_quantize_matmul(struct product *p, const struct qd_tensor *a,
                                    struct qd_value *value)
{
    struct twin_node node;
    twin_node_init_vendor(&node, "DynamicQuantizeMatMul");
    twin_node_input(&node, a);
    twin_node_input(&node, &p->b);
    add_columns(p, &node, true);
    if (p->has_zero_points)
        add_columns(p, &node, false);
    else
        twin_node_input(&node, NULL);
    twin_node_input(&node, p->has_addend ? &p->addend : NULL);
    twin_node_answer(&node, &p->arena, value);
}

/* With power-of-two scales 0 to 255 times one, 255 among them: that is A's scale. */
static void fill_a(struct product *p, const struct qd_tensor *a)
{
    float step = twin_float_of(twin_random_scale(p->random, -8, 0) & 0x7f800000);
    for (int64_t i = 0; i < a->count; i++) {
        float value = twin_float_of(twin_random_scale(p->random, -6, 3));
        if (p->powers_of_two)
            value = step * (float)(i == 0 ? 255 : between(p, 0, 255));
        else if (twin_random_one_in(p->random, 2))
            value = -value;
        twin_put(a, i, twin_bits_of(value));
    }
}

static void dynamic_quantize_matmuls(void **state)
{
    (void)state;
    struct twin_random random = {202};
    struct twin_probe probe = {0}, exact = {0};
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < twin_rounds(3000); i++) {
        struct product p;
        struct qd_value value;
        choose(&p, &random, false);
        const int64_t dims[] = {p.m, p.k};
        struct qd_tensor a = twin_tensor(&p.arena, QD_F32, 2, dims);
        fill_a(&p, &a);
        quantize_a(&p, &a);
        if (!p.has_zero_points)
            memset(p.b_zero_points, 0, sizeof p.b_zero_points);
        choose_bias(&p);
        dynamic_quantize_matmul(&p, &a, &value);
        for (int64_t j = 0; j < value.want.count; j++) {
            real_answers(&p, j / p.n, j % p.n, p.s_a, &answers);
            twin_probe_float(p.powers_of_two ? &exact : &probe, &value, j, &answers,
                             p.powers_of_two);
        }
        qd_arena_clear(&p.arena);
    }
    twin_answers_clear(&answers);
    twin_probe_print("DynamicQuantizeMatMul", &probe);
    twin_probe_print("... with power-of-two scales", &exact);
    assert_int_equal(exact.slack, 0);
}

/* --- MatMulNBits --- */

enum zero_points { ABSENT, PACKED, FLOATS };

struct blocks {
    struct qd_arena arena;
    enum qd_dtype real; /* of A, scales, unpacked zero points, bias and Y */
    struct twin_random *random;
    int64_t m, k, n, bits, size, count; /* `count` blocks a column */
    bool exact, has_bias;
    enum zero_points zero_points;
    float a[MAX_K], scale[MAX_N][4], zero[MAX_N][4], bias[MAX_N];
    int64_t code[MAX_N][MAX_K];
};

static float in_type(enum qd_dtype dtype, float value)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, (double)value);
    bool huge = twin_round(dtype, TWIN_NEAREST, q, q) == TWIN_HUGE;
    value = huge ? copysignf(INFINITY, value) : (float)mpq_get_d(q);
    mpq_clear(q);
    return value;
}

static void choose_blocks(struct blocks *b, struct twin_random *random)
{
    static const enum qd_dtype reals[] = {QD_F32, QD_F32, QD_F16, QD_BF16};
    static const int64_t widths[] = {2, 4, 8};
    *b = (struct blocks){.random = random};
    qd_arena_init(&b->arena, QD_ARENA_DEFAULT_BUDGET);
    b->real = reals[twin_random_between(random, 0, 3)];
    b->k = twin_random_between(random, 1, MAX_K);
    b->n = twin_random_between(random, 1, MAX_N);
    b->bits = widths[twin_random_between(random, 0, 2)];
    b->size = twin_random_one_in(random, 2) ? 16 : 32;
    b->count = (b->k + b->size - 1) / b->size;
    b->exact = twin_random_one_in(random, 4);
    b->has_bias = twin_random_one_in(random, 2);
    b->zero_points = (enum zero_points)twin_random_between(random, ABSENT, FLOATS);
    int64_t most = ((int64_t)1 << b->bits) - 1;
    for (int64_t k = 0; k < b->k; k++) {
        float value = twin_float_of(twin_random_scale(random, -6, 6));
        b->a[k] = b->exact                        ? (float)twin_random_between(random, -50, 50)
                  : twin_random_one_in(random, 2) ? value
                                                  : -value;
        b->a[k] = in_type(b->real, b->a[k]);
    }
    for (int64_t j = 0; j < b->n; j++) {
        b->bias[j] = in_type(b->real, (float)twin_random_between(random, -1000, 1000));
        for (int64_t k = 0; k < MAX_K; k++)
            b->code[j][k] = twin_random_between(random, 0, most);
        for (int64_t block = 0; block < b->count; block++) {
            float scale = twin_float_of(twin_random_scale(random, b->exact ? 0 : -8, 2) &
                                        (b->exact ? 0x7f800000 : 0x7fffffff));
            b->scale[j][block] = in_type(b->real, scale);
            int64_t z = twin_random_between(random, 0, most);
            b->zero[j][block] = b->zero_points == ABSENT ? (float)(1 << (b->bits - 1)) : (float)z;
        }
    }
}

/* The numbers, which the type holds, as a tensor. */
static struct qd_tensor reals_of(struct blocks *b, const float *numbers, unsigned rank,
                                 const int64_t *dims)
{
    struct qd_tensor tensor = twin_tensor(&b->arena, b->real, rank, dims);
    mpq_t q;
    mpq_init(q);
    for (int64_t i = 0; i < tensor.count; i++) {
        mpq_set_d(q, (double)numbers[i]);
        twin_put(&tensor, i, twin_encode(b->real, q));
    }
    mpq_clear(q);
    return tensor;
}

static void put_bits(const struct qd_tensor *bytes, int64_t first, int64_t bit, int64_t code)
{
    unsigned char *data = (unsigned char *)bytes->data + first + bit / 8;
    *data = (unsigned char)(*data | (unsigned)code << (bit % 8));
}

static struct qd_tensor packed_weights(struct blocks *b)
{
    const int64_t dims[] = {b->n, b->count, b->size * b->bits / 8};
    struct qd_tensor w = twin_tensor(&b->arena, QD_U8, 3, dims);
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t k = 0; k < b->k; k++)
            put_bits(&w, (j * b->count + k / b->size) * dims[2], k % b->size * b->bits,
                     b->code[j][k]);
    return w;
}

/* Zero points packed as the weights are, each row from a whole byte. */
static struct qd_tensor packed_zero_points(struct blocks *b)
{
    const int64_t dims[] = {b->n, (b->count * b->bits + 7) / 8};
    struct qd_tensor tensor = twin_tensor(&b->arena, QD_U8, 2, dims);
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t block = 0; block < b->count; block++)
            put_bits(&tensor, j * dims[1], block * b->bits, (int64_t)b->zero[j][block]);
    return tensor;
}

/* [N, k_blocks] */
static struct qd_tensor per_block(struct blocks *b, float numbers[][4])
{
    const int64_t dims[] = {b->n, b->count};
    float flat[MAX_N * 4];
    for (int64_t i = 0; i < b->n * b->count; i++)
        flat[i] = numbers[i / b->count][i % b->count];
    return reals_of(b, flat, 2, dims);
}

static void matmul_nbits(struct blocks *b, struct qd_value *value)
{
    struct twin_node node;
    const int64_t a_dims[] = {1, b->k};
    struct qd_tensor a = reals_of(b, b->a, 2, a_dims), bias = reals_of(b, b->bias, 1, &b->n);
    struct qd_tensor w = packed_weights(b), scales = per_block(b, b->scale);
    struct qd_tensor zeros =
        b->zero_points == PACKED ? packed_zero_points(b) : per_block(b, b->zero);
    twin_node_init_vendor(&node, "MatMulNBits");
    twin_node_int(&node, "K", b->k);
    twin_node_int(&node, "N", b->n);
    twin_node_int(&node, "bits", b->bits);
    twin_node_int(&node, "block_size", b->size);
    twin_node_input(&node, &a);
    twin_node_input(&node, &w);
    twin_node_input(&node, &scales);
    twin_node_input(&node, b->zero_points == ABSENT ? NULL : &zeros);
    twin_node_input(&node, NULL);
    twin_node_input(&node, b->has_bias ? &bias : NULL);
    twin_node_answer(&node, &b->arena, value);
}

static void block_answers(const struct blocks *b, int64_t j, struct twin_answers *answers)
{
    float w[MAX_K], plain[MAX_K], bias = b->has_bias ? b->bias[j] : 0, sums[4] = {0};
    mpq_t term, factor;
    mpq_inits(term, factor, NULL);
    mpq_set_d(answers->exact, (double)bias);
    for (int64_t k = 0; k < b->k; k++) {
        int64_t block = k / b->size;
        plain[k] = (float)b->code[j][k] - b->zero[j][block];
        w[k] = plain[k] * b->scale[j][block];
        mpq_set_d(term, (double)b->a[k]);
        mpq_set_d(factor, (double)plain[k] * (double)b->scale[j][block]);
        mpq_mul(term, term, factor);
        mpq_add(answers->exact, answers->exact, term);
    }
    mpq_clears(term, factor, NULL);
    answers->count = 0;
    for (int repeat = 0; repeat < 4; repeat++)
        twin_answers_add(answers, (double)twin_random_sum(b->random, b->a, w, b->k, bias),
                         "dequantized weights, a float sum");
    for (int64_t block = 0; block < b->count; block++) {
        int64_t first = block * b->size, rest = b->k - first < b->size ? b->k - first : b->size;
        sums[block] = twin_random_sum(b->random, b->a + first, plain + first, rest, 0);
    }
    twin_answers_add(answers, (double)twin_random_sum(b->random, sums, b->scale[j], b->count, bias),
                     "a float sum for each block, times its scale");
    for (int64_t k = 0; k < b->k; k++)
        w[k] = in_type(b->real, w[k]);
    twin_answers_add(answers, (double)twin_random_sum(b->random, b->a, w, b->k, bias),
                     "weights rounded to the type, a float sum");
    for (unsigned i = 0; i < answers->count; i++)
        answers->real[i] = (double)in_type(b->real, (float)answers->real[i]);
}

static void matmuls_nbits(void **state)
{
    (void)state;
    struct twin_random random = {203};
    struct twin_probe probe = {0}, exact = {0};
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < twin_rounds(3000); i++) {
        struct blocks b;
        struct qd_value value;
        choose_blocks(&b, &random);
        matmul_nbits(&b, &value);
        assert_true(value.want.rank == 2 && value.want.count == b.n);
        for (int64_t j = 0; j < b.n; j++) {
            block_answers(&b, j, &answers);
            twin_probe_float(b.exact ? &exact : &probe, &value, j, &answers, b.exact);
        }
        qd_arena_clear(&b.arena);
    }
    twin_answers_clear(&answers);
    twin_probe_print("MatMulNBits", &probe);
    twin_probe_print("... of integers, with power-of-two scales", &exact);
    assert_int_equal(exact.slack, 0);
}

/* The comparison can fail: nibbles taken in the other order, and the first block's scale for all,
 * must fall outside. */
static void wrong_kernels_fall_outside(void **state)
{
    (void)state;
    struct twin_random random = {204};
    struct twin_answers answers;
    int outside[2] = {0};
    twin_answers_init(&answers);
    for (int i = 0; i < 500; i++) {
        struct blocks b;
        struct qd_value value;
        choose_blocks(&b, &random);
        matmul_nbits(&b, &value);
        for (int wrong = 0; wrong < 2; wrong++) {
            struct blocks other = b;
            for (int64_t k = 0; k + 1 < MAX_K && wrong == 0; k += 2) {
                other.code[0][k] = b.code[0][k + 1];
                other.code[0][k + 1] = b.code[0][k];
            }
            if (wrong == 1)
                other.scale[0][1] = other.scale[0][2] = other.scale[0][3] = b.scale[0][0];
            block_answers(&other, 0, &answers);
            struct qd_observation seen = qd_value_observe(&value, 0);
            double answer = mpq_get_d(answers.exact), least = nextafter(seen.lo, -(double)INFINITY);
            outside[wrong] += answer < least || answer > nextafter(seen.hi, (double)INFINITY);
        }
        qd_arena_clear(&b.arena);
    }
    twin_answers_clear(&answers);
    print_message("# nibbles the other way: %d, first block's scale: %d of 500 outside\n",
                  outside[0], outside[1]);
    assert_true(outside[0] > 100 && outside[1] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qgemms),
        cmocka_unit_test(matmuls_integer_to_float),
        cmocka_unit_test(dynamic_quantize_matmuls),
        cmocka_unit_test(matmuls_nbits),
        cmocka_unit_test(wrong_kernels_fall_outside),
    };
    return cmocka_run_group_tests_name("twin_vendor_matmul", tests, NULL, NULL);
}
