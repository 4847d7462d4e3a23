/* SPDX-License-Identifier: Apache-2.0 */
/* Why no sentence forbids values that differ from the reference's. */
#ifndef QDIFF_TARGETS_EXCUSE_H
#define QDIFF_TARGETS_EXCUSE_H

#include "qdiff/citation.h"

/* The reason in words, for the report's clause; NULL: a sentence does. run NULL: the excuses that need its outputs are
 * not looked for. The arena lends its budget. */
const char *qd_excuse_of(const struct qd_evaluated *evaluated, const struct qd_run *run,
                         const struct qd_comparison *comparison, struct qd_arena *arena);

/* Of values of which some are excused and some are not the comparison points at the first that is not: an order of
 * scales, a division of operands that are not converted. */
void qd_excuse_pass_over(const struct qd_evaluated *evaluated, const struct qd_run *run,
                         struct qd_arena *arena, struct qd_comparison *comparison);

#endif
