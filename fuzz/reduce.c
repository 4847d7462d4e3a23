/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known_upstream.h"
#include "qdiff/clock.h"
#include "qdiff/features.h"
#include "qdiff/neighbours.h"
#include "qdiff/open_axis.h"
#include "qdiff/reducer.h"
#include "reduce_steps.h"

#define DEFAULT_SECONDS 60.0

/* What the id of a reduced case begins with; its signature follows. */
#define FINDINGS "findings/"

/* What a smaller shape shows with other numbers is worth as much: so many neighbours of it are tried. */
#define REDRAWS 8

static const struct pass {
    const char *name;
    qd_reduce_step *step;
    bool frees_op; /* operator and types may become others */
    bool redraws;  /* tries neighbours of what shows nothing */
} passes[] = {
    /* With a step each candidate needs a fresh process: these go first. */
    {"step", qd_reduce_to_step, true, false},
    {"closed", qd_reduce_closed, false, false},
    {"before", qd_reduce_before, false, false},
    {"outputs", qd_reduce_outputs, true, false},
    {"tail", qd_reduce_tail, true, false},
    {"head", qd_reduce_head, true, false},
    {"bypass", qd_reduce_bypass, true, false},
    {"variadic", qd_reduce_variadic, false, true},
    {"optional", qd_reduce_optional, false, false},
    {"reshape", qd_reduce_reshape, false, false},
    {"shapes", qd_reduce_shapes, false, true},
    {"lengths", qd_reduce_lengths, false, false},
    {"attributes", qd_reduce_attributes, false, false},
    {"granularity", qd_reduce_granularity, false, true},
    {"constants", qd_reduce_constants, false, false},
    {"parameters", qd_reduce_parameters, false, false},
    {"data", qd_reduce_data, false, false},
};

#define PASSES (sizeof passes / sizeof *passes)

/* A case that shows the finding, in memory of its own. */
struct shown {
    struct qd_arena *arena;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_trial trial;
    size_t which; /* of the trial's divergences: the finding */
};

/* What has to stay. */
struct key {
    enum qd_verdict verdict;
    enum qd_severity severity;
    enum qd_stage stage;
    bool in_step; /* a death in a step, whose stage nobody tells */
    int signal;
    uint32_t cause;    /* of a death, 0: not said */
    uint32_t words;    /* of a refusal, of what a quantizer's answer is found to be */
    const char *shape; /* of an unexplained difference; else NULL */
    const struct qd_diagnosis *diagnosis; /* of VALUE */
    bool open;                            /* the diagnosis ran out of time: any name will do */
    bool literal; /* the pages allow the case: no vector of one element stands for a scalar */
    char op[128], types[64];
};

struct reduction {
    struct qd_subject subject; /* without rows: what is known is reduced too */
    const struct qd_reduce_options *options;
    struct qd_error *error;
    struct key key;
    struct qd_arena arenas[2], redrawn;
    struct shown at[2]; /* the smallest, and the one that is tried */
    unsigned current;
    bool strict;        /* each step is diagnosed */
    uint8_t *confirmed; /* the last one whose diagnosis was the same, encoded */
    size_t confirmed_size;
    double start, seconds;
    size_t round, tried, kept;
    bool out_of_time;
    bool starved; /* the machine had no memory for some step */
    const struct qd_expectation
        *known; /* a row that expects the finding: nothing more is to be learned */
};

/* A step for which there was no memory is none that failed. */
static void recycle(struct reduction *r, struct qd_arena *arena)
{
    r->starved = r->starved || arena->starved;
    qd_arena_reset(arena);
}

static bool goes_on(struct reduction *r)
{
    if (r->known || r->starved)
        return false;
    r->out_of_time = r->out_of_time || qd_clock_seconds() - r->start > r->seconds;
    return !r->out_of_time;
}

/* --- One case on reference and target ----------------------------------------------------------- */

static bool is_death(enum qd_verdict verdict)
{
    return verdict == QD_VERDICT_CRASH || verdict == QD_VERDICT_HANG || verdict == QD_VERDICT_OOM;
}

