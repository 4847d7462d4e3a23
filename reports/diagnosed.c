#include "diagnosed.h"

/* The public ids of the first quirk that is named. */
static const char *seen_of(const struct qd_diagnosis *diagnosis)
{
    return diagnosis->quirk_count > 0 ? diagnosis->quirks[0]->seen : "";
}

static const char *evidence_of(const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    return qd_arena_printf(arena, "%zu neighbours run, %zu differ%s", diagnosis->neighbours,
                           diagnosis->divergent, diagnosis->out_of_time ? "; out of time" : "");
}

static enum qd_status fill(const struct qd_diagnosis *diagnosis, struct qd_arena *arena,
                           struct qd_result *result, struct qd_error *error)
{
    const char *evidence = evidence_of(diagnosis, arena);

    if (evidence == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for a diagnosis");
    }
    result->diagnosis = diagnosis->label;
    result->seen = seen_of(diagnosis);
    result->effect = diagnosis->quirk_count > 0 ? diagnosis->quirks[0]->effect : "";
    result->evidence = evidence;
    result->place = diagnosis->place;
    result->facts = diagnosis->facts;
    return QD_OK;
}

enum qd_status qd_result_diagnose(struct qd_session *session, const struct qd_evaluated *evaluated,
                                  const struct qd_run *run, const struct qd_options *options,
                                  struct qd_arena *arena, struct qd_result *result,
                                  struct qd_error *error)
{
    const struct qd_diagnose_options how = {.seconds = options->diagnosis_time};
    struct qd_diagnosis diagnosis;
    enum qd_status status;

    if (options->no_diagnosis || result->kind != QD_RESULT_FAIL ||
        result->comparison.verdict != QD_VERDICT_WRONG_VALUE) {
        return QD_OK;
    }
    status = qd_diagnose(session, evaluated->selected->kase, evaluated->values, run, &how, arena,
                         &diagnosis, error);
    return status == QD_OK ? fill(&diagnosis, arena, result, error) : status;
}
