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
        /* it adds nothing */
        {"regressions/pytorch-19714", "add-in-fixed-point", 0, {0}},
        /* 100 * 2^-32 in a vector: the sign of 100 + 2^31 in int32 */
        {"regressions/cmsis5-354", "requantize-shift-masked", 2, {-1, 1}},
        /* 2.5, 1.5, -0.5 and 6 + 1.49999988: two ties of float32 become 4 and 3 */
        {"regressions/pytorch-19714", "half-added-to-uint8", 4, {4, 3, 0, 7}},
        /* One row lies at 0.999999 of the way from a row of 0: -3.999996 and -2.999997, between them -3.4999965; the
         * last position is cut off before -2.999997. */
        {"regressions/tf-51794", "resize-linear-cut-off", 3, {-4, -3, -3}},
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

/* The graph's one output under a quirk. */
static struct qd_value output_of(struct qd_builder *builder, struct qd_arena *arena,
                                 const char *quirk)
{
    struct qd_case kase;
    struct qd_semantics semantics;
    struct qd_value y = {.flags = NULL};
    struct qd_error error;
    if (qd_build_finish(builder, "case", false, &kase, &error) != QD_OK ||
        qd_quirks_parse(quirk, arena, &semantics, &error) != QD_OK ||
        qd_graph_evaluate(kase.graph, kase.inputs, &semantics, arena, &y, &error) != QD_OK)
        fail_msg("%s: %s", quirk, error.text);
    return y;
}

static bool admits(struct qd_builder *builder, struct qd_arena *arena, const char *quirk, double y)
{
    const struct qd_value value = output_of(builder, arena, quirk);
    const struct qd_observation seen = qd_value_observe(&value, 0);
    return qd_observation_admits(&seen, y);
}

/* Element i is codes[i]. */
static void gives(struct qd_builder *builder, struct qd_arena *arena, const char *quirk,
                  int64_t count, const int64_t *codes)
{
    const struct qd_value y = output_of(builder, arena, quirk);
    assert_int_equal(y.want.count, count);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(qd_tensor_get(&y.want, i), codes[i]);
}

static struct qd_tensor codes_of(enum qd_dtype dtype, int64_t count, void *codes)
{
    return (struct qd_tensor){
        .dtype = dtype, .rank = count > 1, .dims = {count}, .count = count, .data = codes};
}

/* reports/findings/opencv-runtime-bias: eight steps of 2^126 are beyond float32. Of infinity the greatest number is
 * kept, which is four of 2^126; of its negative no int32 is made but the least. */
static void a_bias_beyond_float32_is_infinite(void **state)
{
    (void)state;
    static uint8_t codes[] = {0}, weights[] = {1, 1}, zeros[] = {0}, hundred[] = {100};
    static int32_t steps[] = {8, -8};
    static const double scales[] = {0x1p126, 1};
    static const int64_t wanted[] = {104, 0};
    struct qd_arena arena;
    struct qd_tensor x = {.dtype = QD_U8, .rank = 3, .dims = {1, 1, 1}, .count = 1, .data = codes},
                     w = {.dtype = QD_U8,
                          .rank = 3,
                          .dims = {2, 1, 1},
                          .count = 2,
                          .data = weights},
                     zero = codes_of(QD_U8, 1, zeros), z = codes_of(QD_U8, 1, hundred),
                     bias = codes_of(QD_S32, 2, steps);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "w", &w);
    qd_build_initializer(builder, "zero", &zero);
    qd_build_initializer(builder, "z", &z);
    qd_build_initializer(builder, "bias", &bias);
    add_scale(builder, &arena, "large", 1, &scales[0]);
    add_scale(builder, &arena, "one", 1, &scales[1]);
    qd_build_node(builder, "", "QLinearConv", "x,large,zero,w,one,zero,large,z,bias", "y");
    qd_build_output(builder, "y", QD_U8, 3, (const int64_t[]){1, 2, 1});
    gives(builder, &arena, "bias-times-x-scale,codes-without-subnormals", 2, wanted);
    qd_arena_clear(&arena);
}

