/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* close_range, MAP_NORESERVE */
#include "process/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "qdiff/clock.h"

#define EXIT_OUT_OF_MEMORY 86 /* the fault handler's word */
#define PROBE_BYTES \
    ((size_t)64 << 20) /* a process that cannot have so much more has reached its limit */
#define CHANNEL 3      /* the worker's end */
/* For a process that has closed its channel to end: on a busy machine, one with much memory takes its time. */
#define DYING_SECONDS 4
#define SLICE 0.1       /* seconds between two looks at the clock while waiting */
#define MOST_CHUNKS 256 /* of standard error at a time */
#define LEAST_SECONDS_BETWEEN_STARTS 0.02

static void pause_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

/* Address space of a process in bytes, 0 if it cannot be read. */
static uint64_t address_space(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    unsigned long pages = 0;
    if (fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

enum qd_status qd_worker_init(struct qd_worker *worker, size_t block_size, uint64_t memory_limit,
                              struct qd_error *error)
{
    /* NORESERVE: only pages that are touched count. */
    void *block = mmap(NULL, block_size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return qd_fail(error, QD_NO_MEMORY, "cannot map %zu shared bytes: %s", block_size,
                       strerror(errno));
    *worker = (struct qd_worker){.channel = -1,
                                 .errors = -1,
                                 .block = block,
                                 .block_size = block_size,
                                 .memory_limit = memory_limit,
                                 .started = -1};
    qd_affinity_init(&worker->affinity);
    return QD_OK;
}

/* --- The worker's side -------------------------------------------------------------------------- */

struct command {
    uint64_t ticket;
    char word;
};

char qd_worker_wait(int channel, uint64_t *ticket)
{
    struct command command = {0};
    ssize_t got;
    do
        got = recv(channel, &command, sizeof command, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    *ticket = command.ticket;
    return got == (ssize_t)sizeof command ? command.word : 0;
}

void qd_worker_answer(int channel, uint64_t ticket)
{
    if (send(channel, &ticket, sizeof ticket, MSG_NOSIGNAL) != (ssize_t)sizeof ticket)
        _exit(0); /* nobody listens any more */
}

/* A fault in a process that can get no more memory is taken for a consequence of that. Only async-signal-safe calls;
 * mmap is a bare system call. */
static void on_fault(int signal_number)
{
    void *probe = mmap(NULL, PROBE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        _exit(EXIT_OUT_OF_MEMORY);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    size_t size = (size_t)64 << 10;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(EXIT_OUT_OF_MEMORY);
    stack_t stack = {.ss_sp = memory, .ss_size = size}; /* a fault may be a full stack */
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, NULL);
}

static void limit(int resource, rlim_t value)
{
    struct rlimit both = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &both);
}

/* Descriptors 0 to 3 become what worker.h promises; nothing else stays open. */
static void arrange_descriptors(int channel, int errors)
{
    int null = open("/dev/null", O_RDWR);
    /* Out of the way first: either may have a number below 4. */
    int far_channel = fcntl(channel, F_DUPFD, 16), far_errors = fcntl(errors, F_DUPFD, 16);
    if (null < 0 || far_channel < 0 || far_errors < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
        dup2(far_errors, 2) < 0 || dup2(far_channel, CHANNEL) < 0)
        _exit(1);
    close_range(CHANNEL + 1, ~0U, 0);
}

static void become_worker(const struct qd_worker *worker, int channel, int errors)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGCHLD};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal(usual[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    arrange_descriptors(channel, errors);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, (rlim_t)worker->memory_limit); /* of each file, also of those in /dev/shm */
    catch_faults();
    uint64_t start = address_space(getpid());
    if (start > 0)
        limit(RLIMIT_AS, start + worker->memory_limit);
}

/* --- The parent's side -------------------------------------------------------------------------- */

/* A socket pair for commands and a pipe for standard error, all close-on-exec. */
static enum qd_status open_channels(int channel[2], int errors[2], struct qd_error *error)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        return qd_fail(error, QD_IO, "socketpair: %s", strerror(errno));
    /* Not blocking: a babbling worker loses text instead of waiting for us to read it. */
    if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) {
        int number = errno;
        close(channel[0]);
        close(channel[1]);
        return qd_fail(error, QD_IO, "pipe: %s", strerror(number));
    }
    struct timeval slice = {.tv_usec = (suseconds_t)(SLICE * 1e6)};
    setsockopt(channel[0], SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
    setsockopt(channel[0], SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof slice);
    return QD_OK;
}

enum qd_status qd_worker_start(struct qd_worker *worker, qd_worker_main *entry, void *context,
                               struct qd_error *error)
{
    double wait = worker->started + LEAST_SECONDS_BETWEEN_STARTS - qd_clock_seconds();
    if (worker->started >= 0 && wait > 0)
        pause_for(wait);
    int channel[2] = {-1, -1}, errors[2] = {-1, -1};
    enum qd_status status = open_channels(channel, errors, error);
    if (status != QD_OK)
        return status;
    qd_affinity_release(&worker->affinity); /* a target's threads may use every CPU */
    fflush(NULL); /* else an exit() in the worker would write our buffers a second time */
    bool in_worker;
    status = qd_warden_start(&worker->warden, &in_worker, error);
    if (in_worker) {
        become_worker(worker, channel[1], errors[1]);
        entry(context, worker->block, CHANNEL);
        _exit(0);
    }
    close(channel[1]);
    close(errors[1]);
    if (status != QD_OK) {
        close(channel[0]);
        close(errors[0]);
        return status;
    }
    worker->pid = worker->warden.worker;
    worker->channel = channel[0];
    worker->errors = errors[0];
    worker->answers = 0;
    worker->parent_stopped = worker->interrupted = false;
    worker->started = qd_clock_seconds();
    worker->start_bytes = 0;
    worker->head_size = worker->tail_size = 0;
    worker->gap = false;
    worker->words[0] = '\0';
    return QD_OK;
}

/* Fills the head, then appends to the tail, dropping from its front what does not fit. */
static void keep(struct qd_worker *worker, const char *bytes, size_t size)
{
    size_t left = sizeof worker->head - worker->head_size, room = sizeof worker->tail;
    size_t first = size < left ? size : left;
    memcpy(worker->head + worker->head_size, bytes, first);
    worker->head_size += first;
    bytes += first;
    size -= first;
    if (size > room) {
        bytes += size - room;
        size = room;
        worker->gap = true;
    }
    size_t drop = worker->tail_size + size > room ? worker->tail_size + size - room : 0;
    worker->gap |= drop > 0;
    worker->tail_size -= drop;
    memmove(worker->tail, worker->tail + drop, worker->tail_size);
    memcpy(worker->tail + worker->tail_size, bytes, size);
    worker->tail_size += size;
}

static void drain(struct qd_worker *worker)
{
    char chunk[4096];
    ssize_t got = 1;
    for (int i = 0; i < MOST_CHUNKS && got > 0; i++) { /* more may come than we can read */
        got = read(worker->errors, chunk, sizeof chunk);
        if (got > 0)
            keep(worker, chunk, (size_t)got);
    }
    snprintf(worker->words, sizeof worker->words, "%.*s%s%.*s", (int)worker->head_size,
             worker->head, worker->gap ? "\n[...]\n" : "", (int)worker->tail_size, worker->tail);
}

/* Reaps the process, which is about to end or gets killed after `seconds`. */
static struct qd_warden_end reap(struct qd_worker *worker, double seconds)
{
    struct qd_warden_end end = qd_warden_await(&worker->warden, seconds);
    drain(worker);
    close(worker->channel);
    close(worker->errors);
    worker->pid = 0;
    worker->channel = worker->errors = -1;
    return end;
}

/* "signal 11 (Segmentation fault)" and the like into *death, without standard error. */
static void classify_death(const struct qd_worker *worker, const struct qd_warden_end *end,
                           struct qd_death *death)
{
    int status = end->status;
    *death = (struct qd_death){.outcome = QD_OUTCOME_CRASH};
    if (end->killed) {
        death->unwatched = true;
        snprintf(
            death->text, sizeof death->text,
            "the parent process of the target's was killed, by the target or by somebody else");
    } else if (end->ordered) {
        snprintf(death->text, sizeof death->text,
                 "the process closed its channel to qdiff and went on");
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OUT_OF_MEMORY) {
        death->outcome = QD_OUTCOME_OOM;
        snprintf(death->text, sizeof death->text, "out of memory (limit %llu MiB)",
                 (unsigned long long)(worker->memory_limit >> 20));
    } else if (WIFEXITED(status)) {
        snprintf(death->text, sizeof death->text, "the process ended with exit status %d",
                 WEXITSTATUS(status));
    } else {
        death->signal = WTERMSIG(status);
        /* We did not send it, so the kernel did: the machine's memory is used up. */
        if (death->signal == SIGKILL)
            death->outcome = QD_OUTCOME_OOM;
        snprintf(death->text, sizeof death->text, "signal %d (%s)", death->signal,
                 strsignal(death->signal));
    }
    if (death->signal == SIGXFSZ)
        snprintf(death->text, sizeof death->text, "it wrote a file of more than %llu MiB",
                 (unsigned long long)(worker->memory_limit >> 20));
}

static void append_tail(const struct qd_worker *worker, struct qd_death *death)
{
    size_t used = strlen(death->text);
    if (worker->words[0] != '\0')
        snprintf(death->text + used, sizeof death->text - used, "; standard error: %s",
                 worker->words);
    qd_text_clean(death->text, sizeof death->text);
}

/* Ends a call that got no answer. */
static void bury(struct qd_worker *worker, bool timed_out, double seconds, struct qd_death *death)
{
    if (timed_out || worker->parent_stopped)
        qd_warden_order_end(&worker->warden);
    struct qd_warden_end end = reap(worker, DYING_SECONDS);
    classify_death(worker, &end, death);
    if (worker->parent_stopped) {
        *death = (struct qd_death){.outcome = QD_OUTCOME_CRASH, .condemned = true};
        snprintf(death->text, sizeof death->text, "the target stopped its parent process");
    }
    if (timed_out) {
        *death = (struct qd_death){.outcome = QD_OUTCOME_HANG, .interrupted = worker->interrupted};
        if (worker->interrupted)
            snprintf(death->text, sizeof death->text, "a signal ended the wait for its answer");
        else
            snprintf(death->text, sizeof death->text, "no answer within %g s", seconds);
    }
    append_tail(worker, death);
}

struct qd_deadline qd_deadline_begin(double seconds)
{
    return (struct qd_deadline){.seconds = seconds, .end = qd_clock_seconds() + seconds};
}

/* Whether a signal of Ctrl-C waits to be seen between two cases. */
static bool is_interrupted(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
            sigismember(&pending, SIGHUP));
}

