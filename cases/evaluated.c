/* SPDX-License-Identifier: Apache-2.0 */
/* What the reference says about a case, the rule that a must-reject case breaks included. */
#include "qdiff/evaluated.h"

#include <string.h>

#include "qdiff/answer.h"
#include "qdiff/evaluate.h"

static enum qd_status want_rejected(const struct qd_case *kase, enum qd_status status,
                                    struct qd_error *error)
{
    if (status == QD_OK)
        return qd_fail(error, QD_INTERNAL,
                       "must be rejected by rule %s, but the reference takes it", kase->rule);
    if (status != QD_INVALID || strcmp(error->rule, kase->rule) != 0)
        return qd_fail_context(error, QD_INTERNAL, "must be rejected by rule %s, is by \"%s\"",
                               kase->rule, error->rule);
    return QD_OK;
}

enum qd_status qd_case_evaluate_within(double work, struct qd_sample *sample,
                                       const struct qd_case *kase, struct qd_arena *arena,
                                       struct qd_evaluated *evaluated, struct qd_error *error)
{
    struct qd_evaluated made = {.kase = kase};
    struct qd_error local = {.status = QD_OK};
    struct qd_value *values;
    enum qd_status status = qd_graph_answer_within(work, sample, kase->graph, kase->inputs, arena,
                                                   &values, &made.shapes, &local);
    made.values = values;
    if (kase->expect == QD_EXPECT_MUST_REJECT) {
        status = want_rejected(kase, status, &local);
        made.values = NULL;
        made.shapes = NULL;
    }
    if (status != QD_OK) {
        if (error)
            *error = local;
        return status;
    }
    qd_case_features(kase, &made.features);
    *evaluated = made;
    return QD_OK;
}

enum qd_status qd_case_evaluate(const struct qd_case *kase, struct qd_arena *arena,
                                struct qd_evaluated *evaluated, struct qd_error *error)
{
    return qd_case_evaluate_within(QD_MAX_WORK, NULL, kase, arena, evaluated, error);
}