/* reports/findings/tract-lookup-table: along the last axis each code is 1, of which 0.01 goes into it 100 times; along
 * the first one 127 has the share 1 - exp(-0.1) = 0.0952 of all codes, and -120 one of 2e-12. */
static void softmax_of_the_table(void **state)
{
    (void)state;
    static int8_t codes[] = {-120, 127}, nothing;
    static const double scales[] = {0.1, 0.01};
    static const int64_t dims[] = {1, 2}, wanted[2][2] = {{0, 10}, {100, 100}};
    for (int64_t axis = 0; axis < 2; axis++) {
        struct qd_arena arena;
        struct qd_tensor x = {.dtype = QD_S8, .rank = 2, .dims = {1, 2}, .count = 2, .data = codes},
                         zero = codes_of(QD_S8, 1, &nothing);
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_builder *builder = qd_build_begin(&arena, 13);
        qd_build_input(builder, "x", &x);
        add_scale(builder, &arena, "x_scale", 1, &scales[0]);
        add_scale(builder, &arena, "y_scale", 1, &scales[1]);
        qd_build_initializer(builder, "z", &zero);
        qd_build_node(builder, "", "DequantizeLinear", "x,x_scale,z", "real");
        qd_build_node(builder, "", "Softmax", "real", "p");
        qd_build_attr_int(builder, "axis", axis);
        qd_build_node(builder, "", "QuantizeLinear", "p,y_scale,z", "y");
        qd_build_output(builder, "y", QD_S8, 2, dims);
        gives(builder, &arena, "softmax-of-table", 2, wanted[axis]);
        qd_arena_clear(&arena);
    }
}

/* reports/findings/tract-sums-beyond-int32: 0.35 times 10 is 3.5 in float32. 3e10 becomes INT32_MAX, and one more
 * wraps; by channel it saturates, and 0 times the reciprocal of a subnormal number is none. */
static void quotients_in_int32(void **state)
{
    (void)state;
    static const float numbers[] = {0.35F, 3e9F, 0};
    static uint8_t ones[] = {1, 1, 1};
    static const double scales[] = {0.1, 0.1, 0x1p-140};
    static const int64_t three = 3, wanted[2][3] = {{5, 0, 1}, {5, 255, 0}};
    for (int by_channel = 0; by_channel < 2; by_channel++) {
        struct qd_arena arena;
        struct qd_tensor x, one = codes_of(QD_U8, by_channel ? 3 : 1, ones);
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        assert_int_equal(qd_tensor_init(&x, &arena, QD_F32, 1, &three, NULL), QD_OK);
        memcpy(x.data, numbers, sizeof numbers);
        struct qd_builder *builder = qd_build_begin(&arena, 13);
        qd_build_input(builder, "x", &x);
        add_scale(builder, &arena, "scale", one.count, scales);
        qd_build_initializer(builder, "one", &one);
        qd_build_node(builder, "", "QuantizeLinear", "x,scale,one", "y");
        qd_build_attr_int(builder, "axis", 0);
        qd_build_output(builder, "y", QD_U8, 1, &three);
        gives(builder, &arena, "quantized-in-int32", three, wanted[by_channel]);
        qd_arena_clear(&arena);
    }
}

/* Two filters of weight 1 on x = 7. 2^64 is a shift by 64: in lanes it leaves nothing, modulo 64, with two zero points,
 * it is none. Of two scales the product becomes INT32_MAX, and the zero point wraps; 7 * 1 + 1 is 8. */
