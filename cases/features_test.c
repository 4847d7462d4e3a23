/* SPDX-License-Identifier: Apache-2.0 */
/* Features: what a case is said to have is what it has. */
#include "case_testlib.h"

#include <math.h>

#include "qdiff/evaluate.h"
#include "qdiff/features.h"

/* Finishes the builder and compares the features, as a sorted list of words, with `want` and the opset. */
static void check(struct qd_builder *builder, const char *op, const char *want)
{
    struct qd_case kase;
    struct qd_error error;
    struct qd_features features;
    char have[1024], with_opset[1024];
    assert_ok(qd_build_finish(builder, "features", false, &kase, &error), error);
    qd_case_features(&kase, &features);
    snprintf(with_opset, sizeof with_opset, "%s%sopset>=%d", want, *want ? "," : "",
             (int)kase.opset);
    assert_string_equal(qd_features_describe(&features, have, sizeof have), with_opset);
    assert_string_equal(kase.op, op);
}

static void test_sample(void **state)
{
    check(sample_conv(*state), "QLinearConv",
          "per-channel-scale,per-channel-zero-point,distinct-zero-points,distinct-w-zero-points,"
          "pads,2d,"
          "x-u8,w-u8,y-u8");
}

/* What a convolution of the test is made of; everything else is plain and per tensor. */
struct shape {
    enum qd_dtype x, w, y;
    unsigned spatial;
    int64_t batch, channels, filters, group, size, kernel;
    bool bias, weights_at_run_time;
};

static struct qd_builder *conv(struct qd_arena *arena, const struct shape *shape)
{
    static const int64_t zeros[4096];
    static const char *const names[3] = {"x_scale", "w_scale", "y_scale"};
    const float scale = 0.5f;
    int64_t x_dims[5] = {shape->batch, shape->channels},
            w_dims[5] = {shape->filters, shape->channels / shape->group};
    for (unsigned i = 0; i < shape->spatial; i++) {
        x_dims[2 + i] = shape->size;
        w_dims[2 + i] = shape->kernel;
    }
    struct qd_builder *builder = qd_build_begin(arena, 10);
    struct qd_tensor x = sample_tensor(arena, shape->x, 2 + shape->spatial, x_dims, zeros);
    struct qd_tensor w = sample_tensor(arena, shape->w, 2 + shape->spatial, w_dims, zeros);
    struct qd_tensor x_zero = sample_tensor(arena, shape->x, 0, NULL, zeros);
    struct qd_tensor w_zero = sample_tensor(arena, shape->w, 0, NULL, zeros);
    struct qd_tensor y_zero = sample_tensor(arena, shape->y, 0, NULL, zeros);
    struct qd_tensor bias = sample_tensor(arena, QD_S32, 1, &shape->filters, zeros);
    struct qd_tensor one = sample_floats(arena, 0, &scale);
    qd_build_input(builder, "x", &x);
    qd_build_tensor(builder, "w", &w, shape->weights_at_run_time);
    for (int i = 0; i < 3; i++)
        qd_build_initializer(builder, names[i], &one);
    qd_build_initializer(builder, "x_zero", &x_zero);
    qd_build_initializer(builder, "w_zero", &w_zero);
    qd_build_initializer(builder, "y_zero", &y_zero);
    if (shape->bias)
        qd_build_initializer(builder, "b", &bias);
    qd_build_node(builder, "", "QLinearConv",
                  shape->bias ? "x,x_scale,x_zero,w,w_scale,w_zero,y_scale,y_zero,b"
                              : "x,x_scale,x_zero,w,w_scale,w_zero,y_scale,y_zero",
                  "y");
    qd_build_output(builder, "y", shape->y, -1, NULL);
    if (shape->group != 1)
        qd_build_attr_int(builder, "group", shape->group);
    return builder;
}

