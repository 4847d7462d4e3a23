/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong after other cases and right alone is a state leak, and tells both answers.
 * Alone: <build>/tests/targets/judge/trial_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluated.h"
#include "qdiff/trial.h"
#include "qdiff/valid_twin.h"
#include "targets_testlib.h"

#define MISBEHAVE(what) QD_TEST_PLUGINS_DIR "/misbehave_plugin.so[do=" what "]"

static const struct qd_session_options isolated = {.in_process = false},
                                       here = {.in_process = true};

/* One trial of the identity case, which has to be rejected by `rule` if that is not NULL, with rows if they are not. */
static void try_case(struct qd_session *session, const char *rule, const char *rows,
                     struct qd_trial *trial, struct qd_arena *arena)
{
    static const struct qd_trial_options options = {.twins = NULL};
    struct qd_subject subject = qd_subject_of_session(session);
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_error error;
    qd_identity_case(&kase, arena, QD_U8, 10);
    assert_int_equal(qd_case_evaluate(&kase, arena, &evaluated, &error), QD_OK);
    if (rule) {
        kase.rule = rule;
        kase.expect = QD_EXPECT_MUST_REJECT;
        evaluated.values = NULL;
    }
    if (rows) {
        assert_int_equal(qd_expectations_parse("x.tsv", rows, strlen(rows), arena,
                                               &subject.expectations, &error),
                         QD_OK);
        assert_int_equal(
            qd_expectations_activate(subject.expectations, qd_session_info(session), &error),
            QD_OK);
    }
    if (qd_trial_run(&subject, &evaluated, &options, arena, trial, &error) != QD_OK)
        fail_msg("%s", error.text);
}

static void try_once(struct qd_session *session, const char *rows, struct qd_trial *trial,
                     struct qd_arena *arena)
{
    try_case(session, NULL, rows, trial, arena);
}

/* The second trial of a session; the first one has its worker alone. */
static void try_second(const char *target, const struct qd_session_options *options,
                       const char *rows, struct qd_trial *trial, struct qd_arena *arena)
{
    struct qd_session *session = qd_open(target, options);
    qd_arena_init(arena, QD_ARENA_DEFAULT_BUDGET);
    try_once(session, NULL, trial, arena);
    assert_int_equal(trial->divergence_count, 0);
    try_once(session, rows, trial, arena);
    qd_session_close(session);
}

/* What a target does to its process while it takes an invalid model kills the valid twin after it; what a case before
 * it has done is not of the model. */
static void an_invalid_model_may_damage_the_process(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        unsigned before; /* how often the case is asked */
        bool dies;
    } rows[] = {{MISBEHAVE("crash-later"), 1, true},
                {MISBEHAVE("crash"), 1, false},
                {MISBEHAVE("crash-third-case"), 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_session *session = qd_open(rows[i].target, &isolated);
        struct qd_twins twins;
        struct qd_trial trial;
        struct qd_case kase;
        struct qd_evaluated evaluated;
        struct qd_arena arena;
        struct qd_run death;
        struct qd_error error;
        bool dies;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        qd_twins_init(&twins, QD_TEST_CASES_DIR);
        qd_identity_case(&kase, &arena, QD_U8, 10);
        kase.twin = "reject/Relu/valid-f32";
        assert_int_equal(qd_case_evaluate(&kase, &arena, &evaluated, &error), QD_OK);
        for (unsigned n = 0; n < rows[i].before; n++)
            assert_int_equal(qd_trial_ask(session, &evaluated, &arena, &trial, &error), QD_OK);
        assert_int_equal(qd_twin_dies_after(&twins, session, &evaluated, &death, &dies, &error),
                         QD_OK);
        assert_int_equal(dies, rows[i].dies);
        assert_true(!dies || strstr(death.message, "signal 11"));
        qd_twins_clear(&twins);
        qd_session_close(session);
        qd_arena_clear(&arena);
    }
}