static void scales_are_shifts(void **state)
{
    (void)state;
    static uint8_t seven = 7, ones[] = {1, 1}, zeros[2];
    static const double one = 1, scales[3][2] = {{0x1p64}, {0x1p64, 0x1p64}, {0x1p40, 1}};
    static const int64_t dims[] = {1, 2, 1}, vectors[] = {1, 2, 2},
                         wanted[3][2] = {{1, 1}, {8, 8}, {0, 8}};
    for (int i = 0; i < 3; i++) {
        struct qd_arena arena;
        struct qd_tensor x = {.dtype = QD_U8, .rank = 3, .dims = {1, 1, 1}, .count = 1},
                         w = {.dtype = QD_U8, .rank = 3, .dims = {2, 1, 1}, .count = 2},
                         zero = codes_of(QD_U8, 1, zeros), y_zero = codes_of(QD_U8, 1, ones),
                         w_zero = codes_of(QD_U8, vectors[i], zeros);
        x.data = &seven;
        w.data = ones;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_builder *builder = qd_build_begin(&arena, 13);
        qd_build_input(builder, "x", &x);
        qd_build_initializer(builder, "w", &w);
        qd_build_initializer(builder, "z", &zero);
        qd_build_initializer(builder, "w_z", &w_zero);
        qd_build_initializer(builder, "y_z", &y_zero);
        add_scale(builder, &arena, "one", 1, &one);
        add_scale(builder, &arena, "w_scale", vectors[i], scales[i]);
        qd_build_node(builder, "", "QLinearConv", "x,one,z,w,w_scale,w_z,one,y_z", "y");
        qd_build_output(builder, "y", QD_U8, 3, dims);
        gives(builder, &arena, "requantize-shift-masked", 2, wanted[i]);
        qd_arena_clear(&arena);
    }
}

/* 186·0x2936 · 65·0x2933 (float16: 0.04071044921875, 0.040618896484375) is 19.992187489, just below a tie of float16:
 * 0x4cff. Rounded to float32 first it is the tie, which goes to 0x4d00 = 20. */
static void a_product_in_float32_is_rounded_to_float16_once(void **state)
{
    (void)state;
    static uint8_t a[] = {186}, b[] = {65};
    static uint16_t scales[] = {0x2936, 0x2933};
    static const int64_t dims[] = {1, 1};
    const struct qd_tensor of_a = {.dtype = QD_F16, .count = 1, .data = &scales[0]},
                           of_b = {.dtype = QD_F16, .count = 1, .data = &scales[1]};
    struct qd_tensor x = {.dtype = QD_U8, .rank = 2, .dims = {1, 1}, .count = 1, .data = a}, w = x;
    struct qd_arena arena;
    w.data = b;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 13);
    qd_build_input(builder, "a", &x);
    qd_build_initializer(builder, "b", &w);
    qd_build_initializer(builder, "a_scale", &of_a);
    qd_build_initializer(builder, "b_scale", &of_b);
    qd_build_node(builder, "com.microsoft", "MatMulIntegerToFloat", "a,b,a_scale,b_scale", "y");
    qd_build_output(builder, "y", QD_F16, 2, dims);
    assert_true(admits(builder, &arena, "product-in-floats", 20));
    qd_arena_clear(&arena);
}

static struct qd_tensor copy_of(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                                const int64_t *dims, const void *data)
{
    struct qd_tensor tensor;
    struct qd_error error;
    assert_int_equal(qd_tensor_init(&tensor, arena, dtype, rank, dims, &error), QD_OK);
    memcpy(tensor.data, data, qd_tensor_bytes(&tensor));
    return tensor;
}