/* The reference's answer; INVALID etc. when it is not what the case expects. A target dies of a model that breaks one
 * rule as of one that breaks another, or none: a case that was to be rejected becomes what it is now. */
static enum qd_status evaluate(const struct reduction *r, struct shown *shown,
                               struct qd_error *error)
{
    struct qd_case *kase = &shown->kase;
    const struct qd_target_role *role = r->subject.role;
    enum qd_status status = role->evaluate(kase, shown->arena, &shown->evaluated, error);
    if (status != QD_INTERNAL || !is_death(r->key.verdict) || kase->expect != QD_EXPECT_MUST_REJECT)
        return status;
    kase->expect = QD_EXPECT_VALID;
    kase->rule = kase->twin = "";
    status = role->evaluate(kase, shown->arena, &shown->evaluated, error);
    if (status != QD_INVALID)
        return status;
    kase->expect = QD_EXPECT_MUST_REJECT;
    kase->rule = qd_arena_string(shown->arena, error->rule);
    return kase->rule ? role->evaluate(kase, shown->arena, &shown->evaluated, error)
                      : qd_fail(error, QD_NO_MEMORY, "no room for a rule");
}

/* Runs what was evaluated. */
static enum qd_status run(struct reduction *r, struct shown *shown, struct qd_error *error)
{
    static const struct qd_trial_options nothing_more = {.twins = NULL};
    shown->which = 0;
    if (shown->kase.step_count > 0 || r->key.verdict == QD_VERDICT_STATE_LEAK)
        qd_session_renew(r->subject.session); /* what earlier candidates left is no part of it */
    return qd_trial_run(&r->subject, &shown->evaluated, &nothing_more, shown->arena, &shown->trial,
                        error);
}

static bool is_literal(const struct qd_case *kase)
{
    struct qd_features features;
    qd_case_features(kase, &features);
    return !qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR);
}

/* --- Is it the same? ---------------------------------------------------------------------------- */

static void set_op(struct key *key, const struct qd_case *kase)
{
    snprintf(key->op, sizeof key->op, "%s", kase->op);
    qd_signature_types(kase, key->types, sizeof key->types);
}

static bool same_op(const struct key *key, const struct qd_case *kase)
{
    struct key have;
    set_op(&have, kase);
    return strcmp(have.op, key->op) == 0 && strcmp(have.types, key->types) == 0;
}

static bool explains(const struct qd_quirk *const *quirks, size_t count, const struct shown *shown)
{
    return qd_quirks_explain(quirks, count, &shown->kase, shown->evaluated.values,
                             &shown->trial.run, shown->arena);
}

static bool some_quirk_explains(const struct shown *shown)
{
    const struct qd_quirk *quirk;
    for (size_t i = 0; (quirk = qd_quirk_at(i)); i++)
        if (qd_quirk_concerns(quirk, shown->kase.graph) && explains(&quirk, 1, shown))
            return true;
    return false;
}

/* A difference of values: what was named still explains it, or the elements are off as far. */
static bool same_difference(const struct key *key, const struct shown *shown)
{
    const struct qd_diagnosis *named = key->diagnosis;
    if (key->open)
        return true;
    switch (named->kind) {
    case QD_DIAGNOSIS_QUIRK:
    case QD_DIAGNOSIS_PAIR: return explains(named->quirks, named->quirk_count, shown);
    case QD_DIAGNOSIS_SEVERAL:
        for (size_t i = 0; i < named->quirk_count; i++)
            if (explains(&named->quirks[i], 1, shown))
                return true;
        return false;
    default:
        return strcmp(qd_signature_shape(&shown->evaluated, &shown->trial.run), key->shape) == 0;
    }
}

/* By the cause, where it is said. */
static bool same_death(const struct key *key, const struct qd_run *have, const char *words)
{
    const char *kind;
    return have->signal == key->signal && qd_signature_cause(words, &kind) == key->cause &&
           (key->cause != 0 || key->in_step || have->stage == key->stage);
}

