/* SPDX-License-Identifier: Apache-2.0 */
/* A trial: the steps from a case and a target to a verdict, the same for everybody who judges. */
#include "qdiff/trial.h"

#include <stdio.h>
#include <string.h>

#include "judge/excuse.h"
#include "qdiff/valid_twin.h"

/* Says of two runs that differ which is right: admissible in every element. */
static void say_which_is_right(const struct qd_evaluated *evaluated, struct qd_run *run)
{
    static const char *const words[] = {"neither is right", "the first is right",
                                        "the second is right", "both are right"};
    unsigned right = 0;
    if (run->outcome != QD_OUTCOME_NONDETERMINISTIC || !evaluated->values || !run->differing[1])
        return;
    for (unsigned r = 0; r < 2; r++) {
        struct qd_run one = {.outcome = QD_OUTCOME_OUTPUTS, .outputs = run->differing[r]};
        struct qd_comparison comparison;
        qd_compare(evaluated->kase, evaluated->values, &one, &comparison);
        right |= (unsigned)!qd_verdict_is_divergence(comparison.verdict) << r;
    }
    size_t used = strlen(run->message);
    snprintf(run->message + used, sizeof run->message - used, "; %s", words[right]);
}

/* --- A kernel target's answer ------------------------------------------------------------------- */

enum qd_status qd_trial_ask(struct qd_session *session, const struct qd_evaluated *evaluated,
                            struct qd_arena *arena, struct qd_trial *trial, struct qd_error *error)
{
    struct qd_trial made = {.skip = NULL};
    if (!qd_session_can(session, evaluated->kase, &evaluated->features, &made.skip)) {
        *trial = made;
        return QD_OK;
    }
    made.declared = true;
    enum qd_status status =
        qd_session_run(session, evaluated->kase, evaluated->shapes, arena, &made.run, error);
    if (status != QD_OK)
        return status;
    if (made.run.outcome == QD_OUTCOME_SKIPPED) {
        made.skip = qd_arena_string(arena, made.run.message);
        if (!made.skip)
            return qd_fail(error, QD_NO_MEMORY, "no memory for a skip");
    } else {
        qd_compare(evaluated->kase, evaluated->values, &made.run, &made.comparison);
        say_which_is_right(evaluated, &made.run);
    }
    *trial = made;
    return QD_OK;
}

/* What has to be refused, and what a row expects to kill the target, runs in the isolated session. */
static struct qd_session *session_for(const struct qd_subject *subject,
                                      const struct qd_evaluated *evaluated)
{
    if (!subject->isolated)
        return subject->session;
    bool risky =
        !evaluated->values ||
        (subject->expectations && qd_expectations_expect(subject->expectations, QD_VERDICT_CRASH,
                                                         evaluated->kase, &evaluated->features));
    return risky ? subject->isolated : subject->session;
}

static enum qd_status ask_kernel(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                                 struct qd_arena *arena, struct qd_trial *trial,
                                 struct qd_error *error)
{
    struct qd_trial made = {.skip = NULL};
    enum qd_status status =
        qd_trial_ask(session_for(subject, evaluated), evaluated, arena, &made, error);
    if (status != QD_OK)
        return status;
    if (!made.skip && qd_verdict_is_divergence(made.comparison.verdict)) {
        bool accepts = made.comparison.verdict == QD_VERDICT_ACCEPTS_INVALID;
        made.divergences = qd_arena_array(arena, 1, sizeof *made.divergences);
        const char *words =
            accepts ? evaluated->kase->rule : qd_arena_string(arena, made.run.message);
        if (!made.divergences || !words)
            return qd_fail(error, QD_NO_MEMORY, "no memory for a divergence");
        made.divergences[made.divergence_count++] =
            (struct qd_divergence){.class = made.comparison.verdict, .words = words};
    }
    *trial = made;
    return QD_OK;
}

const struct qd_target_role qd_role_kernel = {
    .name = "kernel",
    .evaluate = qd_case_evaluate,
    .ask = ask_kernel,
};

/* --- What follows from it ----------------------------------------------------------------------- */

/* A refusal where the valid twin is refused too shows nothing about the rule. */
static enum qd_status check_twin(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                                 struct qd_twins *twins, struct qd_trial *trial,
                                 struct qd_error *error)
{
    bool refused = false;
    if (trial->skip || !subject->session || trial->comparison.verdict != QD_VERDICT_REJECTED)
        return QD_OK;
    enum qd_status status =
        qd_twin_is_refused(twins, subject->session, evaluated->kase, &refused, error);
    if (status == QD_OK && refused)
        trial->skip = "vacuous: the valid twin is refused too";
    return status;
}

