/* SPDX-License-Identifier: Apache-2.0 */
/* Which level a case belongs to: the lowest that has it. */
#ifndef QDIFF_REPORTS_LEVELS_H
#define QDIFF_REPORTS_LEVELS_H

#include "digest/digest_map.h"
#include "select/visit.h"

struct qd_levels {
    struct qd_digest_map ids; /* of the levels below `top` */
    enum qd_level top;
};

/* Visits the levels below options->level. `options` without arguments. As qd_visit_selected. */
enum qd_status qd_levels_learn(const struct qd_options *options, struct qd_levels *levels,
                               struct qd_error *error);

/* The level of a case that is among those of options->level. */
enum qd_level qd_levels_of(const struct qd_levels *levels, const struct qd_case *kase);

void qd_levels_clear(struct qd_levels *levels);

#endif
