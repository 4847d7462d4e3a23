/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that behave and workers that do not: every byte of an answer is hostile, each wrong deed is told apart and
 * costs one case, and a worker killed at any instant costs nothing.
 * Alone: <build>/tests/targets/process/program_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/program.h"
#include "qdiff/clock.h"
#include "qdiff/worker_bench.h"
#include "targets_testlib.h"

#define PYTHON QD_SOURCE_DIR "/targets/process/"
#define MISBEHAVE PYTHON "tests/misbehave.py"

/* How often the worker is killed. */
static int kills(void)
{
    const char *wanted = getenv("QDIFF_WORKER_KILLS");
    return wanted ? atoi(wanted) : 20; /* NOLINT(cert-err34-c) */
}

static int find_share(void **state)
{
    (void)state;
    return setenv("QDIFF_SHARE", QD_TEST_CASES_DIR "/..", 1);
}

/* Debian's Python, where there is one, for tests that start many workers: without NumPy, which the others may find, it
 * starts in a fifth of the time. */
static int take_quick_python(void **state)
{
    (void)state;
    return access("/usr/bin/python3", X_OK) == 0 ? setenv("QDIFF_PYTHON", "/usr/bin/python3", 0)
                                                 : 0;
}

static int take_any_python(void **state)
{
    (void)state;
    return unsetenv("QDIFF_PYTHON");
}

/* One run of the identity case; right outputs if any. */
static enum qd_status run_once(struct qd_session *session, int64_t count, struct qd_run *run,
                               struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, count);
    enum qd_status status = qd_session_run(session, &kase, kase.inputs, &arena, run, error);
    if (status == QD_OK && run->outcome == QD_OUTCOME_OUTPUTS)
        assert_memory_equal(run->outputs[0].data, kase.inputs[0].data, (size_t)count);
    run->outputs = NULL;
    qd_arena_clear(&arena);
    return status;
}

static const struct deed {
    const char *what;
    enum qd_outcome outcome;
    enum qd_stage stage;
    int signal;
    const char *words;
} deeds[] = {
    {"nothing", QD_OUTCOME_OUTPUTS, QD_STAGE_RUN, 0, ""},
    {"babble", QD_OUTCOME_OUTPUTS, QD_STAGE_RUN, 0, ""},
    {"reject", QD_OUTCOME_REJECTED, QD_STAGE_LOAD, 0, "import: not today"},
    {"reject-run", QD_OUTCOME_REJECTED, QD_STAGE_RUN, 0, "import: not today"},
    {"throw", QD_OUTCOME_REJECTED, QD_STAGE_RUN, 0, "ValueError: boom; standard error: "},
    {"no-memory", QD_OUTCOME_OOM, QD_STAGE_RUN, 0, "all gone"},
    {"eat", QD_OUTCOME_OOM, QD_STAGE_RUN, 0, "out of memory"},
    {"skip", QD_OUTCOME_SKIPPED, QD_STAGE_LOAD, 0,
     "known to be slow (https://example.org/issues/1)"},
    {"skip-without-address", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "a skip without an address"},
    {"type", QD_OUTCOME_WRONG_TYPE, QD_STAGE_RUN, 0, "output 0 is s8[100], should be u8[100]"},
    {"unknown-type", QD_OUTCOME_WRONG_TYPE, QD_STAGE_RUN, 0, "type -77[100]"},
    {"shape", QD_OUTCOME_WRONG_SHAPE, QD_STAGE_RUN, 0, "u8[101], should be u8[100]"},
    {"negative", QD_OUTCOME_WRONG_SHAPE, QD_STAGE_RUN, 0, "u8[-5]"},
    {"rank", QD_OUTCOME_WRONG_SHAPE, QD_STAGE_RUN, 0, "rank 500"},
    {"short", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "does not fit its own shape (99 bytes)"},
    {"few", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "0 outputs of 1"},
    {"many", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "more than 1 outputs"},
    {"no-array", QD_OUTCOME_REJECTED, QD_STAGE_RUN, 0, "TypeError"},
    {"raw", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "holds \"Hello wo\" where a reply should begin"},
    {"huge", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "a reply of 1073741823 bytes"},
    {"half", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "exit status 0"},
    {"garbage", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "its reply: a field number is 0"},
    {"empty", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "no kind"},
    {"two-kinds", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "a reply of two kinds"},
    {"other-id", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "it answered request 16383 when "},
    {"exit", QD_OUTCOME_CRASH, QD_STAGE_RUN, 0, "exit status 7"},
    {"segv", QD_OUTCOME_CRASH, QD_STAGE_RUN, 11, "Segmentation fault"},
    {"kill", QD_OUTCOME_OOM, QD_STAGE_RUN, 9, "Killed"},
    {"drip", QD_OUTCOME_HANG, QD_STAGE_RUN, 0, "no answer within"},
    {"hang", QD_OUTCOME_HANG, QD_STAGE_RUN, 0, "no answer within"},
    {"hang-load", QD_OUTCOME_HANG, QD_STAGE_LOAD, 0, "no answer within"},
};

