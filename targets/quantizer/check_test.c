/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of the quantizer role: every wrong quantizer is noticed by the class that has to, a right one by none, and
 * facts of the fidelity interval that are known by hand.
 * Alone: <build>/tests/targets/quantizer/check_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/build.h"
#include "qdiff/quantizer_check.h"
#include "quantizer/wrong_testlib.h"

static struct qd_tensor numbers(struct qd_arena *arena, unsigned rank, const int64_t *dims,
                                int period, double scale, double shift)
{
    struct qd_tensor made;
    assert_int_equal(qd_tensor_init(&made, arena, QD_F32, rank, dims, NULL), QD_OK);
    for (int64_t i = 0; i < made.count; i++) {
        double x = ((double)(i * 7 % period) - period / 2) * scale + shift;
        x = qd_float_round(QD_F32, QD_NEAREST_EVEN, x);
        qd_tensor_set(&made, i, (int64_t)qd_float_encode(QD_F32, x, false));
    }
    return made;
}

/* y = Concat(k, Transpose(Relu(Conv(x, W, B)))): weights that axes 0 and 1
 * both fit, a group that begins with a constant. */
static void build_model(struct qd_arena *arena, struct qd_case *kase)
{
    struct qd_builder *b = qd_build_begin(arena, 13);
    const int64_t x_dims[] = {1, 2, 4, 4}, w_dims[] = {2, 2, 3, 3}, b_dims[] = {2};
    const int64_t k_dims[] = {1, 1, 2, 2}, perm[] = {0, 1, 3, 2};
    struct qd_tensor x = numbers(arena, 4, x_dims, 32, 0.0625, 0);
    struct qd_tensor w = numbers(arena, 4, w_dims, 37, 0.01, 0.05);
    struct qd_tensor bias = numbers(arena, 1, b_dims, 3, 0.37, -0.1);
    struct qd_tensor k = numbers(arena, 4, k_dims, 5, 0.03, 0.01);
    for (int64_t i = 18; i < 36; i++) /* the second channel is much smaller */
        qd_tensor_set(&w, i, (int64_t)qd_float_encode(QD_F32, 0x1p-9 * (double)(i - 27), false));
    qd_build_input(b, "x", &x);
    qd_build_initializer(b, "W", &w);
    qd_build_initializer(b, "B", &bias);
    qd_build_initializer(b, "k", &k);
    qd_build_node(b, "", "Conv", "x,W,B", "c");
    qd_build_node(b, "", "Relu", "c", "r");
    qd_build_node(b, "", "Transpose", "r", "t");
    qd_build_attr_ints(b, "perm", perm, 4);
    qd_build_node(b, "", "Concat", "k,t", "y");
    qd_build_attr_int(b, "axis", 1);
    qd_build_output(b, "y", QD_F32, -1, NULL);
    struct qd_error error = {.status = QD_OK};
    if (qd_build_finish(b, "conv", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* What the small quantizer of wrong_testlib.h promises. */
static const char *const sharing[] = {"Concat", "Transpose", NULL};
static const char *const nothing[] = {NULL};
static const struct qd_quantizer_profile profile = {.tool = "small",
                                                    .shares = {sharing, sharing},
                                                    .fuses_relu = nothing,
                                                    .signed_weights_are_symmetric = true,
                                                    .folds_activations = true};

/* Ranges as somebody who calibrated badly gives them: that of r goes below
 * 0, so that only its Relu keeps it positive. */
static const struct qd_quantizer_range ranges[] = {{"x", -1, 1},         {"c", -2.5F, 2},
                                                   {"r", -0.3F, 2},      {"t", -0.3F, 2},
                                                   {"k", -0.06F, 0.08F}, {"y", -0.3F, 2}};
static const struct qd_quantizer_range positive[] = {{"x", 0.5F, 1},       {"c", 0.1F, 2},
                                                     {"r", 0.2F, 2},       {"t", 0.2F, 2},
                                                     {"k", -0.06F, 0.08F}, {"y", 0.2F, 2}};

static void check(enum qd_mistake mistake, struct qd_quantizer_options options, bool all_positive,
                  struct qd_arena *arena, struct qd_quantizer_report *report)
{
    struct qd_case kase;
    build_model(arena, &kase);
    const struct qd_quantizer_request request = {.model = kase.model,
                                                 .model_size = kase.model_size,
                                                 .range_count = 6,
                                                 .ranges = all_positive ? positive : ranges,
                                                 .options = options};
    struct qd_quantizer_answer answer;
    qd_quantize_wrongly(&kase, &request, mistake, arena, &answer);
    const struct qd_quantizer_question question = {
        .kase = &kase, .request = &request, .answer = &answer, .profile = &profile};
    struct qd_error error = {.status = QD_OK};
    if (qd_quantizer_check(&question, arena, report, &error) != QD_OK)
        fail_msg("%s", error.text);
}

static bool has(const struct qd_quantizer_report *report, enum qd_verdict class)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].class == class)
            return true;
    return false;
}