static void test_conv_shapes(void **state)
{
    struct shape shape = {QD_S8, QD_U8, QD_S8, 1, 2, 4, 4, 4, 5, 3, true, true};
    check(conv(*state, &shape), "QLinearConv",
          "bias,groups,depthwise,1d,mixed-sign,x-s8,w-u8,y-s8,runtime-weights,batch");
    shape = (struct shape){QD_U8, QD_S8, QD_U8, 3, 1, 4, 2, 2, 3, 2, false, false};
    check(conv(*state, &shape), "QLinearConv", "groups,3d,mixed-sign,x-u8,w-s8,y-u8");
    shape = (struct shape){QD_U8, QD_U8, QD_S8, 2, 1, 1, 2, 1, 3, 2, false, false};
    check(conv(*state, &shape), "QLinearConv", "2d,x-u8,w-u8,y-s8");
    shape = (struct shape){QD_U8, QD_U8, QD_U8, 2, 0, 1, 2, 1, 3, 2, false, false};
    check(conv(*state, &shape), "QLinearConv", "2d,x-u8,w-u8,y-u8,empty");
}

/* Parameters and data of one node: the vectors are [1]. */
static void vectors(struct qd_arena *arena, const char *op, int64_t opset, const char *inputs,
                    unsigned x_rank, const int64_t *x_dims, unsigned scale_rank, bool flagged)
{
    static const int64_t zeros[64], one[] = {1};
    static const float halves[64];
    struct qd_case kase;
    struct qd_error error;
    struct qd_features features;
    bool codes = strcmp(op, "DequantizeLinear") == 0 || strcmp(op, "MatMulInteger") == 0;
    struct qd_builder *builder = qd_build_begin(arena, opset);
    struct qd_tensor x = sample_tensor(arena, codes ? QD_U8 : QD_F32, x_rank, x_dims, zeros);
    struct qd_tensor scale = sample_floats(arena, 0, halves),
                     z = sample_tensor(arena, QD_U8, 0, NULL, zeros);
    struct qd_tensor w = sample_tensor(arena, QD_U8, 2, (const int64_t[]){2, 2}, zeros);
    scale.rank = z.rank = scale_rank;
    scale.dims[0] = z.dims[0] = *one;
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &scale);
    qd_build_initializer(builder, "z", &z);
    qd_build_initializer(builder, "w", &w);
    qd_build_node(builder, "", op, inputs, "y");
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    assert_ok(qd_build_finish(builder, "vectors", false, &kase, &error), error);
    qd_case_features(&kase, &features);
    if (qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR) != flagged)
        fail_msg("%s-%d(%s), x of rank %u: not %d", op, (int)opset, inputs, x_rank, flagged);
}

/* The pages: QuantizeLinear-13 and DequantizeLinear-13 "1-D tensor, with the length of the quantization axis", axis 1
 * unless given; MatMulInteger-10 "M element vector"; Clip-13 "scalar(tensor of empty shape)"; Pad-13 "A scalar value";
 * Range-11 "Scalar." */
static void test_vectors_of_one_element(void **state)
{
    static const int64_t four_two[] = {4, 2}, four_one[] = {4, 1}, one_two[] = {1, 2}, one[] = {1},
                         three[] = {3};
    vectors(*state, "DequantizeLinear", 13, "x,s,z", 2, four_two, 1, true);
    vectors(*state, "DequantizeLinear", 13, "x,s,z", 2, four_two, 0, false);
    vectors(*state, "DequantizeLinear", 13, "x,s,z", 2, four_one, 1,
            false); /* the axis has one element */
    vectors(*state, "DequantizeLinear", 10, "x,s,z", 2, four_one, 1, true); /* has no axis */
    vectors(*state, "DequantizeLinear", 13, "x,s,z", 0, NULL, 1, true);
    vectors(*state, "DequantizeLinear", 13, "x,s,z", 1, three, 1, true);
    vectors(*state, "DequantizeLinear", 13, "x,s,z", 1, one, 1, false);
    vectors(*state, "QuantizeLinear", 13, "x,s", 2, four_two, 1, true);
    vectors(*state, "MatMulInteger", 10, "x,w,z", 2, four_two, 1, true);
    vectors(*state, "MatMulInteger", 10, "x,w,z", 2, one_two, 1, false); /* one row */
    vectors(*state, "MatMulInteger", 10, "x,w,,z", 2, one_two, 1, true); /* two columns */
    vectors(*state, "Clip", 13, "x,s", 2, four_two, 1, true);
    vectors(*state, "Clip", 13, "x,s", 2, four_two, 0, false);
    vectors(*state, "Pad", 13, "x,w,s", 2, four_two, 1, true);
    vectors(*state, "Pad", 13, "x,w,s", 2, four_two, 0, false);
    vectors(*state, "Range", 11, "z,z,z", 0, NULL, 1, true);
    vectors(*state, "Range", 11, "z,z,z", 0, NULL, 0, false);
}

