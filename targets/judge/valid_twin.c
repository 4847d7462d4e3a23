/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the valid twin of a must-reject case is refused too. */
#include "qdiff/valid_twin.h"

#include "qdiff/data_path.h"
#include "qdiff/suite.h"
#include "qdiff/trial.h"

void qd_twins_init(struct qd_twins *twins, const char *directory)
{
    *twins = (struct qd_twins){.directory = directory};
    qd_arena_init(&twins->arena, QD_ARENA_DEFAULT_BUDGET);
}

void qd_twins_clear(struct qd_twins *twins)
{
    qd_arena_clear(&twins->arena);
}

static enum qd_status make_index(struct qd_twins *twins, struct qd_error *error)
{
    const char *directory = twins->directory;
    enum qd_status status = QD_OK;
    if (twins->index)
        return QD_OK;
    if (!directory)
        status = qd_data_path(&twins->arena, "cases", &directory, error);
    return status == QD_OK ? qd_case_index_make(directory, &twins->arena, &twins->index, error)
                           : status;
}

/* Runs the twin; one that the reference cannot evaluate says nothing. */
static enum qd_status ask_twin(struct qd_session *session, const struct qd_case *twin,
                               struct qd_arena *arena, bool *refused, struct qd_error *error)
{
    struct qd_evaluated evaluated;
    struct qd_trial trial;
    enum qd_status status = qd_case_evaluate(twin, arena, &evaluated, error);
    if (status != QD_OK)
        return status == QD_NO_MEMORY ? status : QD_OK;
    status = qd_trial_ask(session, &evaluated, arena, &trial, error);
    if (status == QD_OK)
        *refused = trial.skip ? !trial.declared : trial.run.outcome == QD_OUTCOME_REJECTED;
    return status;
}

enum qd_status qd_twin_is_refused(struct qd_twins *twins, struct qd_session *session,
                                  const struct qd_case *kase, bool *refused, struct qd_error *error)
{
    enum qd_status status = make_index(twins, error);
    const char *path;
    struct qd_arena arena;
    struct qd_case twin;
    *refused = false;
    if (status != QD_OK || !(path = qd_case_index_find(twins->index, kase->twin)))
        return status;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    status = qd_case_load(path, &arena, &twin, error);
    if (status == QD_OK)
        status = ask_twin(session, &twin, &arena, refused, error);
    qd_arena_clear(&arena);
    return status;
}
