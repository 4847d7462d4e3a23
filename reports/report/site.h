/* SPDX-License-Identifier: Apache-2.0 */
/* A report as a directory: the page, its libraries, the data. */
#ifndef QDIFF_REPORTS_SITE_H
#define QDIFF_REPORTS_SITE_H

#include "report/report.h"

/* What is written beside the data of the results. */
struct qd_site {
    const char *directory;
    size_t pages, left_out; /* cases with a page of details, and without */
};

/* Writes a report to the directory, which is made; index.html is what is opened. Cases are looked up in the
 * suite (`options`: --cases); --kills and --nights are shown too (history.h: its errors). USAGE where the directory
 * holds something else, or a library of the page is not set up; IO, NO_MEMORY. */
enum qd_status qd_site_write(struct qd_report *report, const struct qd_options *options,
                             const char *directory, struct qd_site *site, struct qd_error *error);

#endif