static bool same_way(const struct key *key, const struct shown *shown,
                     const struct qd_divergence *divergence)
{
    const struct qd_run *have = &shown->trial.run;
    switch (key->verdict) {
    case QD_VERDICT_WRONG_VALUE: return same_difference(key, shown);
    case QD_VERDICT_CRASH: return same_death(key, have, divergence->words);
    case QD_VERDICT_REJECTS_VALID:
        return have->stage == key->stage && qd_signature_words(divergence->words) == key->words;
    case QD_VERDICT_HANG:
    case QD_VERDICT_OOM: return have->stage == key->stage;
    default: return !shown->trial.report || qd_signature_words(divergence->words) == key->words;
    }
}

/* Whether the trial shows what has to stay; shown->which says where. */
static bool shows(const struct key *key, struct shown *shown)
{
    const struct qd_trial *trial = &shown->trial;
    for (size_t i = 0; i < trial->divergence_count; i++)
        if (trial->divergences[i].class == key->verdict &&
            trial->divergences[i].citation.severity == key->severity &&
            same_way(key, shown, &trial->divergences[i])) {
            shown->which = i;
            return true;
        }
    return false;
}

/* An unexplained difference has become so small that some quirk explains it, perhaps by chance: neighbours tell. */
static bool needs_diagnosis(const struct key *key, const struct shown *shown)
{
    return key->verdict == QD_VERDICT_WRONG_VALUE && !key->open &&
           key->diagnosis->quirk_count == 0 && some_quirk_explains(shown);
}

/* What is named now is among what was named. */
static bool same_name(const struct qd_diagnosis *before, const struct qd_diagnosis *after)
{
    if ((before->quirk_count == 0) != (after->quirk_count == 0))
        return false;
    for (size_t i = 0; i < after->quirk_count; i++) {
        bool found = false;
        for (size_t j = 0; j < before->quirk_count; j++)
            found = found || before->quirks[j] == after->quirks[i];
        if (!found)
            return false;
    }
    return (before->kind == QD_DIAGNOSIS_PAIR) == (after->kind == QD_DIAGNOSIS_PAIR);
}

/* The whole diagnosis again. */
static enum qd_status diagnose_again(struct reduction *r, struct shown *shown, bool *same)
{
    struct qd_arena arena;
    struct qd_diagnosis diagnosis;
    *same = true;
    if (r->key.verdict != QD_VERDICT_WRONG_VALUE || r->key.open)
        return QD_OK;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_diagnose(r->subject.session, &shown->kase, shown->evaluated.values, &shown->trial.run,
                    &r->options->diagnose, &arena, &diagnosis, r->error);
    if (status == QD_OK)
        *same = same_name(r->key.diagnosis, &diagnosis);
    qd_arena_clear_for(&arena, shown->arena);
    return status;
}

/* Whether the case that is tried still shows the finding. *ran: it got as far as the target. */
static enum qd_status judge(struct reduction *r, struct shown *trial, bool frees_op, bool *ran,
                            bool *same)
{
    struct qd_error error;
    *ran = *same = false;
    if (evaluate(r, trial, &error) != QD_OK || (!frees_op && !same_op(&r->key, &trial->kase)) ||
        (r->key.literal && !is_literal(&trial->kase)) ||
        !qd_case_steps_are_right(&trial->kase, QD_MAX_WORK, trial->arena))
        return QD_OK;
    enum qd_status status = run(r, trial, &error);
    if (status == QD_INVALID || status == QD_UNSUPPORTED || status == QD_MALFORMED)
        return QD_OK; /* a quantizer's case, of which the reference has no say */
    if (status != QD_OK)
        return qd_fail(r->error, status, "%s", error.text);
    *ran = !trial->trial.skip;
    *same = *ran && shows(&r->key, trial);
    return *same && (r->strict || needs_diagnosis(&r->key, trial)) ? diagnose_again(r, trial, same)
                                                                   : QD_OK;
}

/* --- Steps -------------------------------------------------------------------------------------- */

