/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a run: everything that was compared, skipped and why. */
#ifndef QDIFF_REPORTS_SUMMARY_H
#define QDIFF_REPORTS_SUMMARY_H

#include <stdio.h>

#include "command/exit_code.h"
#include "result/result.h"

struct qd_tap;

/* Counts of results and of elements. */
struct qd_counts {
    int64_t results[QD_RESULT_COUNT];
    int64_t verdicts[QD_VERDICT_COUNT];
    int64_t elements, compared, exact, admissible, mismatched, unspecified, slack, extreme_scale;
};

/* Counts by name, in order of first appearance. */
struct qd_count_table {
    size_t count, capacity;
    struct qd_count_row {
        char *name;
        struct qd_counts counts;
    } * rows;
};

struct qd_summary {
    int64_t cases, comparisons;
    struct qd_counts total;
    struct qd_count_table targets, ops, tags, skips;
    int64_t stale, not_judged; /* expectation rows */
    char *last_id;             /* a case's results follow each other */
};

/* NO_MEMORY only; the counts are then as before. */
enum qd_status qd_summary_add(struct qd_summary *summary, const struct qd_result *result,
                              struct qd_error *error);
void qd_summary_clear(struct qd_summary *summary);

/* The exit code that the counts ask for; OWN_FAILURE when nothing was compared. */
enum qd_exit qd_summary_exit(const struct qd_summary *summary);

/* Every count, as TAP comments. */
void qd_summary_tap(const struct qd_summary *summary, struct qd_tap *tap);

/* A few lines for a person. */
void qd_summary_print(const struct qd_summary *summary, FILE *out);

/* One line of JSON, the last record of a results file. `complete` is false for a run that was cut short. */
void qd_summary_write(const struct qd_summary *summary, bool complete, double seconds, FILE *out);

#endif
