/* SPDX-License-Identifier: Apache-2.0 */
/* A case that is taken apart and put together again is the same case; edits do what they say. */
#include "case_testlib.h"

#include "qdiff/case_edit.h"
#include "qdiff/suite.h"

static struct qd_case_edit begin(const struct qd_case *kase, struct qd_arena *arena)
{
    struct qd_case_edit edit;
    struct qd_error error;
    assert_ok(qd_case_edit_begin(kase, arena, &edit, &error), error);
    return edit;
}

static struct qd_case finish(const struct qd_case_edit *edit)
{
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_case_edit_finish(edit, "edited", false, &kase, &error), error);
    return kase;
}

/* Two cases give equal outputs, or break the same rule. */
static void assert_same_answers(const struct qd_case *have, const struct qd_case *want,
                                struct qd_arena *arena)
{
    struct qd_error have_error = {.status = QD_OK}, want_error = {.status = QD_OK};
    struct qd_value have_values[QD_MAX_OPERANDS], want_values[QD_MAX_OPERANDS];
    assert_int_equal(have->graph->output_count, want->graph->output_count);
    enum qd_status status =
        qd_graph_evaluate(want->graph, want->inputs, NULL, arena, want_values, &want_error);
    assert_int_equal(
        qd_graph_evaluate(have->graph, have->inputs, NULL, arena, have_values, &have_error),
        status);
    assert_string_equal(have_error.rule, want_error.rule);
    for (size_t i = 0; status == QD_OK && i < want->graph->output_count; i++)
        assert_same_tensor(&have_values[i].want, &want_values[i].want);
}

static enum qd_visit rebuild(void *context, const struct qd_case *kase)
{
    struct qd_arena arena;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_case_edit edit = begin(kase, &arena);
    struct qd_case same;
    /* A graph whose invariants hold holds them again. */
    assert_ok(qd_case_edit_finish(&edit, kase->id, false, &same, &error), error);
    assert_int_equal(same.expect, kase->expect);
    assert_int_equal(same.tag_count, kase->tag_count);
    assert_string_equal(same.issue, kase->issue);
    assert_int_equal(same.graph->node_count, kase->graph->node_count);
    assert_same_answers(&same, kase, &arena);
    assert_int_equal(same.step_count, kase->step_count);
    for (size_t i = 0; i < kase->step_count; i++)
        for (size_t j = 0; kase->steps[i].inputs && j < kase->steps[i].graph->input_count; j++)
            assert_same_tensor(&same.steps[i].inputs[j], &kase->steps[i].inputs[j]);
    qd_arena_clear(&arena);
    ++*(size_t *)context;
    return QD_VISIT_GO_ON;
}

static void test_every_smoke_case_is_rebuilt(void **state)
{
    (void)state;
    struct qd_error error;
    size_t count = 0;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    assert_ok(qd_suite_visit(&options, rebuild, &count, &error), error);
    assert_true(count > 500);
}

/* y = Relu(Relu(x)) on f32 x = (-1, 2). */
static struct qd_case two_relus(struct qd_arena *arena)
{
    struct qd_tensor x = sample_floats(arena, 2, (const float[]){-1, 2});
    struct qd_builder *builder = qd_build_begin(arena, 14);
    qd_build_input(builder, "x", &x);
    qd_build_node(builder, "", "Relu", "x", "a");
    qd_build_node(builder, "", "Relu", "a", "y");
    qd_build_output(builder, "y", QD_F32, -1, NULL);
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_build_finish(builder, "two", false, &kase, &error), error);
    return kase;
}

static void test_nodes_go_and_come(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = two_relus(arena);
    struct qd_case_edit edit = begin(&kase, arena);
    int a = edit.nodes[0].outputs[0], x = edit.nodes[0].inputs[0];
    qd_case_edit_remove_node(&edit, 0);
    qd_case_edit_replace(&edit, a, x);
    assert_null(qd_case_edit_producer(&edit, a));
    struct qd_case one = finish(&edit);
    assert_int_equal(one.graph->node_count, 1);
    assert_string_equal(one.graph->values[one.graph->nodes[0].inputs[0]].name, "x");

    struct qd_case_edit_node *node = qd_case_edit_add_node(&edit, 1, "", "Identity");
    node->inputs[node->input_count++] = edit.outputs[0];
    int z = qd_case_edit_add_value(&edit, NULL, false);
    node->outputs[node->output_count++] = z;
    edit.outputs[0] = z;
    struct qd_case two = finish(&edit);
    assert_int_equal(two.graph->node_count, 2);
    assert_string_equal(two.graph->nodes[1].op_type, "Identity");
    assert_int_equal(two.graph->values[two.graph->outputs[0]].declared_dtype, QD_DTYPE_NONE);
    assert_same_answers(&two, &one, arena);
}

