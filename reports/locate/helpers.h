/* SPDX-License-Identifier: Apache-2.0 */
/* A walk in several processes: each evaluates every unit, for the values, and judges its share of them. The first one
 * reads what the others found in the order of the units, so that it tells the same as if it were alone. */
#ifndef QDIFF_REPORTS_LOCATE_HELPERS_H
#define QDIFF_REPORTS_LOCATE_HELPERS_H

#include "locate/locate.h"
#include "run/team.h"

struct qd_locate_helpers {
    struct qd_team team;
    struct qd_locate_shared *shared;
    size_t shared_size;
    struct qd_locate walk; /* what they start from */
    const struct qd_target_plan *plan;
};

/* Forks --jobs less one processes, if it is more than one, before any target is open; `walk` has network, options,
 * values_from, interrupt and arena, and gets what the first process needs
 * to know of the others. INTERNAL, NO_MEMORY. */
enum qd_status qd_locate_helpers_start(struct qd_locate_helpers *helpers, struct qd_locate *walk,
                                       const struct qd_target_plan *plan, struct qd_error *error);
void qd_locate_helpers_end(struct qd_locate_helpers *helpers);

/* Whether this process judges the unit. */
bool qd_locate_is_mine(const struct qd_locate *locate, size_t number);

/* The results of a unit's piece that another process judged, one for each target, into the arena of the piece. False
 * where it ended early, as it does when interrupted: why is in *error. */
bool qd_locate_helpers_read(struct qd_locate *locate, size_t number, struct qd_result *results,
                            struct qd_error *error);

/* In the first process: the walk is at this unit. In another: waits for that, so that units are diagnosed in their
 * order; false when that never comes. */
void qd_locate_publish_turn(struct qd_locate *locate, size_t number);
bool qd_locate_await_turn(struct qd_locate *locate, size_t number);

/* What all processes took so far. */
struct qd_locate_cost qd_locate_cost(const struct qd_locate *locate);

#endif