static struct qd_reduce_view view_of(struct shown *shown)
{
    const struct qd_comparison *comparison = &shown->trial.comparison;
    bool differs = shown->evaluated.values && comparison->mismatched > 0;
    return (struct qd_reduce_view){.kase = &shown->kase,
                                   .values = shown->evaluated.values,
                                   .differs = differs,
                                   .output = differs ? comparison->output : 0,
                                   .element = differs ? comparison->element : 0,
                                   .arena = shown->arena};
}

/* Tries a case. It goes through bytes: nothing may be borrowed from the case it was made of. */
static enum qd_status try_case(struct reduction *r, const struct pass *pass,
                               const struct qd_case *made, struct qd_arena *arena, bool *ran,
                               bool *taken)
{
    struct shown *trial = &r->at[!r->current];
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    *ran = *taken = false;
    recycle(r, trial->arena);
    r->tried++;
    if (qd_case_encode(made, arena, &bytes, &size, &error) != QD_OK ||
        qd_case_decode(bytes, size, trial->arena, &trial->kase, &error) != QD_OK)
        return QD_OK;
    enum qd_status status = judge(r, trial, pass->frees_op, ran, taken);
    if (status != QD_OK || !*taken)
        return status;
    r->kept++;
    r->current = !r->current;
    set_op(&r->key, &trial->kase);
    return QD_OK;
}

/* The same with other numbers. */
static enum qd_status try_neighbours(struct reduction *r, const struct pass *pass,
                                     const struct qd_case *made, bool *taken)
{
    struct qd_error error;
    enum qd_status status = QD_OK;
    bool ran;
    for (uint64_t i = 0; status == QD_OK && i < REDRAWS && !*taken && goes_on(r); i++) {
        struct qd_case neighbour;
        recycle(r, &r->redrawn);
        if (qd_neighbour(made, i, &r->redrawn, &neighbour, &error) != QD_OK)
            continue;
        neighbour.id = made->id;
        status = try_case(r, pass, &neighbour, &r->redrawn, &ran, taken);
    }
    return status;
}

/* The edited case becomes the smallest, if it still shows the finding. */
static enum qd_status try_edit(struct reduction *r, const struct pass *pass,
                               const struct qd_case_edit *edit, bool *taken)
{
    struct qd_error error;
    struct qd_case made;
    bool ran;
    *taken = false;
    if (qd_case_edit_finish(edit, edit->metadata.id, false, &made, &error) != QD_OK)
        return QD_OK;
    enum qd_status status = try_case(r, pass, &made, edit->arena, &ran, taken);
    bool redraws = pass->redraws && r->key.verdict == QD_VERDICT_WRONG_VALUE;
    return status == QD_OK && ran && !*taken && redraws ? try_neighbours(r, pass, &made, taken)
                                                        : status;
}

static enum qd_status run_steps(struct reduction *r, const struct pass *pass,
                                struct qd_arena *scratch)
{
    struct qd_reduce_view view = view_of(&r->at[r->current]);
    struct qd_case_edit edit;
    bool fresh = false;
    for (size_t number = 0; goes_on(r);) {
        if (!fresh) {
            recycle(r, scratch);
            enum qd_status status = qd_case_edit_begin(view.kase, scratch, &edit, r->error);
            if (status != QD_OK)
                return status;
            edit.infers = fresh = true;
        }
        enum qd_step step = pass->step(&view, &edit, number);
        if (step == QD_STEP_END)
            return QD_OK;
        bool taken = false;
        if (step == QD_STEP_TRY) {
            enum qd_status status = try_edit(r, pass, &edit, &taken);
            if (status != QD_OK)
                return status;
            fresh = false;
        }
        if (taken)
            view = view_of(&r->at[r->current]);
        else
            number++;
    }
    return QD_OK;
}

/* --- Passes ------------------------------------------------------------------------------------- */

/* Asks the rows, if there are any. */
static void look_up(struct reduction *r, struct shown *shown)
{
    if (!r->options->rows || r->known)
        return;
    qd_trial_expect(r->options->rows, &shown->evaluated, shown->arena, &shown->trial);
    r->known = shown->trial.divergences[shown->which].row;
}