/* QLinearMatMul-10: "Scale and zero point must have same shape." The scale of
 * one row is [1], its zero point has that rank. */
static void beside(struct qd_arena *arena, unsigned rank, bool flagged)
{
    static const int64_t ones[2] = {1, 1};
    struct qd_case kase;
    struct qd_error error;
    struct qd_features features;
    struct qd_builder *builder = qd_build_begin(arena, 10);
    struct qd_tensor x = sample_tensor(arena, QD_U8, 2, ones, ones);
    struct qd_tensor z = sample_tensor(arena, QD_U8, rank, ones, ones);
    struct qd_tensor q = sample_tensor(arena, QD_U8, 0, NULL, ones);
    struct qd_tensor s = sample_floats(arena, 1, (const float[]){0.5f});
    struct qd_tensor p = sample_floats(arena, 0, (const float[]){0.5f});
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &s);
    qd_build_initializer(builder, "z", &z);
    qd_build_initializer(builder, "p", &p);
    qd_build_initializer(builder, "q", &q);
    qd_build_node(builder, "", "QLinearMatMul", "x,s,z,x,p,q,p,q", "y");
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    assert_ok(qd_build_finish(builder, "beside", false, &kase, &error), error);
    qd_case_features(&kase, &features);
    assert_int_equal(qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR), flagged);
}

static void test_vector_beside_scalar(void **state)
{
    beside(*state, 0, true);
    beside(*state, 1, false);
}

/* A shape, by itself or handed on. */
static void test_controls(void **state)
{
    static const int64_t four[] = {4};
    for (int given = 0; given < 3; given++) {
        struct qd_builder *builder = qd_build_begin(*state, 13);
        struct qd_tensor x = sample_tensor(*state, QD_U8, 1, four, (const int64_t[4]){0});
        struct qd_tensor shape = sample_tensor(*state, QD_S64, 1, (const int64_t[]){1}, four);
        qd_build_input(builder, "x", &x);
        if (given == 0)
            qd_build_initializer(builder, "shape", &shape);
        else
            qd_build_input(builder, "shape", &shape);
        if (given == 2)
            qd_build_node(builder, "", "Identity", "shape", "handed");
        qd_build_node(builder, "", "Reshape", given == 2 ? "x,handed" : "x,shape", "y");
        qd_build_output(builder, "y", QD_U8, -1, NULL);
        check(builder, "Reshape",
              given == 0   ? "x-u8,y-u8,rank1,batch"
              : given == 1 ? "x-u8,y-u8,runtime-controls,rank1,batch"
                           : "x-u8,y-u8,runtime-controls,rank1,batch,multi-node");
    }
}

static void test_windows(void **state)
{
    struct shape shape = {QD_U8, QD_U8, QD_U8, 2, 1, 1, 1, 1, 5, 3, false, false};
    static const int64_t ones[4] = {1, 1, 1, 1}, uneven[4] = {0, 1, 1, 1}, strides[2] = {1, 2},
                         zeros[4] = {0}, four[2] = {4, 4};
    struct qd_builder *builder = conv(*state, &shape);
    qd_build_attr_ints(builder, "pads", ones, 4);
    qd_build_attr_ints(builder, "strides", strides, 2);
    qd_build_attr_ints(builder, "dilations", ones, 2);
    check(builder, "QLinearConv", "pads,strides,2d,x-u8,w-u8,y-u8");
    builder = conv(*state, &shape);
    qd_build_attr_ints(builder, "pads", uneven, 4);
    qd_build_attr_ints(builder, "dilations", strides, 2);
    qd_build_attr_ints(builder, "strides", ones, 2);
    check(builder, "QLinearConv", "pads,asymmetric-pads,dilations,2d,x-u8,w-u8,y-u8");
    builder = conv(*state, &shape);
    qd_build_attr_ints(builder, "pads", zeros, 4);
    qd_build_attr_string(builder, "auto_pad", "NOTSET");
    check(builder, "QLinearConv", "2d,x-u8,w-u8,y-u8");
    /* SAME: 5 with a kernel of 3 is padded by 2; with a stride of 2, three outputs need 2 as well. */
    builder = conv(*state, &shape);
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    check(builder, "QLinearConv", "pads,auto-pad,2d,x-u8,w-u8,y-u8");
    /* Stride 4 on 5: two outputs, 1 * 4 + 3 - 5 = 2. */
    builder = conv(*state, &shape);
    qd_build_attr_string(builder, "auto_pad", "SAME_LOWER");
    qd_build_attr_ints(builder, "strides", four, 2);
    check(builder, "QLinearConv", "pads,auto-pad,strides,2d,x-u8,w-u8,y-u8");
    /* A kernel of 1 needs no padding; a kernel of 2 needs one. */
    shape.kernel = 1;
    builder = conv(*state, &shape);
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    check(builder, "QLinearConv", "auto-pad,2d,x-u8,w-u8,y-u8");
    shape.kernel = 2;
    builder = conv(*state, &shape);
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    check(builder, "QLinearConv", "pads,asymmetric-pads,auto-pad,2d,x-u8,w-u8,y-u8");
    builder = conv(*state, &shape);
    qd_build_attr_string(builder, "auto_pad", "VALID");
    check(builder, "QLinearConv", "auto-pad,2d,x-u8,w-u8,y-u8");
}

