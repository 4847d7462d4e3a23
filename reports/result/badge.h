/* SPDX-License-Identifier: Apache-2.0 */
/* A badge: one line of JSON as the endpoint of shields reads it. */
#ifndef QDIFF_REPORTS_BADGE_H
#define QDIFF_REPORTS_BADGE_H

#include <stdio.h>

#include "result/summary.h"

/* "conformance | 98.7 %, 0 new": the share of comparisons that pass, and the failures that are not known. Red if
 * the run failed. */
void qd_badge_write(const struct qd_summary *summary, FILE *out);

#endif
