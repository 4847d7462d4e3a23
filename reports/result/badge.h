/* SPDX-License-Identifier: Apache-2.0 */
/* A badge: one line of JSON as the endpoint of shields reads it. */
#ifndef QDIFF_REPORTS_BADGE_H
#define QDIFF_REPORTS_BADGE_H

#include <stdio.h>

#include "result/summary.h"

/* "conformance | 98.7 %, 0 new": the share of comparisons that pass, and the failures that are not known. Red if
 * the run failed. */
void qd_badge_write(const struct qd_summary *summary, FILE *out);

/* The same to a file; a NULL path wants none. INTERNAL where it cannot be written. */
enum qd_status qd_badge_save(const struct qd_summary *summary, const char *path,
                             struct qd_error *error);

#endif
