/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzzing process did, for the report of a night: what became of its executions, by operator, and how many of
 * them touched each semantic counter.
 *
 * Kept in a text file of this process's own, which is replaced as a whole about once a second and at the end: what
 * kills the process loses a second of counting. Lines: "outcome NAME N", "operator NAME EXECUTIONS COMPARED", "slot I
 * EXECUTIONS"; rows of zeros are left out. Several processes' files add up. */
#ifndef QDIFF_TALLY_H
#define QDIFF_TALLY_H

#include "qdiff/counters.h"

enum qd_fuzz_outcome {
    QD_FUZZ_REFUSED,    /* not a case */
    QD_FUZZ_UNJUDGED,   /* beyond the limits of the reference or of the run */
    QD_FUZZ_BEYOND,     /* the target does not declare it */
    QD_FUZZ_ADMISSIBLE, /* compared, and right */
    QD_FUZZ_KNOWN,      /* compared, a known divergence */
    QD_FUZZ_UNSETTLED,  /* compared, a divergence that nobody has reduced yet */
    QD_FUZZ_FINDING,    /* compared, a divergence that is not known when it is small */
    QD_FUZZ_OUTCOMES
};

#define QD_FUZZ_OPERATORS 256 /* more are not told apart: they count as the last one, "others" */

struct qd_night_stats_operator {
    char name[64];
    uint64_t executions, compared;
};

struct qd_night_stats {
    uint64_t outcomes[QD_FUZZ_OUTCOMES];
    uint64_t slots[QD_COUNTERS]; /* executions that touched it */
    struct qd_night_stats_operator operators[QD_FUZZ_OPERATORS];
    uint64_t executions;
    int64_t written; /* seconds since 1970 */
    char path[4096];
};

/* Starts an empty one whose file will lie in `directory`. USAGE: the path is too long. */
enum qd_status qd_night_stats_init(struct qd_night_stats *tally, const char *directory,
                                   struct qd_error *error);

/* Counts one execution; `op` is "" when there was no case, `counters` has QD_COUNTERS bytes. Writes the file when it is
 * a second old. IO: it could not be written; the execution is counted. */
enum qd_status qd_night_stats_add(struct qd_night_stats *tally, const char *op,
                                  enum qd_fuzz_outcome outcome, const uint8_t *counters,
                                  struct qd_error *error);

/* Writes the file. IO names it and the system's reason. */
enum qd_status qd_night_stats_write(struct qd_night_stats *tally, struct qd_error *error);

#endif
