/* SPDX-License-Identifier: Apache-2.0 */
/* Regions: units that are right alone and wrong together. */
#ifndef QDIFF_REPORTS_LOCATE_REGION_H
#define QDIFF_REPORTS_LOCATE_REGION_H

#include "locate/locate_report.h"

/* So many regions are looked for. */
enum { QD_MOST_REGIONS = 16 };

/* After a walk with --end-to-end, which has kept all values: runs each run of units that are right alone as one
 * case, on each target, and narrows what differs by bisection on the units' borders to the smallest region that
 * still does; the report gets it. What is too large for the reference is halved. UNUSABLE: a target went away;
 * errors of the report. */
enum qd_status qd_regions_find(struct qd_locate *locate, struct qd_locate_report *report,
                               struct qd_error *error);

#endif
