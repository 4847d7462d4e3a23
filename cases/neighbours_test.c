/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: same graph, other numbers, the same ones each time, and worth running: nearly all are valid. */
#include "case_testlib.h"

#include "qdiff/evaluate.h"
#include "qdiff/neighbours.h"
#include "qdiff/suite.h"

#define NEIGHBOURS 7

struct counts {
    size_t cases, neighbours, valid, changed;
};

static bool same_inputs(const struct qd_case *a, const struct qd_case *b)
{
    for (size_t i = 0; i < a->input_count; i++)
        if (memcmp(a->inputs[i].data, b->inputs[i].data, qd_tensor_bytes(&a->inputs[i])) != 0)
            return false;
    return true;
}

static void check_neighbour(const struct qd_case *kase, uint64_t number, struct counts *counts)
{
    struct qd_arena arena, other; /* a neighbour may be large: each has the whole budget */
    struct qd_error error;
    struct qd_case once, twice;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&other, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_neighbour(kase, number, &arena, &once, &error), error);
    assert_ok(qd_neighbour(kase, number, &other, &twice, &error), error);
    assert_int_equal(once.model_size, twice.model_size);
    assert_memory_equal(once.model, twice.model, once.model_size);
    assert_true(same_inputs(&once, &twice));
    assert_int_equal(once.graph->node_count, kase->graph->node_count);
    assert_int_equal(once.input_count, kase->input_count);
    for (size_t i = 0; i < once.input_count; i++)
        assert_true(qd_tensor_same_shape(&once.inputs[i], &kase->inputs[i]));
    qd_arena_clear(&other);
    struct qd_value values[QD_MAX_OPERANDS];
    counts->neighbours++;
    counts->changed += !same_inputs(&once, kase);
    bool valid = qd_graph_evaluate(once.graph, once.inputs, NULL, &arena, values, &error) == QD_OK;
    counts->valid += valid;
    for (size_t i = 0; valid && i < once.graph->output_count; i++)
        assert_int_equal(once.graph->values[once.graph->outputs[i]].declared_rank,
                         values[i].want.rank);
    qd_arena_clear(&arena);
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct counts *counts = context;
    bool skipped = kase->expect != QD_EXPECT_VALID || kase->input_count == 0;
    for (uint64_t i = 0; !skipped && i < NEIGHBOURS; i++)
        check_neighbour(kase, i, counts);
    counts->cases += !skipped;
    return QD_VISIT_GO_ON;
}

static void test_neighbours_of_the_smoke_level(void **state)
{
    (void)state;
    struct counts counts = {0};
    struct qd_error error;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    assert_ok(qd_suite_visit(&options, visit, &counts, &error), error);
    print_message("# %zu cases, %zu neighbours, %zu valid, %zu with other inputs\n", counts.cases,
                  counts.neighbours, counts.valid, counts.changed);
    assert_true(counts.cases > 500);
    assert_true(counts.valid * 100 > counts.neighbours * 99);
    assert_true(counts.changed * 100 > counts.neighbours * 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours_of_the_smoke_level)};
    return cmocka_run_group_tests_name("neighbours", tests, NULL, NULL);
}
