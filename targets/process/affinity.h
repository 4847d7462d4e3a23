/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a caller and its worker on one CPU. They take turns, so a second CPU gains nothing, and waking a process on
 * another one costs more than most cases: measured on a virtual machine of two CPUs, 6.5 against 50 to 100
 * microseconds a case. Internal to the targets layer. */
#ifndef QDIFF_AFFINITY_H
#define QDIFF_AFFINITY_H

#include <stdbool.h>
#include <sys/types.h>

#define QD_AFFINITY_WORDS 16 /* 1024 CPUs */

struct qd_affinity {
    bool bound; /* we bound the calling thread, so we set it free again */
    unsigned long allowed[QD_AFFINITY_WORDS]; /* what it was allowed before, if bound */
    unsigned calls;
    int worker_cpu; /* -1: not bound */
};

void qd_affinity_init(struct qd_affinity *affinity);

/* Before and after each exchange with the worker. The scheduler chooses the CPU anew every 256 exchanges. */
void qd_affinity_enter(struct qd_affinity *affinity, pid_t worker);
void qd_affinity_leave(struct qd_affinity *affinity);

/* Before a fork: the new worker is not bound. */
void qd_affinity_release(struct qd_affinity *affinity);

#endif
