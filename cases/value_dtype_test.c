/* SPDX-License-Identifier: Apache-2.0 */
/* The type that a case's model gives an output, by its text alone, is the one that the reference computes.
 * Alone: <build>/tests/cases/value_dtype_test */
#include "case_testlib.h"

#include "qdiff/evaluate.h"
#include "qdiff/features.h"
#include "qdiff/suite.h"

struct census {
    size_t outputs, unknown;
};

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct census *census = context;
    struct qd_arena arena;
    struct qd_value values[QD_MAX_OPERANDS];
    const struct qd_graph *graph = kase->graph;
    assert_true(graph->output_count <= QD_MAX_OPERANDS);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_graph_evaluate(graph, kase->inputs, NULL, &arena, values, NULL) == QD_OK)
        for (size_t i = 0; i < graph->output_count; i++) {
            enum qd_dtype said = qd_case_dtype(kase, graph->outputs[i]);
            census->outputs++;
            census->unknown += said == QD_DTYPE_NONE;
            if (said != QD_DTYPE_NONE && said != values[i].want.dtype)
                fail_msg("%s: output %zu is said to be %s and is %s", kase->id, i,
                         qd_dtype_info(said)->name, qd_dtype_info(values[i].want.dtype)->name);
        }
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void test_outputs(void **state)
{
    (void)state;
    struct qd_error error;
    struct census census = {0};
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE, .cases_dir = QD_TEST_CASES_DIR};
    assert_ok(qd_suite_visit(&options, visit, &census, &error), error);
    print_message("%zu outputs, %zu of an unknown type\n", census.outputs, census.unknown);
    assert_true(census.outputs > 2000 && census.unknown == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outputs)};
    return cmocka_run_group_tests_name("types of values", tests, NULL, NULL);
}
