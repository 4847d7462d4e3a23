/* SPDX-License-Identifier: Apache-2.0 */
/* Quirks of layers between codes, by hand: what comes out, on cases whose comments say why.
 * Alone: <build>/tests/targets/quirk/layers_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/build.h"
#include "qdiff/case.h"
#include "qdiff/evaluate.h"
#include "qdiff/quirk.h"

#define MOST 4

static void evaluate(const char *id, const char *quirk, struct qd_arena *arena,
                     struct qd_value *out)
{
    char path[1024];
    struct qd_case kase;
    struct qd_semantics semantics;
    struct qd_error error;
    snprintf(path, sizeof path, "%s/%s.qdcase", QD_TEST_CASES_DIR, id);
    if (qd_case_load(path, arena, &kase, &error) != QD_OK ||
        qd_quirks_parse(quirk, arena, &semantics, &error) != QD_OK ||
        qd_graph_evaluate(kase.graph, kase.inputs, &semantics, arena, out, &error) != QD_OK)
        fail_msg("%s: %s", id, error.text);
}

static void quirks_give_the_numbers_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *id, *quirk;
        int64_t count, codes[MOST];
    } rows[] = {
        {"witnesses/conversion-256ths", "", 4, {29, 78, 126, 127}},
        {"witnesses/conversion-256ths", "conversion-in-256ths", 4, {30, 78, 126, 127}},
        {"witnesses/weight-zero-points", "constant-zero-points-ignored", 2, {1, 2}},
        {"witnesses/bias-beyond-int32", "float-bias-quantized", 2, {-64, -64}},
        {"witnesses/int8-between-pairs", "fused-int16-pair-saturation", 1, {28}},
        {"regressions/pytorch-44939", "float-bias-quantized", 2, {24, -40}},
        {"regressions/executorch-20655-add", "fused-add-rounds-half-up", 3, {60, 64, -27}},
        {"regressions/executorch-20280-control", "fused-add-rounds-half-up", 0, {0}},
        /* 2.5, 1.5, -0.5 and 6 + 1.49999988: two ties of float32 become 4 and 3 */
        {"regressions/pytorch-19714", "half-added-to-uint8", 4, {4, 3, 0, 7}},
        /* 13.5, 8.5 and 60 + 0.49999991 */
        {"regressions/onnx-3967", "half-added-to-uint8", 3, {14, 9, 60}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        struct qd_value y, right;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        evaluate(rows[i].id, rows[i].quirk, &arena, &y);
        evaluate(rows[i].id, "", &arena, &right);
        if (rows[i].count == 0) /* nothing there that the quirk is about */
            assert_memory_equal(y.want.data, right.want.data, qd_tensor_bytes(&right.want));
        else
            assert_int_equal(y.want.count, rows[i].count);
        for (int64_t k = 0; k < rows[i].count; k++)
            if (qd_tensor_get(&y.want, k) != rows[i].codes[k])
                fail_msg("%s under '%s': element %lld is %lld, not %lld", rows[i].id, rows[i].quirk,
                         (long long)k, (long long)qd_tensor_get(&y.want, k),
                         (long long)rows[i].codes[k]);
        qd_arena_clear(&arena);
    }
}

static void add_scale(struct qd_builder *builder, struct qd_arena *arena, const char *name,
                      int64_t count, const double *numbers)
{
    struct qd_tensor scale;
    struct qd_error error;
    assert_int_equal(qd_tensor_init(&scale, arena, QD_F32, count > 1, &count, &error), QD_OK);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&scale, i, (int64_t)qd_float_encode(QD_F32, numbers[i], false));
    qd_build_initializer(builder, name, &scale);
}

/* reports/findings/qgemm-bias-scale: y = -1/256 over 1/256, the bias code -1 having the step 1/256; in steps of
 * 1/8 * 1/128, a quarter of it, 0. With a scale of 1/32 for the second column the product is 1/256 there, and the bias
 * what it should be. */
static void bias_codes_in_steps_of_the_product(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 2};
    static const double w_scales[] = {0x1p-7, 0x1p-5}, x_scale[] = {0x1p-3}, step[] = {0x1p-8};
    static int8_t zeros[2];
    static int32_t minus[2] = {-1, -1};
    for (int64_t scales = 1; scales <= 2; scales++) {
        struct qd_arena arena;
        struct qd_case kase;
        struct qd_semantics semantics;
        struct qd_value right, y;
        struct qd_error error;
        struct qd_tensor x = {.dtype = QD_S8, .rank = 2, .dims = {1, 1}, .count = 1, .data = zeros},
                         w = {.dtype = QD_S8, .rank = 2, .dims = {1, 2}, .count = 2, .data = zeros},
                         bias = {.dtype = QD_S32,
                                 .rank = 1,
                                 .dims = {2},
                                 .count = 2,
                                 .data = minus},
                         zero = {.dtype = QD_S8, .count = 1, .data = zeros};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_builder *builder = qd_build_begin(&arena, 13);
        qd_build_input(builder, "x", &x);
        qd_build_initializer(builder, "w", &w);
        qd_build_initializer(builder, "bias", &bias);
        qd_build_initializer(builder, "zero", &zero);
        add_scale(builder, &arena, "x_scale", 1, x_scale);
        add_scale(builder, &arena, "w_scale", scales, w_scales);
        add_scale(builder, &arena, "step", 1, step);
        qd_build_node(builder, "", "DequantizeLinear", "x,x_scale", "a");
        qd_build_node(builder, "", "DequantizeLinear", "w,w_scale", "b");
        qd_build_node(builder, "", "DequantizeLinear", "bias,step", "c");
        qd_build_node(builder, "", "Gemm", "a,b,c", "sum");
        qd_build_node(builder, "", "QuantizeLinear", "sum,step,zero", "y");
        qd_build_output(builder, "y", QD_S8, 2, dims);
        if (qd_build_finish(builder, "gemm", false, &kase, &error) != QD_OK ||
            qd_quirks_parse("bias-in-steps-of-product", &arena, &semantics, &error) != QD_OK ||
            qd_graph_evaluate(kase.graph, kase.inputs, NULL, &arena, &right, &error) != QD_OK ||
            qd_graph_evaluate(kase.graph, kase.inputs, &semantics, &arena, &y, &error) != QD_OK)
            fail_msg("%s", error.text);
        for (int i = 0; i < 2; i++)
            assert_int_equal(qd_tensor_get(&right.want, i), -1);
        assert_int_equal(qd_tensor_get(&y.want, 0), 0);
        assert_int_equal(qd_tensor_get(&y.want, 1), scales == 2 ? -1 : 0);
        qd_arena_clear(&arena);
    }
}

