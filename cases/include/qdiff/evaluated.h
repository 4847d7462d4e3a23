/* SPDX-License-Identifier: Apache-2.0 */
/* A case with what the reference says about it. */
#ifndef QDIFF_EVALUATED_H
#define QDIFF_EVALUATED_H

#include "qdiff/case.h"
#include "qdiff/features.h"
#include "qdiff/sample.h"
#include "qdiff/value.h"

/* Borrows the case; everything else lives in the arena that it was evaluated in. */
struct qd_evaluated {
    const struct qd_case *kase;
    struct qd_features features;
    const struct qd_value *values; /* graph->output_count; NULL: the case has to be rejected */
    const struct qd_tensor
        *shapes; /* types and shapes of the same, as targets are asked for them */
};

/* Evaluates the case, with that limit of its work; products of a node that cost more than sample->work are computed in
 * part (sample.h; NULL: all of them are). Of a valid one INVALID, UNSUPPORTED, LIMIT, NO_MEMORY as qd_graph_evaluate. A
 * must-reject case that the reference does not reject, or by another rule than the case names, is INTERNAL. */
enum qd_status qd_case_evaluate_within(double work, struct qd_sample *sample,
                                       const struct qd_case *kase, struct qd_arena *arena,
                                       struct qd_evaluated *evaluated, struct qd_error *error);
/* The same within QD_MAX_WORK, without a sample. */
enum qd_status qd_case_evaluate(const struct qd_case *kase, struct qd_arena *arena,
                                struct qd_evaluated *evaluated, struct qd_error *error);

#endif