/* The smallest so far has the same diagnosis: a pass that leads elsewhere comes back to it. */
static enum qd_status confirm(struct reduction *r)
{
    struct shown *shown = &r->at[r->current];
    uint8_t *bytes;
    size_t size;
    look_up(r, shown);
    enum qd_status status = qd_case_encode(&shown->kase, shown->arena, &bytes, &size, r->error);
    uint8_t *copy = status == QD_OK ? malloc(size) : NULL;
    if (status == QD_OK && !copy)
        return qd_fail(r->error, QD_NO_MEMORY, "no room for a case of %zu bytes", size);
    if (status != QD_OK)
        return status;
    memcpy(copy, bytes, size);
    free(r->confirmed);
    r->confirmed = copy;
    r->confirmed_size = size;
    return QD_OK;
}

static enum qd_status take_back(struct reduction *r)
{
    struct shown *shown = &r->at[r->current];
    recycle(r, shown->arena);
    enum qd_status status =
        qd_case_decode(r->confirmed, r->confirmed_size, shown->arena, &shown->kase, r->error);
    if (status == QD_OK)
        status = evaluate(r, shown, r->error);
    if (status == QD_OK)
        status = run(r, shown, r->error);
    if (status == QD_OK && shows(&r->key, shown))
        set_op(&r->key, &shown->kase);
    return status;
}

static int64_t output_elements(const struct qd_case *kase, const struct qd_value *values)
{
    int64_t count = 0;
    for (size_t i = 0; values && i < kase->graph->output_count; i++)
        count += values[i].want.count;
    return values ? count : -1;
}

static struct qd_case_size size_of(const struct qd_case *kase, const struct qd_value *values)
{
    const struct qd_graph *graph = kase->graph;
    struct qd_case_size size = {.nodes = graph->node_count,
                                .tensors = kase->input_count,
                                .bytes = kase->model_size,
                                .output_elements = output_elements(kase, values)};
    for (size_t i = 0; i < graph->node_count; i++)
        size.attributes += graph->nodes[i].attr_count;
    for (size_t i = 0; i < kase->input_count; i++) {
        size.elements += kase->inputs[i].count;
        size.bytes += qd_tensor_bytes(&kase->inputs[i]);
    }
    for (size_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].initializer) {
            size.elements += graph->values[i].initializer->count;
            size.tensors++;
        }
    return size;
}

static void report(const struct reduction *r, const struct pass *pass)
{
    const struct shown *shown = &r->at[r->current];
    const struct qd_reduce_progress progress = {.pass = pass->name,
                                                .round = r->round,
                                                .tried = r->tried,
                                                .kept = r->kept,
                                                .size =
                                                    size_of(&shown->kase, shown->evaluated.values),
                                                .seconds = qd_clock_seconds() - r->start};
    if (r->options->progress)
        r->options->progress(r->options->context, &progress);
}

static enum qd_status run_pass(struct reduction *r, const struct pass *pass,
                               struct qd_arena *scratch)
{
    size_t before = r->kept;
    bool same = true;
    enum qd_status status = run_steps(r, pass, scratch);
    if (status == QD_OK && r->kept > before && !r->strict)
        status = diagnose_again(r, &r->at[r->current], &same);
    if (status == QD_OK && !same) {
        r->kept = before;
        r->strict = true;
        status = take_back(r);
        if (status == QD_OK)
            status = run_steps(r, pass, scratch);
        r->strict = false;
    }
    if (status == QD_OK && r->kept > before) {
        status = confirm(r);
        report(r, pass);
    }
    return status;
}

static enum qd_status run_rounds(struct reduction *r)
{
    struct qd_arena scratch;
    enum qd_status status = confirm(r);
    size_t before;
    qd_arena_init(&scratch, QD_ARENA_DEFAULT_BUDGET);
    do {
        before = r->kept;
        r->round++;
        for (size_t i = 0; status == QD_OK && i < PASSES && goes_on(r); i++)
            status = run_pass(r, &passes[i], &scratch);
    } while (status == QD_OK && r->kept > before && goes_on(r));
    qd_arena_clear_for(&scratch, &r->redrawn);
    return status;
}

