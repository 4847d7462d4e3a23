#include "evaluated.h"

#include <string.h>

#include "qdiff/answer.h"

static enum qd_status want_rejected(const struct qd_case *kase, enum qd_status status,
                                    struct qd_error *error)
{
    if (status == QD_OK) {
        return qd_fail(error, QD_INTERNAL,
                       "must be rejected by rule %s, but the reference takes it", kase->rule);
    }
    if (status != QD_INVALID || strcmp(error->rule, kase->rule) != 0) {
        return qd_fail_context(error, QD_INTERNAL, "must be rejected by rule %s, is by \"%s\"",
                               kase->rule, error->rule);
    }
    return QD_OK;
}

enum qd_status qd_case_evaluate(const struct qd_selected *selected, struct qd_arena *arena,
                                struct qd_evaluated *evaluated, struct qd_error *error)
{
    const struct qd_case *kase = selected->kase;
    size_t count = kase->graph->output_count;
    struct qd_value *values = qd_arena_array(arena, count, sizeof *values);
    const struct qd_tensor *shapes = NULL;
    struct qd_error local = {0};
    enum qd_status status;

    if (values == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu outputs", count);
    }
    status = qd_graph_evaluate(kase->graph, kase->inputs, NULL, arena, values, &local);
    if (kase->expect == QD_EXPECT_MUST_REJECT) {
        status = want_rejected(kase, status, &local);
        values = NULL;
    } else if (status == QD_OK) {
        status = qd_values_shapes(values, count, arena, &shapes, &local);
    }
    if (status != QD_OK) {
        if (error != NULL) {
            *error = local;
        }
        return status;
    }
    *evaluated = (struct qd_evaluated){selected, values, shapes};
    return QD_OK;
}
