/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk over a network's units says: a table as it goes, then counts, the first wrong unit, causes; results
 * file and cases. */
#ifndef QDIFF_REPORTS_LOCATE_REPORT_H
#define QDIFF_REPORTS_LOCATE_REPORT_H

#include <stdio.h>

#include "causes/causes.h"
#include "locate/locate.h"
#include "result/summary.h"

enum { QD_LOCATE_MOST_REASONS = 12 };

/* The first unit that differs on a target; one that is wrong before one that is advisory. */
struct qd_first_wrong {
    size_t number, part, target; /* number 0: none; target: which of the targets */
    const char *id, *ops, *name, *verdict, *diagnosis, *effect, *place, *facts, *message, *clause,
        *sample;
    bool wrong; /* else advisory */
    bool from_target;
    uint8_t *bytes; /* of the case */
    size_t size;
};

struct qd_locate_report {
    const struct qd_locate *locate;
    FILE *out, *err;
    FILE *file; /* results file, NULL: none */
    bool progress;
    double started, shown;
    struct qd_summary summary;
    struct qd_causes causes;
    size_t states[QD_UNIT_STATE_COUNT], sampled, wrong, advisory, taken_apart, last;
    size_t reason_count;
    struct {
        const char *text;
        size_t count;
    } reasons[QD_LOCATE_MOST_REASONS]; /* why units were not judged */
    struct qd_first_wrong first;
};

/* Begins the table and the results file. USAGE for a file that holds something else, or cannot be written. */
enum qd_status qd_locate_report_begin(struct qd_locate_report *report,
                                      const struct qd_locate *locate, FILE *out, FILE *err,
                                      struct qd_error *error);

/* The listener of the walk. */
struct qd_locate_listener qd_locate_report_listener(struct qd_locate_report *report);

/* A region that differs although its units do not, as a row of the table. */
enum qd_status qd_locate_report_region(struct qd_locate_report *report,
                                       const struct qd_located_unit *region,
                                       struct qd_error *error);

/* Counts, the first wrong unit and the causes; closes the results file. The exit code that the results ask for. */
enum qd_exit qd_locate_report_end(struct qd_locate_report *report, size_t done,
                                  struct qd_error *error);

#endif