/* Rows of `width` numbers, the same one twice, resized along them to `count` numbers, by scales if there are any. */
static void resizes_to(const char *mode, const float *scales, int64_t width, const float *rows,
                       int64_t count, const double *wanted)
{
    const int64_t sizes[] = {1, 1, 2, count}, from[] = {1, 1, 2, width}, four[] = {4};
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_tensor x = copy_of(&arena, QD_F32, 4, from, rows);
    struct qd_tensor to =
        scales ? copy_of(&arena, QD_F32, 1, four, scales) : copy_of(&arena, QD_S64, 1, four, sizes);
    struct qd_builder *builder = qd_build_begin(&arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "to", &to);
    qd_build_node(builder, "", "Resize", scales ? "x,,to" : "x,,,to", "y");
    qd_build_attr_string(builder, "mode", "linear");
    qd_build_attr_string(builder, "coordinate_transformation_mode", mode);
    qd_build_output(builder, "y", QD_F32, 4, sizes);
    const struct qd_value y = output_of(builder, &arena, "resize-linear-cut-off");
    assert_int_equal(y.want.count, 2 * count);
    for (int64_t i = 0; i < 2 * count; i++)
        assert_true(qd_tensor_value(&y.want, i) == wanted[i % count]);
    qd_arena_clear(&arena);
}

/* Twice the same row, so that nothing happens between them. The last position is 1 - 10^-6, in float32 16777199 *
 * 2^-24, or 2 - 10^-6, 2 - 8 * 2^-23. Positions by 2/3 are 11184811 * 2^-24, and 1.5 times 3/4 - 0.5 is 0.625, where
 * by the scale it is 0.5. */
static void positions_are_those_of_the_sizes(void **state)
{
    (void)state;
    static const float two[] = {0, 8, 0, 8}, three[] = {0, 8, 16, 0, 8, 16};
    static const float scales[] = {1, 1, 1, 1.5F};
    resizes_to("align_corners", NULL, 2, two, 3, (const double[]){0, 4, 16777199 * 0x1p-21});
    resizes_to("asymmetric", NULL, 2, two, 3,
               (const double[]){0, 11184811 * 0x1p-21, 16777199 * 0x1p-21});
    resizes_to("half_pixel", NULL, 3, three, 4, (const double[]){0, 5, 11, 16 - 0x1p-17});
    resizes_to("half_pixel", scales, 3, three, 4, (const double[]){0, 5, 11, 16 - 0x1p-17});
}

/* A QuantizeLinear by the scale s and the zero point 0, which are constants. */
static void quantize(const char *quirk, const struct qd_tensor *x, const struct qd_tensor *s,
                     enum qd_dtype codes, const int64_t *wanted)
{
    uint16_t zeros[] = {0};
    struct qd_arena arena;
    struct qd_tensor z = codes_of(codes, 1, zeros);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 21);
    qd_build_input(builder, "x", x);
    qd_build_initializer(builder, "s", s);
    qd_build_initializer(builder, "z", &z);
    qd_build_node(builder, "", "QuantizeLinear", "x,s,z", "y");
    qd_build_output(builder, "y", codes, 1, x->dims);
    gives(builder, &arena, quirk, x->count, wanted);
    qd_arena_clear(&arena);
}

/* Of float16, numbers as their bits. */
static void quantize_float16(const char *quirk, enum qd_dtype codes, uint16_t scale,
                             const uint16_t x[4], const int64_t wanted[4])
{
    uint16_t numbers[4];
    memcpy(numbers, x, sizeof numbers);
    struct qd_tensor data = codes_of(QD_F16, 4, numbers), s = codes_of(QD_F16, 1, &scale);
    quantize(quirk, &data, &s, codes, wanted);
}

/* Float16 has the integers up to 2048, the even ones up to 4096. 1025 + 0.5 and -1025 - 0.5 are ties there, which go
 * to 1026 and -1026; 1026 - 0.5 to 1026; 40000 is beyond int16. 6148/3 = 2049.33 is 2050, times fl(1/3) =
 * 1365/4096 it is 2048.83, and 2048. Of uint16 65504/0.5 is infinite.
 * To uint8 4.5/3 + 0.5 = 2 and 7.5/3 + 0.5 = 3, but 4.5 and 7.5 times 1365/4096 are 1.49963 and 2.49939; 0.49975586,
 * the number before 0.5, plus 0.5 is less than 1 in float32. */
