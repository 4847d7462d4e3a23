/* SPDX-License-Identifier: Apache-2.0 */
/* A process between a worker and the process that asks it: whatever the worker leaves running ends with either of the
 * two, also what called setsid() or lost its parent. It adopts such processes (PR_SET_CHILD_SUBREAPER) and ends them
 *
 *   - when the worker has ended, however,
 *   - when the process that asks has ended, however,
 *   - when it is told to.
 *
 * It takes no notice of any signal but SIGKILL. If it is itself killed, the worker dies with it, and the process that
 * asks adopts and ends the rest. System V segments of the ended are removed. */
#ifndef QDIFF_WARDEN_H
#define QDIFF_WARDEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "qdiff/status.h"

struct qd_warden {
    pid_t pid;        /* 0: none */
    pid_t worker;     /* for questions about it: who else may signal it but its warden? */
    int told;         /* a pipe with what it has to say */
    int status, stat; /* its files in /proc, -1: none */
};

/* Forks the warden, and it the worker. In the worker: *in_worker and OK; it is in a session of its own and
 * dies with its warden, also as another program. IO. */
enum qd_status qd_warden_start(struct qd_warden *warden, bool *in_worker, struct qd_error *error);

/* Whether both have ended. */
bool qd_warden_is_over(const struct qd_warden *warden);

/* Whether somebody has stopped it, as only the worker has a reason to. */
bool qd_warden_is_stopped(const struct qd_warden *warden);

/* Tells it to end everything, at once. */
void qd_warden_order_end(const struct qd_warden *warden);

/* How it came to an end. */
struct qd_warden_end {
    bool ordered; /* it did not end by itself in time; what is dying then, or dead, did */
    bool killed;  /* the warden was, and the worker with it */
    int status;   /* of the worker, as of waitpid() */
};

/* Waits for the end, and after `seconds` orders it. Nothing that the worker started is left. */
struct qd_warden_end qd_warden_await(struct qd_warden *warden, double seconds);

#endif
