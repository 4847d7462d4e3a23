/* SPDX-License-Identifier: Apache-2.0 */
/* qdiff-serve: a plug-in behind it comes to the same outcome as without it, whatever the plug-in does; a connection
 * that drops loses nothing; and what is no request ends it in words.
 * Alone: <build>/tests/targets/process/host_test */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/frame.h"
#include "process/program.h"
#include "targets_testlib.h"

#define MISBEHAVE QD_TEST_PLUGINS_DIR "/misbehave_plugin.so"
#define SERVED "worker:" QD_TEST_SERVE " " MISBEHAVE
#define DROP QD_SOURCE_DIR "/targets/process/tests/drop.py"
#define DROPS 20

/* ASan wants address space without limit, and a program that is started anew has to get it. */
#define MEMORY ((uint64_t)1 << (QD_UNDER_ASAN ? 46 : 29))

static int find_share(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return setenv("QDIFF_SHARE", QD_TEST_CASES_DIR "/..", 1);
}

static enum qd_status run_once(struct qd_session *session, struct qd_run *run,
                               struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_identity_case(&kase, &arena, QD_U8, 100);
    enum qd_status status = qd_session_run(session, &kase, kase.inputs, &arena, run, error);
    if (status == QD_OK && run->outcome == QD_OUTCOME_OUTPUTS)
        assert_memory_equal(run->outputs[0].data, kase.inputs[0].data, 100);
    run->outputs = NULL;
    qd_arena_clear(&arena);
    return status;
}

/* What misbehave_plugin.c can do, with the outcome that the description of each deed calls for. */
static const struct deed {
    const char *what;
    enum qd_outcome outcome;
} deeds[] = {
    {"nothing", QD_OUTCOME_OUTPUTS},
    {"babble", QD_OUTCOME_OUTPUTS},
    {"leak", QD_OUTCOME_OUTPUTS},
    {"crash", QD_OUTCOME_CRASH},
    {"crash-prepare", QD_OUTCOME_CRASH},
    {"crash-second-run", QD_OUTCOME_CRASH},
    {"crash-release", QD_OUTCOME_CRASH},
    {"abort", QD_OUTCOME_CRASH},
    {"abort-behind-child", QD_OUTCOME_CRASH},
    {"overflow-stack", QD_OUTCOME_CRASH},
    {"exit", QD_OUTCOME_CRASH},
    {"close-descriptors", QD_OUTCOME_CRASH},
    {"write-far", QD_OUTCOME_CRASH},
    {"eat-memory", QD_OUTCOME_OOM},
    {"no-memory", QD_OUTCOME_OOM},
    {"hang", QD_OUTCOME_HANG},
    {"reject-prepare", QD_OUTCOME_REJECTED},
    {"status-17", QD_OUTCOME_REJECTED},
    {"endless-message", QD_OUTCOME_REJECTED},
    {"modify-model", QD_OUTCOME_INPUT_MODIFIED},
    {"modify-input", QD_OUTCOME_INPUT_MODIFIED},
    {"write-after", QD_OUTCOME_OUT_OF_BOUNDS},
    {"write-before", QD_OUTCOME_OUT_OF_BOUNDS},
    {"unwritten-all", QD_OUTCOME_UNWRITTEN},
    {"unwritten-last", QD_OUTCOME_UNWRITTEN},
    {"nondeterministic", QD_OUTCOME_NONDETERMINISTIC},
    {"lie-type", QD_OUTCOME_WRONG_TYPE},
    {"lie-unknown-type", QD_OUTCOME_WRONG_TYPE},
    {"lie-shape", QD_OUTCOME_WRONG_SHAPE},
    {"lie-negative", QD_OUTCOME_WRONG_SHAPE},
    {"lie-rank", QD_OUTCOME_WRONG_SHAPE},
};

/* Runs the deed twice on one session of the plug-in behind `prefix`; the second run in *run. */
static void do_twice(const char *prefix, const struct deed *deed, struct qd_run *run)
{
    char text[1024];
    struct qd_session_options options = {.time_limit = deed->outcome == QD_OUTCOME_HANG ? 0.4 : 30,
                                         .memory_limit = MEMORY};
    snprintf(text, sizeof text, "%s[do=%s]", prefix, deed->what);
    struct qd_session *session = qd_open(text, &options);
    for (int again = 0; again < 2; again++) {
        struct qd_error error = {.status = QD_OK};
        if (run_once(session, run, &error) != QD_OK)
            fail_msg("%s: %s", text, error.text);
        if (run->outcome != deed->outcome)
            fail_msg("%s: have %s, \"%s\"", text, qd_outcome_word(run->outcome), run->message);
    }
    qd_session_close(session);
}