static void test_outputs_are_declared_as_they_are_computed(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = two_relus(arena);
    struct qd_case_edit edit = begin(&kase, arena);
    edit.outputs[edit.output_count++] = edit.nodes[0].outputs[0];
    struct qd_case bare = finish(&edit);
    assert_int_equal(bare.graph->values[bare.graph->outputs[0]].declared_rank, -1);
    assert_int_equal(bare.graph->values[bare.graph->outputs[1]].declared_dtype, QD_DTYPE_NONE);
    edit.infers = true;
    struct qd_case inferred = finish(&edit);
    assert_same_answers(&inferred, &bare, arena);
    for (size_t i = 0; i < 2; i++) {
        const struct qd_graph_value *output = &inferred.graph->values[inferred.graph->outputs[i]];
        assert_int_equal(output->declared_dtype, QD_F32);
        assert_int_equal(output->declared_rank, 1);
        assert_int_equal(output->declared_dims[0], 2);
    }
}

static void test_tensors_and_attributes(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = sample_conv_case(arena);
    struct qd_case_edit edit = begin(&kase, arena);
    struct qd_tensor *x = qd_case_edit_copy_tensor(&edit, &kase.inputs[0]);
    qd_tensor_set(x, 0, 77);
    edit.values[edit.nodes[0].inputs[0]].tensor = x;
    edit.values[edit.nodes[0].inputs[0]].is_input = false;
    static const int64_t pads[] = {0, 0, 0, 0};
    static const float floats[] = {0.5F, 2};
    assert_true(qd_case_edit_set_attr(
        &edit.nodes[0],
        &(struct qd_attr){.name = "pads", .kind = QD_ATTR_INTS, .ints = pads, .count = 4}));
    assert_true(qd_case_edit_set_attr(
        &edit.nodes[0],
        &(struct qd_attr){.name = "more", .kind = QD_ATTR_FLOATS, .floats = floats, .count = 2}));
    assert_true(qd_case_edit_set_attr(
        &edit.nodes[0], &(struct qd_attr){.name = "t", .kind = QD_ATTR_TENSOR, .tensor = x}));
    struct qd_case made = finish(&edit);
    const struct qd_node *node = &made.graph->nodes[0];
    assert_int_equal(made.graph->input_count, kase.graph->input_count - 1);
    assert_int_equal(qd_tensor_get(made.graph->values[node->inputs[0]].initializer, 0), 77);
    assert_int_equal(qd_node_attr(node, "pads")->ints[3], 0);
    assert_true(qd_node_attr(node, "more")->floats[0] == 0.5F);
    assert_same_tensor(qd_node_attr(node, "t")->tensor, x);
    qd_case_edit_remove_attr(&edit.nodes[0], "t");
    made = finish(&edit);
    assert_null(qd_node_attr(&made.graph->nodes[0], "t"));
}

static void test_broken_edits_are_refused(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = two_relus(arena), made;
    struct qd_error error;
    struct qd_case_edit edit = begin(&kase, arena);
    edit.nodes[0].inputs[0] = edit.outputs[0];
    assert_refused(qd_case_edit_finish(&edit, "cycle", false, &made, &error), QD_INVALID, &error,
                   "");
    edit = begin(&kase, arena);
    while (qd_case_edit_add_node(&edit, 0, "", "Relu"))
        ;
    assert_int_equal(edit.node_count, QD_CASE_EDIT_MAX_NODES);
    while (qd_case_edit_add_value(&edit, NULL, false) != QD_NO_VALUE)
        ;
    assert_int_equal(edit.value_count, QD_CASE_EDIT_MAX_VALUES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_smoke_case_is_rebuilt),
        cmocka_unit_test_setup_teardown(test_nodes_go_and_come, arena_set_up, arena_tear_down),
        cmocka_unit_test_setup_teardown(test_outputs_are_declared_as_they_are_computed,
                                        arena_set_up, arena_tear_down),
        cmocka_unit_test_setup_teardown(test_tensors_and_attributes, arena_set_up, arena_tear_down),
        cmocka_unit_test_setup_teardown(test_broken_edits_are_refused, arena_set_up,
                                        arena_tear_down),
    };
    return cmocka_run_group_tests_name("edit", tests, NULL, NULL);
}
