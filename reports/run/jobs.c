/* SPDX-License-Identifier: Apache-2.0 */
/* A run in several processes. Each child runs every jobs-th case and writes its results as lines to a pipe; the
 * parent reads the pipes in turn, so that results come in the order of the cases. A child's last line is
 * "E <status> <text>"; a pipe that ends without it is a child that died. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "digest/array.h"
#include "run/gate.h"

struct job {
    pid_t pid;
    int fd;
    char *buffer;
    size_t length, capacity; /* of what is in the buffer; room */
    size_t taken;            /* bytes of the line handed out last */
    bool ended;
    char last_id[256];
};

struct crew {
    const struct qd_gate *gate;
    struct job *jobs;
    uint64_t count;
    struct qd_arena arena; /* of one line */
    bool passed_on;        /* an interrupt was */
    enum qd_status status; /* the worst that a child ended with */
    struct qd_error *error;
};

/* --- The child ----------------------------------------------------------------------------------- */

static enum qd_visit write_result(void *context, const struct qd_result *result)
{
    FILE *out = context;

    qd_result_write(out, result);
    return fflush(out) == 0 ? QD_VISIT_GO_ON : QD_VISIT_STOP; /* nobody listens any more */
}

static void write_row(void *context, const struct qd_unmatched_row *row)
{
    qd_unmatched_row_write(context, row);
}

static enum qd_status run_child(const struct qd_gate *gate, uint64_t job, uint64_t jobs, FILE *out,
                                struct qd_error *error)
{
    struct qd_gate mine = *gate;
    struct qd_session_options options = qd_session_options_of(gate->options);

    mine.sink = (struct qd_sink){write_result, write_row, out};
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_gate_targets targets;
    enum qd_status status = qd_gate_targets_open_any(gate->plan, &options, &arena, &targets, error);
    if (status == QD_OK) {
        status = qd_gate_run_part(&mine, &targets, job, jobs, error);
        qd_gate_targets_close(&targets);
    }
    qd_arena_clear(&arena);
    return status;
}

