/* SPDX-License-Identifier: Apache-2.0 */
/* Forks the processes of a self-test and waits for them. */
#include "self_test/crew.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_interrupted(struct qd_interrupt *interrupt)
{
    return interrupt && qd_interrupt_seen(interrupt);
}

void *qd_crew_share(size_t size)
{
    void *memory =
        mmap(NULL, size > 0 ? size : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void qd_crew_unshare(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size > 0 ? size : 1);
}

/* Waits until the pipe that all processes hold is closed, and has them stop when interrupted. */
static void wait_for_all(const struct qd_crew *crew, int pipe_end)
{
    struct pollfd watched[2] = {
        {.fd = pipe_end, .events = POLLIN},
        {.fd = crew->interrupt ? crew->interrupt->fd : -1, .events = POLLIN}};

    do {
        poll(watched, atomic_load(crew->stop) ? 1 : 2, -1);
        atomic_store(crew->stop, is_interrupted(crew->interrupt));
    } while (watched[0].revents == 0);
    while (waitpid(-1, NULL, 0) > 0) {
    }
}

enum qd_status qd_crew_run(const struct qd_crew *crew, struct qd_error *error)
{
    if (fflush(NULL) != 0) /* a child would write our buffers again */
        return qd_fail(error, QD_INTERNAL, "cannot write before a job starts: %s", strerror(errno));
    int ends[2];
    if (pipe(ends) != 0)
        return qd_fail(error, QD_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    atomic_store(crew->stop, is_interrupted(crew->interrupt)); /* already before */
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < crew->jobs && status == QD_OK; i++) {
        pid_t job = fork();
        if (job == 0)
            _exit(crew->work(crew->context, i) ? 0 : 1);
        if (job < 0) {
            status = qd_fail(error, QD_INTERNAL, "cannot fork: %s", strerror(errno));
            atomic_store(crew->stop, true);
        }
    }
    close(ends[1]);
    wait_for_all(crew, ends[0]);
    close(ends[0]);
    return status;
}
