/* The run of quantizers: their own suite, and what the checks find in each answer, as results like any other. */
#ifndef QDIFF_REPORTS_QUANTIZER_GATE_H
#define QDIFF_REPORTS_QUANTIZER_GATE_H

#include "gate.h"
#include "qdiff/quantizer_check.h"
#include "qdiff/quantizer_suite.h"

/* Runs on the targets, all quantizers, the cases whose index among the selected is `job` modulo `jobs`. USAGE for files and packs,
 * which hold no requests; else as qd_gate_run_part. */
enum qd_status qd_quantizer_gate_run_part(const struct qd_gate *gate,
                                          struct qd_gate_targets *targets, uint64_t job,
                                          uint64_t jobs, struct qd_error *error);

/* Asks one quantizer and checks its answer: the request's result, without expectations. `report` is left zeroed where there was no
 * answer to check. Strings live in the arena. UNUSABLE, NO_MEMORY; INVALID or UNSUPPORTED when the reference has no say. */
enum qd_status qd_quantizer_judge(const struct qd_quantizer_case *kase,
                                  const struct qd_gate_target *target, struct qd_arena *arena,
                                  struct qd_quantizer_report *report, struct qd_result *result,
                                  struct qd_error *error);

#endif