/* --- The whole ---------------------------------------------------------------------------------- */

static void set_key(struct key *key, const struct shown *shown, const struct qd_diagnosis *named)
{
    const struct qd_divergence *divergence = &shown->trial.divergences[shown->which];
    const char *kind;
    *key = (struct key){.verdict = divergence->class,
                        .severity = divergence->citation.severity,
                        .stage = shown->trial.run.stage,
                        .in_step = shown->trial.run.step > 0,
                        .signal = shown->trial.run.signal,
                        .cause = qd_signature_cause(divergence->words, &kind),
                        .words = qd_signature_words(divergence->words),
                        .shape = "",
                        .diagnosis = named,
                        .open = named->quirk_count == 0 && named->out_of_time,
                        .literal = is_literal(&shown->kase)};
    if (key->verdict == QD_VERDICT_WRONG_VALUE)
        key->shape = qd_signature_shape(&shown->evaluated, &shown->trial.run);
    set_op(key, &shown->kase);
}

/* Leaves the outputs of which some element differs; false if all do. */
static bool keep_wrong_outputs(const struct shown *shown, struct qd_case_edit *edit)
{
    size_t count = edit->output_count, kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct qd_comparison comparison;
        qd_compare_tensor(&shown->evaluated.values[i], &shown->trial.run.outputs[i], &comparison);
        if (comparison.mismatched > 0)
            edit->outputs[kept++] = edit->outputs[i];
    }
    edit->output_count = kept;
    return kept > 0 && kept < count;
}

/* Operators beside the wrong one, which the fuzzer joined to it, are right: no quirk of the whole graph explains both.
 * They go first, if what is left still differs, and only then it is asked what the finding is. */
