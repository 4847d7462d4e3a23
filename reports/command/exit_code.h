/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes, the same for every verb. */
#ifndef QDIFF_REPORTS_EXIT_CODE_H
#define QDIFF_REPORTS_EXIT_CODE_H

#include "qdiff/status.h"

enum qd_exit {
    QD_EXIT_OK = 0,
    QD_EXIT_DIVERGENCE = 1,    /* a new divergence, a fixed one, a stale row */
    QD_EXIT_USAGE = 2,         /* usage or bad input */
    QD_EXIT_UNUSABLE = 3,      /* a target that does not work here */
    QD_EXIT_OWN_FAILURE = 4,   /* our own failure, zero comparisons and a full disk included */
    QD_EXIT_INTERRUPTED = 130, /* Ctrl-C; goes before all others */
};

/* The one of two codes that a process has to report: 130, then 4 > 3 > 2 > 1 > 0. */
enum qd_exit qd_exit_worse(enum qd_exit a, enum qd_exit b);

/* The code of a failure. What a user gave (a file, a name) and what does not decode is bad input;
 * INTERNAL, NO_MEMORY and NO_SPACE are ours. */
enum qd_exit qd_exit_of_status(enum qd_status status);

#endif