/* A QuantizeLinear of x, with a zero point or not. */
static struct qd_builder *quantize(struct qd_arena *arena, const struct qd_tensor *x,
                                   const struct qd_tensor *scale,
                                   const struct qd_tensor *zero_point, bool at_run_time)
{
    struct qd_builder *builder = qd_build_begin(arena, 21);
    qd_build_input(builder, "x", x);
    qd_build_tensor(builder, "s", scale, at_run_time);
    if (zero_point)
        qd_build_initializer(builder, "z", zero_point);
    qd_build_node(builder, "", "QuantizeLinear", zero_point ? "x,s,z" : "x,s", "y");
    qd_build_output(builder, "y", zero_point ? zero_point->dtype : QD_U8, -1, NULL);
    return builder;
}

static void test_quantize(void **state)
{
    struct qd_arena *arena = *state;
    static const int64_t codes[2] = {3, 3};
    const float half = 0.5f, tiny = 1e-40f, bad[2] = {NAN, 1}, halves[2] = {0.5f, 0.5f};
    struct qd_tensor scalar = sample_floats(arena, 0, &half), vector = sample_floats(arena, 2, bad);
    struct qd_tensor small = sample_floats(arena, 0, &tiny),
                     scales = sample_floats(arena, 2, halves);
    struct qd_tensor fine = sample_floats(arena, 2, halves);
    check(quantize(arena, &scalar, &scalar, NULL, false), "QuantizeLinear",
          "no-zero-point,y-u8,rank0");
    check(quantize(arena, &vector, &small, NULL, true), "QuantizeLinear",
          "no-zero-point,y-u8,runtime-parameters,subnormal-scale,extreme-scale,rank1,batch,non-"
          "finite,extreme-data");
    struct qd_tensor zero_point = sample_tensor(arena, QD_S4, 1, (int64_t[]){2}, codes);
    struct qd_builder *builder = quantize(arena, &fine, &scales, &zero_point, false);
    qd_build_attr_int(builder, "axis", -1);
    check(builder, "QuantizeLinear",
          "per-channel-scale,per-channel-zero-point,int4,negative-axis,rank1,batch");
    builder = quantize(arena, &fine, &scales, NULL, false);
    qd_build_attr_int(builder, "block_size", 2);
    qd_build_attr_int(builder, "output_dtype", 19); /* float8e5m2 */
    check(builder, "QuantizeLinear",
          "per-channel-scale,no-zero-point,y-u8,float8,blocked,rank1,batch");
}