static struct qd_quantizer_options options_for(enum qd_mistake mistake)
{
    bool snaps = mistake == QD_SNAPPED_WITHOUT_SCALE || mistake == QD_SNAPPED_INT8 ||
                 mistake == QD_SNAPPED_APART || mistake == QD_OPTION_IGNORED;
    return (struct qd_quantizer_options){.activation_type = mistake == QD_SNAPPED_INT8 ? 3 : 2,
                                         .weight_type = 3,
                                         .per_channel = true,
                                         .restricted_asymmetric = snaps};
}

static void print(const struct qd_quantizer_report *report)
{
    for (size_t i = 0; i < report->finding_count; i++)
        print_message("  %s: %s\n", qd_verdict_word(report->findings[i].class),
                      report->findings[i].text);
    for (size_t i = 0; i < report->fact_count; i++)
        print_message("  fact: %s\n", report->facts[i]);
}

/* The kill matrix. */
static void test_every_mistake_is_noticed(void **state)
{
    (void)state;
    static const struct {
        enum qd_mistake mistake;
        enum qd_verdict class;
        const char *name;
    } rows[] = {
#define ROW(name, class) {QD_##name, QD_VERDICT_##class, #name},
        QD_MISTAKE_LIST(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_arena arena;
        struct qd_quantizer_report report;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        check(rows[i].mistake, options_for(rows[i].mistake), rows[i].mistake == QD_NOT_WIDENED,
              &arena, &report);
        if (!has(&report, rows[i].class)) {
            print(&report);
            fail_msg("%s: no finding of class %s", rows[i].name, qd_verdict_word(rows[i].class));
        }
        qd_arena_clear(&arena);
    }
}

static void test_a_right_quantizer_passes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct qd_quantizer_options options = {.activation_type = i & 1 ? 3 : 2,
                                               .weight_type = 3,
                                               .per_channel = i & 2,
                                               .restricted_asymmetric = i & 4};
        struct qd_arena arena;
        struct qd_quantizer_report report;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        check(QD_NO_MISTAKE, options, i & 8, &arena, &report);
        if (report.finding_count > 0 || report.fact_count > 0) {
            print(&report);
            fail_msg("options %u: %zu findings, %zu facts", i, report.finding_count,
                     report.fact_count);
        }
        /* x, W, B, c, r, t, k, and y; ranges are known of all but B, which is checked by itself. */
        assert_int_equal(report.edges, 8);
        assert_int_equal(report.checked, 7);
        assert_int_equal(report.compared, 12);
        qd_arena_clear(&arena);
    }
}

/* What an answer that is a list of edges of that model is found to be. */
static void judge_edges(const struct qd_quantizer_edge *edges, size_t count,
                        const struct qd_quantizer_range *observed,
                        struct qd_quantizer_options options,
                        const struct qd_quantizer_profile *promised, struct qd_arena *arena,
                        struct qd_quantizer_report *report)
{
    struct qd_case kase;
    build_model(arena, &kase);
    const struct qd_quantizer_request request = {.model = kase.model,
                                                 .model_size = kase.model_size,
                                                 .range_count = 6,
                                                 .ranges = observed,
                                                 .options = options};
    const struct qd_quantizer_answer answer = {
        .outcome = QD_QUANTIZED_EDGES, .edge_count = count, .edges = edges};
    const struct qd_quantizer_question question = {
        .kase = &kase, .request = &request, .answer = &answer, .profile = promised};
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_quantizer_check(&question, arena, report, &error), QD_OK);
}