/* What a target took against the rules may have damaged its process; so that the verdict does not depend on which case
 * comes next there, the valid twin does. */
static enum qd_status check_aftermath(struct qd_subject *subject,
                                      const struct qd_evaluated *evaluated, struct qd_twins *twins,
                                      struct qd_arena *arena, struct qd_trial *trial,
                                      struct qd_error *error)
{
    struct qd_run death;
    bool dies = false;
    if (trial->skip || !subject->session ||
        trial->comparison.verdict != QD_VERDICT_ACCEPTS_INVALID || trial->divergence_count != 1)
        return QD_OK;
    enum qd_status status =
        qd_twin_dies_after(twins, session_for(subject, evaluated), evaluated, &death, &dies, error);
    if (status != QD_OK || !dies)
        return status;
    const char *words = qd_arena_printf(
        arena, "it takes the model, and its valid twin dies after it: %s", death.message);
    if (!words)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a divergence");
    trial->divergences[0] = (struct qd_divergence){.class = QD_VERDICT_STATE_LEAK, .words = words};
    trial->comparison.verdict = QD_VERDICT_STATE_LEAK;
    snprintf(trial->run.message, sizeof trial->run.message, "%s", words);
    return QD_OK;
}

static bool same_outputs(const struct qd_tensor *a, const struct qd_tensor *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(a[i].data, b[i].data, qd_tensor_bytes(&a[i])) != 0)
            return false;
    return true;
}

/* The memo, made one of this answer; NULL: there is none, or nothing to keep. */
static struct qd_answer_memo *recall(struct qd_answer_memo *memo,
                                     const struct qd_evaluated *evaluated,
                                     const struct qd_trial *trial)
{
    const struct qd_tensor *outputs = trial->run.outputs;
    if (!memo || trial->skip || !outputs || trial->comparison.verdict != QD_VERDICT_WRONG_VALUE)
        return NULL;
    size_t count = evaluated->kase->graph->output_count;
    if (!memo->outputs || !same_outputs(memo->outputs, outputs, count))
        *memo = (struct qd_answer_memo){.outputs = outputs};
    return memo;
}

/* Whichever target gives it: of a number nothing hangs on whose the operator is. */
static enum qd_status cite_value(const struct qd_evaluated *evaluated, struct qd_arena *arena,
                                 struct qd_trial *trial, struct qd_divergence *one,
                                 struct qd_error *error)
{
    struct qd_answer_memo *memo = trial->memo;
    if (memo && memo->citation.clause) {
        trial->comparison = memo->comparison;
        one->citation = memo->citation;
        return QD_OK;
    }
    qd_excuse_pass_over(evaluated, &trial->run, arena, &trial->comparison);
    enum qd_status status = qd_cite(evaluated, NULL, &trial->run, &trial->comparison, one->class,
                                    one->words, arena, &one->citation, error);
    if (memo && status == QD_OK) {
        memo->comparison = trial->comparison;
        memo->citation = one->citation;
    }
    return status;
}

static enum qd_status cite(const struct qd_subject *subject, const struct qd_evaluated *evaluated,
                           struct qd_arena *arena, struct qd_trial *trial, struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < trial->divergence_count && status == QD_OK; i++) {
        struct qd_divergence *one = &trial->divergences[i];
        status = one->class == QD_VERDICT_WRONG_VALUE
                     ? cite_value(evaluated, arena, trial, one, error)
                     : qd_cite(evaluated, subject->session, &trial->run, &trial->comparison,
                               one->class, one->words, arena, &one->citation, error);
    }
    return status;
}

/* --- Alone in a fresh process -------------------------------------------------------------------- */

/* A death is tried in a fresh worker by the session; two runs of one worker that differ show nothing. */
static bool is_worth_another_try(const struct qd_trial *trial)
{
    return trial->run.outcome != QD_OUTCOME_CRASH && trial->run.outcome != QD_OUTCOME_HANG &&
           trial->run.outcome != QD_OUTCOME_OOM &&
           trial->run.outcome != QD_OUTCOME_NONDETERMINISTIC;
}