/* Each type's own word, as the type of a tensor that is only passed on. */
static void test_types(void **state)
{
    static const struct {
        enum qd_dtype dtype;
        const char *want;
    } rows[] = {
        {QD_F32, "rank0,extreme-data"},
        {QD_U8, "x-u8,y-u8,rank0"},
        {QD_S8, "x-s8,y-s8,rank0"},
        {QD_U16, "x-int16,int16,rank0"},
        {QD_S16, "x-int16,int16,rank0"},
        {QD_S32, "x-s32,rank0"},
        {QD_S64, "x-s64,rank0"},
        {QD_BOOL, "x-bool,rank0"},
        {QD_F64, "x-f64,rank0,extreme-data"},
        {QD_U4, "int4,rank0"},
        {QD_S4, "int4,rank0"},
        {QD_U2, "int2,rank0"},
        {QD_S2, "int2,rank0"},
        {QD_F16, "float16,rank0"},
        {QD_BF16, "bfloat16,rank0,extreme-data"},
        {QD_F8E4M3FN, "x-float8,float8,rank0"},
        {QD_F8E5M2FNUZ, "x-float8,float8,rank0"},
        {QD_F4E2M1, "float4,rank0"},
    };
    static const int64_t one[1] = {1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_tensor x = sample_tensor(*state, rows[i].dtype, 0, NULL, one);
        struct qd_builder *builder = qd_build_begin(*state, 25);
        qd_build_input(builder, "x", &x);
        qd_build_node(builder, "", "Identity", "x", "y");
        qd_build_output(builder, "y", rows[i].dtype, 0, NULL);
        check(builder, "Identity", rows[i].want);
    }
}

static void test_graphs(void **state)
{
    struct qd_arena *arena = *state;
    const float half = 0.5f;
    static const int64_t one[1] = {1};
    struct qd_tensor x = sample_tensor(arena, QD_S32, 0, NULL, one),
                     scale = sample_floats(arena, 0, &half);
    struct qd_tensor zero = sample_tensor(arena, QD_U8, 0, NULL, one);
    for (int with_relu = 0; with_relu < 2; with_relu++) {
        struct qd_builder *builder = qd_build_begin(arena, 13);
        qd_build_input(builder, "x", &x);
        qd_build_initializer(builder, "s", &scale);
        qd_build_initializer(builder, "z", &zero);
        qd_build_node(builder, "", "DequantizeLinear", "x,s", "d");
        if (with_relu)
            qd_build_node(builder, "", "Relu", "d", "r");
        qd_build_node(builder, "", "QuantizeLinear", with_relu ? "r,s,z" : "d,s,z", "y");
        qd_build_output(builder, "y", QD_U8, 0, NULL);
        check(builder, with_relu ? "Relu" : "DequantizeLinear",
              with_relu ? "no-zero-point,int32-input,rank0,multi-node,qdq"
                        : "no-zero-point,x-s32,int32-input,rank0,multi-node");
    }
    /* An Identity that no node reads says nothing of the case. */
    for (int is_read = 0; is_read < 2; is_read++) {
        struct qd_builder *builder = qd_build_begin(arena, 13);
        qd_build_input(builder, "x", &x);
        qd_build_initializer(builder, "s", &scale);
        qd_build_node(builder, "", "DequantizeLinear", "x,s", "d");
        qd_build_node(builder, "", "Identity", "d", "i");
        if (is_read)
            qd_build_node(builder, "", "QuantizeLinear", "i,s", "y");
        qd_build_output(builder, is_read ? "y" : "i", is_read ? QD_U8 : QD_F32, 0, NULL);
        check(builder, is_read ? "Identity" : "DequantizeLinear",
              is_read ? "no-zero-point,int32-input,rank0,multi-node,qdq"
                      : "no-zero-point,x-s32,int32-input,rank0,multi-node");
    }
    struct qd_builder *builder = qd_build_begin(arena, 13);
    struct qd_tensor a = sample_tensor(arena, QD_U8, 0, NULL, one);
    qd_build_input(builder, "a", &a);
    qd_build_initializer(builder, "s", &scale);
    qd_build_node(builder, "com.microsoft", "QLinearAdd", "a,s,,a,s,,s", "y");
    qd_build_output(builder, "y", QD_U8, 0, NULL);
    check(builder, "com.microsoft:QLinearAdd",
          "no-zero-point,x-u8,w-u8,y-u8,runtime-weights,rank0");
}

/* A node by itself: QLinearMatMul of what QuantizeLinear gives has codes
 * of its own types, whatever stands beside it. */