/* An answer that is a list of edges: t and its group under observers `token`, `patch`. */
static void check_edges(uint64_t token, uint64_t patch, const char *consumer, enum qd_verdict class,
                        struct qd_arena *arena)
{
    const float scale = 2.3F / 255;
    const int64_t zero = 33;
    const struct qd_quantizer_edge edges[] = {
        {"k", consumer, 0, 2, 0, 255, 1, &scale, &zero, 0, token},
        {"r", "n2", 0, 2, 0, 255, 1, &scale, &zero, 0, patch},
        {"t", "n3", 1, 2, 0, 255, 1, &scale, &zero, 0, patch},
        {"y", "", 0, 2, 0, 255, 1, &scale, &zero, 0, patch},
        {"c", "n1", 0, 0, 0, 0, 0, NULL, NULL, 0, 0},
    };
    struct qd_quantizer_report report;
    judge_edges(edges, 5, ranges, options_for(QD_NO_MISTAKE), &profile, arena, &report);
    if (class == QD_VERDICT_EXACT ? report.finding_count > 0 : !has(&report, class)) {
        print(&report);
        fail_msg("observers %d and %d: want %s", (int)token, (int)patch, qd_verdict_word(class));
    }
}

/* Equal numbers under two observers are a split that the next calibration shows. */
static void test_observers_are_told_apart(void **state)
{
    (void)state;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    check_edges(1, 1, "n3", QD_VERDICT_EXACT, &arena);
    check_edges(0, 1, "n3", QD_VERDICT_EXACT, &arena);
    check_edges(2, 1, "n3", QD_VERDICT_WRONG_SHARING, &arena);
    check_edges(1, 1, "nobody", QD_VERDICT_INVALID_MODEL, &arena);
    qd_arena_clear(&arena);
}

/* r with this scale, next to a t of this range, is of the class and not said to share t's parameters. */
static void expect_nothing_taken(float scale, float t_max, enum qd_verdict class)
{
    const int64_t zero = 0;
    const struct qd_quantizer_edge edge = {"r", "n2", 0, 2, 0, 255, 1, &scale, &zero, 0, 0};
    struct qd_quantizer_range around[] = {ranges[0],       ranges[1], ranges[2],
                                          {"t", 0, t_max}, ranges[4], ranges[5]};
    struct qd_arena arena;
    struct qd_quantizer_report report;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    judge_edges(&edge, 1, around, options_for(QD_NO_MISTAKE), &profile, &arena, &report);
    assert_true(has(&report, class));
    assert_false(has(&report, QD_VERDICT_WRONG_SHARING));
    qd_arena_clear(&arena);
}

/* A tensor of the group that holds nothing but 0, or next to 0, fits any parameters, or a scale of 1: those of its
 * neighbours are not taken from it. */
static void test_nothing_is_taken_from_zeros(void **state)
{
    (void)state;
    expect_nothing_taken(0.5F, 0, QD_VERDICT_RANGE_NOT_COVERED);
    expect_nothing_taken(1, 0x1p-142F, QD_VERDICT_WRONG_PARAMETERS);
}

/* A Transpose that the tool leaves in floats before opset `since` shares nothing at opset 13 where that is later. */
static void expect_sharing_since(int64_t since, bool shared)
{
    const struct qd_quantizer_since list[] = {{"Transpose", since}, {NULL, 0}};
    struct qd_quantizer_profile promised = profile;
    promised.shares_since = list;
    const float before = 2.3F / 255, after = 4.3F / 255;
    const int64_t before_zero = 33, after_zero = 18;
    const struct qd_quantizer_edge edges[] = {
        {"r", "n2", 0, 2, 0, 255, 1, &before, &before_zero, 0, 0},
        {"t", "n3", 1, 2, 0, 255, 1, &after, &after_zero, 0, 0}};
    struct qd_quantizer_range around[] = {ranges[0],       ranges[1], ranges[2],
                                          {"t", -0.3F, 4}, ranges[4], ranges[5]};
    struct qd_arena arena;
    struct qd_quantizer_report report;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    judge_edges(edges, 2, around, options_for(QD_NO_MISTAKE), &promised, &arena, &report);
    assert_int_equal(has(&report, QD_VERDICT_WRONG_SHARING), shared);
    qd_arena_clear(&arena);
}

static void test_nothing_is_shared_before_a_version(void **state)
{
    (void)state;
    expect_sharing_since(13, true);
    expect_sharing_since(14, false);
}

/* What a list of edges is found to be under ExecuTorch's promises, by the classes of its findings. */
static void judge(const struct qd_quantizer_edge *edges, size_t count, bool per_channel,
                  struct qd_arena *arena, struct qd_quantizer_report *report)
{
    const struct qd_quantizer_options options = {
        .activation_type = 3, .weight_type = 3, .per_channel = per_channel};
    judge_edges(edges, count, ranges, options, qd_quantizer_profile_of("executorch-quant"), arena,
                report);
}