/* It is right in another company: the target kept something. The trial keeps the first answer, its words tell both. */
static enum qd_status call_leak(const struct qd_subject *subject,
                                const struct qd_evaluated *evaluated, const char *after,
                                enum qd_verdict right, const char *how, struct qd_arena *arena,
                                struct qd_trial *trial, struct qd_error *error)
{
    struct qd_divergence *one = &trial->divergences[0];
    const char *words =
        qd_arena_printf(arena, "%s after %s, %s %s%s%s", qd_verdict_word(one->class), after,
                        qd_verdict_word(right), how, *one->words ? ": " : "", one->words);
    if (!words)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a divergence");
    *one = (struct qd_divergence){.class = QD_VERDICT_STATE_LEAK, .words = words};
    trial->comparison.verdict = QD_VERDICT_STATE_LEAK;
    snprintf(trial->run.message, sizeof trial->run.message, "%s", words);
    return cite(subject, evaluated, arena, trial, error);
}

/* What no row expects is asked once more, alone: if it is right then, the target kept something of earlier cases. */
static enum qd_status ask_alone(const struct qd_subject *subject,
                                const struct qd_evaluated *evaluated, struct qd_arena *arena,
                                struct qd_trial *trial, struct qd_error *error)
{
    struct qd_run run;
    struct qd_comparison alone;
    bool ran;
    enum qd_status status = qd_session_run_alone(session_for(subject, evaluated), evaluated->kase,
                                                 evaluated->shapes, arena, &run, &ran, error);
    if (status != QD_OK || !ran)
        return status;
    qd_compare(evaluated->kase, evaluated->values, &run, &alone);
    if (qd_verdict_is_divergence(alone.verdict) || run.outcome == QD_OUTCOME_SKIPPED)
        return QD_OK;
    return call_leak(subject, evaluated, "other cases", alone.verdict, "alone in a fresh process",
                     arena, trial, error);
}

/* The case without what comes before it, in a fresh process: if it is right then, the steps matter. */
static enum qd_status ask_without_steps(const struct qd_subject *subject,
                                        const struct qd_evaluated *evaluated,
                                        struct qd_arena *arena, struct qd_trial *trial,
                                        struct qd_error *error)
{
    struct qd_case bare = *evaluated->kase;
    struct qd_evaluated asked = *evaluated;
    struct qd_trial without = {.skip = NULL};
    struct qd_session *session = session_for(subject, evaluated);
    bare.step_count = 0;
    asked.kase = &bare;
    qd_session_renew(session); /* what the steps left must not be there */
    enum qd_status status = qd_trial_ask(session, &asked, arena, &without, error);
    if (status != QD_OK || without.skip || qd_verdict_is_divergence(without.comparison.verdict))
        return status;
    const char *steps = qd_arena_printf(arena, "%zu step%s", evaluated->kase->step_count,
                                        evaluated->kase->step_count == 1 ? "" : "s");
    if (!steps)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a divergence");
    return call_leak(subject, evaluated, steps, without.comparison.verdict, "without", arena, trial,
                     error);
}

static bool is_surprising(const struct qd_trial *trial)
{
    return trial->divergence_count == 1 && !trial->divergences->row &&
           trial->divergences->citation.severity != QD_SEVERITY_ADVISORY;
}

/* Whether state explains what no row does. */
static enum qd_status look_for_leak(const struct qd_subject *subject,
                                    const struct qd_evaluated *evaluated, struct qd_arena *arena,
                                    struct qd_trial *trial, struct qd_error *error)
{
    enum qd_status status = QD_OK;
    if (trial->skip || !subject->session || !is_surprising(trial))
        return QD_OK;
    if (evaluated->kase->step_count > 0 && trial->run.step == 0)
        status = ask_without_steps(subject, evaluated, arena, trial, error);
    if (status == QD_OK && trial->divergences->class != QD_VERDICT_STATE_LEAK &&
        is_worth_another_try(trial))
        status = ask_alone(subject, evaluated, arena, trial, error);
    if (status == QD_OK && trial->divergences->class == QD_VERDICT_STATE_LEAK &&
        subject->expectations)
        qd_trial_expect(subject->expectations, evaluated, arena, trial);
    return status;
}

/* --- The verdict --------------------------------------------------------------------------------- */

static bool is_advisory(const struct qd_divergence *divergence)
{
    return divergence->citation.severity == QD_SEVERITY_ADVISORY;
}

/* What no row expects comes before what one does, what is advisory last; then the order of the list of verdicts. */
static bool is_graver(const struct qd_divergence *a, const struct qd_divergence *b)
{
    if (!a->row != !b->row)
        return !a->row;
    if (is_advisory(a) != is_advisory(b))
        return is_advisory(b);
    return a->class < b->class;
}

