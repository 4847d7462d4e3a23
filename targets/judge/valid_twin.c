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
                               struct qd_arena *arena, struct qd_trial *trial,
                               struct qd_error *error)
{
    struct qd_evaluated evaluated;
    enum qd_status status = qd_case_evaluate(twin, arena, &evaluated, error);
    if (status != QD_OK)
        return status == QD_NO_MEMORY ? status : QD_OK;
    return qd_trial_ask(session, &evaluated, arena, trial, error);
}

/* Finds the twin of `kase`; *found is false where there is none. */
static enum qd_status find_twin(struct qd_twins *twins, const struct qd_case *kase,
                                struct qd_arena *arena, struct qd_case *twin, bool *found,
                                struct qd_error *error)
{
    enum qd_status status = make_index(twins, error);
    const char *path =
        status == QD_OK && kase->twin ? qd_case_index_find(twins->index, kase->twin) : NULL;
    *found = path != NULL;
    return path ? qd_case_load(path, arena, twin, error) : status;
}

enum qd_status qd_twin_is_refused(struct qd_twins *twins, struct qd_session *session,
                                  const struct qd_case *kase, bool *refused, struct qd_error *error)
{
    struct qd_trial trial = {.declared = true};
    struct qd_arena arena;
    struct qd_case twin;
    bool found;
    *refused = false;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = find_twin(twins, kase, &arena, &twin, &found, error);
    if (status == QD_OK && found) {
        status = ask_twin(session, &twin, &arena, &trial, error);
        *refused = trial.skip ? !trial.declared : trial.run.outcome == QD_OUTCOME_REJECTED;
    }
    qd_arena_clear(&arena);
    return status;
}

/* Asks the twin in the process that has taken the case. */
static enum qd_status dies_now(struct qd_session *session, const struct qd_case *twin,
                               struct qd_arena *arena, struct qd_run *death, bool *dies,
                               struct qd_error *error)
{
    struct qd_trial trial = {.skip = NULL};
    enum qd_status status = ask_twin(session, twin, arena, &trial, error);
    *dies = status == QD_OK && !trial.skip && trial.run.outcome == QD_OUTCOME_CRASH;
    *death = trial.run;
    return status;
}

/* What came before the case may have done the damage: in a fresh process the twin lives, and after the case alone it
 * dies again. */
static enum qd_status confirm(struct qd_session *session, const struct qd_evaluated *evaluated,
                              const struct qd_case *twin, struct qd_arena *arena,
                              struct qd_run *death, bool *dies, struct qd_error *error)
{
    struct qd_trial trial;
    bool dies_alone = false;
    qd_session_renew(session);
    enum qd_status status = dies_now(session, twin, arena, death, &dies_alone, error);
    *dies = false;
    if (status != QD_OK || dies_alone)
        return status;
    qd_session_renew(session);
    status = qd_trial_ask(session, evaluated, arena, &trial, error);
    return status == QD_OK ? dies_now(session, twin, arena, death, dies, error) : status;
}

enum qd_status qd_twin_dies_after(struct qd_twins *twins, struct qd_session *session,
                                  const struct qd_evaluated *evaluated, struct qd_run *death,
                                  bool *dies, struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_case twin;
    bool found;
    *dies = false;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = find_twin(twins, evaluated->kase, &arena, &twin, &found, error);
    if (status == QD_OK && found)
        status = dies_now(session, &twin, &arena, death, dies, error);
    if (status == QD_OK && *dies)
        status = confirm(session, evaluated, &twin, &arena, death, dies, error);
    qd_arena_clear(&arena);
    return status;
}