/* reports/findings/qlinear-softmax-range: the probability of 132 is 0.011729, of which 512 make 6.005; that of 169
 * times 512 leaves float32, and is no step. */
static void softmax_overflows(void **state)
{
    (void)state;
    static uint8_t codes[] = {132, 169}, nothing = 0;
    static const double scales[] = {0.119836174, 0x1p-9};
    static const int64_t dims[] = {1, 2};
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_semantics semantics;
    struct qd_value y;
    struct qd_error error;
    struct qd_tensor x = {.dtype = QD_U8, .rank = 2, .dims = {1, 2}, .count = 2, .data = codes},
                     zero = {.dtype = QD_U8, .count = 1, .data = &nothing};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 13);
    qd_build_input(builder, "x", &x);
    add_scale(builder, &arena, "x_scale", 1, &scales[0]);
    add_scale(builder, &arena, "y_scale", 1, &scales[1]);
    qd_build_initializer(builder, "z", &zero);
    qd_build_node(builder, "com.microsoft", "QLinearSoftmax", "x,x_scale,,y_scale,z", "y");
    qd_build_attr_int(builder, "opset", 12);
    qd_build_output(builder, "y", QD_U8, 2, dims);
    if (qd_build_finish(builder, "softmax", false, &kase, &error) != QD_OK ||
        qd_quirks_parse("softmax-by-table", &arena, &semantics, &error) != QD_OK ||
        qd_graph_evaluate(kase.graph, kase.inputs, &semantics, &arena, &y, &error) != QD_OK)
        fail_msg("%s", error.text);
    assert_int_equal(qd_tensor_get(&y.want, 0), 6);
    assert_int_equal(qd_tensor_get(&y.want, 1), 0);
    qd_arena_clear(&arena);
}

/* 1/255 is 8421505·2^−31 in float32. Three times that is 12632257.5·2^−30, a tie: the scale is 12632258·2^−30, where
 * 3/255 is 12632256.75·2^−30, and 12632257·2^−30 is right. −1/4·255 is −63.75 and 3/4·255 191.25: the zero point is
 * 64, and the codes are −64 + 64, 64 + 64 and 191 + 64. */
static void the_range_is_divided_by(void **state)
{
    (void)state;
    static const float x[] = {-0.75F, 0.75F, 2.25F};
    const int64_t three = 3;
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_semantics semantics;
    struct qd_error error;
    struct qd_tensor data;
    struct qd_value out[3];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_tensor_init(&data, &arena, QD_F32, 1, &three, NULL), QD_OK);
    memcpy(data.data, x, sizeof x);
    struct qd_builder *b = qd_build_begin(&arena, 13);
    qd_build_input(b, "x", &data);
    qd_build_node(b, "", "DynamicQuantizeLinear", "x", "y,y_scale,y_zero_point");
    qd_build_output(b, "y", QD_U8, 1, &three);
    qd_build_output(b, "y_scale", QD_F32, 0, NULL);
    qd_build_output(b, "y_zero_point", QD_U8, 0, NULL);
    if (qd_build_finish(b, "dynamic", false, &kase, &error) != QD_OK ||
        qd_quirks_parse("dynamic-quotient-times-255", &arena, &semantics, &error) != QD_OK ||
        qd_graph_evaluate(kase.graph, kase.inputs, &semantics, &arena, out, &error) != QD_OK)
        fail_msg("%s", error.text);
    assert_int_equal(qd_tensor_get(&out[0].want, 0), 0);
    assert_int_equal(qd_tensor_get(&out[0].want, 1), 128);
    assert_int_equal(qd_tensor_get(&out[0].want, 2), 255);
    assert_true(qd_tensor_value(&out[1].want, 0) == 12632258 * 0x1p-30);
    assert_int_equal(qd_tensor_get(&out[2].want, 0), 64);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quirks_give_the_numbers_by_hand),
                                       cmocka_unit_test(bias_codes_in_steps_of_the_product),
                                       cmocka_unit_test(softmax_overflows),
                                       cmocka_unit_test(the_range_is_divided_by)};
    return cmocka_run_group_tests_name("quirks of layers", tests, NULL, NULL);
}
