/* Why a divergence differs, added to its result. */
#ifndef QDIFF_REPORTS_DIAGNOSED_H
#define QDIFF_REPORTS_DIAGNOSED_H

#include "evaluated.h"
#include "options.h"
#include "qdiff/diagnose.h"

/* Diagnoses a result of kind FAIL and class VALUE, which `run` on the session's target came to, and fills its diagnosis; others
 * are left alone. Runs neighbours of the case on the session. Strings live in the arena. */
enum qd_status qd_result_diagnose(struct qd_session *session, const struct qd_evaluated *evaluated,
                                  const struct qd_run *run, const struct qd_options *options,
                                  struct qd_arena *arena, struct qd_result *result,
                                  struct qd_error *error);

#endif
