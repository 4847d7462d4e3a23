/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: what it writes is what decodes. */
#include "case_testlib.h"

#include "onnx/onnx.pb-c.h"
#include "qdiff/evaluate.h"

static void test_conv(void **state)
{
    struct qd_case kase = sample_conv_case(*state);
    const struct qd_graph *graph = kase.graph;
    assert_string_equal(kase.id, "sample/conv");
    assert_int_equal(kase.opset, 10);
    assert_int_equal(kase.expect, QD_EXPECT_VALID);
    assert_string_equal(kase.issue, "onnxruntime #28456");
    assert_string_equal(kase.spec, "QLinearConv-10");
    assert_string_equal(kase.note, "a note");
    assert_int_equal(kase.tag_count, 1);
    assert_string_equal(kase.tags[0], "sample");
    assert_int_equal(graph->node_count, 1);
    assert_int_equal(graph->input_count, 1);
    assert_int_equal(graph->output_count, 1);
    assert_int_equal(graph->value_count, 9);
    const struct qd_node *node = &graph->nodes[0];
    assert_string_equal(node->op_type, "QLinearConv");
    assert_string_equal(node->domain, "");
    assert_int_equal(node->opset, 10);
    assert_ptr_equal(node->op, qd_op_find("", "QLinearConv"));
    assert_int_equal(node->input_count, 8);
    const int64_t *pads;
    size_t count;
    assert_int_equal(qd_node_ints(node, "pads", &pads, &count, NULL), QD_OK);
    assert_int_equal(count, 4);
    assert_int_equal(pads[3], 1);
    const struct qd_tensor *zero = graph->values[node->inputs[5]].initializer;
    assert_int_equal(qd_tensor_get(zero, 1), 200);
    const struct qd_graph_value *y = &graph->values[graph->outputs[0]];
    assert_int_equal(y->declared_dtype, QD_U8);
    assert_int_equal(y->declared_rank, 4);
    assert_int_equal(y->declared_dims[2], 4);
}