static void a_state_leak_tells_both_answers(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_trial trial;
    try_second(MISBEHAVE("wrong-later"), &isolated, NULL, &trial, &arena);
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_STATE_LEAK);
    assert_int_equal(trial.citation.severity, QD_SEVERITY_ROBUSTNESS);
    assert_true(trial.fails);
    assert_int_equal(trial.comparison.mismatched, 1); /* the first answer's */
    assert_string_equal(trial.divergences[0].words,
                        "wrong-value after other cases, exact alone in a fresh process");
    assert_string_equal(trial.run.message, trial.divergences[0].words);
    qd_arena_clear(&arena);
}

static void rows_can_name_it(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_trial trial;
    try_second(MISBEHAVE("wrong-later"), &isolated,
               "*\t*\t*\tstate-leak:*exact alone*\t*\t*\t-\twhy\n", &trial, &arena);
    assert_true(trial.known);
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_STATE_LEAK);
    qd_arena_clear(&arena);
    /* what a row expects is not asked again */
    try_second(MISBEHAVE("wrong-later"), &isolated, "*\t*\t*\twrong-value\t*\t*\t-\twhy\n", &trial,
               &arena);
    assert_true(trial.known);
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&arena);
}

/* Where two runs agree by chance the process is not used again; after other failures it is. */
static void what_differs_by_chance_leaves_a_fresh_process(void **state)
{
    (void)state;
    static const struct {
        const char *rows;
        bool differs; /* once more */
    } rows[] = {{"*\t*\t*\tnondeterministic\t*\t*\t-\twhy\n", false},
                {"*\t*\t*\twrong-value\t*\t*\t-\twhy\n", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_session *session = qd_open(MISBEHAVE("wrong-later"), &isolated);
        struct qd_arena arena;
        struct qd_trial trial;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        for (int run = 0; run < 3; run++) {
            try_once(session, rows[i].rows, &trial, &arena);
            assert_int_equal(trial.known, run == 1 || (run == 2 && rows[i].differs));
        }
        qd_session_close(session);
        qd_arena_clear(&arena);
    }
}

/* Where a row knows of the damage that an invalid model does, the process is not used again. */
static void what_damages_leaves_a_fresh_process(void **state)
{
    (void)state;
    static const struct {
        const char *rows;
        enum qd_verdict next;
    } rows[] = {{"*\t*\t*\tstate-leak\t*\t*\t-\twhy\n", QD_VERDICT_EXACT},
                {"*\t*\t*\tcrash\t*\t*\t-\twhy\n", QD_VERDICT_STATE_LEAK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_session *session = qd_open(MISBEHAVE("wrong-later"), &isolated);
        struct qd_arena arena;
        struct qd_trial trial;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        try_case(session, "Identity/type", rows[i].rows, &trial, &arena);
        assert_int_equal(trial.comparison.verdict, QD_VERDICT_ACCEPTS_INVALID);
        try_once(session, NULL, &trial, &arena);
        assert_int_equal(trial.comparison.verdict, rows[i].next);
        qd_session_close(session);
        qd_arena_clear(&arena);
    }
}

/* In process there is no other one to ask. */
static void in_process_it_is_a_wrong_value(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_trial trial;
    try_second(MISBEHAVE("wrong-later"), &here, NULL, &trial, &arena);
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_WRONG_VALUE);
    qd_arena_clear(&arena);
}

/* What is wrong alone, too, stays what it is. */
static void a_wrong_target_leaks_nothing(void **state)
{
    (void)state;
    struct qd_session *session = qd_open("quirk:zero-points-ignored", &isolated);
    static const float x[] = {1, 2, 3};
    for (int i = 0; i < 2; i++) {
        static const struct qd_trial_options options = {.twins = NULL};
        struct qd_subject subject = qd_subject_of_session(session);
        struct qd_arena arena;
        struct qd_case kase;
        struct qd_evaluated evaluated;
        struct qd_trial trial;
        struct qd_error error;
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        qd_quantize_case(&kase, &arena, x, 3, 1, 7);
        assert_int_equal(qd_case_evaluate(&kase, &arena, &evaluated, &error), QD_OK);
        assert_int_equal(qd_trial_run(&subject, &evaluated, &options, &arena, &trial, &error),
                         QD_OK);
        assert_int_equal(trial.comparison.verdict, QD_VERDICT_WRONG_VALUE);
        assert_string_equal(trial.divergences[0].words, "");
        qd_arena_clear(&arena);
    }
    qd_session_close(session);
}

/* A case and another that steps can run, on a target that misbehaves. */
struct stepping {
    struct qd_arena arena;
    struct qd_session *session;
    struct qd_case kase;
    struct qd_case_step other; /* one run of the other */
};

static void begin_stepping(struct stepping *s, const char *misbehaviour)
{
    struct qd_case *other;
    qd_arena_init(&s->arena, QD_ARENA_DEFAULT_BUDGET);
    s->session = qd_open(misbehaviour, &isolated);
    other = qd_arena_alloc(&s->arena, sizeof *other);
    assert_non_null(other);
    qd_identity_case(other, &s->arena, QD_U8, 3);
    qd_identity_case(&s->kase, &s->arena, QD_U8, 10);
    s->other = (struct qd_case_step){.model = other->model,
                                     .model_size = other->model_size,
                                     .graph = other->graph,
                                     .inputs = other->inputs,
                                     .runs = 1};
}

static void try_steps(struct stepping *s, const struct qd_case_step *steps, size_t count,
                      struct qd_trial *trial)
{
    static const struct qd_trial_options options = {.twins = NULL};
    struct qd_subject subject = qd_subject_of_session(s->session);
    struct qd_evaluated evaluated;
    struct qd_error error;
    s->kase.steps = steps;
    s->kase.step_count = count;
    assert_int_equal(qd_case_evaluate(&s->kase, &s->arena, &evaluated, &error), QD_OK);
    assert_int_equal(qd_features_has(&evaluated.features, QD_FEATURE_AFTER_STEPS), count > 0);
    assert_int_equal(qd_trial_run(&subject, &evaluated, &options, &s->arena, trial, &error), QD_OK);
}

static void end_stepping(struct stepping *s)
{
    qd_session_close(s->session);
    qd_arena_clear(&s->arena);
}

/* A target that is wrong once it has loaded another model: the steps say so, in the case's first run already. */
static void steps_make_the_difference(void **state)
{
    (void)state;
    struct stepping s;
    struct qd_trial trial;
    begin_stepping(&s, MISBEHAVE("wrong-later"));
    struct qd_case_step twice = s.other;
    twice.runs = 2;
    const struct qd_case_step own = {.graph = s.kase.graph, .inputs = s.kase.inputs, .runs = 1},
                              steps[] = {twice, own};
    try_steps(&s, steps, 2, &trial);
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_STATE_LEAK);
    assert_string_equal(trial.divergences[0].words, "wrong-value after 2 steps, exact without");
    try_steps(&s, NULL, 0, &trial); /* after another case the worker is as wrong as after a step */
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_STATE_LEAK);
    end_stepping(&s);
}

