/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison: every verdict, and proof that a difference at any place is seen.
 * Alone: <build>/tests/targets/judge/compare_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/compare.h"

/* One output of `count` elements, as the reference has it and as a target gave it. */
struct fixture {
    struct qd_arena arena;
    struct qd_graph graph;
    struct qd_case kase;
    struct qd_value value;
    struct qd_tensor have;
    struct qd_run run;
};

static void fill(struct fixture *f, enum qd_dtype dtype, int64_t count)
{
    memset(f, 0, sizeof *f);
    qd_arena_init(&f->arena, QD_ARENA_DEFAULT_BUDGET);
    f->graph.output_count = 1;
    f->kase = (struct qd_case){.id = "test", .graph = &f->graph, .rule = "", .twin = ""};
    assert_int_equal(qd_value_init(&f->value, &f->arena, dtype, 1, &count, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&f->have, &f->arena, dtype, 1, &count, NULL), QD_OK);
    f->run.outcome = QD_OUTCOME_OUTPUTS;
    f->run.outputs = &f->have;
}

static void put(struct fixture *f, int64_t i, int64_t want, int64_t have)
{
    qd_tensor_set(&f->value.want, i, want);
    qd_tensor_set(&f->have, i, have);
}

static void put_float(struct fixture *f, int64_t i, double want, double have)
{
    enum qd_dtype dtype = f->have.dtype;
    put(f, i, (int64_t)qd_float_encode(dtype, want, false),
        (int64_t)qd_float_encode(dtype, have, false));
}

static void hull(struct fixture *f, int64_t i, double lo, double hi)
{
    assert_int_equal(qd_value_need_hull(&f->value, &f->arena, NULL), QD_OK);
    f->value.lo[i] = lo;
    f->value.hi[i] = hi;
}

static void flag(struct fixture *f, int64_t i, uint8_t flags)
{
    assert_int_equal(qd_value_need_flags(&f->value, &f->arena, NULL), QD_OK);
    f->value.flags[i] = flags;
}

static struct qd_comparison compare(struct fixture *f)
{
    struct qd_comparison c;
    qd_compare(&f->kase, &f->value, &f->run, &c);
    assert_int_equal(c.compared, c.exact + c.admissible + c.mismatched);
    return c;
}

static void test_equal_is_exact(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_U8, 5);
    for (int i = 0; i < 5; i++)
        put(&f, i, 50 * i, 50 * i);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_EXACT);
    assert_int_equal(c.elements, 5);
    assert_int_equal(c.exact, 5);
    assert_int_equal(c.slack, 0);
    qd_arena_clear(&f.arena);
}

/* The self-check: one wrong element is found wherever it is, in every type. */
static void test_one_wrong_element_at_every_place(void **state)
{
    (void)state;
    for (int dtype = QD_DTYPE_NONE + 1; dtype < QD_DTYPE_COUNT; dtype++)
        for (int64_t count = 1; count <= 9; count++)
            for (int64_t at = 0; at < count; at++) {
                struct fixture f;
                fill(&f, (enum qd_dtype)dtype, count);
                for (int64_t i = 0; i < count; i++)
                    put(&f, i, 1, i == at ? 0 : 1);
                struct qd_comparison c = compare(&f);
                assert_int_equal(c.verdict, QD_VERDICT_WRONG_VALUE);
                assert_int_equal(c.mismatched, 1);
                assert_int_equal(c.exact, count - 1);
                assert_int_equal(c.element, at);
                assert_true(c.have < c.want);
                qd_arena_clear(&f.arena);
            }
}

