/* SPDX-License-Identifier: Apache-2.0 */
/* The explanation of an element: products, fraction, orders and the mistakes
 * that would show, on numbers worked out by hand.
 * Alone: <build>/tests/reports/explain/explain_test */
#include "explain/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/build.h"
#include "qdiff/suite.h"
#include "text/capture_testlib.h"

static struct qd_tensor tensor(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                               const int64_t *dims, const double *values)
{
    struct qd_tensor made;

    assert_int_equal(qd_tensor_init(&made, arena, dtype, rank, dims, NULL), QD_OK);
    for (int64_t i = 0; i < made.count; i++) {
        qd_tensor_set(&made, i,
                      qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, values[i], true)
                                               : (int64_t)values[i]);
    }
    return made;
}

static void put(struct qd_builder *builder, struct qd_arena *arena, const char *name,
                enum qd_dtype dtype, double value)
{
    struct qd_tensor made = tensor(arena, dtype, 0, NULL, &value);

    qd_build_initializer(builder, name, &made);
}

/* x = (3, 5), z = 1; w = (7, 2), z = 4: acc = 2·3 + 4·(−2) = −2; −2 · 0.5 · 0.5 / 0.25, plus 10. */
static struct qd_case product(struct qd_arena *arena)
{
    struct qd_builder *builder = qd_build_begin(arena, 10);
    struct qd_tensor a = tensor(arena, QD_U8, 2, (const int64_t[]){1, 2}, (const double[]){3, 5});
    struct qd_tensor b = tensor(arena, QD_U8, 2, (const int64_t[]){2, 1}, (const double[]){7, 2});
    struct qd_error error = {0};

