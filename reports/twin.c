#include "twin.h"

#include "qdiff/answer.h"
#include "qdiff/share.h"
#include "qdiff/suite.h"

void qd_twins_begin(struct qd_twins *twins)
{
    twins->index = NULL;
    qd_arena_init(&twins->arena, QD_ARENA_DEFAULT_BUDGET);
}

void qd_twins_end(struct qd_twins *twins)
{
    qd_arena_clear(&twins->arena);
}

static enum qd_status make_index(struct qd_twins *twins, const struct qd_options *options,
                                 struct qd_error *error)
{
    const char *directory = options->cases;
    enum qd_status status = QD_OK;

    if (twins->index != NULL) {
        return QD_OK;
    }
    if (directory == NULL) {
        status = qd_share_path(&twins->arena, "cases", &directory, error);
    }
    return status == QD_OK ? qd_case_index_make(directory, &twins->arena, &twins->index, error)
                           : status;
}

/* Runs the twin and sees whether it is refused; one that the reference cannot evaluate says nothing. */
static enum qd_status run_twin(struct qd_session *session, const struct qd_case *twin,
                               struct qd_arena *arena, bool *refused, struct qd_error *error)
{
    struct qd_value *values;
    const struct qd_tensor *shapes;
    struct qd_run run;
    enum qd_status status =
        qd_graph_answer(twin->graph, twin->inputs, arena, &values, &shapes, NULL);

    if (status != QD_OK) {
        return status == QD_NO_MEMORY
                   ? qd_fail(error, status, "no memory for the twin '%.80s'", twin->id)
                   : QD_OK;
    }
    status = qd_session_run(session, twin, shapes, arena, &run, error);
    *refused = status == QD_OK && run.outcome == QD_OUTCOME_REJECTED;
    return status;
}

enum qd_status qd_twin_is_refused(struct qd_twins *twins, const struct qd_options *options,
                                  struct qd_session *session, const struct qd_case *kase,
                                  bool *refused, struct qd_error *error)
{
    enum qd_status status = make_index(twins, options, error);
    const char *path, *reason;
    struct qd_arena arena;
    struct qd_case twin;

    *refused = false;
    if (status != QD_OK || (path = qd_case_index_find(twins->index, kase->twin)) == NULL) {
        return status;
    }
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    status = qd_case_load(path, &arena, &twin, error);
    if (status == QD_OK && !qd_session_can(session, &twin, &reason)) {
        *refused = true;
    } else if (status == QD_OK) {
        status = run_twin(session, &twin, &arena, refused, error);
    }
    qd_arena_clear(&arena);
    return status;
}
