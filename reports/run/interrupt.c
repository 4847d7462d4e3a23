/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks the signals of Ctrl-C and asks for them between cases. */
#include "run/interrupt.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* nohup's way to say that a terminal may go away. */
static bool is_ignored(int signal)
{
    struct sigaction action;

    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

enum qd_status qd_interrupt_begin(struct qd_interrupt *interrupt, struct qd_error *error)
{
    struct qd_interrupt begun = {.fd = -1};
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (!is_ignored(SIGHUP))
        sigaddset(&signals, SIGHUP);
    begun.fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (begun.fd < 0)
        return qd_fail(error, QD_INTERNAL, "cannot watch for signals: %s", strerror(errno));
    sigprocmask(SIG_BLOCK, &signals, &begun.before);
    *interrupt = begun;
    return QD_OK;
}

bool qd_interrupt_seen(struct qd_interrupt *interrupt)
{
    struct signalfd_siginfo info;

    while (read(interrupt->fd, &info, sizeof info) == (ssize_t)sizeof info)
        interrupt->seen = true;
    return interrupt->seen;
}

void qd_interrupt_end(struct qd_interrupt *interrupt)
{
    qd_interrupt_seen(interrupt); /* a signal still pending would kill now */
    sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
    close(interrupt->fd);
}
