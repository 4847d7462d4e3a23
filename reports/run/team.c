/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and their pipes. A member's last line is "E <status> <text>"; a
 * pipe that ends without it is a member that died. */
#include "run/team.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "digest/array.h"

struct qd_team_member {
    pid_t pid;
    int fd;
    char *buffer;
    size_t start, length, capacity; /* what is unread in the buffer: from, to; room */
    bool ended;                     /* its pipe */
    bool done;
};

/* --- A member ------------------------------------------------------------------------------------ */

_Noreturn static void be_member(const struct qd_team_work *work, uint64_t number, pid_t parent,
                                int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* its workers end with it (warden.h) */
    if (getppid() != parent)
        _exit(QD_INTERNAL);
    FILE *out = fdopen(fd, "w");
    struct qd_error error = {0};

    if (!out)
        _exit(QD_INTERNAL);
    enum qd_status status = work->run(work->context, number, out, &error);
    for (char *c = error.text; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    fprintf(out, "E %d %s\n", (int)status, error.text);
    fflush(out);
    _exit(0);
}

/* --- The parent ---------------------------------------------------------------------------------- */

static void pass_on(struct qd_team *team)
{
    for (uint64_t i = 0; i < team->count; i++)
        if (!team->members[i].done)
            kill(team->members[i].pid, SIGTERM);
    team->passed_on = true;
}

/* Reads what there is. */
static void fill(struct qd_team_member *member)
{
    if (member->start > member->capacity / 2) {
        member->length -= member->start;
        memmove(member->buffer, member->buffer + member->start, member->length);
        member->start = 0;
    }
    char *buffer = qd_array_grow(member->buffer, member->length, &member->capacity, sizeof *buffer);
    ssize_t got = 0;
    if (buffer) {
        member->buffer = buffer;
        do {
            got = read(member->fd, buffer + member->length, member->capacity - member->length);
        } while (got < 0 && errno == EINTR);
    }
    member->length += got > 0 ? (size_t)got : 0;
    member->ended = got <= 0;
}

/* Waits until some member wrote, and takes what all have written: none waits for its turn with a full pipe. Passes an
 * interrupt on meanwhile. */
static void hear_all(struct qd_team *team)
{
    struct pollfd *watched = team->watched;
    int ready;

    for (uint64_t i = 0; i < team->count; i++)
        watched[i] = (struct pollfd){.fd = team->members[i].ended ? -1 : team->members[i].fd,
                                     .events = POLLIN};
    watched[team->count] =
        (struct pollfd){.fd = team->passed_on ? -1 : team->interrupt->fd, .events = POLLIN};
    do
        ready = poll(watched, team->count + 1, -1);
    while (ready < 0 && errno == EINTR && !qd_interrupt_seen(team->interrupt));
    if (!team->passed_on && qd_interrupt_seen(team->interrupt))
        pass_on(team);
    for (uint64_t i = 0; i < team->count; i++)
        if (ready > 0 && watched[i].revents != 0)
            fill(&team->members[i]);
}

/* The next line without its end; false at the end. */
static bool next_line(struct qd_team *team, struct qd_team_member *member, const char **line,
                      size_t *length)
{
    size_t searched = 0; /* of what is unread */
    char *end = NULL;

    for (;;) {
        size_t unread = member->length - member->start;
        if (unread > searched)
            end = memchr(member->buffer + member->start + searched, '\n', unread - searched);
        if (end)
            break;
        searched = unread;
        if (member->ended)
            return false;
        hear_all(team);
    }
    *end = '\0';
    *line = member->buffer + member->start;
    *length = (size_t)(end - *line);
    member->start += *length + 1;
    return true;
}

static enum qd_team_answer take_death(struct qd_team_member *member, struct qd_error *error)
{
    int state = 0;

    waitpid(member->pid, &state, 0);
    member->pid = -1;
    member->done = true;
    qd_fail(error, QD_INTERNAL, "%s %d", WIFSIGNALED(state) ? "signal" : "exit code",
            WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
    return QD_TEAM_DEATH;
}

/* "E <status> <text>" */
static enum qd_team_answer take_end(struct qd_team_member *member, const char *line,
                                    struct qd_error *error)
{
    char *text;
    unsigned long status = strtoul(line + 1, &text, 10);

    member->done = true;
    *error = (struct qd_error){.status = QD_OK};
    if (status != QD_OK && status < QD_STATUS_COUNT)
        qd_fail(error, (enum qd_status)status, "%s", *text == ' ' ? text + 1 : text);
    return QD_TEAM_END;
}

enum qd_team_answer qd_team_read(struct qd_team *team, uint64_t member, const char **line,
                                 size_t *length, struct qd_error *error)
{
    struct qd_team_member *asked = &team->members[member];

    if (!next_line(team, asked, line, length))
        return take_death(asked, error);
    return (*line)[0] == 'E' ? take_end(asked, *line, error) : QD_TEAM_LINE;
}

bool qd_team_is_done(const struct qd_team *team, uint64_t member)
{
    return team->members[member].done;
}

/* --- All ----------------------------------------------------------------------------------------- */

static enum qd_status start_member(struct qd_team *team, const struct qd_team_work *work,
                                   struct qd_error *error)
{
    struct qd_team_member *member = &team->members[team->count];

    if (fflush(NULL) != 0) /* a child would write our buffers again */
        return qd_fail(error, QD_INTERNAL, "cannot write before a job starts: %s", strerror(errno));
    int ends[2];
    if (pipe(ends) != 0)
        return qd_fail(error, QD_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    pid_t parent = getpid();
    member->pid = fork();
    if (member->pid == 0) {
        close(ends[0]);
        for (uint64_t i = 0; i < team->count; i++)
            close(team->members[i].fd);
        be_member(work, team->count, parent, ends[1]);
    }
    close(ends[1]);
    if (member->pid < 0) {
        close(ends[0]);
        return qd_fail(error, QD_INTERNAL, "cannot fork: %s", strerror(errno));
    }
    member->fd = ends[0];
    team->count++;
    return QD_OK;
}

enum qd_status qd_team_start(struct qd_team *team, uint64_t count, const struct qd_team_work *work,
                             struct qd_interrupt *interrupt, struct qd_error *error)
{
    struct qd_team made = {.interrupt = interrupt};
    enum qd_status status = QD_OK;

    made.members = calloc(count, sizeof *made.members);
    made.watched = calloc(count + 1, sizeof *made.watched);
    if (!made.members || !made.watched) {
        free(made.members);
        free(made.watched);
        return qd_fail(error, QD_NO_MEMORY, "no memory for %llu jobs", (unsigned long long)count);
    }
    while (made.count < count && status == QD_OK)
        status = start_member(&made, work, error);
    *team = made;
    if (status != QD_OK)
        qd_team_dismiss(team);
    return status;
}

void qd_team_dismiss(struct qd_team *team)
{
    pass_on(team);
    for (uint64_t i = 0; i < team->count; i++) {
        close(team->members[i].fd);
        free(team->members[i].buffer);
        if (team->members[i].pid > 0)
            waitpid(team->members[i].pid, NULL, 0);
    }
    free(team->members);
    free(team->watched);
    *team = (struct qd_team){.count = 0};
}