/* After a send or recv that came to nothing: whether to try again. */
static bool try_again(struct qd_worker *worker, ssize_t got, int reason,
                      struct qd_deadline *deadline)
{
    if (got == 0 || (reason != EAGAIN && reason != EINTR))
        return false;
    drain(worker);
    if (reason == EAGAIN && qd_warden_is_over(&worker->warden))
        return false;
    if (deadline->end == 0)
        deadline->end = qd_clock_seconds() + deadline->seconds - (reason == EAGAIN ? SLICE : 0);
    worker->interrupted = is_interrupted();
    deadline->timed_out = worker->interrupted || qd_clock_seconds() >= deadline->end;
    return !deadline->timed_out;
}

/* What a call begins and ends with. The first one, that of opening, is not bound to a CPU. */
static void begin_call(struct qd_worker *worker)
{
    drain(worker);
    if (worker->answers == 0)
        return; /* what it said when it started belongs to the first call */
    worker->head_size = worker->tail_size = 0;
    worker->gap = false;
    qd_affinity_enter(&worker->affinity, worker->pid);
}

static void end_call(struct qd_worker *worker)
{
    if (worker->answers > 0)
        qd_affinity_leave(&worker->affinity);
    if (worker->answers++ == 0)
        worker->start_bytes = address_space(worker->pid);
}