static void choose_verdict(struct qd_trial *trial, bool strict)
{
    const struct qd_divergence *chosen = NULL;
    for (size_t i = 0; i < trial->divergence_count; i++)
        if (!chosen || is_graver(&trial->divergences[i], chosen))
            chosen = &trial->divergences[i];
    trial->citation = (struct qd_citation){QD_SEVERITY_NONE, ""};
    if (!chosen)
        return;
    trial->comparison.verdict = chosen->class;
    trial->row = chosen->row;
    trial->known = chosen->row != NULL;
    trial->citation = chosen->citation;
    trial->fails = !trial->known && (strict || !is_advisory(chosen));
}

void qd_trial_expect(struct qd_expectations *expectations, const struct qd_evaluated *evaluated,
                     struct qd_arena *arena, struct qd_trial *trial)
{
    struct qd_evidence evidence = {.kase = evaluated->kase,
                                   .features = &evaluated->features,
                                   .verdict = trial->comparison.verdict,
                                   .canonical = evaluated->values,
                                   .run = &trial->run,
                                   .arena = arena,
                                   .fits = trial->memo ? &trial->memo->fits : NULL};
    const struct qd_expectation *unexpected = NULL;
    for (size_t i = 0; i < trial->divergence_count; i++) {
        struct qd_divergence *one = &trial->divergences[i];
        evidence.verdict = one->class;
        evidence.words = one->words;
        one->row = qd_expectations_match(expectations, &evidence, &unexpected, &trial->covering);
        if (one->row)
            qd_row_lines_add(&trial->matched, one->row->row);
    }
    if (trial->divergence_count == 0)
        qd_expectations_match(expectations, &evidence, &trial->unexpected, NULL);
}

/* Runs that agree by chance read memory that is nobody's all the same, and may have written there; and what a
 * must-reject case has damaged need not have killed its twin. */
static void leave_damage(const struct qd_subject *subject, const struct qd_evaluated *evaluated,
                         const struct qd_trial *trial)
{
    if (!subject->session || trial->skip)
        return;
    bool by_chance =
        trial->known && trial->row->by_chance && trial->run.outcome != QD_OUTCOME_NONDETERMINISTIC;
    bool lives = trial->comparison.verdict == QD_VERDICT_ACCEPTS_INVALID && subject->expectations &&
                 qd_expectations_expect(subject->expectations, QD_VERDICT_STATE_LEAK,
                                        evaluated->kase, &evaluated->features);
    if (by_chance || lives)
        qd_session_renew(session_for(subject, evaluated));
}

static enum qd_status diagnose(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                               const struct qd_trial_options *options, struct qd_arena *arena,
                               struct qd_trial *trial, struct qd_error *error)
{
    if (!subject->session || (trial->known && !options->diagnose_known) ||
        trial->comparison.verdict != QD_VERDICT_WRONG_VALUE)
        return QD_OK;
    struct qd_diagnosis *made = qd_arena_alloc(arena, sizeof *made);
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a diagnosis");
    trial->diagnosis = made;
    struct qd_diagnose_options how = *options->diagnose;
    how.memo = trial->memo ? &trial->memo->quirks : NULL;
    return qd_diagnose(subject->isolated ? subject->isolated : subject->session, evaluated->kase,
                       evaluated->values, &trial->run, &how, arena, made, error);
}

enum qd_status qd_trial_run(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                            const struct qd_trial_options *options, struct qd_arena *arena,
                            struct qd_trial *trial, struct qd_error *error)
{
    struct qd_trial made = {.skip = NULL};
    enum qd_status status = subject->role->ask(subject, evaluated, arena, &made, error);
    if (status == QD_OK && options->twins)
        status = check_twin(subject, evaluated, options->twins, &made, error);
    if (status == QD_OK && options->twins)
        status = check_aftermath(subject, evaluated, options->twins, arena, &made, error);
    if (status == QD_OK)
        made.memo = recall(options->memo, evaluated, &made);
    if (status == QD_OK && !made.skip)
        status = cite(subject, evaluated, arena, &made, error);
    if (status == QD_OK && !made.skip && subject->expectations)
        qd_trial_expect(subject->expectations, evaluated, arena, &made);
    if (status == QD_OK)
        status = look_for_leak(subject, evaluated, arena, &made, error);
    choose_verdict(&made, options->strict);
    leave_damage(subject, evaluated, &made);
    if (status == QD_OK && !made.skip && options->diagnose)
        status = diagnose(subject, evaluated, options, arena, &made, error);
    if (status == QD_OK && arena->starved)
        status = qd_fail(error, QD_NO_MEMORY, "no memory to judge a case");
    if (status == QD_OK)
        *trial = made;
    return status;
}