static void expect_one(const struct qd_quantizer_edge *edge, size_t count, bool per_channel,
                       enum qd_verdict class)
{
    struct qd_arena arena;
    struct qd_quantizer_report report;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    judge(edge, count, per_channel, &arena, &report);
    if (class == QD_VERDICT_EXACT ? report.finding_count > 0
                                  : report.finding_count != 1 || !has(&report, class)) {
        print(&report);
        fail_msg("want %s alone", qd_verdict_word(class));
    }
    qd_arena_clear(&arena);
}

/* x: [-1, 1] is 2/255, -128 + 127.5; r: [-.3, 2] is 2.3/255, -128 + 33.3; both: [-1, 2] is 3/255, -128 + 85. */
static void test_an_observer_has_what_it_saw(void **state)
{
    (void)state;
    const float of_r = 2.3F / 255, of_both = 3 / 255.0F;
    const int64_t zero_r = -95, zero_both = -43;
    const struct qd_quantizer_edge right[] = {
        {"r", "n2", 0, 3, -128, 127, 1, &of_r, &zero_r, 0, 7},
        {"t", "n3", 1, 3, -128, 127, 1, &of_r, &zero_r, 0, 7},
        {"y", "", 0, 3, -128, 127, 1, &of_r, &zero_r, 0, 7},
    };
    expect_one(right, 3, true, QD_VERDICT_EXACT);
    /* The numbers of one tensor, or of a range that nobody saw, are none. */
    const struct qd_quantizer_edge wrong = {"r", "n2",     0,          3, -128, 127,
                                            1,   &of_both, &zero_both, 0, 7};
    expect_one(&wrong, 1, true, QD_VERDICT_WRONG_PARAMETERS);
    /* One observer for x and r, which nothing joins; its numbers are right. */
    const struct qd_quantizer_edge stranger[] = {
        {"x", "n0", 0, 3, -128, 127, 1, &of_both, &zero_both, 0, 7},
        {"r", "n2", 0, 3, -128, 127, 1, &of_both, &zero_both, 0, 7},
    };
    struct qd_arena arena;
    struct qd_quantizer_report report;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    judge(stranger, 2, true, &arena, &report);
    assert_true(report.finding_count > 0 && has(&report, QD_VERDICT_WRONG_SHARING));
    assert_false(has(&report, QD_VERDICT_WRONG_PARAMETERS) ||
                 has(&report, QD_VERDICT_RANGE_NOT_COVERED));
    qd_arena_clear(&arena);
}

/* A Transpose shares the observer of what it reads where that has one, as
 * after the Relu, and none where it has none. */
static void test_what_moves_shares_what_has_an_observer(void **state)
{
    (void)state;
    const float of_r = 2.3F / 255;
    const int64_t zero = -95;
    const struct qd_quantizer_edge edges[] = {
        {"r", "n1", 0, 3, -128, 127, 1, &of_r, &zero, 0, 2}, /* another reader's */
        {"t", "n3", 1, 3, -128, 127, 1, &of_r, &zero, 0, 1},
        {"r", "", 0, 3, -128, 127, 1, &of_r, &zero, 0, 2},
    };
    expect_one(edges, 2, true, QD_VERDICT_EXACT);
    expect_one(edges + 1, 2, true, QD_VERDICT_WRONG_SHARING);
}

/* A Relu is fused with the convolution whose only reader it is: what the
 * convolution gives has no parameters to share. */
static void test_a_fused_relu_shares_nothing(void **state)
{
    (void)state;
    const float of_c = 4.5F / 255, of_r = 2.3F / 255; /* c: -128 + 141.7 */
    const int64_t zero_c = 14, zero_r = -95;
    const struct qd_quantizer_edge edges[] = {
        {"c", "", 0, 3, -128, 127, 1, &of_c, &zero_c, 0, 1},
        {"r", "", 0, 3, -128, 127, 1, &of_r, &zero_r, 0, 2},
    };
    expect_one(edges, 2, true, QD_VERDICT_EXACT);
}

/* 7i modulo 37 is between 0 and 35 for i < 18: W's numbers lie in [-.13, .22],
 * those of its second channel in [-9/512, 8/512]. */
