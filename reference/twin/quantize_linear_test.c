/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's QuantizeLinear against the twin's: every opset, every pair of types, per tensor,
 * per axis and blocked; all float16 and bfloat16 inputs; inputs solved to lie on or next to a
 * rounding edge; any bit pattern. Alone: <build>/tests/reference/twin/quantize_linear_test;
 * QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "twin/twin.h"

static const enum qd_dtype integer_types[] = {QD_U8, QD_S8, QD_U16, QD_S16,
                                              QD_U4, QD_S4, QD_U2,  QD_S2};
static const enum qd_dtype small_floats[] = {QD_F8E4M3FN, QD_F8E4M3FNUZ, QD_F8E5M2, QD_F8E5M2FNUZ,
                                             QD_F4E2M1};
static const int64_t opsets[] = {10, 13, 19, 21, 23, 24, 25};

#define COUNT(array) (int64_t)(sizeof(array) / sizeof(array)[0])
#define PICK(random, array) (array)[twin_random_between(random, 0, COUNT(array) - 1)]

/* The first opset whose QuantizeLinear gives the type. */
static int64_t first_opset(enum qd_dtype y)
{
    switch (y) {
    case QD_U8:
    case QD_S8: return 10;
    case QD_U16:
    case QD_S16:
    case QD_U4:
    case QD_S4: return 21;
    case QD_F4E2M1: return 23;
    case QD_U2:
    case QD_S2: return 25;
    default: return 19;
    }
}

static bool is_integer(enum qd_dtype dtype)
{
    for (int64_t i = 0; i < COUNT(integer_types); i++)
        if (integer_types[i] == dtype)
            return true;
    return false;
}

static void check(struct twin_node *node, bool initializers, struct twin_tally *tally)
{
    struct twin_result want;
    node->node.attrs = node->attrs;
    twin_quantize_linear(&node->node, node->in, &want);
    twin_check(node, initializers, &want, tally);
    twin_result_clear(&want);
}

/* --- Every 16-bit input --- */

/* All 65536 codes of f16 or bf16, one scale. */
static void sweep(enum qd_dtype x_type, uint64_t scale_bits, enum qd_dtype y, int64_t zero_point,
                  int64_t opset, int64_t saturate, struct twin_tally *tally)
{
    const int64_t stride = twin_stride(), all = 65536 / stride;
    struct qd_arena arena;
    struct twin_node node;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_tensor x = twin_tensor(&arena, x_type, 1, &all);
    struct qd_tensor scale = twin_scalar(&arena, x_type, scale_bits);
    struct qd_tensor zero = twin_scalar(&arena, y, (uint64_t)zero_point);
    for (int64_t i = 0; i < all; i++)
        twin_put(&x, i, (uint64_t)(i * stride + i % stride)); /* every last bit occurs */
    twin_node_init(&node, "QuantizeLinear", opset, 1);
    twin_node_input(&node, &x);
    twin_node_input(&node, &scale);
    twin_node_input(&node, &zero);
    if (!is_integer(y))
        twin_node_int(&node, "saturate", saturate);
    check(&node, true, tally);
    qd_arena_clear(&arena);
}

static void every_half_to_every_integer(void **state)
{
    (void)state;
    struct twin_tally tally = {0};
    struct twin_random random = {31};
    for (int64_t i = 0; i < COUNT(integer_types); i++) {
        enum qd_dtype y = integer_types[i];
        int64_t opset = first_opset(y) < 19 ? 19 : first_opset(y);
        sweep(QD_F16, 0x3800, y, 1, opset, 1, &tally); /* ½: ties everywhere, an odd zero point */
        for (int64_t trial = 0; trial < twin_factor(); trial++) {
            uint64_t f16 =
                (uint64_t)twin_random_between(&random, 0x1400, 0x5400); /* 2^−10 to 2^6 */
            uint64_t bf16 = (uint64_t)twin_random_between(&random, 0x3a80, 0x4280);
            sweep(QD_F16, f16, y, twin_random_code(&random, y), opset, 1, &tally);
            sweep(QD_BF16, bf16, y, twin_random_code(&random, y), opset, 1, &tally);
        }
    }
    twin_tally_print("all f16 and bf16 inputs to integers", &tally);
    assert_true(tally.slack > 0 && tally.unspecified > 0);
}

