/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong value that a row expects stays known when later nodes carry it on.
 * Alone: <build>/tests/fuzz/known_upstream_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "case_testlib.h"
#include "known_upstream.h"
#include "targets_testlib.h"

struct fixture {
    struct qd_arena arena;
    struct qd_subject subject;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_trial trial;
};

/* QuantizeLinear of 0.5 and 1.25, then a Transpose, on a target that rounds halves away from 0: 1 for 0. */
static void begin(struct fixture *f)
{
    static const int64_t two[] = {2};
    static const struct qd_trial_options nothing_more = {.twins = NULL};
    struct qd_error error;
    struct qd_tensor x, scale;
    qd_arena_init(&f->arena, QD_ARENA_DEFAULT_BUDGET);
    f->subject = qd_subject_of_session(
        qd_open("quirk:round-half-away", &(struct qd_session_options){.in_process = true}));
    assert_int_equal(qd_tensor_init(&x, &f->arena, QD_F32, 1, two, &error), QD_OK);
    assert_int_equal(qd_tensor_init(&scale, &f->arena, QD_F32, 0, NULL, &error), QD_OK);
    memcpy(x.data, (const float[]){0.5f, 1.25f}, 2 * sizeof(float));
    *(float *)scale.data = 1;
    struct qd_builder *builder = qd_build_begin(&f->arena, 13);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &scale);
    qd_build_node(builder, "", "QuantizeLinear", "x,s", "q");
    qd_build_node(builder, "", "Transpose", "q", "y");
    qd_build_output(builder, "y", QD_U8, 1, two);
    assert_ok(qd_build_finish(builder, "findings/two", false, &f->kase, &error), error);
    assert_ok(qd_case_evaluate(&f->kase, &f->arena, &f->evaluated, &error), error);
    assert_ok(qd_trial_run(&f->subject, &f->evaluated, &nothing_more, &f->arena, &f->trial, &error),
              error);
    assert_int_equal(f->trial.comparison.verdict, QD_VERDICT_WRONG_VALUE);
}

/* The row that the case is known by, of a file with one. */
static const struct qd_expectation *row_of(struct fixture *f, const char *glob, const char *what)
{
    const struct qd_expectation *row;
    struct qd_expectations *rows;
    struct qd_error error;
    const char *text =
        qd_arena_printf(&f->arena, "%s\t*\t*\t%s\t*\t*\t-\tsome reason\n", glob, what);
    assert_ok(qd_expectations_parse("rows", text, strlen(text), &f->arena, &rows, &error), error);
    assert_ok(qd_expectations_activate(rows, f->subject.info, &error), error);
    f->subject.expectations = rows;
    assert_ok(qd_known_upstream(&f->subject, &f->kase, &f->trial, &f->arena, &row, &error), error);
    return row;
}

static void test_the_row_of_the_first_node_holds(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_non_null(row_of(&f, "fuzz:QuantizeLinear", "quirk:round-half-away"));
    assert_non_null(row_of(&f, "fuzz:QuantizeLinear", "wrong-value"));
    assert_null(row_of(&f, "fuzz:QuantizeLinear", "quirk:round-toward-zero"));
    assert_null(row_of(&f, "fuzz:Transpose", "wrong-value"));
    qd_arena_clear(&f.arena);
    qd_subject_close(&f.subject);
}

/* What the last node adds to it nobody expects. */
static void test_another_fault_at_the_end_is_not_known(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    qd_tensor_set(&f.trial.run.outputs[0], 1, 7);
    assert_null(row_of(&f, "fuzz:QuantizeLinear", "quirk:round-half-away"));
    qd_arena_clear(&f.arena);
    qd_subject_close(&f.subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_row_of_the_first_node_holds),
        cmocka_unit_test(test_another_fault_at_the_end_is_not_known),
    };
    return cmocka_run_group_tests_name("known upstream", tests, NULL, NULL);
}