    qd_build_input(builder, "a", &a);
    qd_build_initializer(builder, "b", &b);
    put(builder, arena, "sa", QD_F32, 0.5);
    put(builder, arena, "za", QD_U8, 1);
    put(builder, arena, "sb", QD_F32, 0.5);
    put(builder, arena, "zb", QD_U8, 4);
    put(builder, arena, "sy", QD_F32, 0.25);
    put(builder, arena, "zy", QD_U8, 10);
    qd_build_node(builder, "", "QLinearMatMul", "a,sa,za,b,sb,zb,sy,zy", "y");
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    struct qd_case kase;
    if (qd_build_finish(builder, "product", false, &kase, &error) != QD_OK)
        fail_msg("%s", error.text);
    return kase;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_a_product_is_told(void **state)
{
    struct qd_error error = {0};
    const double have = 8;

    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_capture capture;
    qd_capture_begin(&capture);
    struct qd_case kase = product(&arena);
    struct qd_explanation explanation;
    if (qd_explanation_begin(&explanation, capture.out, &kase, &arena, &error) != QD_OK)
        fail_msg("%s", error.text);
    qd_explain_element(&explanation, 0, 0);
    qd_explain_quirks(&explanation, 0, 0, &have);
    const char *text = qd_capture_text(&capture);
    expect(text, "a[0, 0] 3 -> 2   b[0, 0] 7 -> 3   product 6");
    expect(text, "a[0, 1] 5 -> 4   b[1, 0] 2 -> -2   product -8");
    expect(text, "acc = -2\n");
    expect(text, "= -2 * 0.5 * 0.5 / 0.25");
    expect(text, "       = -2\n");
    expect(text, "plus y_zero_point 10 = 8, saturated to u8: 8");
    expect(text, "nothing else is admissible");
    /* 3·7 + 5·2 = 31, plus 10 */
    expect(text, "zero-points-ignored                      41");
    qd_capture_end(&capture);
    qd_arena_clear(&arena);
}

/* --- Every operator ----------------------------------------------------------------------------- */

/* What the explanation of an operator's element says in some line; NULL: its operands alone. */
static const char *mark_of(enum qd_form form)
{
    switch (form) {
    case QD_FORM_MOVES: return "comes from ";
    case QD_FORM_QUANTIZES: return " / y_scale = ";
    case QD_FORM_DEQUANTIZES: return ") * x_scale = ";
    case QD_FORM_CONVOLVES:
    case QD_FORM_CONVOLVES_BACK:
    case QD_FORM_MATRICES: return "  acc = ";
    case QD_FORM_ADDS:
    case QD_FORM_MULTIPLIES:
    case QD_FORM_ELEMENTWISE: return "] = ";
    case QD_FORM_MEAN: return ", divided by ";
    case QD_FORM_LARGEST: return "  the largest is ";
    case QD_FORM_MANY:
    case QD_FORM_NONE: break;
    }
    return NULL;
}

/* Which operators were told, with their mark, and with a rounding. */
struct told {
    bool marked[128], rounded[128];
    size_t explanations, roundings, reals;
};

/* The number after the last "saturated to TYPE: ", which is the
 * explanation's own arithmetic; false if there is none. */
static bool read_rounding(const char *text, long long *code)
{
    const char *at = strstr(text, "saturated to "), *last = NULL;
    for (; at; at = strstr(at + 1, "saturated to "))
        last = at;
    return last && sscanf(last, "saturated to %*[^:]: %lld", code) == 1;
}

/* The number that the steps end with: what stands after the last '=' before the line of the value. */
static bool read_number(const char *text, double *number)
{
    const char *last = NULL, *end = strstr(text, "; ");
    for (const char *at = text; end && (at = strstr(at, " = ")) && at < end; at++)
        if (memchr(at, '\n', (size_t)(end - at)))
            last = at;
    return last && sscanf(last, " = %lf", number) == 1;
}

/* A real number, rounded to the output's type, is an admissible value. */
static void check_real(struct told *told, size_t op, const struct qd_case *kase,
                       const struct qd_value *value, int64_t i, const char *text)
{
    enum qd_form form = qd_op_at(op)->form;
    enum qd_dtype dtype = value->want.dtype;
    struct qd_observation seen = qd_value_observe(value, i);
    double number;
    bool reaches = form != QD_FORM_MANY && form != QD_FORM_ELEMENTWISE && form != QD_FORM_QUANTIZES;
    if (!reaches || !qd_dtype_is_float(dtype) || seen.unspecified || seen.nan ||
        !read_number(text, &number))
        return;
    told->reals++;
    number = qd_float_round(dtype, QD_NEAREST_EVEN, number);
    if (number < seen.lo || number > seen.hi)
        fail_msg("%s, element %lld: the reference admits %.9g to %.9g, the explanation ends with "
                 "%.9g:\n%s",
                 kase->id, (long long)i, seen.lo, seen.hi, number, text);
}

static void check_explanation(struct told *told, size_t op, const struct qd_case *kase,
                              const struct qd_value *value, int64_t i, const char *text)
{
    const char *mark = mark_of(qd_op_at(op)->form);
    long long code;
    told->explanations++;
    told->marked[op] = told->marked[op] || !mark || strstr(text, mark);
    check_real(told, op, kase, value, i, text);
    if (!read_rounding(text, &code))
        return;
    told->roundings++;
    told->rounded[op] = true;
    if (code != qd_tensor_get(&value->want, i) && !(qd_value_flags(value, i) & QD_UNSPECIFIED))
        fail_msg("%s, element %lld: the reference gives %lld, the explanation ends with %lld:\n%s",
                 kase->id, (long long)i, (long long)qd_tensor_get(&value->want, i), code, text);
}

static size_t number_of(const struct qd_op *op)
{
    size_t k = 0;
    while (qd_op_at(k) && qd_op_at(k) != op)
        k++;
    return k;
}

static void tell_element(struct told *told, struct qd_explanation *explanation, int64_t i)
{
    struct qd_capture capture;
    size_t op = number_of(explanation->kase->graph->nodes[0].op);
    qd_capture_begin(&capture);
    explanation->out = capture.out;
    qd_explain_element(explanation, 0, i);
    check_explanation(told, op, explanation->kase, &explanation->outputs[0], i,
                      qd_capture_text(&capture));
    qd_capture_end(&capture);
}

/* Tells first, middle and last element of a case of one node. */
static enum qd_visit tell_case(void *context, const struct qd_case *kase)
{
    struct qd_error error = {0};
    if (kase->expect != QD_EXPECT_VALID || kase->request_size > 0 || kase->graph->node_count != 1 ||
        !kase->graph->nodes[0].op)
        return QD_VISIT_GO_ON;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_explanation explanation;
    if (qd_explanation_begin(&explanation, NULL, kase, &arena, &error) == QD_OK) {
        int64_t count = explanation.outputs[0].want.count, at[] = {0, count / 2, count - 1};
        for (size_t k = 0; k < 3 && count > 0; k++)
            tell_element(context, &explanation, at[k]);
    }
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static bool has_output_scale(const struct qd_op *op)
{
    return op->form != QD_FORM_ELEMENTWISE && op->form != QD_FORM_MANY &&
           qd_op_parameter(op, QD_OPERAND_OUTPUT, QD_ROLE_SCALE) >= 0;
}

/* Each operator of the list is told by its form in some case of the suite, and what the explanation rounds to is what
 * the reference gives, in all of them. */
static void test_every_operator_is_told(void **state)
{
    static struct told told;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    struct qd_error error = {0};
    (void)state;
    if (qd_suite_visit(&options, tell_case, &told, &error) != QD_OK)
        fail_msg("%s", error.text);
    const struct qd_op *op;
    for (size_t k = 0; (op = qd_op_at(k)); k++) {
        if (!told.marked[k])
            fail_msg("%s: no explanation of its form", op->name);
        if (has_output_scale(op) && !told.rounded[k])
            fail_msg("%s: no explanation of its rounding", op->name);
    }
    print_message("# %zu explanations, %zu end with a rounding, %zu with a real number\n",
                  told.explanations, told.roundings, told.reals);
}

static void test_fractions(void **state)
{
    struct qd_arena arena;
    struct qd_explanation explanation = {.arena = &arena};

    (void)state;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_ratio eighth = qd_ratio_of_double(-6.875);
    assert_string_equal(qd_explain_ratio(&explanation, eighth), "-55/8 = -6.875");
    struct qd_ratio third = qd_ratio_divide(qd_ratio_of_integer(2), qd_ratio_of_integer(6));
    expect(qd_explain_ratio(&explanation, third), "1/3 = 0.33333");
    assert_string_equal(qd_explain_ratio(&explanation, qd_ratio_of_integer(-12)), "-12");
    assert_string_equal(qd_explain_ratio(&explanation, qd_ratio_of_integer(0)), "0");
    expect(qd_explain_ratio(&explanation, qd_ratio_of_double(0x1p-200)), "about ");
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_product_is_told),
                                       cmocka_unit_test(test_fractions),
                                       cmocka_unit_test(test_every_operator_is_told)};

    return cmocka_run_group_tests_name("explanation", tests, NULL, NULL);
}
