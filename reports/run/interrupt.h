/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C without a signal handler: the signals are blocked and asked for between cases. Processes forked meanwhile
 * inherit that, so that a terminal's Ctrl-C does not kill a target in the middle of a case. */
#ifndef QDIFF_REPORTS_INTERRUPT_H
#define QDIFF_REPORTS_INTERRUPT_H

#include <signal.h>

#include "qdiff/status.h"

struct qd_interrupt {
    int fd; /* readable when a signal has come */
    sigset_t before;
    bool seen;
};

/* Blocks SIGINT, SIGTERM and, unless it is ignored, SIGHUP. */
enum qd_status qd_interrupt_begin(struct qd_interrupt *interrupt, struct qd_error *error);

/* Whether one of them has come since begin. */
bool qd_interrupt_seen(struct qd_interrupt *interrupt);

/* As before begin. */
void qd_interrupt_end(struct qd_interrupt *interrupt);

#endif
