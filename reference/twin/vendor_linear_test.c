/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear and DequantizeLinear of com.microsoft against the twin's of ONNX, opset 21, where
 * both operands have one type: the vendor's text has the same equations, for more types. Numbers on
 * and next to rounding edges, all codes of eight and fewer bits. Alone:
 * <build>/tests/reference/twin/vendor_linear_test; QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

struct problem {
    struct qd_arena arena;
    struct twin_random *random;
    struct twin_node node;
    enum qd_dtype real, code;
    int64_t axis; /* −1: one scale for all */
    struct qd_tensor x, scale, zero_point;
};

static void start(struct problem *p, struct twin_random *random, const char *op_type)
{
    p->random = random;
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    twin_node_init_vendor(&p->node, op_type);
    p->real = twin_random_one_in(random, 2) ? QD_F32 : QD_F16;
    p->axis = twin_random_between(random, -1, 1);
}

/* A scale that float16 holds as a normal number, and a zero point; scalars or one per index. */
static void choose_parameters(struct problem *p, const int64_t *dims)
{
    unsigned rank = p->axis < 0 ? 0 : 1;
    const int64_t count = p->axis < 0 ? 1 : dims[p->axis];
    mpq_t scale;
    mpq_init(scale);
    p->scale = twin_tensor(&p->arena, p->real, rank, &count);
    p->zero_point = twin_tensor(&p->arena, p->code, rank, &count);
    for (int64_t i = 0; i < count; i++) {
        mpq_set_d(scale, (double)twin_float_of(twin_random_scale(p->random, -8, 3)));
        twin_put(&p->scale, i, twin_encode(p->real, scale));
        if (p->code != QD_S32)
            twin_put(&p->zero_point, i, (uint64_t)twin_random_code(p->random, p->code));
    }
    if (p->axis >= 0)
        twin_node_int(&p->node, "axis", p->axis);
    mpq_clear(scale);
}

static void finish(struct problem *p, struct twin_tally *tally)
{
    struct twin_result want;
    bool quantize = strcmp(p->node.node.op_type, "QuantizeLinear") == 0;
    twin_node_input(&p->node, &p->x);
    twin_node_input(&p->node, &p->scale);
    if (p->code != QD_S32 && (p->code != QD_U8 || twin_random_one_in(p->random, 2)))
        twin_node_input(&p->node, &p->zero_point);
    p->node.node.attrs = p->node.attrs;
    p->node.node.opset = 21; /* as the twin's text has it */
    if (quantize)
        twin_quantize_linear(&p->node.node, p->node.in, &want);
    else
        twin_dequantize_linear(&p->node.node, p->node.in, &want);
    p->node.node.opset = 1;
    twin_check(&p->node, twin_random_one_in(p->random, 2), &want, tally);
    twin_result_clear(&want);
    qd_arena_clear(&p->arena);
}

/* s·(k + ½) rounded to the type, or one step from it. */
static void put_near_edge(struct problem *p, int64_t i, const struct twin_number *scale)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_si(x, 2 * twin_random_between(p->random, -300, 300) + 1, 2);
    mpq_canonicalize(x);
    mpq_mul(x, x, scale->q);
    uint64_t bits = twin_encode(p->real, x);
    twin_put(&p->x, i, bits + (uint64_t)twin_random_between(p->random, -1, 1));
    mpq_clear(x);
}

static void quantized(void **state)
{
    (void)state;
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_U16, QD_S16, QD_U4, QD_S4};
    struct twin_random random = {210};
    struct twin_tally tally = {0};
    struct twin_number scale;
    twin_number_init(&scale);
    for (int64_t i = 0; i < twin_rounds(5000); i++) {
        struct problem p;
        const int64_t dims[] = {twin_random_between(&random, 1, 4),
                                twin_random_between(&random, 1, 8)};
        start(&p, &random, "QuantizeLinear");
        p.code = types[twin_random_between(&random, 0, 5)];
        choose_parameters(&p, dims);
        p.x = twin_tensor(&p.arena, p.real, 2, dims);
        for (int64_t k = 0; k < p.x.count; k++) {
            int64_t of = p.axis < 0 ? 0 : p.axis == 0 ? k / dims[1] : k % dims[1];
            twin_element_of(&p.scale, of, &scale);
            put_near_edge(&p, k, &scale);
        }
        finish(&p, &tally);
    }
    twin_number_clear(&scale);
    twin_tally_print("QuantizeLinear of com.microsoft", &tally);
    assert_true(tally.slack > 0 && tally.unspecified == 0);
}

static void dequantized(void **state)
{
    (void)state;
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_U16, QD_S16, QD_S32, QD_U4, QD_S4};
    struct twin_random random = {211};
    struct twin_tally tally = {0};
    for (int64_t i = 0; i < twin_rounds(700); i++) {
        struct problem p;
        static const int64_t dims[] = {16, 16};
        start(&p, &random, "DequantizeLinear");
        p.code = types[i % 7];
        choose_parameters(&p, dims);
        p.x = twin_tensor(&p.arena, p.code, 2, dims);
        int64_t min = twin_code_min(p.code), codes = twin_code_max(p.code) - min + 1;
        for (int64_t k = 0; k < p.x.count; k++)
            twin_put(
                &p.x, k,
                (uint64_t)(codes <= 256 ? min + k % codes : twin_random_code(&random, p.code)));
        finish(&p, &tally);
    }
    twin_tally_print("DequantizeLinear of com.microsoft", &tally);
    assert_true(tally.unspecified * 2 < tally.elements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantized),
        cmocka_unit_test(dequantized),
    };
    return cmocka_run_group_tests_name("twin_vendor_linear", tests, NULL, NULL);
}