static void test_nodes(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_error error;
    const float half = 0.5f;
    static const int64_t dims[] = {1, 1}, one[1] = {1};
    struct qd_tensor x = sample_tensor(arena, QD_F32, 2, dims, one),
                     w = sample_tensor(arena, QD_S8, 2, dims, one),
                     scale = sample_floats(arena, 0, &half),
                     zero16 = sample_tensor(arena, QD_U16, 0, NULL, one),
                     zero8 = sample_tensor(arena, QD_S8, 0, NULL, one);
    struct qd_builder *builder = qd_build_begin(arena, 21);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "w", &w);
    qd_build_initializer(builder, "s", &scale);
    qd_build_initializer(builder, "z16", &zero16);
    qd_build_initializer(builder, "z8", &zero8);
    qd_build_node(builder, "", "QuantizeLinear", "x,s,z16", "wide");
    qd_build_node(builder, "", "QuantizeLinear", "x,s", "codes");
    qd_build_node(builder, "", "QLinearMatMul", "codes,s,z8,w,s,z8,s,z8", "y");
    qd_build_output(builder, "wide", QD_U16, 2, dims);
    qd_build_output(builder, "y", QD_S8, 2, dims);
    struct qd_case kase;
    struct qd_features features;
    char text[256];
    assert_int_equal(qd_build_finish(builder, "nodes", false, &kase, &error), QD_OK);
    qd_node_features(&kase, &kase.graph->nodes[2], &features);
    assert_string_equal(qd_features_describe(&features, text, sizeof text),
                        "x-u8,w-s8,y-s8,opset>=21");
    struct qd_features parsed = qd_features_parse("w-s8,no-such-word,,opset>=21,x-u8,y-s8");
    assert_memory_equal(&parsed, &features, sizeof parsed);
    qd_node_features(&kase, &kase.graph->nodes[0], &features);
    assert_string_equal(qd_features_describe(&features, text, sizeof text), "int16,opset>=21");
}

static void test_words(void **state)
{
    (void)state;
    enum qd_feature feature;
    for (int i = 0; i < QD_FEATURE_COUNT; i++) {
        assert_true(qd_feature_find(qd_feature_word((enum qd_feature)i), &feature));
        assert_int_equal(feature, i);
        assert_true(strlen(qd_feature_meaning((enum qd_feature)i)) > 0);
        assert_null(strpbrk(qd_feature_word((enum qd_feature)i), ", \t"));
    }
    assert_false(qd_feature_find("no-such-feature", &feature));
    for (int i = 1; i <= 31; i++) {
        char word[16];
        snprintf(word, sizeof word, "opset>=%d", i);
        assert_true(qd_feature_find(word, &feature));
        assert_string_equal(qd_feature_word(feature), word);
        struct qd_features set = qd_features_parse(word);
        assert_true(qd_features_has(&set, (enum qd_feature)(QD_FEATURE_OPSET + 1)));
        assert_true(qd_features_has(&set, feature));
        assert_false(i < 31 && qd_features_has(&set, (enum qd_feature)(feature + 1)));
    }
    assert_false(qd_feature_find("opset>=0", &feature));
    assert_false(qd_feature_find("opset>=32", &feature));
    struct qd_features features = {{UINT64_MAX, UINT64_MAX}};
    char text[16];
    assert_string_equal(qd_features_describe(&features, text, sizeof text), "per-channel-sca");
}

/* x [1, 2, 3, 3], w [2, 1, 2, 2], so that group 2 is depthwise. */
static struct qd_builder *transposed(struct qd_arena *arena, int64_t group)
{
    static const int64_t x_dims[4] = {1, 2, 3, 3}, w_dims[4] = {2, 1, 2, 2}, one = 1;
    struct qd_builder *builder = qd_build_begin(arena, 11);
    struct qd_tensor x, w, b;
    struct qd_error error;
    assert_ok(qd_tensor_init(&x, arena, QD_F32, 4, x_dims, &error), error);
    assert_ok(qd_tensor_init(&w, arena, QD_F32, 4, w_dims, &error), error);
    assert_ok(qd_tensor_init(&b, arena, QD_F32, 1, &one, &error), error);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "w", &w);
    qd_build_initializer(builder, "b", &b);
    qd_build_node(builder, "", "ConvTranspose", "x,w,b", "y");
    qd_build_attr_int(builder, "group", group);
    qd_build_output(builder, "y", QD_F32, -1, NULL);
    return builder;
}

static bool same_known(const char *a, const char *b)
{
    const struct qd_features one = qd_features_parse(a), other = qd_features_parse(b);
    return qd_features_same_known(&one, &other);
}