static void a_half_is_added_in_float16(void **state)
{
    (void)state;
    enum { ONE = 0x3c00, HALF = 0x3800, THREE = 0x4200 };
    static const uint16_t x[] = {0x6401, 0xe401, 0x6402, 0x78e2}, sums[] = {0x6e01, 0, 0, 0},
                          high[] = {0x7bff, ONE, 0, 0}, low[] = {0x4480, 0x4780, 0, 0},
                          near[] = {0x37ff, 0x4100, 0, 0};
    static const int64_t halves[] = {1026, -1026, 1026, 32767}, divided[] = {2050, 0, 0, 0},
                         times[] = {2048, 0, 0, 0}, infinite[] = {0, 2, 0, 0}, cut[] = {2, 3, 0, 0},
                         cut_of_times[] = {1, 2, 0, 0}, cut_near[] = {0, 3, 0, 0};
    quantize_float16("half-added-in-float16", QD_S16, ONE, x, halves);
    quantize_float16("half-added-in-float16", QD_S16, THREE, sums, divided);
    quantize_float16("reciprocal+half-added-in-float16", QD_S16, THREE, sums, times);
    quantize_float16("half-added-in-float16", QD_U16, HALF, high, infinite);
    quantize_float16("half-added-to-uint8", QD_U8, ONE, near, cut_near);
    quantize_float16("half-added-to-uint8", QD_U8, THREE, low, cut);
    quantize_float16("reciprocal+half-added-to-uint8", QD_U8, THREE, low, cut_of_times);
}

/* Two filters of w = 0 and the zero points 1 and 2, over x = [1, 10]. Along a last axis of two elements each filter is
 * [-1, -2], and gives -21. One of one element becomes that, too, and SAME_UPPER pads for it: -21 and -10. */
static void zero_points_along_the_last_axis(void **state)
{
    (void)state;
    static uint8_t x[] = {1, 10}, w[4], zeros[] = {1, 2}, zero;
    static const int64_t wanted[2][4] = {{-21, -21}, {-21, -10, -21, -10}};
    for (int64_t narrow = 0; narrow < 2; narrow++) {
        const int64_t dims[] = {1, 2, 1 + narrow};
        struct qd_arena arena;
        struct qd_tensor data = {
            .dtype = QD_U8, .rank = 3, .dims = {1, 1, 2}, .count = 2, .data = x};
        struct qd_tensor filters = {.dtype = QD_U8,
                                    .rank = 3,
                                    .dims = {2, 1, 2 - narrow},
                                    .count = 4 - 2 * narrow,
                                    .data = w};
        struct qd_tensor points = codes_of(QD_U8, 2, zeros), none = codes_of(QD_U8, 1, &zero);
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_builder *builder = qd_build_begin(&arena, 13);
        qd_build_input(builder, "x", &data);
        qd_build_initializer(builder, "w", &filters);
        qd_build_initializer(builder, "x_z", &none);
        qd_build_initializer(builder, "w_z", &points);
        qd_build_node(builder, "", "ConvInteger", "x,w,x_z,w_z", "y");
        if (narrow)
            qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
        qd_build_output(builder, "y", QD_S32, 3, dims);
        gives(builder, &arena, "w-zero-point-along-last-axis", 2 + 2 * narrow, wanted[narrow]);
        qd_arena_clear(&arena);
    }
}

/* 5 * 0.01 is 0.05, the float32 0x1.99999a * 2^-5 next to it; times fl(0.01) = 0x1.47ae14 * 2^-7 it is 0x1.999999 *
 * 2^-5, a tie of 0x1.999998 and 0x1.99999a that goes to the even one. */
