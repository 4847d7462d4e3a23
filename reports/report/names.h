/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that come again and again, each kept once. */
#ifndef QDIFF_REPORTS_NAMES_H
#define QDIFF_REPORTS_NAMES_H

#include "qdiff/arena.h"

/* Empty: all zero but the arena, which is borrowed. */
struct qd_names {
    struct qd_arena *arena;
    void *tree;
};

/* The one copy of the text; equal texts have equal addresses. NULL when out of memory. */
const char *qd_names_keep(struct qd_names *names, const char *text);

/* Forgets them; the copies stay in the arena. */
void qd_names_clear(struct qd_names *names);

#endif
