/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator admits depends on the numbers it is given and not on where they come from:
 * fed, as a value that carries a hull of points, or computed by a node that gives exactly them.
 * Every operator, every case of smoke. Alone: <build>/tests/cases/same_numbers_test */
#include "case_testlib.h"

#include <math.h>

#include "qdiff/evaluate.h"
#include "qdiff/override.h"
#include "qdiff/suite.h"

#define OPS 128

struct survey {
    struct qd_arena arena;
    bool computed; /* by a node; else carried */
    size_t cases, replaced[OPS];
    const struct qd_op *op; /* whose operand was replaced last */
};

struct source {
    struct qd_override override;
    struct survey *survey;
};

static enum qd_status carry(struct qd_evaluation *evaluation, const struct qd_value *x,
                            struct qd_value *y)
{
    *y = *x;
    enum qd_status status = qd_value_need_hull(y, evaluation->arena, evaluation->error);
    return status == QD_OK ? qd_value_need_flags(y, evaluation->arena, evaluation->error) : status;
}

/* x·1 */
static enum qd_status compute(struct qd_evaluation *evaluation, const struct qd_value *x,
                              struct qd_value *y)
{
    struct qd_node node = {
        .name = "", .domain = "", .op_type = "Mul", .opset = 13, .op = qd_op_find("", "Mul")};
    struct qd_value one;
    enum qd_dtype dtype = x->want.dtype;
    enum qd_status status =
        qd_value_init(&one, evaluation->arena, dtype, 0, NULL, evaluation->error);
    if (status != QD_OK)
        return status;
    qd_tensor_set(&one.want, 0, (int64_t)qd_float_encode(dtype, 1, false));
    return node.op->evaluate(evaluation, &node, (const struct qd_value *[]){x, &one}, y);
}

static bool is_replaced(const struct survey *survey, const struct qd_op *op, size_t i,
                        const struct qd_value *x)
{
    enum qd_role role = qd_op_role(op, i);
    if (!x || x->lo || x->flags || x->abs_sum || role == QD_ROLE_SCALE ||
        role == QD_ROLE_ZERO_POINT || role == QD_ROLE_CONTROL)
        return false;
    enum qd_dtype dtype = x->want.dtype;
    return !survey->computed || dtype == QD_F32 || dtype == QD_F16 || dtype == QD_BF16;
}

static size_t number_of(const struct qd_op *op)
{
    size_t i = 0;
    while (qd_op_at(i) != op)
        i++;
    assert_true(i < OPS);
    return i;
}

static enum qd_status evaluate_node(const struct qd_override *self,
                                    struct qd_evaluation *evaluation, const struct qd_node *node,
                                    const struct qd_value *const *in, struct qd_value *out)
{
    struct survey *survey = ((const struct source *)self)->survey;
    const struct qd_value *given[QD_MAX_OPERANDS] = {NULL};
    struct qd_value made[QD_MAX_OPERANDS];
    for (size_t i = 0; i < QD_MAX_OPERANDS; i++) {
        given[i] = in[i];
        if (!is_replaced(survey, node->op, i, in[i]))
            continue;
        enum qd_status status = (survey->computed ? compute : carry)(evaluation, in[i], &made[i]);
        if (status != QD_OK)
            return status;
        given[i] = &made[i];
        survey->replaced[number_of(node->op)]++;
        survey->op = node->op;
    }
    return qd_override_node(evaluation, self->next, node, given, out);
}

static bool same_points(const struct qd_observation *a, const struct qd_observation *b)
{
    for (unsigned k = 0; a->points && k < a->points->count; k++)
        if (!qd_observation_admits(b, a->points->at[k]))
            return false;
    return (a->points != NULL) == (b->points != NULL);
}

static void compare(const char *id, const struct survey *survey, const struct qd_value *fed,
                    const struct qd_value *other)
{
    assert_int_equal(fed->want.count, other->want.count);
    for (int64_t i = 0; i < fed->want.count; i++) {
        struct qd_observation a = qd_value_observe(fed, i), b = qd_value_observe(other, i);
        bool same = a.unspecified == b.unspecified && a.nan == b.nan && a.canonical == b.canonical;
        bool set = a.unspecified || a.nan || (a.lo == b.lo && a.hi == b.hi && same_points(&a, &b));
        if (!same || !set)
            fail_msg("%s: element %lld: [%.17g, %.17g] fed, [%.17g, %.17g] %s", id, (long long)i,
                     a.lo, a.hi, b.lo, b.hi, survey->computed ? "computed" : "carried");
    }
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct survey *survey = context;
    struct source source = {{.node = evaluate_node}, survey};
    struct qd_semantics semantics = {.override = &source.override};
    struct qd_value fed[QD_MAX_OPERANDS], other[QD_MAX_OPERANDS];
    struct qd_error error;
    if (kase->expect != QD_EXPECT_VALID || kase->graph->output_count > QD_MAX_OPERANDS)
        return QD_VISIT_GO_ON;
    qd_arena_reset(&survey->arena);
    assert_ok(qd_graph_evaluate(kase->graph, kase->inputs, NULL, &survey->arena, fed, &error),
              error);
    assert_ok(
        qd_graph_evaluate(kase->graph, kase->inputs, &semantics, &survey->arena, other, &error),
        error);
    for (size_t o = 0; o < kase->graph->output_count; o++)
        compare(kase->id, survey, &fed[o], &other[o]);
    survey->cases++;
    return QD_VISIT_GO_ON;
}

/* Of what only moves elements the suite has codes; truth values and sizes are no floats. */
static bool takes_floats(const struct qd_op *op)
{
    static const char *const others[] = {"Not", "ConstantOfShape", "Range"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(op->name, others[i]) == 0)
            return false;
    return op->form != QD_FORM_MOVES && op->form != QD_FORM_LARGEST &&
           op->form != QD_FORM_DEQUANTIZES && strncmp(op->name, "QLinear", 7) != 0 &&
           strcmp(op->name, "QGemm") != 0 && !strstr(op->name, "Integer");
}

static void survey_suite(bool computed)
{
    static struct survey survey;
    struct qd_error error;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    survey = (struct survey){.computed = computed};
    qd_arena_init(&survey.arena, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_suite_visit(&options, visit, &survey, &error), error);
    for (size_t i = 0; qd_op_at(i); i++)
        if ((computed ? takes_floats(qd_op_at(i))
                      : qd_op_operand(qd_op_at(i), QD_ROLE_DATA) >= 0) &&
            survey.replaced[i] == 0)
            fail_msg("%s: no operand was %s", qd_op_at(i)->name, computed ? "computed" : "carried");
    print_message("%zu cases\n", survey.cases);
    qd_arena_clear(&survey.arena);
}

static void test_carried(void **state)
{
    (void)state;
    survey_suite(false);
}

static void test_computed(void **state)
{
    (void)state;
    survey_suite(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carried),
        cmocka_unit_test(test_computed),
    };
    return cmocka_run_group_tests_name("same numbers", tests, NULL, NULL);
}
