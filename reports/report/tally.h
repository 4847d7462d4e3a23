/* SPDX-License-Identifier: Apache-2.0 */
/* In which columns a cause shows: where it came, and where it went. */
#ifndef QDIFF_REPORTS_TALLY_H
#define QDIFF_REPORTS_TALLY_H

#include "report/report.h"

/* Of the cases of a cause on one column: results with this cause, passes, divergences of another cause, skips. */
struct qd_tally {
    int64_t bad, good, other, skipped;
};

/* One for each column, in the report's arena; NULL if it has no room. */
struct qd_tally *qd_report_tally(struct qd_report *report, size_t cause);

#endif