static void test_attributes(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase;
    struct qd_error error;
    float one = 1.0f, f;
    int64_t i;
    const char *s;
    struct qd_tensor x = sample_floats(arena, 1, &one);
    struct qd_builder *builder = qd_build_begin(arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_node(builder, "com.microsoft", "Thing", "x,,x,", "y,,z");
    qd_build_attr_int(builder, "i", -5);
    qd_build_attr_float(builder, "f", 0.25f);
    qd_build_attr_string(builder, "s", "SAME_UPPER");
    qd_build_attr_ints(builder, "none", NULL, 0);
    qd_build_node(builder, "", "Identity", "z", "t");
    qd_build_output(builder, "t", QD_F32, 1, (int64_t[]){-1});
    qd_build_output(builder, "y", QD_F32, -1, NULL);
    assert_ok(qd_build_finish(builder, "attributes", false, &kase, &error), error);
    const struct qd_node *node = &kase.graph->nodes[0];
    assert_int_equal(qd_node_int(node, "i", 0, &i, NULL), QD_OK);
    assert_int_equal(i, -5);
    assert_int_equal(qd_node_float(node, "f", 0, &f, NULL), QD_OK);
    assert_true(f == 0.25f);
    assert_int_equal(qd_node_string(node, "s", "", &s, NULL), QD_OK);
    assert_string_equal(s, "SAME_UPPER");
    assert_int_equal(qd_node_attr(node, "none")->count, 0);
    assert_int_equal(node->opset, 1);
    assert_int_equal(node->input_count, 4);
    assert_int_equal(node->inputs[1], QD_NO_VALUE);
    assert_int_equal(node->inputs[3], QD_NO_VALUE);
    assert_int_equal(node->output_count, 3);
    assert_int_equal(node->outputs[1], QD_NO_VALUE);
    assert_int_equal(kase.graph->values[kase.graph->outputs[0]].declared_dims[0], -1);
    assert_int_equal(kase.graph->values[kase.graph->outputs[1]].declared_rank, -1);
}

static void test_hashed_id(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case a, b;
    struct qd_error error;
    assert_ok(qd_build_finish(sample_conv(arena), "op/slug", true, &a, &error), error);
    assert_ok(qd_build_finish(sample_conv(arena), "op/slug", true, &b, &error), error);
    assert_string_equal(a.id, b.id);
    assert_int_equal(strlen(a.id), strlen("op/slug/") + 8);
    struct qd_builder *other = sample_conv(arena);
    qd_build_attr_int(other, "group", 1);
    assert_ok(qd_build_finish(other, "op/slug", true, &b, &error), error);
    assert_string_not_equal(a.id, b.id);
}

static void test_must_reject(void **state)
{
    struct qd_case kase;
    struct qd_error error;
    struct qd_builder *builder = sample_conv(*state);
    qd_build_must_reject(builder, "QLinearConv/x_scale-shape", "sample/conv");
    assert_ok(qd_build_finish(builder, "reject", false, &kase, &error), error);
    assert_int_equal(kase.expect, QD_EXPECT_MUST_REJECT);
    assert_string_equal(kase.rule, "QLinearConv/x_scale-shape");
    assert_string_equal(kase.twin, "sample/conv");
}

static void test_mistakes(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase;
    struct qd_error error = {0};
    struct qd_builder *builder = sample_conv(arena);
    float one = 1.0f;
    struct qd_tensor again = sample_floats(arena, 0, &one);
    qd_build_initializer(builder, "w", &again);
    assert_refused(qd_build_finish(builder, "twice", false, &kase, &error), QD_INVALID, &error,
                   "'w'");

    builder = qd_build_begin(arena, 13);
    qd_build_attr_int(builder, "axis", 1);
    assert_refused(qd_build_finish(builder, "no-node", false, &kase, &error), QD_INTERNAL, &error,
                   "'axis'");

    builder = sample_conv(arena);
    for (int i = 0; i < 20; i++)
        qd_build_tag(builder, "t");
    assert_refused(qd_build_finish(builder, "tags", false, &kase, &error), QD_INTERNAL, &error,
                   "tags");

    assert_refused(qd_build_finish(sample_conv(arena), "a b", false, &kase, &error), QD_INVALID,
                   &error, "'a b'");
}

static void test_out_of_memory(void **state)
{
    struct qd_arena small;
    struct qd_case kase;
    struct qd_error error;
    float one = 1.0f;
    struct qd_tensor x = sample_floats(*state, 0, &one);
    qd_arena_init(&small, 2048);
    struct qd_builder *builder = qd_build_begin(&small, 13);
    assert_non_null(builder);
    for (int i = 0; i < 100; i++)
        qd_build_input(builder, "x", &x);
    assert_refused(qd_build_finish(builder, "small", false, &kase, &error), QD_NO_MEMORY, &error,
                   "budget");
    qd_arena_clear(&small);
}

/* The IR version is the least that has the opset and every type. */
static void test_ir_version(void **state)
{
    static const struct {
        int64_t opset;
        enum qd_dtype dtype;
        uint8_t want;
    } rows[] = {
        {8, QD_F32, 3},  {9, QD_F32, 4},      {10, QD_U8, 5},  {11, QD_U8, 6},  {13, QD_U8, 7},
        {15, QD_U8, 8},  {18, QD_F32, 8},     {19, QD_F32, 9}, {21, QD_U8, 10}, {23, QD_U8, 11},
        {24, QD_U8, 12}, {25, QD_U8, 13},     {26, QD_U8, 13}, {10, QD_S4, 10}, {10, QD_F8E5M2, 9},
        {23, QD_U2, 13}, {13, QD_F4E2M1, 11},
    };
    static const int64_t zero[1] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_case kase;
        struct qd_error error;
        struct qd_tensor x = sample_tensor(*state, rows[i].dtype, 0, NULL, zero);
        struct qd_builder *builder = qd_build_begin(*state, rows[i].opset);
        qd_build_input(builder, "x", &x);
        qd_build_node(builder, "", "Identity", "x", "y");
        qd_build_output(builder, "y", rows[i].dtype, 0, NULL);
        assert_ok(qd_build_finish(builder, "ir", false, &kase, &error), error);
        assert_int_equal(kase.model[0], 0x08); /* field 1, varint: ir_version */
        assert_int_equal(kase.model[1], rows[i].want);
    }
}

/* One name for two axes would say that they are as long as each other. */
static void test_open_axes_have_names(void **state)
{
    struct qd_arena *arena = *state;
    const int64_t dims[] = {2, 3, 4};
    struct qd_tensor x;
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_tensor_init(&x, arena, QD_F32, 3, dims, &error), error);
    struct qd_builder *builder = qd_build_begin(arena, 13);
    qd_build_open_input(builder, "x", &x, 0x6);
    qd_build_node(builder, "", "Relu", "x", "y");
    qd_build_output_inferred(builder, "y", QD_F32);
    assert_ok(qd_build_finish(builder, "open", false, &kase, &error), error);
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, kase.model_size, kase.model);
    assert_non_null(model);
    Onnx__TensorShapeProto *shape = model->graph->input[0]->type->tensor_type->shape;
    assert_int_equal(shape->dim[0]->dim_value, 2);
    assert_string_equal(shape->dim[1]->dim_param, "N");
    assert_string_equal(shape->dim[2]->dim_param, "M");
    onnx__model_proto__free_unpacked(model, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv),       cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_hashed_id),  cmocka_unit_test(test_must_reject),
        cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_ir_version), cmocka_unit_test(test_open_axes_have_names),
    };
    return cmocka_run_group_tests_name("cases/build", tests, arena_set_up, arena_tear_down);
}
