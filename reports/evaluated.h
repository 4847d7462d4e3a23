/* A case with what the reference says about it. */
#ifndef QDIFF_REPORTS_EVALUATED_H
#define QDIFF_REPORTS_EVALUATED_H

#include "qdiff/evaluate.h"
#include "result.h"
#include "visit.h"

struct qd_evaluated {
    const struct qd_selected *selected;
    const struct qd_value *values;  /* graph->output_count, NULL for a must-reject case */
    const struct qd_tensor *shapes; /* the same as tensors, NULL for a must-reject case */
};

/* Evaluates the case in the arena. INVALID, UNSUPPORTED, LIMIT, NO_MEMORY as qd_graph_evaluate for a valid case.
 * A must-reject case that the reference does not reject, or by another rule than the case says, is INTERNAL. */
enum qd_status qd_case_evaluate(const struct qd_selected *selected, struct qd_arena *arena,
                                struct qd_evaluated *evaluated, struct qd_error *error);

/* Turns what `run` came to into a result: verdict, expectation, and for a divergence what differs. Strings live in
 * the arena or are borrowed. NO_MEMORY only. */
enum qd_status qd_judge(const struct qd_evaluated *evaluated, const char *target,
                        const struct qd_run *run, struct qd_expectations *expectations,
                        struct qd_arena *arena, struct qd_result *result, struct qd_error *error);

#endif