static void test_outcomes_are_those_of_the_plug_in_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct qd_run alone, served;
        /* As in session_test: ASan's allocator and its leak check end a process in ways of their own. */
        if (QD_UNDER_ASAN &&
            (!strcmp(deeds[i].what, "eat-memory") || !strcmp(deeds[i].what, "exit")))
            continue;
        do_twice(MISBEHAVE, &deeds[i], &alone);
        do_twice(SERVED, &deeds[i], &served);
        assert_int_equal(served.signal, alone.signal);
        if (strcmp(deeds[i].what, "lie-rank") != 0 && /* a large rank is cut */
            deeds[i].outcome != QD_OUTCOME_OOM &&     /* the limit's number */
            !QD_UNDER_ASAN)                           /* which adds words */
            assert_string_equal(served.message, alone.message);
    }
}

static void expect_unusable(const char *text, const char *words)
{
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    struct qd_session *session = NULL;
    struct qd_session_options options = {.time_limit = 1, .memory_limit = MEMORY};
    assert_int_equal(qd_target_name_parse(text, &name, &error), QD_OK);
    enum qd_status status = qd_session_open(&name, &options, &session, &error);
    if (status == QD_OK || !strstr(error.text, words))
        fail_msg("%s: have %s: %s", text, qd_status_word(status), error.text);
}

static void test_what_cannot_be_served(void **state)
{
    (void)state;
    expect_unusable("worker:" QD_TEST_SERVE " ./there-is-none.so", "there-is-none.so");
    expect_unusable("worker:" QD_TEST_SERVE, "one target is wanted");
    expect_unusable("worker:" QD_TEST_SERVE " x.py", "is a worker already");
    expect_unusable("worker:" QD_TEST_SERVE " --memory-limit 1k " MISBEHAVE, "a number of MiB");
    expect_unusable("worker:" QD_TEST_SERVE " '" MISBEHAVE "[do=a]'[do=b]", "given twice");
    expect_unusable(SERVED "[undo=a]", "unknown setting 'undo=a'");
    expect_unusable(SERVED "[do=crash-open]", "crash: signal 11");
    expect_unusable(SERVED "[do=crash-describe]", "crash: signal 11");
    expect_unusable(SERVED "[do=null-capabilities]", "capabilities at NULL");
    expect_unusable("worker:" QD_TEST_SERVE " '" MISBEHAVE, "has no end");
    expect_unusable("worker:no-such-program-here x", "cannot execute no-such-program-here");
}

/* --- Connections that drop ----------------------------------------------------------------------- */

static long size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (long)info.st_size;
}

/* A session behind drop.py with at most that many drops; the file that counts them in `deaths`. */
static struct qd_session *open_dropping(int most, char *deaths)
{
    char text[1024];
    strcpy(deaths, "/tmp/qdiff-drops-XXXXXX");
    int file = mkstemp(deaths);
    assert_true(file >= 0);
    close(file);
    snprintf(text, sizeof text, "worker:%s %s %d 7 %s %s[do=nothing]", DROP, deaths, most,
             QD_TEST_SERVE, MISBEHAVE);
    struct qd_session_options options = {.time_limit = 30, .memory_limit = MEMORY};
    return qd_open(text, &options);
}

static void test_a_connection_that_drops_loses_nothing(void **state)
{
    (void)state;
    char deaths[64];
    struct qd_session *session = open_dropping(DROPS, deaths);
    long cases = 0;
    for (; size_of(deaths) < DROPS; cases++) {
        struct qd_run run;
        struct qd_error error = {.status = QD_OK};
        if (run_once(session, &run, &error) != QD_OK)
            fail_msg("case %ld: %s", cases, error.text);
        if (run.outcome != QD_OUTCOME_OUTPUTS)
            fail_msg("case %ld: have %s, \"%s\"", cases, qd_outcome_word(run.outcome), run.message);
    }
    print_message("# %d drops, %ld cases, nothing lost\n", DROPS, cases);
    qd_session_close(session);
    unlink(deaths);
}

