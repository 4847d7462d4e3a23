/* SPDX-License-Identifier: Apache-2.0 */
/* How a worker ended is what it did, however late its warden gets to see it.
 * Alone: <build>/tests/targets/process/warden_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "qdiff/warden.h"

enum deed { DIE, LEAVE, GO_ON };

static void start(struct qd_warden *warden, enum deed deed)
{
    struct qd_error error = {.status = QD_OK};
    bool in_worker;
    if (qd_warden_start(warden, &in_worker, &error) != QD_OK)
        fail_msg("%s", error.text);
    if (!in_worker)
        return;
    signal(SIGABRT, SIG_DFL);
    if (deed == DIE)
        kill(getpid(), SIGABRT);
    while (deed == GO_ON)
        pause();
    _exit(3);
}

/* Whether a process has ended and waits to be reaped. */
static bool is_dead(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    const char *line = fgets(text, sizeof text, file), *end = line ? strrchr(line, ')') : NULL;
    fclose(file);
    return end && end[1] != '\0' && end[2] == 'Z';
}

/* The warden sees nothing of the worker's end from here on, as on a machine that has no time for it. */
static void stop(const struct qd_warden *warden, enum deed deed)
{
    struct timespec slice = {.tv_nsec = 1000000};
    assert_int_equal(kill(warden->pid, SIGSTOP), 0);
    while (deed != GO_ON && !is_dead(warden->worker))
        nanosleep(&slice, NULL);
}

static struct qd_warden_end end_of(enum deed deed, bool late)
{
    struct qd_warden warden;
    start(&warden, deed);
    if (late)
        stop(&warden, deed);
    return qd_warden_await(&warden, late || deed == GO_ON ? 0.2 : 60);
}

static void test_a_signal_is_told_early_and_late(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        struct qd_warden_end end = end_of(DIE, late);
        assert_false(end.ordered || end.killed);
        assert_true(WIFSIGNALED(end.status));
        assert_int_equal(WTERMSIG(end.status), SIGABRT);
    }
}

static void test_an_exit_is_told_early_and_late(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        struct qd_warden_end end = end_of(LEAVE, late);
        assert_false(end.ordered || end.killed);
        assert_true(WIFEXITED(end.status));
        assert_int_equal(WEXITSTATUS(end.status), 3);
    }
}

static void test_what_goes_on_is_ended(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        struct qd_warden_end end = end_of(GO_ON, late);
        assert_true(end.ordered && !end.killed);
        assert_int_equal(WTERMSIG(end.status), SIGKILL);
    }
}

/* At the moment of its sending, whether the warden has noticed or not, and not before it or after it. */
static void test_a_stop_is_seen_at_once(void **state)
{
    (void)state;
    struct qd_warden warden;
    start(&warden, GO_ON);
    for (int i = 0; i < 1000; i++) {
        assert_false(qd_warden_is_stopped(&warden));
        assert_int_equal(kill(warden.pid, SIGSTOP), 0);
        assert_true(qd_warden_is_stopped(&warden));
        assert_int_equal(kill(warden.pid, SIGCONT), 0);
    }
    assert_true(qd_warden_await(&warden, 0).ordered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_signal_is_told_early_and_late),
        cmocka_unit_test(test_an_exit_is_told_early_and_late),
        cmocka_unit_test(test_what_goes_on_is_ended),
        cmocka_unit_test(test_a_stop_is_seen_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
