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
                                       cmocka_unit_test(the_range_is_divided_by)};
    return cmocka_run_group_tests_name("quirks of layers", tests, NULL, NULL);
}