static bool same_types(const char *a, const char *b)
{
    const struct qd_features one = qd_features_parse(a), other = qd_features_parse(b);
    return qd_features_same_types(&one, &other);
}

/* What a target does with a scale that comes at run time says nothing of what it does with a constant. */
static void test_alike(void **state)
{
    (void)state;
    assert_true(same_known("x-u8,bias", "x-s8,groups"));
    assert_false(same_known("x-u8", "x-u8,runtime-parameters"));
    assert_false(same_known("x-u8,runtime-weights", "x-u8"));
    assert_false(same_known("x-u8", "x-u8,runtime-controls"));
    assert_false(same_known("open-shape", ""));
    assert_true(same_types("x-u8,y-s8,float16", "x-u8,y-s8,float16,bias,open-shape"));
    assert_false(same_types("x-u8", "x-s8"));
    assert_false(same_types("y-u8,float4", "y-u8"));
}

static void test_transposed(void **state)
{
    static const int64_t three[2] = {3, 3}, four[2] = {4, 4}, two[2] = {2, 2};
    check(transposed(*state, 1), "ConvTranspose", "bias,2d");
    check(transposed(*state, 2), "ConvTranspose", "bias,groups,depthwise,2d");
    /* Without padding 3 and a kernel of 2 give 4: an output of 4 needs none, one of 3, or SAME, needs 1. */
    struct qd_builder *builder = transposed(*state, 1);
    qd_build_attr_ints(builder, "output_shape", four, 2);
    check(builder, "ConvTranspose", "bias,2d");
    builder = transposed(*state, 1);
    qd_build_attr_ints(builder, "output_shape", three, 2);
    check(builder, "ConvTranspose", "bias,pads,asymmetric-pads,2d");
    builder = transposed(*state, 1);
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    check(builder, "ConvTranspose", "bias,pads,asymmetric-pads,auto-pad,2d");
    /* A stride of 2: 2 * (3 - 1) + 2 = 6 = 3 * 2. */
    builder = transposed(*state, 1);
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    qd_build_attr_ints(builder, "strides", two, 2);
    check(builder, "ConvTranspose", "bias,auto-pad,strides,2d");
    /* A stride of 3: 3 * (3 - 1) + 2 = 8, one less than 3 * 3. */
    builder = transposed(*state, 1);
    qd_build_attr_string(builder, "auto_pad", "SAME_UPPER");
    qd_build_attr_ints(builder, "strides", three, 2);
    check(builder, "ConvTranspose", "bias,auto-pad,negative-pads,strides,2d");
}

/* --- Every operator's operands ------------------------------------------------------------------ */

/* What one operand is given, the others being plain. */
struct given {
    const struct qd_op *op;
    size_t operand;
    bool absent, at_run_time;
    double value;  /* its elements: this and twice it */
    unsigned rank; /* 1: two elements; else a scalar */
};

static struct qd_tensor operand_tensor(struct qd_arena *arena, const struct given *given, size_t i)
{
    enum qd_role role = qd_op_role(given->op, i);
    enum qd_dtype dtype = role == QD_ROLE_ZERO_POINT ? QD_U8
                          : role == QD_ROLE_CONTROL  ? QD_S64
                                                     : QD_F32;
    bool own = i == given->operand;
    unsigned rank = own ? given->rank : role == QD_ROLE_DATA || role == QD_ROLE_WEIGHT ? 2 : 0;
    const int64_t dims[2] = {rank == 1 ? 2 : 1, 1};
    struct qd_tensor made;
    struct qd_error error;
    assert_ok(qd_tensor_init(&made, arena, dtype, rank, dims, &error), error);
    for (int64_t k = 0; k < made.count; k++) {
        double value = own ? given->value * (double)(k + 1) : 1;
        qd_tensor_set(&made, k,
                      dtype == QD_F32 ? (int64_t)qd_float_encode(dtype, value, true)
                                      : (int64_t)value);
    }
    return made;
}

