/* One case on one quantizer: what the checks find in its answer, as a result like any other. */
#ifndef QDIFF_REPORTS_QUANTIZER_GATE_H
#define QDIFF_REPORTS_QUANTIZER_GATE_H

#include "gate_targets.h"
#include "qdiff/quantizer_check.h"
#include "result.h"
#include "visit.h"

/* Judges, and looks the result up among the target's expectations. A case of the kernel role is a skip. Errors as below. */
enum qd_status qd_quantizer_run_case(const struct qd_selected *selected,
                                     const struct qd_gate_target *target, struct qd_arena *arena,
                                     struct qd_result *result, struct qd_error *error);

/* Asks one quantizer and checks its answer: the request's result, without expectations. `report` is left zeroed where there was no
 * answer to check. Strings live in the arena. UNUSABLE, NO_MEMORY; INVALID or UNSUPPORTED when the reference has no say; MALFORMED. */
enum qd_status qd_quantizer_judge(const struct qd_case *kase, const struct qd_gate_target *target,
                                  struct qd_arena *arena, struct qd_quantizer_report *report,
                                  struct qd_result *result, struct qd_error *error);

#endif