/* A death before the case is no leak, and says where it was. */
static void a_death_in_a_step_says_so(void **state)
{
    (void)state;
    struct stepping s;
    struct qd_trial trial;
    begin_stepping(&s, MISBEHAVE("crash-third-case"));
    const struct qd_case_step steps[] = {s.other, s.other, s.other};
    try_steps(&s, steps, 3, &trial);
    assert_int_equal(trial.comparison.verdict, QD_VERDICT_CRASH);
    assert_int_equal(trial.run.step, 3);
    assert_ptr_equal(strstr(trial.divergences[0].words, "in step 3 before the case: signal 11"),
                     trial.divergences[0].words);
    end_stepping(&s);
}

/* Rows that name one quirk. */
static struct qd_subject subject_with(struct qd_session *session, const char *quirk,
                                      struct qd_arena *arena)
{
    struct qd_subject subject = qd_subject_of_session(session);
    struct qd_error error;
    const char *rows = qd_arena_printf(arena, "*\t*\t*\tquirk:%s\t*\t*\t-\twhy", quirk);
    assert_non_null(rows);
    assert_int_equal(
        qd_expectations_parse("x.tsv", rows, strlen(rows), arena, &subject.expectations, &error),
        QD_OK);
    assert_int_equal(
        qd_expectations_activate(subject.expectations, qd_session_info(session), &error), QD_OK);
    return subject;
}