/* Once it is gone for good, that is said, and no case is blamed. */
static void test_a_connection_that_is_gone_is_told_as_that(void **state)
{
    (void)state;
    char flag[] = "/tmp/qdiff-gone-XXXXXX", text[1024];
    int file = mkstemp(flag);
    assert_true(file >= 0);
    close(file);
    /* Serves once, for half a second. */
    snprintf(text, sizeof text,
             "worker:sh -c 'test -e %s || exit 255; rm %s; timeout -s KILL 0.5 %s %s <&0; exit 255'"
             "[do=nothing]",
             flag, flag, QD_TEST_SERVE, MISBEHAVE);
    struct qd_session_options options = {.time_limit = 30, .memory_limit = MEMORY};
    struct qd_session *session = qd_open(text, &options);
    struct qd_run run;
    struct qd_error error = {.status = QD_OK};
    enum qd_status status = QD_OK;
    while (status == QD_OK)
        status = run_once(session, &run, &error);
    assert_int_equal(status, QD_UNUSABLE);
    if (!strstr(error.text, "the connection to the worker was lost: the process ended with exit "
                            "status 255"))
        fail_msg("%s", error.text);
    qd_session_close(session);
}

/* --- Hostile requests ---------------------------------------------------------------------------- */

/* Starts qdiff-serve with these bytes on its standard input; its exit status, or 1000 + signal. */
static int feed(const uint8_t *bytes, size_t size)
{
    int input[2], status = 0;
    assert_int_equal(pipe(input), 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        dup2(input[0], 0);
        close(input[0]);
        close(input[1]);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(99);
        execl(QD_TEST_SERVE, QD_TEST_SERVE, MISBEHAVE "[do=nothing]", (char *)NULL);
        _exit(99);
    }
    close(input[0]);
    for (size_t at = 0; at < size;) {
        ssize_t put = write(input[1], bytes + at, size - at);
        if (put <= 0)
            break;
        at += (size_t)put;
    }
    close(input[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Appends a request frame of the kind with the one or two fields given. */
static void add_request(struct qd_arena *arena, struct qd_wire_out *all, uint64_t id, uint32_t kind,
                        uint64_t number, const char *bytes, size_t size)
{
    struct qd_wire_out out = {.arena = arena};
    struct qd_frame frame;
    struct qd_error error;
    qd_frame_begin(&out);
    qd_wire_put_varint(&out, 1, id);
    size_t mark = qd_wire_begin(&out, kind);
    qd_wire_put_varint(&out, 1, number);
    if (bytes)
        qd_wire_put_bytes(&out, 2, bytes, size);
    qd_wire_end(&out, mark);
    assert_int_equal(qd_frame_end(&out, &frame, &error), QD_OK);
    qd_wire_put_raw(all, frame.bytes, frame.size);
}

/* A conversation that makes sense: hello, prepare, a run of an empty tensor, release. */
static void converse(struct qd_arena *arena, struct qd_wire_out *all)
{
    static const char tensor[] = {8, 1, 16, 2, 74, 1, 5}; /* dims 1, uint8, data 5 */
    *all = (struct qd_wire_out){.arena = arena};
    add_request(arena, all, 1, QD_REQUEST_HELLO, 1, NULL, 0);
    add_request(arena, all, 2, QD_REQUEST_PREPARE, 7, "model", 5);
    add_request(arena, all, 3, QD_REQUEST_RUN, 7, tensor, sizeof tensor);
    add_request(arena, all, 4, QD_REQUEST_RELEASE, 7, NULL, 0);
}

static void test_hostile_requests(void **state)
{
    (void)state;
    struct qd_arena arena;
    struct qd_wire_out all;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    converse(&arena, &all);
    assert_int_equal(feed(all.bytes, all.size), 0);
    assert_int_equal(feed((const uint8_t *)"GET / HTTP/1.1\r\n\r\n", 18), 3);
    assert_int_equal(feed((const uint8_t *)"QDW1\xff\xff\xff\xff", 8), 3);
    assert_int_equal(feed(all.bytes, all.size - 1), 3);
    assert_int_equal(feed(all.bytes, 5), 3);
    unsigned random = 1;
    for (int i = 0; i < 100; i++) {
        converse(&arena, &all);
        for (int k = 0; k < 3; k++) {
            random = random * 1103515245 + 12345;
            all.bytes[random / 65536 % all.size] = (uint8_t)(random >> 8);
        }
        int status = feed(all.bytes, all.size);
        if (status != 0 && status != 3)
            fail_msg("mutation %d: status %d", i, status);
    }
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes_are_those_of_the_plug_in_itself),
        cmocka_unit_test(test_what_cannot_be_served),
        cmocka_unit_test(test_a_connection_that_drops_loses_nothing),
        cmocka_unit_test(test_a_connection_that_is_gone_is_told_as_that),
        cmocka_unit_test(test_hostile_requests),
    };
    return cmocka_run_group_tests_name("qdiff-serve", tests, find_share, NULL);
}