static void test_axes_of_edges(void **state)
{
    (void)state;
    const float one = 0.22F / 127, two[] = {0.22F / 127, 0x1p-12F};
    const int64_t zeros[] = {0, 0};
    const struct qd_quantizer_edge whole = {"W", "n0", 1, 3, -127, 127, 1, &one, zeros, 0, 1};
    const struct qd_quantizer_edge channels = {"W", "n0", 1, 3, -127, 127, 2, two, zeros, 0, 1};
    expect_one(&whole, 1, false, QD_VERDICT_EXACT);
    expect_one(&whole, 1, true, QD_VERDICT_IGNORES_OPTION);
    expect_one(&channels, 1, true, QD_VERDICT_EXACT); /* 9/512/127 is less than the floor */
    expect_one(&channels, 1, false, QD_VERDICT_WRONG_PARAMETERS);
}

static struct qd_tensor one_by_one(struct qd_arena *arena, enum qd_dtype dtype, int64_t bits)
{
    struct qd_tensor made;
    assert_int_equal(qd_tensor_init(&made, arena, dtype, 2, (const int64_t[]){1, 1}, NULL), QD_OK);
    qd_tensor_set(&made, 0, bits);
    return made;
}

static int64_t bits_of(double x)
{
    return (int64_t)qd_float_encode(QD_F32, x, false);
}

/* Checks a produced model against the float one. */
static void judge_model(const struct qd_case *kase, const struct qd_case *made,
                        enum qd_quantizer_scheme scheme, bool right, struct qd_arena *arena,
                        struct qd_quantizer_report *report)
{
    struct qd_error error = {.status = QD_OK};
    const struct qd_quantizer_request request = {
        .model = kase->model,
        .model_size = kase->model_size,
        .options = {.scheme = scheme, .activation_type = 2, .weight_type = 3}};
    const struct qd_quantizer_answer answer = {
        .outcome = QD_QUANTIZED_MODEL, .model = made->model, .model_size = made->model_size};
    const struct qd_quantizer_question question = {
        .kase = kase, .request = &request, .answer = &answer, .profile = &profile};
    if (qd_quantizer_check(&question, arena, report, &error) != QD_OK)
        fail_msg("%s", error.text);
    if (has(report, QD_VERDICT_MODEL_MISMATCH) == right)
        print(report);
    assert_int_equal(has(report, QD_VERDICT_MODEL_MISMATCH), !right);
}

/* y = MatMul(x, 2^100), x as 23550 and -35467 times 2^-149: the float model, or what dynamic quantization makes of it
 * with `code` of the weight. */