static void a_slope_that_is_absent_is_a_double(void **state)
{
    (void)state;
    static const double five[] = {5};
    static int8_t code = -1;
    const int64_t one = 1;
    struct qd_arena arena;
    struct qd_tensor x = {.dtype = QD_S8, .rank = 1, .dims = {1}, .count = 1, .data = &code};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 16);
    qd_build_input(builder, "x", &x);
    add_scale(builder, &arena, "s", 1, five);
    qd_build_node(builder, "", "DequantizeLinear", "x,s", "real");
    qd_build_node(builder, "", "LeakyRelu", "real", "y");
    qd_build_output(builder, "y", QD_F32, 1, &one);
    assert_true(admits(builder, &arena, "constants-multiplied-first", -0x1.99999ap-5));
    qd_arena_clear(&arena);
}

/* Quotients below 2^-15 and what float16 has there, steps of 2^-24; float8e5m2 has steps of 2^-16. 0x1.fffp-17 is
 * 255.9 steps, 256 of them are 2^-16; twice that is 2^-15. 0x1.ffcp-17 has ten bits, and does not round up to 2.
 * 0x1.fffffep-18 is nearly 128 steps, half of 2^-16, which goes to the even 0; twice that is 2^-16. 0x1.fffp-16
 * becomes 2^-15, or 2^-14; 0x1.fffp-15 is not below 2^-15. */
static void a_carried_float16_is_doubled(void **state)
{
    (void)state;
    static float one = 1, numbers[] = {0x1.fffp-17F, 0x1.ffcp-17F, -0x1.fffffep-18F, 0x1.fffp-16F,
                                       0x1.fffp-15F};
    const struct qd_tensor x = codes_of(QD_F32, 5, numbers), s = codes_of(QD_F32, 1, &one);
    quantize("float8-by-float16", &x, &s, QD_F8E5M2, (const int64_t[]){1, 1, 0x80, 2, 4});
    quantize("float8-by-carried-float16", &x, &s, QD_F8E5M2, (const int64_t[]){2, 1, 0x81, 4, 4});
}

/* Whether a range of codes admits y for 2^24 + 1 - 2^24, of which orders in float32 give 1 or 0. */
static bool admits_of_open_sum(double y)
{
    static float terms[] = {0x1p24F, 1, -0x1p24F}, ones[] = {1, 1, 1};
    static uint8_t zeros[] = {0};
    struct qd_arena arena;
    struct qd_tensor x = codes_of(QD_F32, 3, terms), w = codes_of(QD_F32, 3, ones);
    struct qd_tensor s = codes_of(QD_F32, 1, ones), z = codes_of(QD_U8, 1, zeros);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_input(builder, "w", &w);
    qd_build_initializer(builder, "s", &s);
    qd_build_initializer(builder, "z", &z);
    qd_build_node(builder, "", "MatMul", "x,w", "v");
    qd_build_node(builder, "", "QuantizeLinear", "v,s,z", "y");
    qd_build_output(builder, "y", QD_U8, 0, NULL);
    bool is_admitted = admits(builder, &arena, "quantized-by-range", y);
    qd_arena_clear(&arena);
    return is_admitted;
}

static void what_is_open_before_a_range_stays_open(void **state)
{
    (void)state;
    assert_true(admits_of_open_sum(1));
    assert_true(admits_of_open_sum(0));
    assert_false(admits_of_open_sum(2));
}

/* 60000 by 0.5 is infinite in float16, 32736 by 0.5 is 65472. */
static void a_quotient_of_float16_becomes_int32(void **state)
{
    (void)state;
    quantize_float16("float16-quotient-to-int32", QD_S8, 0x3800,
                     (const uint16_t[]){0x7b53, 0xfb53, 0x4d00, 0x77fe},
                     (const int64_t[]){-128, -128, 40, 127});
}

/* Of int32 and a bfloat16 of 0.5: 2^31 has no place in int32, and 1 added to its least number leaves the least code;
 * 1 - 2^31 has. */
