/* SPDX-License-Identifier: Apache-2.0 */
/* A trial as a result: what TAP, results files and tables print of it. */
#ifndef QDIFF_REPORTS_TRIAL_RESULT_H
#define QDIFF_REPORTS_TRIAL_RESULT_H

#include "qdiff/trial.h"
#include "result/result.h"

/* Kind, verdict, expectation row, and for a divergence what differs, where and why. Texts live in the arena or are
 * borrowed from case, subject and trial. NO_MEMORY only. */
enum qd_status qd_trial_result(const struct qd_subject *subject,
                               const struct qd_evaluated *evaluated, const struct qd_trial *trial,
                               struct qd_arena *arena, struct qd_result *result,
                               struct qd_error *error);

/* Runs the trial and makes its result. Whatever fails is a result of kind BROKEN as well, whose text is that of *error.
 * Errors of qd_trial_run. */
enum qd_status qd_trial_judge(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                              const struct qd_trial_options *options, struct qd_arena *arena,
                              struct qd_result *result, struct qd_error *error);

#endif
