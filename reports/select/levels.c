/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the lowest level that has a case. */
#include "select/levels.h"
#include "select/visit.h"

/* A level being visited. */
struct visit {
    struct qd_levels *levels;
    unsigned level;
    enum qd_status status;
    struct qd_error *error;
};

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct visit *visit = context;
    struct qd_digest id = qd_digest_of_text(selected->kase->id);

    if (!qd_digest_map_get(&visit->levels->ids, &id))
        visit->status = qd_digest_map_put(&visit->levels->ids, &id, visit->level, visit->error);
    return visit->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct visit *visit = context;

    (void)path; /* the error names it */
    *visit->error = *error;
    visit->status = error->status;
    return QD_VISIT_STOP;
}

static enum qd_status learn_level(const struct qd_options *options, unsigned level,
                                  struct qd_levels *levels, struct qd_error *error)
{
    struct qd_options lower = *options;
    struct qd_selection selection = {.options = &lower};
    struct visit visit = {levels, level, QD_OK, error};
    struct qd_visitor visitor = {take, take_bad, &visit};

    lower.level = (enum qd_level)level;
    enum qd_status status = qd_visit_selected(&selection, &visitor, error);
    return status == QD_OK ? visit.status : status;
}

enum qd_status qd_levels_learn(const struct qd_options *options, struct qd_levels *levels,
                               struct qd_error *error)
{
    struct qd_levels learned = {.top = options->level};
    enum qd_status status = QD_OK;

    for (unsigned level = 0; status == QD_OK && level < (unsigned)options->level; level++)
        status = learn_level(options, level, &learned, error);
    if (status != QD_OK) {
        qd_levels_clear(&learned);
        return status;
    }
    *levels = learned;
    return QD_OK;
}

enum qd_level qd_levels_of(const struct qd_levels *levels, const struct qd_case *kase)
{
    struct qd_digest id = qd_digest_of_text(kase->id);
    const unsigned *level = qd_digest_map_get(&levels->ids, &id);

    return level ? (enum qd_level) * level : levels->top;
}

void qd_levels_clear(struct qd_levels *levels)
{
    qd_digest_map_clear(&levels->ids);
}
