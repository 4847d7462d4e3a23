/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about this machine that results depend on. */
#ifndef QDIFF_REPORTS_MACHINE_H
#define QDIFF_REPORTS_MACHINE_H

#include "qdiff/arena.h"

struct qd_machine {
    const char *cpu;   /* model name, "unknown" if the system does not say */
    const char *flags; /* instruction sets, separated by blanks, "" if the system does not say */
};

/* Reads /proc/cpuinfo. Strings live in the arena or are constants. */
struct qd_machine qd_machine_read(struct qd_arena *arena);

#endif
