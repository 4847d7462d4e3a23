/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's DequantizeLinear against the twin's: every code of every type up to 16 bits,
 * every opset and output type, per tensor, per axis and blocked, int32, any bit pattern as a scale.
 * Alone: <build>/tests/reference/twin/dequantize_linear_test; QDIFF_TWIN_FACTOR=n runs n times as
 * much. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "twin/twin.h"

static const enum qd_dtype code_types[] = {QD_U8, QD_S8, QD_U16, QD_S16, QD_U4,
                                           QD_S4, QD_U2, QD_S2,  QD_S32};
static const enum qd_dtype small_floats[] = {QD_F8E4M3FN, QD_F8E4M3FNUZ, QD_F8E5M2, QD_F8E5M2FNUZ,
                                             QD_F4E2M1};
static const enum qd_dtype floats[] = {QD_F32, QD_F16, QD_BF16};
static const int64_t opsets[] = {10, 13, 19, 21, 23, 24, 25};

#define COUNT(array) (int64_t)(sizeof(array) / sizeof(array)[0])
#define PICK(random, array) (array)[twin_random_between(random, 0, COUNT(array) - 1)]

static bool is_integer(enum qd_dtype dtype)
{
    for (int64_t i = 0; i < COUNT(code_types); i++)
        if (code_types[i] == dtype)
            return true;
    return false;
}