/* A target that stopped its parent has the answers of a sound one. */
static bool is_sound(struct qd_worker *worker, uint64_t want, uint64_t have, struct qd_death *death)
{
    if (want != have) {
        qd_worker_condemn(worker, "the target wrote to the channel of its process", death);
        return false;
    }
    worker->parent_stopped = qd_warden_is_stopped(&worker->warden);
    if (worker->parent_stopped)
        bury(worker, false, 0, death);
    return worker->pid != 0;
}

bool qd_worker_call(struct qd_worker *worker, char word, double seconds, struct qd_death *death)
{
    begin_call(worker);
    struct qd_deadline deadline = {.seconds = seconds};
    struct command command = {QD_FIRST_TICKET, word};
    if (word != 0) /* of this call alone: the worker may have been asked the same before */
        command.ticket = (uint64_t)(qd_clock_seconds() * 1e9) << 8 | (worker->answers & 0xFF);
    bool waiting = word == 0 ||
                   send(worker->channel, &command, sizeof command, MSG_NOSIGNAL) == sizeof command;
    while (waiting) {
        uint64_t answer = 0;
        ssize_t got = recv(worker->channel, &answer, sizeof answer, 0);
        if (got > 0) {
            end_call(worker);
            return is_sound(worker, command.ticket, answer, death);
        }
        waiting = try_again(worker, got, errno, &deadline);
    }
    bury(worker, deadline.timed_out, seconds, death);
    return false;
}

