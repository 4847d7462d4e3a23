/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that a target meets in another state. */
#ifndef QDIFF_SEQUENCE_H
#define QDIFF_SEQUENCE_H

#include "qdiff/case.h"
#include "qdiff/random.h"

/* Makes the case that comes after steps: first the same model runs on other numbers, or another
 * model with the same weights or the same parameters is loaded, run, kept. Which of these is up to
 * `random`; *word names it. NULL: nothing can be other, and nothing is made. Steps of its own the
 * case loses. NO_MEMORY, LIMIT. */
enum qd_status qd_case_put_after_steps(const struct qd_case *kase, struct qd_random *random,
                                       struct qd_arena *arena, const char **word,
                                       struct qd_case *after, struct qd_error *error);

#endif