static void expect_same(const struct qd_trial *a, const struct qd_trial *b)
{
    const struct qd_comparison *x = &a->comparison, *y = &b->comparison;
    assert_int_equal(x->verdict, y->verdict);
    assert_int_equal(x->mismatched, y->mismatched);
    assert_int_equal(x->element, y->element);
    assert_true(x->have == y->have && x->want == y->want && x->lo == y->lo && x->hi == y->hi);
    assert_int_equal(a->citation.severity, b->citation.severity);
    assert_string_equal(a->citation.clause, b->citation.clause);
    assert_int_equal(a->known, b->known);
    assert_int_equal(!a->diagnosis, !b->diagnosis);
    if (a->diagnosis)
        assert_string_equal(a->diagnosis->label, b->diagnosis->label);
}

/* What is kept of one target's answer to QuantizeLinear of 1, 2.5 and 300 with z = 7 serves the same answer only: 1, 2,
 * 255 without the zero point, 8, 10, 255 with ties away from zero, where 8, 9, 255 is right. */
static void what_is_kept_of_an_answer_changes_nothing(void **state)
{
    (void)state;
    static const char *const zero = "zero-points-ignored", *const away = "round-half-away";
    static const float x[] = {1, 2.5F, 300};
    const struct {
        const char *target, *row;
        int have;   /* the first wrong code */
        bool keeps; /* the same answer came before */
    } asked[] = {{zero, zero, 1, false},  {zero, away, 1, true},  {zero, zero, 1, true},
                 {away, zero, 10, false}, {away, away, 10, true}, {zero, away, 1, false}};
    static const struct qd_diagnose_options diagnose = {.seconds = 100};
    const struct qd_trial_options plain = {.diagnose = &diagnose};
    struct qd_trial_options keeping = plain;
    struct qd_answer_memo memo = {.outputs = NULL};
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_quantize_case(&kase, &arena, x, 3, 1, 7);
    assert_int_equal(qd_case_evaluate(&kase, &arena, &evaluated, &error), QD_OK);
    keeping.memo = &memo;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct qd_session *session =
            qd_open(qd_arena_printf(&arena, "quirk:%s", asked[i].target), &here);
        struct qd_subject subject = subject_with(session, asked[i].row, &arena);
        struct qd_trial with, without;
        const struct qd_tensor *before = memo.outputs;
        assert_int_equal(qd_trial_run(&subject, &evaluated, &keeping, &arena, &with, &error),
                         QD_OK);
        assert_int_equal(qd_trial_run(&subject, &evaluated, &plain, &arena, &without, &error),
                         QD_OK);
        expect_same(&with, &without);
        assert_true(with.comparison.have == asked[i].have);
        assert_int_equal(with.known, asked[i].target == asked[i].row);
        assert_int_equal(memo.outputs == before, asked[i].keeps);
        qd_session_close(session);
    }
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalid_model_may_damage_the_process),
        cmocka_unit_test(what_differs_by_chance_leaves_a_fresh_process),
        cmocka_unit_test(what_damages_leaves_a_fresh_process),
        cmocka_unit_test(a_state_leak_tells_both_answers),
        cmocka_unit_test(rows_can_name_it),
        cmocka_unit_test(in_process_it_is_a_wrong_value),
        cmocka_unit_test(a_wrong_target_leaks_nothing),
        cmocka_unit_test(steps_make_the_difference),
        cmocka_unit_test(a_death_in_a_step_says_so),
        cmocka_unit_test(what_is_kept_of_an_answer_changes_nothing),
    };
    return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
