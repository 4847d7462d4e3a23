/* SPDX-License-Identifier: Apache-2.0 */
/* What a harness that runs a target has done: totals for its last words and, where QDIFF_TALLY names a directory, what
 * became of each execution (night_stats.h). */
#ifndef QDIFF_FUZZ_COUNTED_H
#define QDIFF_FUZZ_COUNTED_H

#include "qdiff/night_stats.h"

/* The harness raises the totals; zeroed it counts from nothing. */
struct qd_harness_stats {
    uint64_t executions;
    uint64_t refused;  /* no case */
    uint64_t beyond;   /* the target does not declare it */
    uint64_t compared; /* what the target said was judged, whatever came of it */
    uint64_t known;    /* a row expects it, or it is advisory */
    uint64_t findings;
    uint64_t
        unsettled; /* divergences that no row expects, and that were not reduced, or not in time */
    char op[64];   /* of the case that runs; "" before it is decoded */
    struct qd_night_stats *tally; /* NULL: nobody asked for one */
};

/* Opens the tally that QDIFF_TALLY asks for; without the variable there is none. USAGE, NO_MEMORY. */
enum qd_status qd_harness_stats_open(struct qd_harness_stats *counted, struct qd_error *error);

/* Runs one input and puts what became of it, and the semantic counters (QD_COUNTERS of them) that it touched, into the
 * tally if there is one. *answer is the harness's. IO, the execution is counted: the tally cannot be written. */
enum qd_status qd_harness_stats_run(struct qd_harness_stats *counted,
                                    int (*run)(const uint8_t *, size_t), const uint8_t *data,
                                    size_t size, uint8_t *counters, int *answer,
                                    struct qd_error *error);

#endif
