/* SPDX-License-Identifier: Apache-2.0 */
/* The process between us and a worker: it adopts what the worker leaves, and ends it. */
#define _GNU_SOURCE /* close_range, PR_SET_CHILD_SUBREAPER */
#include "qdiff/warden.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "qdiff/clock.h"

#define MOST_ROUNDS 2000 /* of killing what kills did not reach yet */
#define MOST_LOOKS 1000  /* at a process that runs */

/* What the warden writes: after its fork, and once the worker has ended. */
struct report {
    pid_t worker; /* -1: there is none, `number` says why */
    int number;
    int went_on; /* it was neither dead nor dying when it was ended */
};

static void pause_for(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&t, NULL);
}

/* --- What is left ------------------------------------------------------------------------------- */

/* What /proc says of a process. */
struct process {
    int parent, session;
    unsigned flags; /* the kernel's PF_ */
};

#define PF_EXITING 0x4U /* on its way out; it keeps the status of what ended it */

/* False if there is no such process any more. */
static bool read_process(pid_t pid, struct process *process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0)
        return false;
    text[size] = '\0';
    const char *end = strrchr(text, ')');                   /* of a name that may be anything */
    return end && sscanf(end, ") %*c %d %*d %d %*d %*d %u", /* NOLINT(cert-err34-c) */
                         &process->parent, &process->session, &process->flags) == 3;
}

/* Whether it runs, and nothing has ended it yet. */
static bool goes_on(pid_t pid)
{
    struct process process;
    return read_process(pid, &process) && !(process.flags & PF_EXITING);
}

/* Kills every child of this process that is in another session than `own` (0: every child). Returns how many there
 * were, one of them in *last. */
static int kill_children(pid_t own, pid_t *last)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    struct process process;
    pid_t self = getpid();
    int count = 0;
    while (processes && (entry = readdir(processes)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || !read_process(pid, &process) || process.parent != self ||
            process.session == own)
            continue;
        *last = pid;
        kill(pid, SIGKILL);
        count++;
    }
    if (processes)
        closedir(processes);
    return count;
}

/* Removes the System V segments that a process which is gone made and nobody
 * uses. A crashed program's stay for ever otherwise. */
static void remove_segments(pid_t maker)
{
    struct shmid_ds state;
    struct shm_info info;
    int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);
    for (int i = 0; i <= last; i++) {
        int id = shmctl(i, SHM_STAT, &state);
        if (id >= 0 && state.shm_cpid == maker && state.shm_nattch == 0)
            shmctl(id, IPC_RMID, NULL);
    }
}

/* --- The warden --------------------------------------------------------------------------------- */

/* Reaps what has ended; true if the worker is among it. */
static bool reap_ended(pid_t worker, int *status)
{
    bool seen = false;
    pid_t pid;
    int one;
    while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
        remove_segments(pid);
        if (pid == worker) {
            *status = one;
            seen = true;
        }
    }
    return seen;
}

/* Kills all that is left, generation by generation, and reaps it; true if the worker was among it. */
static bool end_all(pid_t worker, int *status)
{
    bool seen = false;
    pid_t last;
    for (int i = 0; i < MOST_ROUNDS; i++) {
        siginfo_t info;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
            break; /* no child is left */
        seen |= reap_ended(worker, status);
        if (kill_children(0, &last) > 0)
            pause_for(0.0005);
    }
    remove_segments(worker); /* nobody uses them any more */
    return seen;
}

static _Noreturn void watch(pid_t parent, pid_t worker, const sigset_t *all, int told)
{
    int status = 0;
    bool over = false;
    struct timespec slice = {.tv_sec = 1}; /* a second look, whatever became of the signals */
    while (!over && getppid() == parent) {
        siginfo_t info = {.si_pid = 0};
        int number = sigtimedwait(all, &info, &slice);
        over = reap_ended(worker, &status);
        if (number == SIGTERM && info.si_pid == parent)
            break; /* as we were told; of the worker we take no orders */
    }
    bool went_on = !over && goes_on(worker);
    over |= end_all(worker, &status);
    struct report report = {over ? worker : -1, status, went_on};
    if (write(told, &report, sizeof report) != (ssize_t)sizeof report)
        _exit(1); /* nobody listens any more */
    _exit(0);
}

static void close_others(int kept)
{
    if (kept > 0)
        close_range(0, (unsigned)kept - 1, 0);
    close_range((unsigned)kept + 1, ~0U, 0);
}