static void every_half_to_every_small_float(void **state)
{
    (void)state;
    struct twin_tally tally = {0};
    struct twin_random random = {32};
    for (int64_t i = 0; i < COUNT(small_floats); i++) {
        for (int64_t trial = 0; trial < 4 * twin_factor(); trial++) {
            int64_t opset = trial % 2 == 0 ? 24 : first_opset(small_floats[i]);
            uint64_t f16 =
                trial < 2 ? 0x3c00 : (uint64_t)twin_random_between(&random, 0x2c00, 0x4c00);
            sweep(QD_F16, f16, small_floats[i], 0, opset, trial / 2 % 2, &tally);
        }
        sweep(QD_BF16, 0x3f80, small_floats[i], 0, 24, 1, &tally);
    }
    twin_tally_print("all f16 and bf16 inputs to small floats", &tally);
}

/* --- Random nodes --- */

struct problem {
    struct qd_arena arena;
    struct twin_node node;
    int64_t opset;
    enum qd_dtype x_type, scale_type, y;
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
    enum { PER_TENSOR, PER_AXIS, BLOCKED } granularity;
    int64_t axis, block;
    bool wild; /* any bits at all, instead of solved inputs */
    struct qd_tensor x, scale, zero_point;
    bool has_zero_point, explicit_output;
    enum qd_dtype precision; /* NONE: no such attribute */
};

static void choose_types(struct problem *p, struct twin_random *random)
{
    static const enum qd_dtype floats[] = {QD_F32, QD_F16, QD_BF16};
    static const enum qd_dtype inputs[] = {QD_F32, QD_F16, QD_BF16, QD_S32};
    p->opset = PICK(random, opsets);
    do
        p->y = twin_random_one_in(random, 3) ? PICK(random, small_floats)
                                             : PICK(random, integer_types);
    while (first_opset(p->y) > p->opset);
    p->x_type = p->scale_type = QD_F32;
    if (p->opset < 19) {
        p->x_type = twin_random_one_in(random, 4) ? QD_S32 : QD_F32;
    } else if (p->opset < 23) {
        p->x_type = p->scale_type = PICK(random, floats);
    } else {
        p->x_type = PICK(random, inputs);
        p->scale_type = PICK(random, floats);
        if (twin_random_one_in(random, 3))
            p->precision = PICK(random, floats);
        if (p->opset >= 24 && p->precision != QD_DTYPE_NONE && twin_random_one_in(random, 2))
            p->scale_type = QD_F8E8M0;
    }
}

static void choose_shape(struct problem *p, struct twin_random *random)
{
    p->rank = (unsigned)twin_random_between(random, 0, 4);
    for (unsigned axis = 0; axis < p->rank; axis++)
        p->dims[axis] = twin_random_between(random, 1, 5);
    p->axis = p->rank ? twin_random_between(random, 0, p->rank - 1) : 0;
    p->block = twin_random_between(random, 1, 5);
    p->granularity = PER_TENSOR;
    if (p->opset >= 13 && p->rank >= 2 && twin_random_one_in(random, 2))
        p->granularity = p->opset >= 21 && twin_random_one_in(random, 2) ? BLOCKED : PER_AXIS;
}

/* scale and zero point tensors of the granularity's shape. */
static void shape_parameters(struct problem *p)
{
    int64_t dims[QD_MAX_RANK];
    unsigned rank = p->granularity == PER_TENSOR ? 0 : p->granularity == PER_AXIS ? 1 : p->rank;
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = p->dims[axis];
    if (p->granularity == PER_AXIS)
        dims[0] = p->dims[p->axis];
    if (p->granularity == BLOCKED)
        dims[p->axis] = (p->dims[p->axis] + p->block - 1) / p->block;
    p->scale = twin_tensor(&p->arena, p->scale_type, rank, dims);
    p->zero_point = twin_tensor(&p->arena, p->y, rank, dims);
}

static uint64_t ordinary_scale(enum qd_dtype dtype, struct twin_random *random)
{
    switch (dtype) {
    case QD_F32: return twin_random_scale(random, -12, 6);
    case QD_F16: return (uint64_t)twin_random_between(random, 0x1000, 0x5400);
    case QD_BF16: return (uint64_t)twin_random_between(random, 0x3980, 0x4280);
    default: return (uint64_t)twin_random_between(random, 115, 133);
    }
}

