/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the reports of a run out of its results, as they come: TAP, a results file, progress, the summary. */
#ifndef QDIFF_REPORTS_REPORTER_H
#define QDIFF_REPORTS_REPORTER_H

#include "causes/causes.h"
#include "result/expectation_usage.h"
#include "result/junit.h"
#include "result/summary.h"
#include "result/tap.h"
#include "run/gate.h"

struct qd_reporter {
    struct qd_tap tap;
    struct qd_summary summary;
    struct qd_causes causes;
    struct qd_junit junit;
    const char *badge; /* a file, NULL: none */
    struct qd_expectation_usage rows;
    FILE *file; /* results file, NULL: none */
    const char *file_path;
    FILE *err;             /* what is wrong on our side or in the input is told there too */
    FILE *progress;        /* NULL: none */
    double started, shown; /* seconds */
    bool fail_fast, stopped;
    struct qd_error error; /* why it said stop, if not for a result */
};

/* Starts TAP and, if the options ask for one, a results file with its header. */
enum qd_status qd_reporter_begin(struct qd_reporter *reporter, const struct qd_options *options,
                                 FILE *out, FILE *err, struct qd_arena *arena,
                                 struct qd_error *error);

/* The sink for the run; the reporter must outlive it. */
struct qd_sink qd_reporter_sink(struct qd_reporter *reporter);

/* Judges rows if the run was whole, writes summary, causes, plan, the end of the results file, JUnit and badge, and
 * gives the exit code that the results ask for. */
enum qd_exit qd_reporter_end(struct qd_reporter *reporter, bool whole, bool complete);

#endif