/* What makes a wrong value advisory: 2^-126 is the least normal float32, 255 / 100 rounds down to two codes. */
static void test_flushed_and_close_are_counted(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_F32, 5);
    put_float(&f, 0, 0x1p-127, 0);
    put_float(&f, 1, 0x1p-126, 0);
    put_float(&f, 2, 0.5, 0.509);
    put_float(&f, 3, 0.5, 0.511);
    put_float(&f, 4, 0.5, NAN);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.mismatched, 5);
    assert_int_equal(c.flushed, 1);
    assert_int_equal(c.close, 3);
    qd_arena_clear(&f.arena);
    fill(&f, QD_BF16, 2);
    put_float(&f, 0, 0.5, 0.515625); /* four times 2^-8 */
    put_float(&f, 1, 0.5, 0.51953125);
    assert_int_equal(compare(&f).close, 1);
    qd_arena_clear(&f.arena);
    fill(&f, QD_U8, 3);
    put(&f, 0, 100, 102);
    put(&f, 1, 100, 97);
    put(&f, 2, 0, 1);
    c = compare(&f);
    assert_int_equal(c.close, 2);
    assert_int_equal(c.flushed, 0);
    qd_arena_clear(&f.arena);
}

static void test_first_of_several_is_reported(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_S8, 4);
    put(&f, 0, -128, -128);
    put(&f, 1, -5, -4);
    put(&f, 2, 7, 7);
    put(&f, 3, 127, -128);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.mismatched, 2);
    assert_int_equal(c.element, 1);
    assert_true(c.have == -4 && c.want == -5 && c.lo == -5 && c.hi == -5);
    qd_arena_clear(&f.arena);
}

static void test_hull_of_codes(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_U8, 3);
    put(&f, 0, 10, 11); /* the other admissible code */
    put(&f, 1, 20, 20);
    put(&f, 2, 30, 30);
    hull(&f, 0, 10, 11);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_ADMISSIBLE);
    assert_int_equal(c.exact, 2);
    assert_int_equal(c.admissible, 1);
    assert_int_equal(c.slack, 1);
    put(&f, 0, 10, 9); /* one below the hull */
    c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_WRONG_VALUE);
    assert_true(c.lo == 10 && c.hi == 11 && c.have == 9);
    put(&f, 0, 10, 12); /* one above */
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&f.arena);
}

static void test_floats_by_value(void **state)
{
    (void)state;
    static const enum qd_dtype dtypes[] = {QD_F32, QD_F16, QD_BF16, QD_F64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        struct fixture f;
        fill(&f, dtypes[d], 4);
        put_float(&f, 0, -0.0, 0.0);
        put_float(&f, 1, (double)NAN, (double)NAN);
        put_float(&f, 2, (double)INFINITY, (double)INFINITY);
        put_float(&f, 3, 1.5, 1.5);
        /* another NaN, with payload and sign */
        int64_t nan = qd_tensor_get(&f.have, 1);
        unsigned bits = qd_dtype_info(dtypes[d])->bits;
        qd_tensor_set(&f.have, 1, nan ^ 1 ^ (int64_t)((uint64_t)1 << (bits - 1)));
        assert_int_equal(compare(&f).verdict, QD_VERDICT_EXACT);
        put_float(&f, 2, (double)INFINITY, (double)-INFINITY);
        assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
        qd_arena_clear(&f.arena);
    }
}

static void test_nan_only_for_nan(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_F32, 2);
    put_float(&f, 0, 1, 1);
    put_float(&f, 1, 1, (double)NAN);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_WRONG_VALUE);
    assert_int_equal(c.element, 1);
    assert_true(isnan(c.have));
    put_float(&f, 1, (double)NAN, 1);
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
    hull(&f, 0, 0, 2); /* a hull elsewhere does not let a number pass for NaN */
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&f.arena);
}

static void test_float_hulls_are_seen_rounded_to_nearest(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_F32, 1);
    put_float(&f, 0, 1, 1 - ldexp(1, -24));
    hull(&f, 0, 1 - ldexp(1, -24), 1);
    assert_int_equal(compare(&f).verdict, QD_VERDICT_ADMISSIBLE);
    hull(&f, 0, 1 - ldexp(1, -26), 1);
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&f.arena);
}