static void build_product(struct qd_arena *arena, bool quantized, int code, struct qd_case *kase)
{
    struct qd_builder *b = qd_build_begin(arena, 13);
    struct qd_tensor x, w = one_by_one(arena, QD_F32, bits_of(0x1p100)), zero, scale;
    struct qd_tensor codes = one_by_one(arena, QD_S8, code);
    assert_int_equal(qd_tensor_init(&x, arena, QD_F32, 2, (const int64_t[]){2, 1}, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&zero, arena, QD_S8, 0, NULL, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, arena, QD_F32, 0, NULL, NULL), QD_OK);
    qd_tensor_set(&x, 0, bits_of(23550 * 0x1p-149));
    qd_tensor_set(&x, 1, bits_of(-35467 * 0x1p-149));
    qd_tensor_set(&zero, 0, 0);
    qd_tensor_set(&scale, 0, bits_of((double)(0x1p100F / 127)));
    qd_build_input(b, "x", &x);
    if (!quantized) {
        qd_build_initializer(b, "w", &w);
        qd_build_node(b, "", "MatMul", "x,w", "y");
    } else {
        qd_build_initializer(b, "w_quantized", &codes);
        qd_build_initializer(b, "w_scale", &scale);
        qd_build_initializer(b, "w_zero_point", &zero);
        qd_build_node(b, "", "DynamicQuantizeLinear", "x", "x_quantized,x_scale,x_zero_point");
        qd_build_node(b, "", "MatMulInteger", "x_quantized,w_quantized,x_zero_point,w_zero_point",
                      "sum");
        qd_build_node(b, "", "Cast", "sum", "real");
        qd_build_attr_int(b, "to", 1);
        qd_build_node(b, "", "Mul", "x_scale,w_scale", "both");
        qd_build_node(b, "", "Mul", "real,both", "y");
    }
    qd_build_output(b, "y", QD_F32, -1, NULL);
    struct qd_error error = {.status = QD_OK};
    if (qd_build_finish(b, "product", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* y = Softmax(x) of 0 and 4 at opset 12, or what a tool makes of it that converts to opset 13 first: Flatten before and
 * Reshape after it, and codes of the numbers between. `axis` is that of its Softmax. */
static void build_converted(struct qd_arena *arena, bool quantized, int axis, struct qd_case *kase)
{
    const int64_t dims[] = {1, 1, 2};
    struct qd_builder *b = qd_build_begin(arena, quantized ? 13 : 12);
    struct qd_tensor x, shape, scale, zero;
    assert_int_equal(qd_tensor_init(&x, arena, QD_F32, 3, dims, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&shape, arena, QD_S64, 1, (const int64_t[]){3}, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, arena, QD_F32, 0, NULL, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&zero, arena, QD_U8, 0, NULL, NULL), QD_OK);
    qd_tensor_set(&x, 0, bits_of(0));
    qd_tensor_set(&x, 1, bits_of(4));
    for (int i = 0; i < 3; i++)
        qd_tensor_set(&shape, i, dims[i]);
    qd_tensor_set(&scale, 0, bits_of(0x1p-8));
    qd_build_input(b, "x", &x);
    if (!quantized) {
        qd_build_node(b, "", "Softmax", "x", "y");
    } else {
        qd_build_initializer(b, "shape", &shape);
        qd_build_initializer(b, "scale", &scale);
        qd_build_initializer(b, "zero", &zero);
        qd_build_node(b, "", "Flatten", "x", "flat");
        qd_build_node(b, "", "QuantizeLinear", "flat,scale,zero", "flat_codes");
        qd_build_node(b, "", "DequantizeLinear", "flat_codes,scale,zero", "flat_real");
        qd_build_node(b, "", "Softmax", "flat_real", "soft");
        qd_build_attr_int(b, "axis", axis);
        qd_build_node(b, "", "Reshape", "soft,shape", "y");
    }
    qd_build_output(b, "y", QD_F32, -1, NULL);
    struct qd_error error = {.status = QD_OK};
    if (qd_build_finish(b, "converted", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* By hand: in codes of 2^-8 the 4 saturates at 255/256, so that y is about 0.27 and 0.73; of the float 4 it
 * would be 0.018 and 0.98. A Softmax along the other axis gives 1 and 1. */
static void test_what_a_conversion_moves_is_known(void **state)
{
    (void)state;
    for (int right = 0; right < 2; right++) {
        struct qd_arena arena;
        struct qd_case kase, made;
        struct qd_quantizer_report report;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        build_converted(&arena, false, 0, &kase);
        build_converted(&arena, true, right ? 1 : 0, &made);
        judge_model(&kase, &made, QD_QUANTIZER_STATIC, right, &arena, &report);
        qd_arena_clear(&arena);
    }
}

/* By hand, in steps of 2^-149: the scale is 59017/255 = 231.4 and becomes 231, the zero point 35467/231 = 153.5 becomes
 * 154, and 23550/231 + 154 = 255.9 saturates at 255: 101 * 231 = 23331 is 219 off, nearly a whole step. That is right;
 * half the weight is not. */
static void test_a_subnormal_dynamic_scale_saturates(void **state)
{
    (void)state;
    for (int right = 0; right < 2; right++) {
        struct qd_arena arena;
        struct qd_case kase, made;
        struct qd_quantizer_report report;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        build_product(&arena, false, 0, &kase);
        build_product(&arena, true, right ? 127 : 63, &made);
        judge_model(&kase, &made, QD_QUANTIZER_DYNAMIC, right, &arena, &report);
        assert_int_equal(report.compared, 1 + right); /* it ends at the first difference */
        qd_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mistake_is_noticed),
        cmocka_unit_test(test_a_right_quantizer_passes),
        cmocka_unit_test(test_observers_are_told_apart),
        cmocka_unit_test(test_nothing_is_taken_from_zeros),
        cmocka_unit_test(test_nothing_is_shared_before_a_version),
        cmocka_unit_test(test_an_observer_has_what_it_saw),
        cmocka_unit_test(test_what_moves_shares_what_has_an_observer),
        cmocka_unit_test(test_a_fused_relu_shares_nothing),
        cmocka_unit_test(test_axes_of_edges),
        cmocka_unit_test(test_what_a_conversion_moves_is_known),
        cmocka_unit_test(test_a_subnormal_dynamic_scale_saturates),
    };
    return cmocka_run_group_tests_name("quantizer checks", tests, NULL, NULL);
}