/* Sends all; false when the worker died or takes nothing. */
static bool send_all(struct qd_worker *worker, const uint8_t *bytes, size_t size,
                     struct qd_deadline *deadline)
{
    while (size > 0) {
        ssize_t sent = send(worker->channel, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0 && !try_again(worker, sent, errno, deadline))
            return false;
        if (sent <= 0)
            continue;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Waits until the worker has answered, and takes what it writes to standard error meanwhile: it may wait for that. */
static void await(struct qd_worker *worker)
{
    struct pollfd both[] = {{.fd = worker->channel, .events = POLLIN},
                            {.fd = worker->errors, .events = POLLIN}};
    if (poll(both, 2, (int)(SLICE * 1e3)) > 0 && both[1].revents & POLLIN)
        drain(worker);
}

/* Receives `size` bytes; a worker that drips is not waited for beyond the deadline. */
static bool receive_all(struct qd_worker *worker, uint8_t *bytes, size_t size,
                        struct qd_deadline *deadline)
{
    while (size > 0) {
        await(worker);
        ssize_t got = recv(worker->channel, bytes, size, MSG_DONTWAIT);
        if (got <= 0 && !try_again(worker, got, errno, deadline))
            return false;
        if (got <= 0)
            continue;
        bytes += got;
        size -= (size_t)got;
        if (size > 0 && qd_clock_seconds() >= deadline->end)
            return !(deadline->timed_out = true);
    }
    return true;
}

const char *qd_worker_words(struct qd_worker *worker)
{
    drain(worker);
    return worker->words;
}

void qd_worker_condemn(struct qd_worker *worker, const char *why, struct qd_death *death)
{
    qd_warden_order_end(&worker->warden);
    reap(worker, 1);
    *death = (struct qd_death){.outcome = QD_OUTCOME_CRASH, .condemned = true};
    snprintf(death->text, sizeof death->text, "the worker broke the protocol: %.500s", why);
    append_tail(worker, death);
}

/* Faults send other signals than these; a target that sends itself one of them does so each time. */
static bool is_somebodys(int signal)
{
    return signal == SIGKILL || signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

bool qd_death_is_foreign(const struct qd_death *death)
{
    return death->lost || death->unwatched || is_somebodys(death->signal);
}

/* What a worker said before it was asked, if anything. */
static bool spoke_unasked(const struct qd_worker *worker, char *why, size_t size)
{
    char bytes[33];
    ssize_t got = recv(worker->channel, bytes, sizeof bytes - 1, MSG_DONTWAIT);
    if (got <= 0)
        return false;
    bytes[got] = '\0';
    snprintf(why, size, "it wrote to standard output without being asked: \"%s\"", bytes);
    return true;
}

bool qd_worker_exchange(struct qd_worker *worker, const struct qd_frame *request,
                        struct qd_deadline *deadline, size_t limit, struct qd_arena *arena,
                        struct qd_frame *answer, struct qd_death *death)
{
    uint8_t head[QD_FRAME_HEAD];
    char why[256];
    begin_call(worker);
    if (spoke_unasked(worker, why, sizeof why)) {
        qd_worker_condemn(worker, why, death);
        return false;
    }
    if (!send_all(worker, request->bytes, request->size, deadline) ||
        !receive_all(worker, head, sizeof head, deadline)) {
        bury(worker, deadline->timed_out, deadline->seconds, death);
        return false;
    }
    struct qd_frame made = {.size = 0};
    if (qd_frame_read_head(head, limit, &made.size, why, sizeof why) &&
        !(made.bytes = qd_arena_alloc(arena, made.size)))
        snprintf(why, sizeof why, "no room for an answer of %zu bytes", made.size);
    if (!made.bytes) {
        qd_worker_condemn(worker, why, death);
        return false;
    }
    if (!receive_all(worker, made.bytes, made.size, deadline)) {
        bury(worker, deadline->timed_out, deadline->seconds, death);
        return false;
    }
    end_call(worker);
    *answer = made;
    return true;
}

bool qd_worker_over_memory(const struct qd_worker *worker)
{
    return address_space(worker->pid) > worker->start_bytes + worker->memory_limit / 2;
}

void qd_worker_stop(struct qd_worker *worker)
{
    if (worker->pid == 0)
        return;
    shutdown(worker->channel, SHUT_WR);
    reap(worker, 2);
}

void qd_worker_clear(struct qd_worker *worker)
{
    qd_worker_stop(worker);
    qd_affinity_release(&worker->affinity);
    if (worker->block)
        munmap(worker->block, worker->block_size);
    worker->block = NULL;
}