static void test_unspecified_is_not_compared(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_U8, 2);
    put(&f, 0, 0, 99);
    put(&f, 1, 7, 7);
    flag(&f, 0, QD_UNSPECIFIED | QD_EXTREME_SCALE);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_EXACT);
    assert_int_equal(c.compared, 1);
    assert_int_equal(c.unspecified, 1);
    assert_int_equal(c.extreme_scale, 1);
    flag(&f, 1, QD_UNSPECIFIED);
    c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_UNSPECIFIED);
    assert_int_equal(c.compared, 0);
    qd_arena_clear(&f.arena);
}

static void test_of_no_elements_the_shape_is_compared(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_U8, 0);
    struct qd_comparison c = compare(&f);
    assert_int_equal(c.verdict, QD_VERDICT_EXACT);
    assert_int_equal(c.elements, 0);
    f.have.rank = 2;
    f.have.dims[1] = 3;
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_SHAPE);
    qd_arena_clear(&f.arena);
}

static void test_no_canonical_is_never_exact(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_F32, 1);
    put_float(&f, 0, 1, 1);
    hull(&f, 0, 0, 1);
    flag(&f, 0, QD_NO_CANONICAL);
    assert_int_equal(compare(&f).verdict, QD_VERDICT_ADMISSIBLE);
    put_float(&f, 0, 1, 1.5);
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&f.arena);
}

/* 2^53 and 2^53 + 1 are the same double, not the same code. */
static void test_64_bit_codes(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_S64, 1);
    int64_t big = (int64_t)1 << 53;
    put(&f, 0, big, big + 1);
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&f.arena);
}

static void test_other_type_or_shape(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_U8, 4);
    f.have.dtype = QD_S8;
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_TYPE);
    f.have.dtype = QD_U8;
    f.have.rank = 2;
    f.have.dims[0] = 2;
    f.have.dims[1] = 2;
    assert_int_equal(compare(&f).verdict, QD_VERDICT_WRONG_SHAPE);
    qd_arena_clear(&f.arena);
}

static void test_second_output(void **state)
{
    (void)state;
    struct fixture f;
    fill(&f, QD_U8, 2);
    struct qd_value values[2] = {f.value, f.value};
    struct qd_tensor outputs[2] = {f.have, f.have};
    int64_t two = 2;
    assert_int_equal(qd_tensor_init(&outputs[1], &f.arena, QD_U8, 1, &two, NULL), QD_OK);
    qd_tensor_set(&outputs[1], 1, 3);
    f.graph.output_count = 2;
    f.run.outputs = outputs;
    struct qd_comparison c;
    qd_compare(&f.kase, values, &f.run, &c);
    assert_int_equal(c.verdict, QD_VERDICT_WRONG_VALUE);
    assert_int_equal(c.output, 1);
    assert_int_equal(c.element, 1);
    assert_int_equal(c.elements, 4);
    qd_arena_clear(&f.arena);
}

