/* SPDX-License-Identifier: Apache-2.0 */
/* The twins that come after steps: the case is the same, what comes before is valid and something else.
 * Alone: <build>/tests/cases/after_steps_test */
#include "case_testlib.h"

#include "after_steps.h"
#include "qdiff/answer.h"
#include "qdiff/features.h"
#include "qdiff/suite.h"
#include "twin.h"

struct census {
    struct qd_arena base; /* of the last case that is no twin */
    struct qd_case kase;
    size_t cases, twins, own, other, kept, only_loaded, refused, told, most_runs, parameters,
        at_end;
};

/* Whether the run before has another scale or zero point, given at run time. */
static bool has_other_parameter(const struct qd_case *twin, const struct qd_case_step *step)
{
    for (size_t i = 0; step->model_size == 0 && i < twin->input_count; i++)
        if (qd_is_read_as_parameter(twin->graph, twin->graph->inputs[i]) &&
            memcmp(step->inputs[i].data, twin->inputs[i].data, qd_tensor_bytes(&twin->inputs[i])) !=
                0)
            return true;
    return false;
}

/* Whether what the run before has is other in the last elements alone. */
static bool differs_at_end(const struct qd_case *twin, const struct qd_case_step *step)
{
    bool other = false;
    for (size_t i = 0; step->model_size == 0 && i < twin->input_count; i++) {
        const struct qd_tensor *own = &twin->inputs[i], *before = &step->inputs[i];
        for (int64_t k = 0; k < own->count; k++) {
            bool same = qd_tensor_get(own, k) == qd_tensor_get(before, k);
            if (!same && (own->count < 3 || k + 1 < own->count))
                return false;
            other = other || !same;
        }
    }
    return other;
}

/* Whether nobody has to take the model of the step: the reference does not. */
static bool is_refused(const struct qd_case *twin, const struct qd_case_step *step,
                       struct qd_arena *arena)
{
    struct qd_value *values;
    struct qd_error error;
    values = qd_arena_array(arena, step->graph->output_count, sizeof *values);
    return step->runs == 0 && qd_graph_evaluate(step->graph, twin->inputs, NULL, arena, values,
                                                &error) == QD_UNSUPPORTED;
}

static void check_step(const struct qd_case *twin, const struct qd_case_step *step,
                       struct census *census)
{
    struct qd_arena arena;
    struct qd_value *values;
    const struct qd_tensor *shapes;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (step->runs > 0)
        assert_ok(qd_graph_answer(step->graph, step->inputs, &arena, &values, &shapes, &error),
                  error);
    if (step->runs > 0 && step->shapes)
        assert_same_shapes(step->shapes, shapes, step->graph->output_count);
    census->told += step->runs > 0 && step->shapes;
    if (step->model_size > 0)
        assert_false(step->model_size == twin->model_size &&
                     memcmp(step->model, twin->model, twin->model_size) == 0);
    census->own += step->model_size == 0;
    census->other += step->model_size > 0;
    census->kept += step->keep;
    census->parameters += has_other_parameter(twin, step);
    census->at_end += differs_at_end(twin, step);
    census->only_loaded += step->runs == 0;
    census->refused += is_refused(twin, step, &arena);
    if (step->runs > census->most_runs)
        census->most_runs = step->runs;
    qd_arena_clear(&arena);
}

static void check_twin(const struct qd_case *twin, struct census *census)
{
    struct qd_features features;
    char without[1024];
    const struct qd_case *base = &census->kase;
    assert_true(qd_case_id_of_base(twin->id, without, sizeof without));
    assert_string_equal(without, base->id);
    assert_string_equal(qd_case_base(twin), base->id);
    assert_null(qd_case_base(base));
    assert_int_equal(twin->model_size, base->model_size);
    assert_memory_equal(twin->model, base->model, base->model_size);
    for (size_t i = 0; i < base->input_count; i++)
        assert_same_tensor(&twin->inputs[i], &base->inputs[i]);
    qd_case_features(twin, &features);
    assert_true(qd_features_has(&features, QD_FEATURE_AFTER_STEPS));
    for (size_t i = 0; i < twin->step_count; i++)
        check_step(twin, &twin->steps[i], census);
    census->twins++;
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct census *census = context;
    census->cases++;
    if (strstr(kase->id, "-after_other_shapes/"))
        return QD_VISIT_GO_ON;
    if (kase->step_count > 0) {
        check_twin(kase, census);
        return QD_VISIT_GO_ON;
    }
    if (strstr(kase->id, "-one_element/"))
        return QD_VISIT_GO_ON;
    copy_case(kase, &census->base, &census->kase);
    return QD_VISIT_GO_ON;
}

static void test_smoke_level(void **state)
{
    (void)state;
    struct census census = {.cases = 0};
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    struct qd_error error;
    qd_arena_init(&census.base, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_suite_visit(&options, visit, &census, &error), error);
    print_message("%zu cases, %zu twins; %zu steps of the same model, %zu of another, %zu kept, "
                  "%zu never run, of them %zu refused, %zu with other parameters at run time, "
                  "%zu other at the end alone\n",
                  census.cases, census.twins, census.own, census.other, census.kept,
                  census.only_loaded, census.refused, census.parameters, census.at_end);
    assert_true(census.twins > census.cases / 20 && census.twins < census.cases / 8);
    assert_true(census.own > 50 && census.other > 50 && census.kept > 20 &&
                census.only_loaded > 10 && census.only_loaded > census.refused + 3 &&
                census.refused > 5 && census.told > 100 && census.parameters > 20 &&
                census.at_end > 10);
    assert_int_equal(census.most_runs, 6);
    qd_arena_clear(&census.base);
}

static void test_ids(void **state)
{
    (void)state;
    char without[64];
    assert_true(qd_case_id_of_base("Add/a-b-in_turn/01234567", without, sizeof without));
    assert_string_equal(without, "Add/a-b/01234567");
    assert_true(qd_case_id_of_base("x-after_many_runs", without, sizeof without));
    assert_string_equal(without, "x");
    assert_false(qd_case_id_of_base("Add/a-b/01234567", without, sizeof without));
    assert_string_equal(without, "");
    assert_false(qd_case_id_of_base("after_many_runs", without, sizeof without));
    assert_false(qd_case_id_of_base("Add/in_turn/0", without, sizeof without));
    assert_false(qd_case_id_of_base("Add/a-b-in_turn/01234567", without, 10));
    assert_false(qd_case_id_of_base("", without, sizeof without));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smoke_level),
                                       cmocka_unit_test(test_ids)};
    return cmocka_run_group_tests_name("after_steps", tests, NULL, NULL);
}
