/* SPDX-License-Identifier: Apache-2.0 */
/* The twins whose model is not told a shape: it runs with others first, and all of them are valid.
 * Alone: <build>/tests/cases/other_shapes_test */
#include "case_testlib.h"

#include "other_shapes.h"
#include "qdiff/answer.h"
#include "qdiff/build.h"
#include "qdiff/evaluate.h"
#include "qdiff/features.h"
#include "qdiff/open_axis.h"
#include "qdiff/suite.h"

struct census {
    struct qd_arena base; /* of the last case that is no twin */
    struct qd_case kase;
    size_t cases, twins, first_axes, other_axes, several_inputs, two_steps, turned, more_first,
        less_first;
};

/* Two open axes that have changed places; the numbers are the same in the same order. */
static void check_turned(const struct qd_tensor *own, const struct qd_tensor *other, uint32_t open)
{
    unsigned axis = (unsigned)__builtin_ctz(open);
    assert_int_equal(own->dims[axis], other->dims[axis + 1]);
    assert_int_equal(own->dims[axis + 1], other->dims[axis]);
    assert_int_not_equal(own->dims[axis], own->dims[axis + 1]);
    assert_memory_equal(own->data, other->data, qd_tensor_bytes(own));
}

/* One input as the step has it: another extent along the open axis. */
static void check_input(const struct qd_tensor *own, const struct qd_tensor *other, uint32_t open)
{
    assert_int_equal(own->rank, other->rank);
    if (__builtin_popcount(open) == 2) {
        check_turned(own, other, open);
        return;
    }
    for (unsigned i = 0; i < own->rank; i++) {
        int64_t n = own->dims[i];
        if (open >> i & 1)
            assert_true(other->dims[i] == 2 * n + 1 || (other->dims[i] == 1 && n > 1));
        else
            assert_true(other->dims[i] == n);
    }
    assert_int_equal(qd_tensor_get(own, 0), qd_tensor_get(other, 0));
}

static void check_step(const struct qd_case *twin, const struct qd_case_step *step)
{
    struct qd_arena arena;
    struct qd_value *values;
    const struct qd_tensor *shapes;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_graph_answer(step->graph, step->inputs, &arena, &values, &shapes, &error), error);
    assert_int_equal(step->model_size, 0);
    assert_same_shapes(step->shapes, shapes, step->graph->output_count);
    for (size_t i = 0; i < twin->input_count; i++)
        check_input(&twin->inputs[i], &step->inputs[i],
                    qd_graph_open_axes(&twin->graph->values[twin->graph->inputs[i]]));
    qd_arena_clear(&arena);
}

/* The same bytes again: the same model, steps and answer. */
static void check_same(const struct qd_case *have, const struct qd_case *want,
                       struct qd_arena *arena)
{
    uint8_t *bytes, *wanted;
    size_t size, wanted_size;
    struct qd_error error;
    assert_ok(qd_case_encode(have, arena, &bytes, &size, &error), error);
    assert_ok(qd_case_encode(want, arena, &wanted, &wanted_size, &error), error);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(bytes, wanted, size);
}

/* As a file and as a directory in ONNX's layout. */
static void check_round_trip(const struct qd_case *twin)
{
    struct qd_arena arena;
    struct qd_case again;
    const struct qd_case_file *files;
    uint8_t *bytes;
    size_t size, count;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_ok(qd_case_encode(twin, &arena, &bytes, &size, &error), error);
    assert_ok(qd_case_decode(bytes, size, &arena, &again, &error), error);
    check_same(&again, twin, &arena);
    assert_ok(qd_case_files(twin, NULL, &arena, &files, &count, &error), error);
    assert_ok(qd_case_of_files("case", files, count, &arena, &again, &error), error);
    check_same(&again, twin, &arena);
    qd_arena_clear(&arena);
}

/* Elements of all inputs. */
static int64_t total(const struct qd_tensor *inputs, const struct qd_case *twin)
{
    int64_t count = 0;
    for (size_t i = 0; i < twin->input_count; i++)
        count += inputs[i].count;
    return count;
}

