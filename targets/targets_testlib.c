/* SPDX-License-Identifier: Apache-2.0 */
/* What several tests of targets share. */
#include "targets_testlib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/trial.h"

static void finish(struct qd_builder *builder, struct qd_case *kase)
{
    struct qd_error error = {.status = QD_OK};
    if (qd_build_finish(builder, "test", false, kase, &error) != QD_OK)
        fail_msg("%s", error.text);
}

void qd_identity_case(struct qd_case *kase, struct qd_arena *arena, enum qd_dtype dtype,
                      int64_t count)
{
    struct qd_tensor x;
    assert_int_equal(qd_tensor_init(&x, arena, dtype, 1, &count, NULL), QD_OK);
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&x, i, (i * 37 + 1) & 0x7f);
    struct qd_builder *b = qd_build_begin(arena, 21);
    assert_non_null(b);
    qd_build_input(b, "x", &x);
    qd_build_node(b, "", "Identity", "x", "y");
    qd_build_output(b, "y", dtype, 1, &count);
    finish(b, kase);
}

void qd_quantize_case(struct qd_case *kase, struct qd_arena *arena, const float *x, int64_t count,
                      float scale, int zero_point)
{
    struct qd_tensor data, s, z;
    assert_int_equal(qd_tensor_init(&data, arena, QD_F32, 1, &count, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&s, arena, QD_F32, 0, NULL, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&z, arena, QD_U8, 0, NULL, NULL), QD_OK);
    memcpy(data.data, x, (size_t)count * sizeof *x);
    memcpy(s.data, &scale, sizeof scale);
    qd_tensor_set(&z, 0, zero_point);
    struct qd_builder *b = qd_build_begin(arena, 13);
    assert_non_null(b);
    qd_build_input(b, "x", &data);
    qd_build_input(b, "y_scale", &s);
    qd_build_input(b, "y_zero_point", &z);
    qd_build_node(b, "", "QuantizeLinear", "x,y_scale,y_zero_point", "y");
    qd_build_output(b, "y", QD_U8, 1, &count);
    finish(b, kase);
}

void qd_dequantize_case(struct qd_case *kase, struct qd_arena *arena, int q, float scale,
                        int zero_point)
{
    struct qd_tensor data, s, z;
    const int64_t one = 1;
    assert_int_equal(qd_tensor_init(&data, arena, QD_U8, 1, &one, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&s, arena, QD_F32, 0, NULL, NULL), QD_OK);
    assert_int_equal(qd_tensor_init(&z, arena, QD_U8, 0, NULL, NULL), QD_OK);
    qd_tensor_set(&data, 0, q);
    memcpy(s.data, &scale, sizeof scale);
    qd_tensor_set(&z, 0, zero_point);
    struct qd_builder *b = qd_build_begin(arena, 13);
    assert_non_null(b);
    qd_build_input(b, "x", &data);
    qd_build_input(b, "x_scale", &s);
    qd_build_input(b, "x_zero_point", &z);
    qd_build_node(b, "", "DequantizeLinear", "x,x_scale,x_zero_point", "y");
    qd_build_output(b, "y", QD_F32, 1, &one);
    finish(b, kase);
}

struct qd_session *qd_open(const char *text, const struct qd_session_options *options)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session *session = NULL;
    if (qd_target_name_parse(text, &name, &error) != QD_OK ||
        qd_session_open(&name, options, &session, &error) != QD_OK)
        fail_msg("%s: %s", text, error.text);
    return session;
}

struct qd_comparison qd_run_and_compare(struct qd_session *session, const struct qd_case *kase,
                                        struct qd_run *run)
{
    struct qd_arena arena;
    struct qd_error error = {.status = QD_OK};
    struct qd_evaluated evaluated;
    struct qd_trial trial;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_evaluate(kase, &arena, &evaluated, &error) != QD_OK)
        fail_msg("reference: %s", error.text);
    if (qd_trial_ask(session, &evaluated, &arena, &trial, &error) != QD_OK)
        fail_msg("session: %s", error.text);
    *run = trial.run;
    run->outputs = NULL;
    qd_arena_clear(&arena);
    return trial.comparison;
}

bool qd_can(const struct qd_session *session, const struct qd_case *kase, const char **reason)
{
    struct qd_features features;
    qd_case_features(kase, &features);
    return qd_session_can(session, kase, &features, reason);
}