static void choose_parameters(struct problem *p, struct twin_random *random)
{
    shape_parameters(p);
    for (int64_t i = 0; i < p->scale.count; i++) {
        twin_put(&p->scale, i,
                 p->wild ? twin_random_bits(random) : ordinary_scale(p->scale_type, random));
        if (is_integer(p->y))
            twin_put(&p->zero_point, i, (uint64_t)twin_random_code(random, p->y));
    }
    p->has_zero_point = (p->opset < 21 && p->y != QD_U8) || !twin_random_one_in(random, 3);
    p->explicit_output = p->opset >= 21 && (!p->has_zero_point || twin_random_one_in(random, 3));
    if (p->opset < 21 && !p->has_zero_point)
        p->y = QD_U8;
}

/* k + ½ about the type's range; for small floats the middle of two neighbours. */
static void random_edge(const struct problem *p, struct twin_random *random, mpq_t edge)
{
    if (is_integer(p->y)) {
        int64_t room = twin_code_max(p->y) - twin_code_min(p->y) + 2;
        mpq_set_si(edge, 2 * twin_random_between(random, -room, room) + 1, 2);
        mpq_canonicalize(edge);
        return;
    }
    struct twin_number low, high;
    twin_number_init(&low);
    twin_number_init(&high);
    uint64_t code = (uint64_t)twin_random_between(random, 0, p->y == QD_F4E2M1 ? 6 : 0x7a);
    twin_decode(p->y, code, &low);
    twin_decode(p->y, code + 1, &high);
    mpq_add(edge, low.q, high.q);
    mpq_div_2exp(edge, edge, 1);
    if (twin_random_one_in(random, 2))
        mpq_neg(edge, edge);
    twin_number_clear(&low);
    twin_number_clear(&high);
}

/* x ≈ edge·s, exactly where the type allows or within two steps. */
static uint64_t solved_input(const struct problem *p, struct twin_random *random)
{
    struct twin_number s;
    mpq_t x;
    twin_number_init(&s);
    mpq_init(x);
    twin_element_of(&p->scale, twin_random_between(random, 0, p->scale.count - 1), &s);
    random_edge(p, random, x);
    mpq_mul(x, x, s.q);
    uint64_t bits;
    if (p->x_type == QD_S32) {
        bits = (uint64_t)twin_code(QD_S32, x, 0);
    } else {
        mpq_t unused;
        mpq_init(unused);
        bool huge = twin_round(p->x_type, TWIN_NEAREST, unused, x) == TWIN_HUGE;
        mpq_clear(unused);
        bits = huge ? 0 : twin_encode(p->x_type, x);
        if (bits > 2 && twin_random_one_in(random, 2))
            bits += (uint64_t)twin_random_between(random, -2, 2);
    }
    mpq_clear(x);
    twin_number_clear(&s);
    return bits;
}

static void choose_inputs(struct problem *p, struct twin_random *random)
{
    p->x = twin_tensor(&p->arena, p->x_type, p->rank, p->dims);
    for (int64_t i = 0; i < p->x.count; i++)
        twin_put(&p->x, i, p->wild ? twin_random_bits(random) : solved_input(p, random));
}

static void problem_make(struct problem *p, struct twin_random *random, bool wild)
{
    *p = (struct problem){.wild = wild};
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    choose_types(p, random);
    choose_shape(p, random);
    choose_parameters(p, random);
    choose_inputs(p, random);
    twin_node_init(&p->node, "QuantizeLinear", p->opset, 1);
    twin_node_input(&p->node, &p->x);
    twin_node_input(&p->node, &p->scale);
    if (p->has_zero_point)
        twin_node_input(&p->node, &p->zero_point);
    else if (twin_random_one_in(random, 2))
        twin_node_input(&p->node, NULL);
    if (p->granularity != PER_TENSOR && (p->axis != 1 || twin_random_one_in(random, 2)))
        twin_node_int(&p->node, "axis",
                      twin_random_one_in(random, 2) ? p->axis : p->axis - p->rank);
    if (p->granularity == BLOCKED)
        twin_node_int(&p->node, "block_size", p->block);
    if (p->explicit_output)
        twin_node_int(&p->node, "output_dtype", qd_dtype_info(p->y)->onnx);
    if (p->precision != QD_DTYPE_NONE)
        twin_node_int(&p->node, "precision", qd_dtype_info(p->precision)->onnx);
    if (p->opset >= 19 && twin_random_one_in(random, 2))
        twin_node_int(&p->node, "saturate", twin_random_between(random, 0, 1));
}