static void test_outcomes(void **state)
{
    (void)state;
    static const struct {
        enum qd_outcome outcome;
        enum qd_verdict valid, invalid;
    } rows[] = {
        {QD_OUTCOME_REJECTED, QD_VERDICT_REJECTS_VALID, QD_VERDICT_REJECTED},
        {QD_OUTCOME_WRONG_SHAPE, QD_VERDICT_WRONG_SHAPE, QD_VERDICT_WRONG_SHAPE},
        {QD_OUTCOME_WRONG_TYPE, QD_VERDICT_WRONG_TYPE, QD_VERDICT_WRONG_TYPE},
        {QD_OUTCOME_CRASH, QD_VERDICT_CRASH, QD_VERDICT_CRASH},
        {QD_OUTCOME_HANG, QD_VERDICT_HANG, QD_VERDICT_HANG},
        {QD_OUTCOME_OOM, QD_VERDICT_OOM, QD_VERDICT_OOM},
        {QD_OUTCOME_NONDETERMINISTIC, QD_VERDICT_NONDETERMINISTIC, QD_VERDICT_NONDETERMINISTIC},
        {QD_OUTCOME_UNWRITTEN, QD_VERDICT_UNWRITTEN, QD_VERDICT_UNWRITTEN},
        {QD_OUTCOME_OUT_OF_BOUNDS, QD_VERDICT_OUT_OF_BOUNDS, QD_VERDICT_OUT_OF_BOUNDS},
        {QD_OUTCOME_INPUT_MODIFIED, QD_VERDICT_INPUT_MODIFIED, QD_VERDICT_INPUT_MODIFIED},
        {QD_OUTCOME_SKIPPED, QD_VERDICT_UNSPECIFIED, QD_VERDICT_UNSPECIFIED},
    };
    assert_int_equal(sizeof rows / sizeof *rows, QD_OUTCOME_COUNT - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        fill(&f, QD_U8, 1);
        f.run.outcome = rows[i].outcome;
        f.run.outputs = NULL;
        assert_int_equal(compare(&f).verdict, rows[i].valid);
        f.kase.expect = QD_EXPECT_MUST_REJECT;
        struct qd_comparison c;
        qd_compare(&f.kase, NULL, &f.run, &c);
        assert_int_equal(c.verdict, rows[i].invalid);
        qd_arena_clear(&f.arena);
    }
    struct fixture f;
    fill(&f, QD_U8, 1);
    f.kase.expect = QD_EXPECT_MUST_REJECT;
    struct qd_comparison c;
    qd_compare(&f.kase, NULL, &f.run, &c);
    assert_int_equal(c.verdict, QD_VERDICT_ACCEPTS_INVALID);
    qd_arena_clear(&f.arena);
}

/* One node that is to be refused has no business with so much memory; a graph's other nodes may. */
static void test_memory_of_what_is_to_be_refused(void **state)
{
    (void)state;
    static const enum qd_verdict by_nodes[] = {QD_VERDICT_OOM, QD_VERDICT_UNSPECIFIED};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct qd_comparison c;
        fill(&f, QD_U8, 1);
        f.run.outcome = QD_OUTCOME_OOM;
        f.run.outputs = NULL;
        f.graph.node_count = i + 1;
        assert_int_equal(compare(&f).verdict, QD_VERDICT_OOM);
        f.kase.expect = QD_EXPECT_MUST_REJECT;
        qd_compare(&f.kase, NULL, &f.run, &c);
        assert_int_equal(c.verdict, by_nodes[i]);
        qd_arena_clear(&f.arena);
    }
}

static void test_words(void **state)
{
    (void)state;
    enum qd_verdict verdict = QD_VERDICT_EXACT;
    for (int i = 0; i < QD_VERDICT_COUNT; i++) {
        assert_true(qd_verdict_find(qd_verdict_word((enum qd_verdict)i), &verdict));
        assert_int_equal(verdict, i);
    }
    assert_false(qd_verdict_find("valu", &verdict));
    assert_false(qd_verdict_is_divergence(QD_VERDICT_ADMISSIBLE));
    assert_true(qd_verdict_is_divergence(QD_VERDICT_REJECTS_VALID));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_is_exact),
        cmocka_unit_test(test_one_wrong_element_at_every_place),
        cmocka_unit_test(test_flushed_and_close_are_counted),
        cmocka_unit_test(test_first_of_several_is_reported),
        cmocka_unit_test(test_hull_of_codes),
        cmocka_unit_test(test_floats_by_value),
        cmocka_unit_test(test_nan_only_for_nan),
        cmocka_unit_test(test_float_hulls_are_seen_rounded_to_nearest),
        cmocka_unit_test(test_unspecified_is_not_compared),
        cmocka_unit_test(test_of_no_elements_the_shape_is_compared),
        cmocka_unit_test(test_no_canonical_is_never_exact),
        cmocka_unit_test(test_64_bit_codes),
        cmocka_unit_test(test_other_type_or_shape),
        cmocka_unit_test(test_second_output),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_memory_of_what_is_to_be_refused),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
