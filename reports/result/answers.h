/* SPDX-License-Identifier: Apache-2.0 */
/* What a target gave at every element that is not the canonical value, as text: a heat map is drawn from it
 * without the target. */
#ifndef QDIFF_REPORTS_ANSWERS_H
#define QDIFF_REPORTS_ANSWERS_H

#include "qdiff/evaluated.h"
#include "qdiff/session.h"

/* Of all outputs together; then comes "...". */
enum { QD_ANSWERS_MOST = 512 };

/* "17!-3 18~4;;0!nan": flat index, '!' for a wrong and '~' for an admissible value, the value; one part for
 * each graph output, ';' between them. Canonical and unspecified elements are left out. The run has outputs.
 * In the arena, NULL when out of memory. */
const char *qd_answers_describe(const struct qd_evaluated *evaluated, const struct qd_run *run,
                                struct qd_arena *arena);

#endif