/* The features of a node of the operator alone; it need not be valid. */
static struct qd_features features_of(struct qd_arena *arena, const struct given *given)
{
    char names[512] = "";
    struct qd_builder *builder = qd_build_begin(arena, 21);
    size_t used = 0;
    for (size_t i = 0; i < given->op->max_inputs; i++) {
        const char *name = qd_arena_printf(arena, "v%zu", i);
        bool absent = i == given->operand && given->absent;
        struct qd_tensor tensor = operand_tensor(arena, given, i);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? "," : "",
                                 absent ? "" : name);
        if (absent)
            continue;
        if (i == given->operand && given->at_run_time)
            qd_build_input(builder, name, &tensor);
        else
            qd_build_initializer(builder, name, &tensor);
    }
    qd_build_node(builder, given->op->domain, given->op->name, names, "y");
    qd_build_output(builder, "y", QD_F32, -1, NULL);
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_build_finish(builder, "features", false, &kase, &error), error);
    struct qd_features found;
    qd_case_features(&kase, &found);
    return found;
}

/* The operand, given so, makes the feature; as it is plainly, it does not. */
static void expect(struct qd_arena *arena, struct given given, enum qd_feature feature)
{
    struct given plain = {.op = given.op, .operand = QD_MAX_OPERANDS};
    struct qd_features with = features_of(arena, &given), without = features_of(arena, &plain);
    if (!qd_features_has(&with, feature))
        fail_msg("%s: input %zu does not make it %s", given.op->name, given.operand,
                 qd_feature_word(feature));
    if (qd_features_has(&without, feature))
        fail_msg("%s is %s without reason", given.op->name, qd_feature_word(feature));
}

static void check_operand(struct qd_arena *arena, const struct qd_op *op, size_t i)
{
    const struct given given = {.op = op, .operand = i, .value = 1};
    struct given vector = given, run = given, absent = given, tiny = given;
    vector.rank = 1;
    run.at_run_time = true;
    absent.absent = true;
    tiny.value = 0x1p-130;
    switch (qd_op_role(op, i)) {
    case QD_ROLE_SCALE:
        expect(arena, vector, QD_FEATURE_PER_CHANNEL_SCALE);
        expect(arena, run, QD_FEATURE_RUNTIME_PARAMETERS);
        expect(arena, tiny, QD_FEATURE_SUBNORMAL_SCALE);
        expect(arena, tiny, QD_FEATURE_EXTREME_SCALE);
        break;
    case QD_ROLE_ZERO_POINT:
        expect(arena, vector, QD_FEATURE_PER_CHANNEL_ZERO_POINT);
        expect(arena, vector, QD_FEATURE_DISTINCT_ZERO_POINTS);
        expect(arena, run, QD_FEATURE_RUNTIME_PARAMETERS);
        expect(arena, absent, QD_FEATURE_NO_ZERO_POINT);
        break;
    case QD_ROLE_WEIGHT: expect(arena, run, QD_FEATURE_RUNTIME_WEIGHTS); break;
    case QD_ROLE_DATA:
    case QD_ROLE_BIAS:
    case QD_ROLE_CONTROL: break;
    }
    if (qd_op_role(op, i) == QD_ROLE_DATA || qd_op_role(op, i) == QD_ROLE_WEIGHT) {
        expect(arena, given, QD_FEATURE_RANK0);
        expect(arena, vector, QD_FEATURE_RANK1);
    }
}

static void check_bias(struct qd_arena *arena, const struct qd_op *op)
{
    int bias = qd_op_operand(op, QD_ROLE_BIAS);
    struct given given = {.op = op, .operand = bias < 0 ? QD_MAX_OPERANDS : (size_t)bias};
    struct qd_features with = features_of(arena, &given);
    given.absent = true;
    struct qd_features without = features_of(arena, &given);
    assert_int_equal(qd_features_has(&with, QD_FEATURE_BIAS), bias >= 0);
    assert_false(qd_features_has(&without, QD_FEATURE_BIAS));
}

static void test_every_operand(void **state)
{
    const struct qd_op *op;
    (void)state;
    for (size_t k = 0; (op = qd_op_at(k)); k++) {
        struct qd_arena arena;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        for (size_t i = 0; i < op->max_inputs; i++)
            check_operand(&arena, op, i);
        check_bias(&arena, op);
        qd_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_of_one_element),
        cmocka_unit_test(test_vector_beside_scalar),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_every_operand),
        cmocka_unit_test(test_transposed),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_conv_shapes),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_quantize),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests_name("cases/features", tests, arena_set_up, arena_tear_down);
}