static void a_quotient_of_int32_is_an_int32(void **state)
{
    (void)state;
    static int32_t numbers[] = {INT32_C(1) << 30, (INT32_C(1) << 30) - 1, -(INT32_C(1) << 30), 3};
    static uint16_t half[] = {0x3f00};
    static uint8_t one[] = {1};
    struct qd_arena arena;
    struct qd_tensor x = codes_of(QD_S32, 4, numbers), s = codes_of(QD_BF16, 1, half);
    struct qd_tensor z = codes_of(QD_U8, 1, one);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_builder *builder = qd_build_begin(&arena, 23);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &s);
    qd_build_initializer(builder, "z", &z);
    qd_build_node(builder, "", "QuantizeLinear", "x,s,z", "y");
    qd_build_output(builder, "y", QD_U8, 1, x.dims);
    gives(builder, &arena, "precision-of-wider-type", 4, (const int64_t[]){0, 255, 0, 7});
    qd_arena_clear(&arena);
}

/* 1 times 1/2, and 1, is a tie, which goes to 2. 1048577 times 2^-21 is more than 1/2: with 126 a float32 has no place
 * for that. */
static void the_zero_point_is_added_in_double(void **state)
{
    (void)state;
    static uint8_t row[18], column[18], zeros[] = {0}, points[] = {1, 126};
    static const double scales[] = {0.5, 0x1p-21}, unit = 1;
    static const int64_t one[] = {1, 1};
    for (int i = 0; i < 2; i++) {
        struct qd_arena arena;
        struct qd_tensor a = {.dtype = QD_U8, .rank = 2, .dims = {1, 18}, .count = 18, .data = row};
        struct qd_tensor b = {
            .dtype = QD_U8, .rank = 2, .dims = {18, 1}, .count = 18, .data = column};
        struct qd_tensor z = codes_of(QD_U8, 1, zeros), y_z = codes_of(QD_U8, 1, &points[i]);
        for (int k = 0; i == 1 && k < 16; k++)
            row[k] = column[k] = 255;
        row[16] = i == 1 ? 255 : 0;
        column[16] = 32;
        row[17] = i == 1 ? 17 : 1;
        column[17] = 1;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        struct qd_builder *builder = qd_build_begin(&arena, 10);
        qd_build_input(builder, "a", &a);
        qd_build_input(builder, "b", &b);
        qd_build_initializer(builder, "z", &z);
        qd_build_initializer(builder, "y_z", &y_z);
        add_scale(builder, &arena, "s", 1, &scales[i]);
        add_scale(builder, &arena, "unit", 1, &unit);
        qd_build_node(builder, "", "QLinearMatMul", "a,s,z,b,unit,z,unit,y_z", "y");
        qd_build_output(builder, "y", QD_U8, 2, one);
        gives(builder, &arena, "requantize-in-double", 1, (const int64_t[]){i == 1 ? 127 : 2});
        qd_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quirks_give_the_numbers_by_hand),
        cmocka_unit_test(a_product_in_float32_is_rounded_to_float16_once),
        cmocka_unit_test(bias_codes_in_steps_of_the_product),
        cmocka_unit_test(softmax_overflows),
        cmocka_unit_test(the_range_is_divided_by),
        cmocka_unit_test(a_bias_beyond_float32_is_infinite),
        cmocka_unit_test(softmax_of_the_table),
        cmocka_unit_test(quotients_in_int32),
        cmocka_unit_test(positions_are_those_of_the_sizes),
        cmocka_unit_test(a_carried_float16_is_doubled),
        cmocka_unit_test(scales_are_shifts),
        cmocka_unit_test(what_is_open_before_a_range_stays_open),
        cmocka_unit_test(a_quotient_of_float16_becomes_int32),
        cmocka_unit_test(a_quotient_of_int32_is_an_int32),
        cmocka_unit_test(the_zero_point_is_added_in_double),
        cmocka_unit_test(a_half_is_added_in_float16),
        cmocka_unit_test(zero_points_along_the_last_axis),
        cmocka_unit_test(a_slope_that_is_absent_is_a_double)};
    return cmocka_run_group_tests_name("quirks of layers", tests, NULL, NULL);
}