/* The first opset whose DequantizeLinear takes the type. */
static int64_t first_opset(enum qd_dtype x)
{
    switch (x) {
    case QD_U8:
    case QD_S8:
    case QD_S32: return 10;
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

static void check(struct twin_node *node, bool initializers, struct twin_tally *tally)
{
    struct twin_result want;
    node->node.attrs = node->attrs;
    twin_dequantize_linear(&node->node, node->in, &want);
    twin_check(node, initializers, &want, tally);
    twin_result_clear(&want);
}

/* Bits of an ordinary positive scale. */
static uint64_t ordinary_scale(enum qd_dtype dtype, struct twin_random *random)
{
    switch (dtype) {
    case QD_F32: return twin_random_scale(random, -12, 6);
    case QD_F16: return (uint64_t)twin_random_between(random, 0x1000, 0x5400);
    case QD_BF16: return (uint64_t)twin_random_between(random, 0x3980, 0x4280);
    default: return (uint64_t)twin_random_between(random, 115, 133);
    }
}

/* --- Every code --- */

static void sweep(enum qd_dtype x_type, enum qd_dtype scale_type, uint64_t scale_bits,
                  int64_t zero_point, enum qd_dtype output, struct twin_tally *tally)
{
    struct qd_arena arena;
    struct twin_node node;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    bool wide = x_type == QD_U16 || x_type == QD_S16;
    int64_t stride = wide ? twin_stride() : 1; /* small types: all codes several times over */
    int64_t count = (wide ? 65536 : 256) / stride;
    struct qd_tensor x = twin_tensor(&arena, x_type, 1, &count);
    struct qd_tensor scale = twin_scalar(&arena, scale_type, scale_bits);
    struct qd_tensor zero = twin_scalar(&arena, x_type, (uint64_t)zero_point);
    for (int64_t i = 0; i < count; i++)
        twin_put(&x, i, (uint64_t)(i * stride + i % stride));
    twin_node_init(&node, "DequantizeLinear", 25, 1);
    twin_node_input(&node, &x);
    twin_node_input(&node, &scale);
    twin_node_input(&node, &zero);
    twin_node_int(&node, "output_dtype", qd_dtype_info(output)->onnx);
    check(&node, true, tally);
    qd_arena_clear(&arena);
}

/* All 8-bit and smaller codes × zero points at both ends, next to them and in the middle × scales ×
 * outputs. */
static void every_small_code(void **state)
{
    (void)state;
    struct twin_random random = {41};
    struct twin_tally tally = {0};
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_U4, QD_S4, QD_U2, QD_S2};
    static const enum qd_dtype scales[] = {QD_F32, QD_F16, QD_BF16, QD_F8E8M0};
    for (int64_t t = 0; t < COUNT(types); t++) {
        int64_t min = twin_code_min(types[t]), max = twin_code_max(types[t]);
        const int64_t zero_points[] = {min,     min + 1, (min + max) / 2, (min + max + 1) / 2,
                                       max - 1, max};
        for (int64_t z = 0; z < COUNT(zero_points); z++)
            for (int64_t s = 0; s < COUNT(scales); s++)
                for (int64_t o = 0; o < COUNT(floats); o++)
                    for (int64_t trial = 0; trial < twin_rounds(3); trial++)
                        sweep(types[t], scales[s], ordinary_scale(scales[s], &random),
                              zero_points[z], floats[o], &tally);
    }
    twin_tally_print("all codes up to 8 bits", &tally);
}

static void every_small_float(void **state)
{
    (void)state;
    struct twin_random random = {42};
    struct twin_tally tally = {0};
    for (int64_t t = 0; t < COUNT(small_floats); t++)
        for (int64_t s = 0; s < COUNT(floats); s++)
            for (int64_t o = 0; o < COUNT(floats); o++)
                for (int64_t trial = 0; trial < twin_rounds(10); trial++)
                    sweep(small_floats[t], floats[s], ordinary_scale(floats[s], &random), 0,
                          floats[o], &tally);
    twin_tally_print("all float8 and float4 codes", &tally);
}

static void every_16_bit_code(void **state)
{
    (void)state;
    struct twin_random random = {43};
    struct twin_tally tally = {0};
    for (int64_t o = 0; o < COUNT(floats); o++) {
        for (int64_t trial = 0; trial < twin_rounds(2); trial++) {
            enum qd_dtype x = trial % 2 ? QD_S16 : QD_U16;
            sweep(x, floats[o], ordinary_scale(floats[o], &random), twin_random_code(&random, x),
                  floats[o], &tally);
        }
    }
    twin_tally_print("all 16-bit codes", &tally);
    assert_true(tally.slack > 0);
}

/* --- Random nodes --- */

struct problem {
    struct qd_arena arena;
    struct twin_node node;
    int64_t opset;
    enum qd_dtype x_type, scale_type, output; /* output NONE: no such attribute */
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
    enum { PER_TENSOR, PER_AXIS, BLOCKED } granularity;
    int64_t axis, block;
};

static void choose_types(struct problem *p, struct twin_random *random)
{
    p->opset = PICK(random, opsets);
    do
        p->x_type =
            twin_random_one_in(random, 3) ? PICK(random, small_floats) : PICK(random, code_types);
    while (first_opset(p->x_type) > p->opset);
    p->scale_type = p->opset < 19 ? QD_F32 : PICK(random, floats);
    p->output = QD_DTYPE_NONE;
    if (p->opset >= 23 && twin_random_one_in(random, 2))
        p->output = PICK(random, floats);
    if (p->opset >= 24 && p->output != QD_DTYPE_NONE && twin_random_one_in(random, 3))
        p->scale_type = QD_F8E8M0;
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

static unsigned parameter_dims(const struct problem *p, int64_t *dims)
{
    for (unsigned axis = 0; axis < p->rank; axis++)
        dims[axis] = p->dims[axis];
    if (p->granularity == PER_AXIS)
        dims[0] = p->dims[p->axis];
    if (p->granularity == BLOCKED)
        dims[p->axis] = (p->dims[p->axis] + p->block - 1) / p->block;
    return p->granularity == PER_TENSOR ? 0 : p->granularity == PER_AXIS ? 1 : p->rank;
}

static struct qd_tensor random_codes(struct problem *p, struct twin_random *random, unsigned rank,
                                     const int64_t *dims)
{
    struct qd_tensor tensor = twin_tensor(&p->arena, p->x_type, rank, dims);
    for (int64_t i = 0; i < tensor.count; i++)
        twin_put(&tensor, i,
                 is_integer(p->x_type) ? (uint64_t)twin_random_code(random, p->x_type)
                                       : twin_random_bits(random));
    return tensor;
}

static void problem_make(struct problem *p, struct twin_random *random, bool wild)
{
    int64_t dims[QD_MAX_RANK];
    *p = (struct problem){0};
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    choose_types(p, random);
    choose_shape(p, random);
    unsigned rank = parameter_dims(p, dims);
    struct qd_tensor x = random_codes(p, random, p->rank, p->dims);
    struct qd_tensor scale = twin_tensor(&p->arena, p->scale_type, rank, dims);
    struct qd_tensor zero = twin_tensor(&p->arena, p->x_type, rank, dims);
    for (int64_t i = 0; i < scale.count; i++)
        twin_put(&scale, i,
                 wild ? twin_random_bits(random) : ordinary_scale(p->scale_type, random));
    if (is_integer(p->x_type) &&
        p->x_type != QD_S32) /* "In the case of dequantizing int32, there's no zero point" */
        zero = random_codes(p, random, rank, dims);
    twin_node_init(&p->node, "DequantizeLinear", p->opset, 1);
    twin_node_input(&p->node, &x);
    twin_node_input(&p->node, &scale);
    if (twin_random_one_in(random, 3) || p->x_type == QD_S32)
        twin_node_input(&p->node, NULL);
    else
        twin_node_input(&p->node, &zero);
    if (p->granularity != PER_TENSOR && (p->axis != 1 || twin_random_one_in(random, 2)))
        twin_node_int(&p->node, "axis",
                      twin_random_one_in(random, 2) ? p->axis : p->axis - p->rank);
    if (p->granularity == BLOCKED)
        twin_node_int(&p->node, "block_size", p->block);
    if (p->output != QD_DTYPE_NONE)
        twin_node_int(&p->node, "output_dtype", qd_dtype_info(p->output)->onnx);
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
    assert_true(tally.slack > 0);
}

static void ordinary_scales(void **state)
{
    (void)state;
    random_nodes(false, 44, "all opsets and types");
}

static void wild_scales(void **state)
{
    (void)state;
    random_nodes(true, 45, "any scale");
}

/* bfloat16 scales in float16: 2^120 becomes an infinity, 2^-120 becomes 0. */
static void nan_of_a_rounded_scale(void **state)
{
    (void)state;
    static const struct {
        uint64_t x, scale; /* float8 with 5 and 2 bits: 0, 1, inf, nan */
        bool number, nan;
    } rows[] = {{0x00, 0x7b80, true, true},  {0x00, 0x3f80, true, false},
                {0x7c, 0x0380, true, true},  {0x7c, 0x3f80, true, false},
                {0x3c, 0x7b80, true, false}, {0x7e, 0x3f80, false, true}};
    for (int64_t r = 0; r < COUNT(rows); r++) {
        struct qd_arena arena;
        struct twin_node node;
        struct qd_value have;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_tensor x = twin_scalar(&arena, QD_F8E5M2, rows[r].x);
        struct qd_tensor scale = twin_scalar(&arena, QD_BF16, rows[r].scale);
        twin_node_init(&node, "DequantizeLinear", 25, 1);
        twin_node_input(&node, &x);
        twin_node_input(&node, &scale);
        twin_node_int(&node, "output_dtype", qd_dtype_info(QD_F16)->onnx);
        twin_node_answer(&node, &arena, &have);
        struct qd_observation seen = qd_value_observe(&have, 0);
        assert_int_equal(qd_observation_admits(&seen, NAN), rows[r].nan);
        assert_int_equal(!seen.nan, rows[r].number);
        qd_arena_clear(&arena);
    }
}

/* The comparison can fail: known wrong semantics must be noticed. */
static void wrong_semantics_are_caught(void **state)
{
    (void)state;
    static const char *const wrong[] = {"zero-points=ignored", "zero-points=channel0",
                                        "zero-points=sign-extended", "zero-points=subtract-8bit"};
    for (int64_t w = 0; w < COUNT(wrong); w++) {
        struct twin_random random = {44};
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
            twin_dequantize_linear(&p.node.node, p.node.in, &want);
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
        cmocka_unit_test(every_small_code),
        cmocka_unit_test(every_small_float),
        cmocka_unit_test(every_16_bit_code),
        cmocka_unit_test(ordinary_scales),
        cmocka_unit_test(wild_scales),
        cmocka_unit_test(nan_of_a_rounded_scale),
        cmocka_unit_test(wrong_semantics_are_caught),
    };
    return cmocka_run_group_tests_name("twin_dequantize_linear", tests, NULL, NULL);
}