_Noreturn static void be_child(const struct qd_gate *gate, uint64_t job, uint64_t jobs, int fd)
{
    FILE *out = fdopen(fd, "w");
    struct qd_error error = {0};

    if (!out)
        _exit(QD_INTERNAL);
    enum qd_status status = run_child(gate, job, jobs, out, &error);
    for (char *c = error.text; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    fprintf(out, "E %d %s\n", (int)status, error.text);
    fflush(out);
    _exit(0);
}

/* --- The parent ---------------------------------------------------------------------------------- */

static void pass_on(struct crew *crew)
{
    for (uint64_t i = 0; i < crew->count; i++)
        if (!crew->jobs[i].ended)
            kill(crew->jobs[i].pid, SIGTERM);
    crew->passed_on = true;
}

/* Waits until the pipe has something to read, passing on an interrupt meanwhile. */
static void wait_for(struct crew *crew, const struct job *job)
{
    struct pollfd watched[2] = {{.fd = job->fd, .events = POLLIN},
                                {.fd = crew->gate->interrupt->fd, .events = POLLIN}};

    do {
        poll(watched, crew->passed_on ? 1 : 2, -1);
        if (!crew->passed_on && qd_interrupt_seen(crew->gate->interrupt))
            pass_on(crew);
    } while (watched[0].revents == 0);
}

/* Reads more into the buffer; false at the end of the pipe or of memory. */
static bool fill(struct crew *crew, struct job *job)
{
    char *buffer = qd_array_grow(job->buffer, job->length, &job->capacity, sizeof *buffer);
    if (!buffer)
        return false;
    job->buffer = buffer;
    wait_for(crew, job);
    ssize_t got;
    do {
        got = read(job->fd, job->buffer + job->length, job->capacity - job->length);
    } while (got < 0 && errno == EINTR);
    job->length += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The next line without its end, valid until the next call; false at the end. */
static bool next_line(struct crew *crew, struct job *job, const char **line, size_t *length)
{
    size_t searched = 0;
    char *end = NULL;

    if (job->taken > 0) {
        job->length -= job->taken;
        memmove(job->buffer, job->buffer + job->taken, job->length);
        job->taken = 0;
    }
    for (;;) {
        if (job->length > searched)
            end = memchr(job->buffer + searched, '\n', job->length - searched);
        if (end)
            break;
        searched = job->length;
        if (!fill(crew, job))
            return false;
    }
    *end = '\0';
    *line = job->buffer;
    *length = (size_t)(end - job->buffer);
    job->taken = *length + 1;
    return true;
}

/* A child that died is our own failure, told as a result so that it is counted and kept. */
static enum qd_visit tell_death(struct crew *crew, struct job *job)
{
    const char *id = qd_arena_printf(&crew->arena, "job %zu of %zu", (size_t)(job - crew->jobs) + 1,
                                     (size_t)crew->count);
    int state = 0;

    job->ended = true;
    waitpid(job->pid, &state, 0);
    job->pid = -1;
    const char *why = qd_arena_printf(
        &crew->arena, "the process died (%s %d) after case %s; its other cases did not run",
        WIFSIGNALED(state) ? "signal" : "exit code",
        WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state),
        job->last_id[0] != '\0' ? job->last_id : "(none)");
    struct qd_result result = qd_result_init(id ? id : "job", "", "", QD_RESULT_BROKEN);
    result.why = why ? why : "the process died";
    return crew->gate->sink.result(crew->gate->sink.context, &result);
}

/* "E <status> <text>" */
static void take_end(struct crew *crew, struct job *job, const char *line)
{
    char *text;
    unsigned long status = strtoul(line + 1, &text, 10);

    job->ended = true;
    if (status != QD_OK && status < QD_STATUS_COUNT && crew->status == QD_OK) {
        crew->status =
            qd_fail(crew->error, (enum qd_status)status, "%s", *text == ' ' ? text + 1 : text);
    }
}

/* Tells the results of one case of this job, or its end. */
static enum qd_visit take_case(struct crew *crew, struct job *job)
{
    size_t results = 0;
    const char *line;
    size_t length;

    while (results < crew->gate->plan->count) {
        qd_arena_reset(&crew->arena);
        if (!next_line(crew, job, &line, &length))
            return tell_death(crew, job);
        if (line[0] == 'E') {
            take_end(crew, job, line);
            return crew->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
        }
        struct qd_result_record record;
        struct qd_error error;
        if (qd_result_record_decode(line, length, &crew->arena, &record, &error) != QD_OK) {
            crew->status = qd_fail(crew->error, QD_INTERNAL, "a job's answer: %s", error.text);
            return QD_VISIT_STOP;
        }
        if (record.kind == QD_RECORD_ROW) {
            crew->gate->sink.row(crew->gate->sink.context, &record.row);
            continue;
        }
        snprintf(job->last_id, sizeof job->last_id, "%s", record.result.id);
        if (crew->gate->sink.result(crew->gate->sink.context, &record.result) == QD_VISIT_STOP)
            return QD_VISIT_STOP;
        results = record.result.target[0] == '\0' ? crew->gate->plan->count : results + 1;
    }
    return QD_VISIT_GO_ON;
}

static bool all_ended(const struct crew *crew)
{
    for (uint64_t i = 0; i < crew->count; i++)
        if (!crew->jobs[i].ended)
            return false;
    return true;
}

static void listen_to_all(struct crew *crew)
{
    while (!all_ended(crew)) {
        for (uint64_t i = 0; i < crew->count; i++)
            if (!crew->jobs[i].ended && take_case(crew, &crew->jobs[i]) == QD_VISIT_STOP)
                return;
    }
}

static enum qd_status start_job(struct crew *crew, uint64_t i)
{
    struct job *job = &crew->jobs[i];

    fflush(NULL); /* a child must not write our buffers again */
    int ends[2];
    if (pipe(ends) != 0)
        return qd_fail(crew->error, QD_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    job->pid = fork();
    if (job->pid == 0) {
        close(ends[0]);
        for (uint64_t j = 0; j < i; j++)
            close(crew->jobs[j].fd);
        be_child(crew->gate, i, crew->count, ends[1]);
    }
    close(ends[1]);
    if (job->pid < 0) {
        close(ends[0]);
        return qd_fail(crew->error, QD_INTERNAL, "cannot fork: %s", strerror(errno));
    }
    job->fd = ends[0];
    return QD_OK;
}

static void dismiss(struct crew *crew, uint64_t started)
{
    pass_on(crew);
    for (uint64_t i = 0; i < started; i++) {
        close(crew->jobs[i].fd);
        free(crew->jobs[i].buffer);
        if (crew->jobs[i].pid > 0)
            waitpid(crew->jobs[i].pid, NULL, 0);
    }
    free(crew->jobs);
}

enum qd_status qd_gate_run_jobs(const struct qd_gate *gate, uint64_t jobs, struct qd_error *error)
{
    struct crew crew = {.gate = gate, .error = error};
    uint64_t started = 0;

    crew.jobs = calloc(jobs, sizeof *crew.jobs);
    if (!crew.jobs)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %llu jobs", (unsigned long long)jobs);
    for (crew.count = jobs; started < jobs && crew.status == QD_OK; started++) {
        crew.status = start_job(&crew, started);
        if (crew.status != QD_OK)
            break;
    }
    crew.count = started < jobs ? started : jobs;
    qd_arena_init(&crew.arena, QD_ARENA_DEFAULT_BUDGET);
    if (crew.status == QD_OK)
        listen_to_all(&crew);
    qd_arena_clear(&crew.arena);
    dismiss(&crew, started);
    return crew.status;
}
