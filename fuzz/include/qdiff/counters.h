/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic counters: what a run did, in the terms of the suite, for engines that cannot see inside a target.
 *
 * One byte per slot, counted up and saturating; a slot stands for
 * operator × feature × rounding event × outcome × size of the difference. Few
 * slots: engines look at each after every run. */
#ifndef QDIFF_COUNTERS_H
#define QDIFF_COUNTERS_H

#include "qdiff/compare.h"

#define QD_COUNTERS 4096

/* What happened where numbers became codes; bits. Ties show only in values that keep their reals (value.h). */
enum qd_rounding_event {
    QD_EVENT_TIE = 1,       /* exactly half-way */
    QD_EVENT_NEAR_TIE = 2,  /* within 2^-10 of half-way */
    QD_EVENT_SATURATED = 4, /* at an end of the type */
    QD_EVENT_SLACK = 8      /* more than one value is admissible */
};
unsigned qd_counters_events(const struct qd_value *value);

/* Counts a case that the reference evaluated with this status (values: graph->output_count of them when OK). */
void qd_counters_case(uint8_t *counters, const struct qd_case *kase, enum qd_status status,
                      const struct qd_value *values);

/* Counts a target's answer to it. */
void qd_counters_answer(uint8_t *counters, const struct qd_case *kase,
                        const struct qd_value *values, const struct qd_comparison *comparison);

#endif