/* Each deed twice on one session: what it costs is one case. */
static void test_every_deed_is_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        const struct deed *deed = &deeds[i];
        char text[512];
        snprintf(text, sizeof text, "%s[do=%s]", MISBEHAVE, deed->what);
        struct qd_session_options options = {.time_limit =
                                                 deed->outcome == QD_OUTCOME_HANG ? 0.4 : 30,
                                             .memory_limit = (uint64_t)1 << 30};
        struct qd_session *session = qd_open(text, &options);
        for (int again = 0; again < 2; again++) {
            struct qd_run run;
            struct qd_error error = {.status = QD_OK};
            if (run_once(session, 100, &run, &error) != QD_OK)
                fail_msg("%s: %s", deed->what, error.text);
            if (run.outcome != deed->outcome || run.stage != deed->stage ||
                run.signal != deed->signal || !strstr(run.message, deed->words))
                fail_msg("%s: have %s in stage %d, signal %d, \"%s\"", deed->what,
                         qd_outcome_word(run.outcome), (int)run.stage, run.signal, run.message);
        }
        qd_session_close(session);
    }
}

/* Of a long message both ends, and nothing of what an earlier case was told. */
static void test_a_case_is_told_its_own_words(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 30};
    struct qd_session *session = qd_open(MISBEHAVE "[do=complain]", &options);
    for (int call = 1; call <= 3; call++) {
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        char first[32], last[32];
        snprintf(first, sizeof first, "call %d begins", call);
        snprintf(last, sizeof last, "and call %d ends", call);
        assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
        assert_int_equal(run.outcome, QD_OUTCOME_REJECTED);
        if (!strstr(run.message, first) || !strstr(run.message, last))
            fail_msg("of call %d: %s", call, run.message);
    }
    qd_session_close(session);
}

static void complain_and_end(void *context, void *block, int channel)
{
    (void)context, (void)block, (void)channel;
    dprintf(2, "no such interpreter\n");
    _exit(127);
}

/* Also what a worker says that ends before it is asked anything. */
static void test_last_words_before_the_first_call_are_kept(void **state)
{
    (void)state;
    struct qd_worker worker;
    struct qd_death death;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(qd_worker_init(&worker, 4096, (uint64_t)1 << 30, &error), QD_OK);
    assert_int_equal(qd_worker_start(&worker, complain_and_end, NULL, &error), QD_OK);
    while (!strstr(qd_worker_words(&worker), "no such interpreter")) /* else a race decides */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_false(qd_worker_call(&worker, 'r', 30, &death));
    if (!strstr(death.text, "exit status 127; standard error: no such interpreter"))
        fail_msg("%s", death.text);
    qd_worker_clear(&worker);
}

static void test_what_is_said_unasked_is_noticed(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 30};
    struct qd_session *session = qd_open(MISBEHAVE "[do=unasked]", &options);
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    struct timespec pause = {.tv_nsec = 800000000};
    nanosleep(&pause, NULL);
    assert_int_equal(run_once(session, 10, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_CRASH);
    assert_non_null(strstr(run.message, "without being asked: \"by the way\""));
    assert_non_null(strstr(run.message, "not in a fresh process"));
    qd_session_close(session);
}

static void expect_unusable(const char *text, const char *words)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session *session = NULL;
    struct qd_session_options options = {.time_limit = 1};
    assert_int_equal(qd_target_name_parse(text, &name, &error), QD_OK);
    enum qd_status status = qd_session_open(&name, &options, &session, &error);
    if (status != QD_UNUSABLE || !strstr(error.text, words))
        fail_msg("%s: have %s: %s", text, qd_status_word(status), error.text);
}

static void test_unusable_workers(void **state)
{
    (void)state;
    expect_unusable(MISBEHAVE "[do=refuse]", "no such setting");
    expect_unusable(MISBEHAVE "[do=crash-open]", "crash: signal 11");
    expect_unusable(MISBEHAVE "[do=odd]", "unknown feature 'teleports'");
    expect_unusable("./there-is-none.py", "No such file");
    expect_unusable("worker:/bin/true", "exit status 0");
    expect_unusable("worker:/usr/bin/env", "broke the protocol");
    expect_unusable("worker:/etc/passwd", "cannot execute");
    expect_unusable(PYTHON "python/template.py[opt=1]", "has no settings");
    expect_unusable("iree@0.0.1", "scripts/setup --target iree@0.0.1");
}

static void test_template_works(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 30};
    struct qd_session *session = qd_open(PYTHON "python/template.py", &options);
    assert_string_equal(qd_session_id(session), "mine@0.1");
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    assert_int_equal(run_once(session, 1 << 20, &run, &error), QD_OK);
    assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    qd_session_close(session);
}

