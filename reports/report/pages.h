/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the pages: scripts that hand one JSON value to the page (site/data.js: qdiff.take), so that it
 * opens from the file system. */
#ifndef QDIFF_REPORTS_PAGES_H
#define QDIFF_REPORTS_PAGES_H

#include <stdio.h>

#include "qdiff/evaluated.h"
#include "report/report.h"

/* data.js: what was run, the matrix, the causes with their members, the quirks. NO_MEMORY only. */
enum qd_status qd_report_write_front(struct qd_report *report, FILE *out, struct qd_error *error);

/* cases/<page>.js: a case and what each target did with it: model, expected values, the arithmetic of the
 * first wrong element, the case as a file. Where the reference computes something else than the results say,
 * there are no values and "stale" says so. The arena is for what is needed meanwhile. NO_MEMORY and the
 * errors of the reference. */
enum qd_status qd_report_write_case(const struct qd_report *report,
                                    const struct qd_report_case *entry, const struct qd_case *kase,
                                    struct qd_arena *arena, FILE *out, struct qd_error *error);

/* The same of a case that is not in the suite: what the results files say. */
void qd_report_write_absent(const struct qd_report *report, const struct qd_report_case *entry,
                            FILE *out);

#endif
