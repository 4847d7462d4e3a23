/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of generated cases that a target meets in another state. */
#ifndef QDIFF_CASES_AFTER_STEPS_H
#define QDIFF_CASES_AFTER_STEPS_H

#include "qdiff/case.h"

/* Makes, of one case in eight (which ones is up to their ids), the twin that comes after steps: model, inputs and
 * outputs are the case's; first the same model runs on other numbers, or another model with the same weights or the
 * same parameters is loaded, run, kept. Which of these is up to the id, too; the slug ends with its word, such as
 * "-after_other_inputs", the note names the case. *made says whether there is one: not of large cases, and not where
 * nothing can be other. NO_MEMORY, LIMIT. */
enum qd_status qd_after_steps_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                   struct qd_case *twin, struct qd_error *error);

/* The words that ids of such twins end with, NULL past the last. */
const char *qd_after_steps_word(size_t i);

#endif