static enum qd_status drop_right_outputs(struct reduction *r)
{
    const struct shown *shown = &r->at[r->current];
    struct qd_arena scratch;
    struct qd_case_edit edit;
    bool taken;
    if (shown->trial.comparison.verdict != QD_VERDICT_WRONG_VALUE ||
        shown->kase.graph->output_count < 2)
        return QD_OK;
    qd_arena_init(&scratch, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_case_edit_begin(&shown->kase, &scratch, &edit, r->error);
    if (status == QD_OK && keep_wrong_outputs(shown, &edit)) {
        edit.infers = true;
        qd_reduce_prune(&edit);
        r->key = (struct key){.verdict = QD_VERDICT_WRONG_VALUE,
                              .severity = shown->trial.citation.severity,
                              .open = true};
        status = try_edit(r, &passes[0], &edit, &taken);
    }
    qd_arena_clear_for(&scratch, &r->redrawn);
    return status;
}

/* What the finding is: class, diagnosis, signature. */
static enum qd_status identify(struct reduction *r, const struct shown *shown,
                               struct qd_arena *arena, struct qd_finding *finding)
{
    return qd_finding_identify(&r->subject, &shown->evaluated, &shown->trial, shown->which,
                               &r->options->diagnose, arena, finding, r->error);
}

/* The divergence that is reduced: the one asked for, or the gravest. */
static void choose(const struct reduction *r, struct shown *shown)
{
    const struct qd_trial *trial = &shown->trial;
    size_t count = trial->divergence_count;
    shown->which = 0;
    for (size_t i = 0; i < count; i++)
        if (trial->divergences[i].class < trial->divergences[shown->which].class)
            shown->which = i;
    if (!r->options->coarse && r->options->which < count)
        shown->which = r->options->which;
    for (size_t i = count; r->options->coarse && i-- > 0;) {
        char signature[QD_SIGNATURE_SIZE];
        qd_signature_make(&shown->evaluated, r->subject.info->name, trial, i, &qd_undiagnosed,
                          signature);
        if (strcmp(signature, r->options->coarse) == 0)
            shown->which = i;
    }
}

/* The case as it was given: evaluated and run; it has to diverge. */
static enum qd_status try_first(struct reduction *r, const struct qd_case *kase)
{
    struct shown *shown = &r->at[r->current];
    const struct qd_trial *trial = &shown->trial;
    shown->kase = *kase;
    enum qd_status status = evaluate(r, shown, r->error);
    if (status == QD_OK)
        status = run(r, shown, r->error);
    if (status != QD_OK)
        return status;
    if (trial->skip)
        return qd_fail(r->error, QD_USAGE, "%s does not run '%.80s': %.120s", r->subject.id,
                       kase->id, trial->skip);
    if (trial->divergence_count == 0)
        return qd_fail(r->error, QD_USAGE, "%s: '%.80s' does not diverge, it is %s", r->subject.id,
                       kase->id, qd_verdict_word(trial->comparison.verdict));
    choose(r, shown);
    return QD_OK;
}

/* That, and what the finding is. */
static enum qd_status begin(struct reduction *r, const struct qd_case *kase, struct qd_arena *arena,
                            struct qd_reduced *reduced)
{
    struct shown *shown = &r->at[r->current];
    enum qd_status status = try_first(r, kase);
    if (status != QD_OK)
        return status;
    reduced->size_before = size_of(kase, shown->evaluated.values);
    status = drop_right_outputs(r);
    shown = &r->at[r->current];
    if (status == QD_OK)
        status = identify(r, shown, arena, &reduced->before);
    if (status == QD_OK)
        set_key(&r->key, shown, &reduced->before.diagnosis);
    return status;
}

/* The smallest case once more in the caller's arena, its outputs declared or as they are. */
static enum qd_status copy_smallest(struct reduction *r, bool declared, struct shown *last)
{
    const struct shown *smallest = &r->at[r->current];
    struct qd_case_edit edit;
    struct qd_case made;
    uint8_t *bytes;
    size_t size;
    enum qd_status status = QD_OK;
    made = smallest->kase;
    if (declared)
        status = qd_case_edit_begin(&smallest->kase, last->arena, &edit, r->error);
    edit.infers = true;
    if (status == QD_OK && declared)
        status = qd_case_edit_finish(&edit, edit.metadata.id, false, &made, r->error);
    if (status == QD_OK)
        status = qd_case_encode(&made, last->arena, &bytes, &size, r->error);
    if (status == QD_OK)
        status = qd_case_decode(bytes, size, last->arena, &last->kase, r->error);
    return status;
}

static enum qd_status run_copy(struct reduction *r, bool declared, struct shown *last)
{
    enum qd_status status = copy_smallest(r, declared, last);
    if (status == QD_OK)
        status = evaluate(r, last, r->error);
    if (status == QD_OK)
        status = run(r, last, r->error);
    return status;
}

/* A known difference may only be carried on by what is left of the graph. */
static enum qd_status look_upstream(struct reduction *r, const struct shown *last)
{
    struct qd_subject subject = r->subject;
    subject.expectations = r->options->rows;
    if (!subject.expectations || r->known || last->kase.step_count > 0 || !last->kase.graph ||
        last->trial.comparison.verdict != QD_VERDICT_WRONG_VALUE)
        return QD_OK;
    return qd_known_upstream(&subject, &last->kase, &last->trial, last->arena, &r->known, r->error);
}

/* Runs the smallest once more and says what it is. Some divergences are about outputs that are not declared. */
static enum qd_status conclude(struct reduction *r, struct shown *last, struct qd_reduced *reduced)
{
    enum qd_status status = run_copy(r, true, last);
    if (status == QD_OK && !shows(&r->key, last))
        status = run_copy(r, false, last);
    if (status != QD_OK)
        return status;
    if (last->trial.skip)
        return qd_fail(r->error, QD_USAGE, "%s does not run what '%.80s' came to: %.120s",
                       r->subject.id, last->kase.id, last->trial.skip);
    if (last->trial.divergence_count == 0)
        return qd_fail(r->error, QD_USAGE,
                       "%s: '%.80s' diverges only at times: it did, and in the end it did not",
                       r->subject.id, last->kase.id);
    if (!shows(&r->key, last))
        last->which = 0;
    last->kase.id =
        FINDINGS; /* a diagnosis looks at ids: a second reduction's has to see the same */
    status = identify(r, last, last->arena, &reduced->after);
    if (status != QD_OK)
        return status;
    last->kase.id = qd_arena_printf(last->arena, FINDINGS "%s", reduced->after.signature);
    if (!last->kase.id)
        return qd_fail(r->error, QD_NO_MEMORY, "no room for the reduced case");
    if (r->out_of_time)
        return QD_OK;
    look_up(r, last); /* some rows are for reduced cases only, which they know by the id */
    return look_upstream(r, last);
}

/* Whether the case has its name from a reduction, and what is left of it would have another. */
static bool is_renamed(const struct qd_case *kase, const struct qd_reduced *reduced)
{
    size_t length = strlen(FINDINGS);
    return strncmp(kase->id, FINDINGS, length) == 0 &&
           strcmp(kase->id + length, reduced->before.signature) == 0 &&
           strcmp(reduced->before.signature, reduced->after.signature) != 0;
}

/* The case as it was given is the smallest again. */
static enum qd_status give_back(struct reduction *r, const struct qd_case *kase,
                                struct qd_reduced *reduced)
{
    struct shown *shown = &r->at[r->current];
    recycle(r, shown->arena);
    enum qd_status status = try_first(r, kase);
    if (status == QD_OK)
        set_key(&r->key, shown, &reduced->before.diagnosis);
    return status;
}

static enum qd_status answer(struct reduction *r, const struct qd_case *kase,
                             struct qd_arena *arena, struct qd_reduced *reduced)
{
    struct shown last = {.arena = arena};
    enum qd_status status = conclude(r, &last, reduced);
    if (status == QD_OK && is_renamed(kase, reduced)) {
        status = give_back(r, kase, reduced);
        if (status == QD_OK)
            status = conclude(r, &last, reduced);
    }
    if (status != QD_OK)
        return status;
    reduced->kase = last.kase;
    reduced->evaluated = last.evaluated;
    reduced->trial = last.trial;
    reduced->which = last.which;
    reduced->known = r->known;
    reduced->size_after = size_of(&last.kase, last.evaluated.values);
    reduced->tried = r->tried;
    reduced->kept = r->kept;
    reduced->rounds = r->round;
    reduced->seconds = qd_clock_seconds() - r->start;
    reduced->out_of_time = r->out_of_time;
    return QD_OK;
}

enum qd_status qd_case_reduce(const struct qd_subject *subject, const struct qd_case *kase,
                              const struct qd_reduce_options *options, struct qd_arena *arena,
                              struct qd_reduced *reduced, struct qd_error *error)
{
    struct qd_error local;
    struct reduction r = {.subject = *subject,
                          .options = options,
                          .error = error ? error : &local,
                          .start = qd_clock_seconds(),
                          .seconds = options->seconds > 0 ? options->seconds : DEFAULT_SECONDS};
    struct qd_reduced made = {.out_of_time = false};
    r.subject.expectations = NULL;
    if (r.subject.isolated) /* a smaller case may kill the target */
        r.subject.session = r.subject.isolated;
    r.subject.isolated = NULL;
    for (size_t i = 0; i < 2; i++) {
        qd_arena_init(&r.arenas[i], QD_ARENA_DEFAULT_BUDGET);
        r.at[i].arena = &r.arenas[i];
    }
    qd_arena_init(&r.redrawn, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = begin(&r, kase, arena, &made);
    if (status == QD_OK)
        status = run_rounds(&r);
    if (status == QD_OK)
        status = answer(&r, kase, arena, &made);
    for (size_t i = 0; i < 2; i++)
        qd_arena_clear_for(&r.arenas[i], arena);
    qd_arena_clear_for(&r.redrawn, arena);
    free(r.confirmed);
    arena->starved = arena->starved || r.starved;
    if (status == QD_OK && arena->starved)
        status = qd_fail(r.error, QD_NO_MEMORY, "no memory to reduce a case");
    if (status == QD_OK) {
        *reduced = made;
        reduced->evaluated.kase = &reduced->kase;
    }
    return status;
}