/* Replies with some bytes changed: outputs, an outcome, never more. */
static void test_mutated_replies(void **state)
{
    (void)state;
    struct qd_session_options options = {.time_limit = 2};
    for (int seed = 0; seed < 40; seed++) {
        char text[512];
        snprintf(text, sizeof text, "%s[do=mutate,seed=%d]", MISBEHAVE, seed);
        struct qd_session *session = qd_open(text, &options);
        struct qd_arena arena;
        struct qd_case kase;
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
        qd_identity_case(&kase, &arena, QD_U8, 16);
        assert_int_equal(qd_session_run(session, &kase, kase.inputs, &arena, &run, &error), QD_OK);
        assert_true(run.outcome == QD_OUTCOME_CRASH || run.outcome == QD_OUTCOME_WRONG_TYPE ||
                    run.outcome == QD_OUTCOME_WRONG_SHAPE || run.outcome == QD_OUTCOME_REJECTED ||
                    run.outcome == QD_OUTCOME_OOM || run.outcome == QD_OUTCOME_SKIPPED);
        qd_arena_clear(&arena);
        qd_session_close(session);
    }
}

static long size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (long)info.st_size;
}

/* A worker that dies of SIGKILL at random instants: every case has its outputs all the same. */
static void test_kills_lose_nothing(void **state)
{
    (void)state;
    char deaths[] = "/tmp/qdiff-deaths-XXXXXX", text[512];
    int file = mkstemp(deaths);
    assert_true(file >= 0);
    close(file);
    snprintf(text, sizeof text, "%s[do=die,seed=7,most=%d,deaths=%s]", MISBEHAVE, kills(), deaths);
    struct qd_session_options options = {.time_limit = 120};
    struct qd_session *session = qd_open(text, &options);
    long cases = 0;
    for (; size_of(deaths) < kills() || cases % 100 != 0; cases++) {
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        if (run_once(session, 100, &run, &error) != QD_OK)
            fail_msg("case %ld: %s", cases, error.text);
        if (run.outcome != QD_OUTCOME_OUTPUTS)
            fail_msg("case %ld: have %s, \"%s\"", cases, qd_outcome_word(run.outcome), run.message);
    }
    print_message("# %d kills, %ld cases, nothing lost\n", kills(), cases);
    qd_session_close(session);
    unlink(deaths);
}

/* How fast the protocol itself is, from this side to the worker's and back. */
static void test_round_trips(void **state)
{
    (void)state;
    enum { CASES = 3000 };
    struct qd_session_options options = {.time_limit = 30};
    struct qd_session *session = qd_open(PYTHON "python/template.py", &options);
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, 16);
    double begin = 0;
    for (int i = -500; i < CASES; i++) {
        if (i == 0)
            begin = qd_clock_seconds();
        assert_int_equal(qd_session_run(session, &kase, kase.inputs, &arena, &run, &error), QD_OK);
        assert_int_equal(run.outcome, QD_OUTCOME_OUTPUTS);
    }
    double seconds = qd_clock_seconds() - begin;
    print_message("# %.0f cases/s, %.0f round trips/s (4 a case)\n", CASES / seconds,
                  4 * CASES / seconds);
    qd_arena_clear(&arena);
    qd_session_close(session);
}

static enum qd_status speed_of(const char *text, struct qd_worker_bench *speed,
                               struct qd_error *error)
{
    static const struct qd_session_options options = {.time_limit = 30};
    struct qd_target_name name;
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, 16);
    assert_int_equal(qd_target_name_parse(text, &name, error), QD_OK);
    assert_true(qd_worker_bench_applies(&name));
    enum qd_status status =
        qd_worker_bench_measure(&name, &options, &kase, kase.inputs, 0.05, speed, error);
    qd_arena_clear(&arena);
    return status;
}

/* What bench prints of a worker: positive where it answers, its words where it refuses or dies. */
static void test_pace(void **state)
{
    (void)state;
    struct qd_worker_bench speed = {.runs_per_second = -1};
    struct qd_error error = {.status = QD_OK};
    struct qd_target_name name = {.name = "reference"};
    assert_false(qd_worker_bench_applies(&name));
    assert_int_equal(speed_of(MISBEHAVE "[do=reject]", &speed, &error), QD_UNUSABLE);
    assert_non_null(strstr(error.text, "import: not today"));
    assert_int_equal(speed_of(MISBEHAVE "[do=segv]", &speed, &error), QD_UNUSABLE);
    assert_non_null(strstr(error.text, "Segmentation fault"));
    assert_true(speed.runs_per_second == -1);
    assert_int_equal(speed_of(PYTHON "python/template.py", &speed, &error), QD_OK);
    assert_true(speed.prepare_seconds > 0);
    assert_true(speed.runs_per_second > 1);
    assert_true(speed.round_trips_per_second > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pace),
        cmocka_unit_test_setup_teardown(test_every_deed_is_told_apart, take_quick_python,
                                        take_any_python),
        cmocka_unit_test(test_a_case_is_told_its_own_words),
        cmocka_unit_test(test_last_words_before_the_first_call_are_kept),
        cmocka_unit_test(test_what_is_said_unasked_is_noticed),
        cmocka_unit_test(test_unusable_workers),
        cmocka_unit_test(test_template_works),
        cmocka_unit_test_setup_teardown(test_mutated_replies, take_quick_python, take_any_python),
        cmocka_unit_test_setup_teardown(test_kills_lose_nothing, take_quick_python,
                                        take_any_python),
        cmocka_unit_test(test_round_trips),
    };
    return cmocka_run_group_tests_name("workers", tests, find_share, NULL);
}