static void random_nodes(bool wild, uint64_t seed, const char *name)
{
    struct twin_random random = {seed};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(8000); i++) {
        struct problem p;
        problem_make(&p, &random, wild);
        check(&p.node, i % 2 == 0, &tally);
        qd_arena_clear(&p.arena);
    }
    twin_tally_print(name, &tally);
    assert_true(tally.slack > 0 || wild);
}

static void near_ties(void **state)
{
    (void)state;
    random_nodes(false, 33, "near ties, all opsets and types");
}

static void wild_bits(void **state)
{
    (void)state;
    random_nodes(true, 34, "wild inputs and scales");
}

/* Ties of float32 under power-of-two scales have one admissible code. */
static void exact_ties(void **state)
{
    (void)state;
    static const int64_t count = 1024;
    struct twin_tally tally = {0};
    for (int exponent = -20; exponent <= 20; exponent += 5) {
        for (int64_t zero_point = 0; zero_point < 256; zero_point += 51) {
            struct qd_arena arena;
            struct twin_node node;
            mpq_t tie;
            mpq_init(tie);
            qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
            struct qd_tensor x = twin_tensor(&arena, QD_F32, 1, &count);
            struct qd_tensor scale = twin_scalar(&arena, QD_F32, (uint64_t)(exponent + 127) << 23);
            struct qd_tensor zero = twin_scalar(&arena, QD_U8, (uint64_t)zero_point);
            for (int64_t i = 0; i < count; i++) {
                mpq_set_si(tie, 2 * (i - 512) + 1, 2);
                if (exponent > 0)
                    mpq_mul_2exp(tie, tie, (mp_bitcnt_t)exponent);
                else
                    mpq_div_2exp(tie, tie, (mp_bitcnt_t)-exponent);
                twin_put(&x, i, twin_encode(QD_F32, tie));
            }
            twin_node_init(&node, "QuantizeLinear", 13, 1);
            twin_node_input(&node, &x);
            twin_node_input(&node, &scale);
            twin_node_input(&node, &zero);
            check(&node, false, &tally);
            mpq_clear(tie);
            qd_arena_clear(&arena);
        }
    }
    twin_tally_print("exact ties, power-of-two scales", &tally);
    assert_int_equal(tally.slack, 0);
    assert_int_equal(tally.unspecified, 0);
}

/* The comparison can fail: known wrong semantics must be noticed. */
static void wrong_semantics_are_caught(void **state)
{
    (void)state;
    static const char *const wrong[] = {"zero-point-order=before-exact",
                                        "zero-point-order=before-f32",
                                        "rounding=half-away",
                                        "rounding=truncate",
                                        "division=reciprocal",
                                        "range=wrap",
                                        "range=symmetric",
                                        "zero-points=ignored"};
    for (int64_t w = 0; w < COUNT(wrong); w++) {
        struct twin_random random = {33};
        struct twin_tally tally = {0};
        struct qd_semantics semantics;
        struct qd_error error = {0};
        assert_int_equal(qd_semantics_parse(wrong[w], true, &semantics, &error), QD_OK);
        for (int64_t i = 0; i < 1000; i++) {
            struct problem p;
            struct qd_value have;
            struct twin_result want;
            char text[400];
            problem_make(&p, &random, false);
            p.node.node.attrs = p.node.attrs;
            twin_quantize_linear(&p.node.node, p.node.in, &want);
            if (twin_node_evaluate(&p.node, false, &semantics, &p.arena, &have, &error) != QD_OK)
                fail_msg("%s", error.text);
            twin_compare(&want, &have, &tally, text, sizeof text);
            twin_result_clear(&want);
            qd_arena_clear(&p.arena);
        }
        print_message("# %s: %" PRId64 " of %" PRId64 " differ\n", wrong[w], tally.failures,
                      tally.elements);
        assert_true(tally.failures > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_to_every_integer),
        cmocka_unit_test(every_half_to_every_small_float),
        cmocka_unit_test(near_ties),
        cmocka_unit_test(wild_bits),
        cmocka_unit_test(exact_ties),
        cmocka_unit_test(wrong_semantics_are_caught),
    };
    return cmocka_run_group_tests_name("twin_quantize_linear", tests, NULL, NULL);
}