/* In the process just forked. Returns in the worker. */
static void be_warden(pid_t parent, int told)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    signal(SIGCHLD, SIG_DFL); /* ignored children leave no status */
    setpgid(0, 0);
    prctl(PR_SET_NAME, "qdiff-warden");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGCONT); /* wakes it even if the target stopped it */
    if (getppid() != parent)
        _exit(0);
    pid_t self = getpid(), worker = fork();
    if (worker == 0) {
        setsid(); /* what it leaves is told from our other children by that */
        prctl(PR_SET_NAME, "qdiff-worker");
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0); /* it died before the line above */
        sigprocmask(SIG_SETMASK, &before, NULL);
        return;
    }
    struct report report = {.worker = worker, .number = errno};
    close_others(told);
    if (write(told, &report, sizeof report) != (ssize_t)sizeof report || worker < 0)
        _exit(1);
    watch(parent, worker, &all, told);
}

/* --- Our side ----------------------------------------------------------------------------------- */

static bool hear(int told, struct report *report)
{
    ssize_t got;
    do
        got = read(told, report, sizeof *report);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *report;
}

static int open_file(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

enum qd_status qd_warden_start(struct qd_warden *warden, bool *in_worker, struct qd_error *error)
{
    int told[2];
    *in_worker = false;
    if (pipe2(told, O_CLOEXEC) != 0)
        return qd_fail(error, QD_IO, "pipe: %s", strerror(errno));
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* of what the worker leaves if somebody kills the warden */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        be_warden(parent, told[1]);
        close(told[0]);
        close(told[1]);
        *in_worker = true;
        return QD_OK;
    }
    int number = errno;
    close(told[1]);
    struct report report = {.worker = -1, .number = number};
    if (pid > 0 && !hear(told[0], &report))
        report = (struct report){.worker = -1, .number = ESRCH};
    if (report.worker < 0) {
        if (pid > 0)
            waitpid(pid, NULL, 0);
        close(told[0]);
        return qd_fail(error, QD_IO, "fork: %s", strerror(report.number));
    }
    *warden = (struct qd_warden){pid, report.worker, told[0], open_file(pid, "status"),
                                 open_file(pid, "stat")};
    return QD_OK;
}

bool qd_warden_is_over(const struct qd_warden *warden)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)warden->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == warden->pid;
}

/* The number after `key` in a text of /proc, in hexadecimal. */
static unsigned long long field(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 16) : 0;
}

/* Whether it waits: a signal that nobody can block wakes a process at the moment of its sending. Less is written for
 * this file than for the other, which takes the kernel twice as long. */
static bool is_asleep(const struct qd_warden *warden)
{
    char text[64];
    ssize_t size = pread(warden->stat, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    return strstr(text, ") S ");
}

/* A signal is pending from the moment of its sending, long before the process notices. Between the two the process runs
 * for a moment, as it does not while it only waits: then it is asked again. */
bool qd_warden_is_stopped(const struct qd_warden *warden)
{
    char text[2048];
    for (int i = 0; i < MOST_LOOKS && !is_asleep(warden); i++) {
        ssize_t size = pread(warden->status, text, sizeof text - 1, 0);
        if (size <= 0)
            return false;
        text[size] = '\0';
        if (strstr(text, "\nState:\tT") || field(text, "\nShdPnd:") >> (SIGSTOP - 1) & 1)
            return true;
        if (!strstr(text, "\nState:\tR"))
            return false;
        sched_yield();
    }
    return false;
}

void qd_warden_order_end(const struct qd_warden *warden)
{
    kill(warden->pid, SIGTERM);
    kill(warden->pid, SIGCONT);
}

/* The worker dies with its warden, and what it left is ours then: it has sessions of its own, as no other child of
 * ours. A process that is reaped has passed its children on. */
static void end_adopted(void)
{
    pid_t last;
    for (int i = 0; i < MOST_ROUNDS && kill_children(getsid(0), &last) > 0; i++)
        if (waitpid(last, NULL, 0) == last)
            remove_segments(last);
}

struct qd_warden_end qd_warden_await(struct qd_warden *warden, double seconds)
{
    double deadline = qd_clock_seconds() + seconds;
    struct qd_warden_end end = {.ordered = false};
    struct report report;
    pid_t got;
    while ((got = waitpid(warden->pid, NULL, WNOHANG)) == 0 && qd_clock_seconds() < deadline)
        pause_for(0.0005);
    if (got == 0) {
        qd_warden_order_end(warden);
        while (waitpid(warden->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    end.killed = !hear(warden->told, &report);
    end.ordered = got == 0 && !end.killed && report.went_on;
    end.status = end.killed ? SIGKILL : report.number;
    if (end.killed)
        end_adopted();
    close(warden->told);
    if (warden->status >= 0)
        close(warden->status);
    if (warden->stat >= 0)
        close(warden->stat);
    *warden = (struct qd_warden){.told = -1, .status = -1, .stat = -1};
    return end;
}
