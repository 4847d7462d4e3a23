/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX Runtime: releases side by side, refusals, types that need asking, and the divergences that README.md explains.
 * Needs the two releases that scripts/setup puts into the cache.
 * Alone: <build>/tests/targets/ort/ort_test */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ort/ort.h"
#include "targets_testlib.h"

static const char *const seed_targets[] = {"ort@1.26.0[opt=none]", "ort@1.26.0[opt=all]",
                                           "ort@1.31.1[opt=none]", "ort@1.31.1[opt=all]"};

static void scalar(struct qd_builder *b, struct qd_arena *arena, const char *name,
                   enum qd_dtype dtype, double value)
{
    struct qd_tensor t;
    assert_int_equal(qd_tensor_init(&t, arena, dtype, 0, NULL, NULL), QD_OK);
    qd_tensor_set(&t, 0,
                  qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, value, false)
                                           : (int64_t)value);
    qd_build_initializer(b, name, &t);
}

/* A 1×1 QLinearConv, u8, of `channels` filters of value w with zero points zw[m], on one pixel x; power-of-two scales
 * but for those given. */
static void build_conv(struct qd_case *kase, struct qd_arena *arena, int64_t channels, const int *w,
                       const int *zw, int x, double x_scale, double w_scale, double y_scale)
{
    const int64_t x_dims[] = {1, 1, 1, 1}, w_dims[] = {channels, 1, 1, 1},
                  y_dims[] = {1, channels, 1, 1};
    struct qd_tensor xt, wt, st, zt;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_tensor_init(&xt, arena, QD_U8, 4, x_dims, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&wt, arena, QD_U8, 4, w_dims, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&st, arena, QD_F32, 1, w_dims, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&zt, arena, QD_U8, 1, w_dims, NULL), QD_OK);
    qd_tensor_set(&xt, 0, x);
    for (int64_t m = 0; m < channels; m++) {
        qd_tensor_set(&wt, m, w[m]);
        qd_tensor_set(&st, m, (int64_t)qd_float_encode(QD_F32, w_scale, false));
        qd_tensor_set(&zt, m, zw[m]);
    }
    struct qd_builder *b = qd_build_begin(arena, 10);
    assert_non_null(b);
    qd_build_input(b, "x", &xt);
    scalar(b, arena, "x_scale", QD_F32, x_scale);
    scalar(b, arena, "x_zero_point", QD_U8, 0);
    qd_build_initializer(b, "w", &wt);
    qd_build_initializer(b, "w_scale", &st);
    qd_build_initializer(b, "w_zero_point", &zt);
    scalar(b, arena, "y_scale", QD_F32, y_scale);
    scalar(b, arena, "y_zero_point", QD_U8, 0);
    qd_build_node(b, "", "QLinearConv",
                  "x,x_scale,x_zero_point,w,w_scale,w_zero_point,y_scale,y_zero_point", "y");
    qd_build_output(b, "y", QD_U8, 4, y_dims);
    if (qd_build_finish(b, "test", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* The first seed: onnxruntime #28456. */
static void test_distinct_weight_zero_points(void **state)
{
    (void)state;
    static const int w[] = {10, 20, 30}, zw[] = {9, 10, 200};
    for (size_t t = 0; t < 4; t++) {
        struct qd_arena arena;
        struct qd_case kase;
        struct qd_run run;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        build_conv(&kase, &arena, 3, w, zw, 7, 1, 1, 1);
        struct qd_session_options options = {.time_limit = 60};
        struct qd_session *session = qd_open(seed_targets[t], &options);
        struct qd_comparison c = qd_run_and_compare(session, &kase, &run);
        bool old = t < 2;
        assert_int_equal(c.verdict, old ? QD_VERDICT_REJECTS_VALID : QD_VERDICT_EXACT);
        if (old)
            assert_non_null(strstr(run.message, "zero point of per-channel filter must be same"));
        else
            assert_int_equal(c.compared, 3);
        qd_session_close(session);
        qd_arena_clear(&arena);
    }
}

/* Two releases in this very process, in turn. */
static void test_two_releases_in_one_process(void **state)
{
    (void)state;
    static const int w[] = {10, 20}, zw[] = {9, 10};
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    build_conv(&kase, &arena, 2, w, zw, 7, 1, 1, 1);
    struct qd_session_options options = {.in_process = true};
    struct qd_session *old = qd_open("ort@1.26.0", &options),
                      *new = qd_open("ort@1.31.1", &options);
    assert_string_equal(qd_session_id(old), "ort@1.26.0[opt=all,threads=1]");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(qd_run_and_compare(old, &kase, &run).verdict, QD_VERDICT_REJECTS_VALID);
        assert_int_equal(qd_run_and_compare(new, &kase, &run).verdict, QD_VERDICT_EXACT);
    }
    qd_session_close(old);
    qd_session_close(new);
    qd_arena_clear(&arena);
}

/* The canonical value is 225; an order of evaluation whose product of scales is subnormal gives 200, which is nobody's
 * fault (reports/findings/qlinear-conv-scale-product-underflow). */
static void test_underflowing_scale_product(void **state)
{
    (void)state;
    static const int w[] = {8}, zw[] = {0};
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    build_conv(&kase, &arena, 1, w, zw, 100, 3 * ldexp(1, -75), 3 * ldexp(1, -75), ldexp(1, -145));
    struct qd_session_options options = {.time_limit = 60};
    struct qd_session *session = qd_open("ort@1.31.1", &options);
    struct qd_comparison c = qd_run_and_compare(session, &kase, &run);
    assert_int_equal(c.verdict, QD_VERDICT_ADMISSIBLE);
    assert_int_equal(c.exact, 0);
    qd_session_close(session);
    qd_arena_clear(&arena);
}

/* x, y_scale and y of the two-bit types, of which releases have numbers of their own; q − z is exact. */
static void build_dequantize(struct qd_case *kase, struct qd_arena *arena, enum qd_dtype dtype)
{
    const int64_t four = 4;
    struct qd_tensor x;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_tensor_init(&x, arena, dtype, 1, &four, NULL), QD_OK);
    for (int i = 0; i < 4; i++)
        qd_tensor_set(&x, i, i);
    struct qd_builder *b = qd_build_begin(arena, 25);
    assert_non_null(b);
    qd_build_input(b, "x", &x);
    scalar(b, arena, "s", QD_F32, 0.5);
    qd_build_node(b, "", "DequantizeLinear", "x,s", "r");
    qd_build_node(b, "", "QuantizeLinear", "r,s", "y");
    qd_build_attr_int(b, "output_dtype", qd_dtype_info(dtype)->onnx);
    qd_build_output(b, "y", dtype, 1, &four);
    if (qd_build_finish(b, "test", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

static void test_two_bit_types(void **state)
{
    (void)state;
    static const enum qd_dtype dtypes[] = {QD_U2, QD_S2, QD_U4, QD_S4};
    for (size_t t = 0; t < 4; t++)
        for (size_t d = 0; d < 4; d++) {
            struct qd_arena arena;
            struct qd_case kase;
            struct qd_run run;
            qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
            build_dequantize(&kase, &arena, dtypes[d]);
            struct qd_session_options options = {.time_limit = 60};
            struct qd_session *session = qd_open(seed_targets[t], &options);
            struct qd_comparison c = qd_run_and_compare(session, &kase, &run);
            if (c.verdict != QD_VERDICT_EXACT || c.compared != 4)
                fail_msg("%s, %s: %s: %s", seed_targets[t], qd_dtype_info(dtypes[d])->word,
                         qd_verdict_word(c.verdict), run.message);
            qd_session_close(session);
            qd_arena_clear(&arena);
        }
}

/* Pad of one element by nothing; nobody knows its answer here, only whether the node has a kernel is asked. */
static void build_pad(struct qd_case *kase, struct qd_arena *arena, enum qd_dtype dtype)
{
    const int64_t one = 1, two = 2;
    struct qd_tensor x, pads;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_tensor_init(&x, arena, dtype, 1, &one, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&pads, arena, QD_S64, 1, &two, NULL), QD_OK);
    struct qd_builder *b = qd_build_begin(arena, 25);
    assert_non_null(b);
    qd_build_input(b, "x", &x);
    qd_build_initializer(b, "pads", &pads);
    qd_build_node(b, "", "Pad", "x,pads", "y");
    qd_build_output(b, "y", dtype, 1, &one);
    if (qd_build_finish(b, "test", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

/* What has no kernel is declared so, by itself; what has one is not. */
static void test_kernels_of_pad(void **state)
{
    (void)state;
    static const enum qd_dtype dtypes[] = {QD_U8, QD_S8, QD_F32, QD_F16, QD_S16,
                                           QD_S4, QD_U4, QD_S2,  QD_U2,  QD_F4E2M1};
    struct qd_session_options options = {.time_limit = 60};
    for (size_t t = 0; t < sizeof seed_targets / sizeof *seed_targets; t++) {
        struct qd_session *session = qd_open(seed_targets[t], &options);
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            struct qd_arena arena;
            struct qd_case kase;
            struct qd_run run;
            struct qd_error error = {.status = QD_OK};
            const char *reason;
            qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
            build_pad(&kase, &arena, dtypes[d]);
            assert_int_equal(qd_session_run(session, &kase, kase.inputs, &arena, &run, &error),
                             QD_OK);
            bool has_kernel = !strstr(run.message, "Could not find an implementation");
            if (qd_can(session, &kase, &reason) != has_kernel)
                fail_msg("%s, %s: %s", seed_targets[t], qd_dtype_info(dtypes[d])->word,
                         run.message);
            qd_arena_clear(&arena);
        }
        qd_session_close(session);
    }
}

/* When the reference and ONNX Runtime disagree about type or shape, both are reported. */
static void test_other_type_and_shape_are_reported(void **state)
{
    (void)state;
    static const float x[] = {1, 2, 3, 4};
    static const int64_t dims[] = {2, 2};
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    struct qd_tensor wrong;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, x, 4, 1, 0);
    struct qd_session_options options = {.time_limit = 60};
    struct qd_session *session = qd_open("ort@1.31.1", &options);
    assert_int_equal(qd_tensor_init(&wrong, &arena, QD_S8, 1, dims + 1, NULL), QD_OK);
    wrong.dims[0] = wrong.count = 4;
    assert_int_equal(qd_session_run(session, &kase, &wrong, &arena, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_WRONG_TYPE);
    assert_string_equal(run.message, "output 0 is u8[4], should be s8[4]");
    assert_int_equal(qd_tensor_init(&wrong, &arena, QD_U8, 2, dims, NULL), QD_OK);
    assert_int_equal(qd_session_run(session, &kase, &wrong, &arena, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_WRONG_SHAPE);
    assert_string_equal(run.message, "output 0 is u8[4], should be u8[2,2]");
    qd_session_close(session);
    qd_arena_clear(&arena);
}

/* What is wrong with these settings. */
static void expect_usage(const char *settings, const char *words)
{
    struct qd_session_options options = {.time_limit = 60};
    struct qd_session *session;
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_target_name_parse(settings, &name, &error), QD_OK);
    assert_int_equal(qd_session_open(&name, &options, &session, &error), QD_USAGE);
    assert_non_null(strstr(error.text, words));
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    assert_non_null(tasks);
    while (readdir(tasks))
        count++;
    closedir(tasks);
    return count;
}

/* A session of ONNX Runtime lives as long as its model is prepared. */
static void test_threads_and_settings(void **state)
{
    (void)state;
    static const int w[] = {8}, zw[] = {0};
    struct qd_session_options options = {.in_process = true};
    struct qd_session *session = qd_open("ort@1.31.1[opt=basic,threads=4]", &options);
    struct qd_target_message message;
    struct qd_arena arena;
    struct qd_case kase;
    void *target, *prepared;
    assert_string_equal(qd_session_id(session), "ort@1.31.1[opt=basic,threads=4]");
    assert_string_equal(qd_session_info(session)->version, "1.31.1");
    qd_session_close(session);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    build_conv(&kase, &arena, 1, w, zw, 7, 1, 1, 1);
    assert_int_equal(qd_ort_target.open("1.31.1", "threads=4", &target, &message), QD_TARGET_OK);
    int before = count_threads();
    assert_int_equal(
        qd_ort_target.prepare(target, kase.model, kase.model_size, &prepared, &message),
        QD_TARGET_OK);
    assert_int_equal(count_threads(), before + 3); /* and the one that calls */
    qd_ort_target.release(target, prepared);
    qd_ort_target.close(target);
    qd_arena_clear(&arena);
    expect_usage("ort[threads=0]", "threads=0: want 1 to 64");
    expect_usage("ort[threads=65]", "threads=65: want 1 to 64");
    expect_usage("ort[threads=2x]", "threads=2x: want 1 to 64");
}

/* A cache folder of our own: only directories with their library count, newest first. */
static void test_versions_are_what_the_cache_holds(void **state)
{
    (void)state;
    char cache[] = "/tmp/qdiff-cache-XXXXXX", command[512];
    assert_non_null(mkdtemp(cache));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p ort/1.9.0 ort/1.10.0 ort/1.2.0 ort/include ort/..1 && "
             "touch ort/1.9.0/libonnxruntime.so.1.9.0 ort/1.10.0/libonnxruntime.so.1.10.0",
             cache);
    assert_int_equal(system(command), 0);
    const char *before = getenv("QDIFF_CACHE");
    char *kept = before ? strdup(before) : NULL;
    setenv("QDIFF_CACHE", cache, 1);
    struct qd_arena arena;
    const char *const *versions = NULL;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_ort_versions(&arena, &versions, NULL), QD_OK);
    assert_string_equal(versions[0], "1.10.0");
    assert_string_equal(versions[1], "1.9.0");
    assert_null(versions[2]);
    char path[64];
    assert_false(qd_ort_library("../1.9.0", path, sizeof path));
    if (kept)
        setenv("QDIFF_CACHE", kept, 1);
    else
        unsetenv("QDIFF_CACHE");
    free(kept);
    qd_arena_clear(&arena);
    snprintf(command, sizeof command, "rm -r %s", cache);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distinct_weight_zero_points),
        cmocka_unit_test(test_two_releases_in_one_process),
        cmocka_unit_test(test_underflowing_scale_product),
        cmocka_unit_test(test_two_bit_types),
        cmocka_unit_test(test_kernels_of_pad),
        cmocka_unit_test(test_other_type_and_shape_are_reported),
        cmocka_unit_test(test_threads_and_settings),
        cmocka_unit_test(test_versions_are_what_the_cache_holds),
    };
    return cmocka_run_group_tests_name("ort", tests, NULL, NULL);
}
