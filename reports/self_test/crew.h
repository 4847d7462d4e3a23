/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that share memory with their parent. */
#ifndef QDIFF_REPORTS_CREW_H
#define QDIFF_REPORTS_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "qdiff/status.h"
#include "run/interrupt.h"

struct qd_crew {
    size_t jobs;                    /* processes, at least 1 */
    struct qd_interrupt *interrupt; /* ends it early; NULL: nothing does */
    atomic_bool *stop;              /* shared: set for the processes to look at when interrupted */
    bool (*work)(void *context,
                 size_t number); /* in process `number`; what fails is told on stderr */
    void *context;
};

/* Forks and waits. What a process that dies has not done stays undone. INTERNAL: no pipe. */
enum qd_status qd_crew_run(const struct qd_crew *crew, struct qd_error *error);

/* Zeroed memory that forked processes share, NULL when there is none; given back with the same size. */
void *qd_crew_share(size_t size);
void qd_crew_unshare(void *memory, size_t size);

#endif