static void check_twin(const struct qd_case *twin, struct census *census)
{
    const struct qd_case *base = &census->kase;
    struct qd_features features;
    char without[1024];
    size_t open = 0;
    uint32_t axes = 0;
    assert_true(qd_case_id_of_base(twin->id, without, sizeof without));
    assert_string_equal(without, base->id);
    assert_string_equal(qd_case_base(twin), base->id);
    qd_case_features(twin, &features);
    assert_true(qd_features_has(&features, QD_FEATURE_OPEN_SHAPE));
    for (size_t i = 0; i < base->input_count; i++) {
        uint32_t of_input = qd_graph_open_axes(&twin->graph->values[twin->graph->inputs[i]]);
        assert_same_tensor(&twin->inputs[i], &base->inputs[i]);
        open += of_input != 0;
        axes |= of_input;
    }
    bool turned = __builtin_popcount(axes) == 2; /* two neighbours */
    assert_true(turned ? axes % 3 == 0 && ((axes / 3) & (axes / 3 - 1)) == 0
                       : __builtin_popcount(axes) == 1);
    for (size_t i = 0; i < twin->graph->output_count; i++) {
        const struct qd_graph_value *y = &twin->graph->values[twin->graph->outputs[i]];
        assert_int_equal(__builtin_popcount(qd_graph_open_axes(y)), y->declared_rank);
    }
    for (size_t i = 0; i < twin->step_count; i++)
        check_step(twin, &twin->steps[i]);
    check_round_trip(twin);
    census->twins++;
    census->first_axes += axes == 1;
    census->other_axes += axes != 1;
    census->several_inputs += open > 1;
    census->two_steps += twin->step_count == 2;
    census->turned += turned;
    int64_t change = total(twin->steps[0].inputs, twin) - total(twin->inputs, twin);
    census->more_first += change > 0;
    census->less_first += change < 0;
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct census *census = context;
    census->cases++;
    if (strstr(kase->id, "-after_other_shapes/"))
        check_twin(kase, census);
    else if (kase->step_count == 0 && !strstr(kase->id, "-one_element/"))
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
    print_message("%zu cases, %zu twins; the first axis of %zu, another of %zu, several inputs of "
                  "%zu, two steps of %zu; turned %zu, more first %zu, less first %zu\n",
                  census.cases, census.twins, census.first_axes, census.other_axes,
                  census.several_inputs, census.two_steps, census.turned, census.more_first,
                  census.less_first);
    assert_true(census.twins > 100 && census.twins < census.cases / 8);
    assert_true(census.first_axes > 20 && census.other_axes > 20 && census.several_inputs > 5 &&
                census.two_steps > 50 && census.turned > 20 && census.more_first > 50 &&
                census.less_first > 20);
    qd_arena_clear(&census.base);
}

/* A Squeeze without axes takes an axis of 1 out, and the output has fewer than its model declares: no run has that. */
static void test_ranks_are_kept(void **state)
{
    (void)state;
    static const struct qd_other_lengths lengths = {
        .work = QD_MAX_WORK, .count = 2, .at = {{2, 1}, {0, 1}}};
    static const int64_t dims[] = {2, 3};
    static uint8_t codes[] = {1, 2, 3, 4, 5, 6};
    const struct qd_tensor x = {
        .dtype = QD_U8, .rank = 2, .dims = {2, 3}, .count = 6, .data = codes};
    struct qd_arena arena;
    struct qd_random random = qd_random_seed("ranks", 0);
    struct qd_case kase, opened;
    struct qd_error error;
    bool made;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 11);
    qd_build_input(builder, "x", &x);
    qd_build_node(builder, "", "Squeeze", "x", "y");
    qd_build_output(builder, "y", QD_U8, 2, dims);
    assert_ok(qd_build_finish(builder, "squeeze", false, &kase, &error), error);
    assert_ok(qd_case_open_axis(&kase, &lengths, &random, &arena, &made, &opened, &error), error);
    assert_true(made);
    assert_int_equal(opened.step_count, 1);
    qd_arena_clear(&arena);
}

/* More inputs than are looked at: an axis of the first 32 is opened. */
static void test_many_inputs(void **state)
{
    (void)state;
    enum { INPUTS = 40 };
    static const struct qd_other_lengths lengths = {
        .work = QD_MAX_WORK, .count = 1, .at = {{.times = 2, .plus = 1}}};
    static uint8_t codes[] = {1, 2};
    const struct qd_tensor tensor = {
        .dtype = QD_U8, .rank = 1, .dims = {2}, .count = 2, .data = codes};
    struct qd_arena arena;
    struct qd_random random = qd_random_seed("many inputs", 0);
    struct qd_case kase, opened;
    struct qd_error error;
    bool made;
    char name[16], operands[32];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 14);
    for (int i = 0; i < INPUTS; i++) {
        snprintf(name, sizeof name, "x%d", i);
        qd_build_input(builder, name, &tensor);
        snprintf(operands, sizeof operands, "%s,%s%d", name, i == 0 ? "x" : "y",
                 i == 0 ? 0 : i - 1);
        snprintf(name, sizeof name, "y%d", i);
        qd_build_node(builder, "", "Concat", operands, name);
        qd_build_attr_int(builder, "axis", 0);
    }
    qd_build_output(builder, name, QD_U8, 1, (const int64_t[]){2 * (INPUTS + 1)});
    assert_ok(qd_build_finish(builder, "many", false, &kase, &error), error);
    assert_ok(qd_case_open_axis(&kase, &lengths, &random, &arena, &made, &opened, &error), error);
    assert_true(made);
    assert_int_equal(opened.graph->input_count, INPUTS);
    assert_int_equal(qd_graph_open_axes(&opened.graph->values[opened.graph->inputs[0]]), 1);
    assert_int_equal(qd_graph_open_axes(&opened.graph->values[opened.graph->inputs[INPUTS - 1]]),
                     0);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smoke_level),
                                       cmocka_unit_test(test_ranks_are_kept),
                                       cmocka_unit_test(test_many_inputs)};
    return cmocka_run_group_tests_name("other_shapes", tests, NULL, NULL);
}
