#include "qdiff/diagnose.h"

#include <string.h>
#include <time.h>

#include "diagnose/facts.h"
#include "diagnose/locate.h"
#include "qdiff/neighbours.h"

static const char *const words[] = {
#define WORD(name, word, meaning) word,
    QD_DIAGNOSIS_LIST(WORD)
#undef WORD
};

const char *qd_diagnosis_word(enum qd_diagnosis_kind kind)
{
    return (unsigned)kind < QD_DIAGNOSIS_COUNT ? words[kind] : "unknown";
}

/* Quirks taken together that may be the explanation. */
struct candidate {
    const struct qd_quirk *quirks[2];
    size_t count;
};

#define DEFAULT_SECONDS 1.0
#define DEFAULT_NEIGHBOURS 14
/* Neighbours looked at to tell candidates apart. */
#define MAX_NEIGHBOURS 200
/* Quirks that change a case, at most, whose pairs are tried. */
#define MAX_CHANGING 48

struct diagnosing {
    struct qd_session *session;
    const struct qd_case *kase;
    const struct qd_value *canonical;
    const struct qd_run *run;
    struct qd_arena *arena;
    struct qd_error *error;
    double start, seconds;
    size_t wanted_neighbours;
    struct candidate *candidates;
    size_t count;
    size_t neighbours, divergent;
    bool out_of_time;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool in_time(struct diagnosing *d)
{
    d->out_of_time = d->out_of_time || now() - d->start > d->seconds;
    return !d->out_of_time;
}

/* --- Does it explain? ------------------------------------------------------------------------- */

/* The case's values under quirks; NULL if it cannot be evaluated so. */
static struct qd_value *evaluate_under(const struct qd_quirk *const *quirks, size_t count,
                                       const struct qd_case *kase, struct qd_arena *arena)
{
    struct qd_semantics semantics;
    struct qd_error error = {.status = QD_OK};
    struct qd_value *values = qd_arena_array(arena, kase->graph->output_count, sizeof *values);
    if (!values || qd_quirks_apply(quirks, count, arena, &semantics, &error) != QD_OK ||
        qd_graph_evaluate(kase->graph, kase->inputs, &semantics, arena, values, &error) != QD_OK)
        return NULL;
    return values;
}

bool qd_quirks_explain(const struct qd_quirk *const *quirks, size_t count,
                       const struct qd_case *kase, const struct qd_value *canonical,
                       const struct qd_run *run, int64_t *slack)
{
    struct qd_arena arena;
    struct qd_comparison under, plain;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_value *values = evaluate_under(quirks, count, kase, &arena);
    bool explains = false;
    if (values) {
        qd_compare(kase, canonical, run, &plain);
        qd_compare(kase, values, run, &under);
        explains = !qd_verdict_is_divergence(under.verdict) && under.compared > 0 &&
                   under.unspecified <= plain.unspecified;
    }
    if (explains && slack)
        *slack = under.slack;
    qd_arena_clear(&arena);
    return explains;
}

static bool same_values(const struct qd_value *a, const struct qd_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].want.dtype != b[i].want.dtype || !qd_tensor_same_shape(&a[i].want, &b[i].want) ||
            memcmp(a[i].want.data, b[i].want.data, qd_tensor_bytes(&a[i].want)) != 0)
            return false;
    return true;
}

static bool changes(const struct qd_quirk *quirk, const struct diagnosing *d)
{
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_value *values = evaluate_under(&quirk, 1, d->kase, &arena);
    bool changed = values && !same_values(values, d->canonical, d->kase->graph->output_count);
    qd_arena_clear(&arena);
    return changed;
}

/* --- Candidates ------------------------------------------------------------------------------- */

static void try_candidate(struct diagnosing *d, size_t capacity, struct candidate candidate)
{
    if (d->count < capacity &&
        qd_quirks_explain(candidate.quirks, candidate.count, d->kase, d->canonical, d->run, NULL))
        d->candidates[d->count++] = candidate;
}

static void find_single(struct diagnosing *d, size_t capacity)
{
    const struct qd_quirk *quirk;
    for (size_t i = 0; (quirk = qd_quirk_at(i)) && in_time(d); i++)
        if (qd_quirk_concerns(quirk, d->kase->graph))
            try_candidate(d, capacity, (struct candidate){{quirk, NULL}, 1});
}

static void find_pairs(struct diagnosing *d, size_t capacity)
{
    const struct qd_quirk *changing[MAX_CHANGING], *quirk;
    size_t count = 0;
    for (size_t i = 0; count < MAX_CHANGING && (quirk = qd_quirk_at(i)) && in_time(d); i++)
        if (qd_quirk_concerns(quirk, d->kase->graph) && changes(quirk, d))
            changing[count++] = quirk;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && in_time(d); j++)
            try_candidate(d, capacity, (struct candidate){{changing[i], changing[j]}, 2});
}

/* --- Neighbours ------------------------------------------------------------------------------- */

/* A neighbour that the reference takes, with the reference's answer. */
struct trial {
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_value *canonical;
    struct qd_tensor *shapes;
    struct qd_run run;
};

/* False: this neighbour is not to be had. */
static bool make_trial(const struct diagnosing *d, uint64_t number, struct trial *trial)
{
    struct qd_error error = {.status = QD_OK};
    if (qd_neighbour(d->kase, number, &trial->arena, &trial->kase, &error) != QD_OK)
        return false;
    size_t count = trial->kase.graph->output_count;
    trial->shapes = qd_arena_array(&trial->arena, count, sizeof *trial->shapes);
    trial->canonical = evaluate_under(NULL, 0, &trial->kase, &trial->arena);
    if (!trial->canonical || !trial->shapes)
        return false;
    for (size_t i = 0; i < count; i++)
        trial->shapes[i] = trial->canonical[i].want;
    return true;
}

/* Whether two candidates give different outputs there. */
static bool tells_apart(const struct diagnosing *d, struct trial *trial)
{
    const struct qd_value *first = NULL;
    for (size_t i = 0; i < d->count; i++) {
        const struct candidate *c = &d->candidates[i];
        const struct qd_value *values =
            evaluate_under(c->quirks, c->count, &trial->kase, &trial->arena);
        if (i > 0 &&
            (!values || !first || !same_values(values, first, trial->kase.graph->output_count)))
            return values || first;
        first = values;
    }
    return false;
}

/* Keeps the candidates that explain what the target gave. */
static void sift(struct diagnosing *d, const struct trial *trial)
{
    size_t kept = 0;
    struct qd_comparison comparison;
    qd_compare(&trial->kase, trial->canonical, &trial->run, &comparison);
    d->neighbours++;
    d->divergent += qd_verdict_is_divergence(comparison.verdict);
    if (comparison.compared == 0)
        return;
    for (size_t i = 0; i < d->count; i++) {
        const struct candidate *c = &d->candidates[i];
        if (qd_quirks_explain(c->quirks, c->count, &trial->kase, trial->canonical, &trial->run,
                              NULL))
            d->candidates[kept++] = *c;
    }
    d->count = kept;
}

static enum qd_status ask_neighbour(struct diagnosing *d, uint64_t number)
{
    struct trial trial;
    enum qd_status status = QD_OK;
    qd_arena_init(&trial.arena, QD_ARENA_DEFAULT_BUDGET);
    bool settled = d->neighbours >= d->wanted_neighbours;
    if (make_trial(d, number, &trial) && (!settled || tells_apart(d, &trial))) {
        status = qd_session_run(d->session, &trial.kase, trial.shapes, &trial.arena, &trial.run,
                                d->error);
        if (status == QD_OK && trial.run.outcome == QD_OUTCOME_OUTPUTS)
            sift(d, &trial);
    }
    qd_arena_clear(&trial.arena);
    return status;
}

static enum qd_status ask_neighbours(struct diagnosing *d)
{
    enum qd_status status = QD_OK;
    for (uint64_t number = 0; status == QD_OK && number < MAX_NEIGHBOURS && d->count > 0;
         number++) {
        if (d->neighbours >= d->wanted_neighbours && d->count == 1)
            break;
        if (!in_time(d))
            break;
        status = ask_neighbour(d, number);
    }
    return status;
}

/* --- The answer ------------------------------------------------------------------------------- */

static const char *make_label(const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    const char *label = diagnosis->quirk_count == 0 ? qd_diagnosis_word(QD_DIAGNOSIS_UNEXPLAINED)
                                                    : diagnosis->quirks[0]->name;
    for (size_t i = 1; label && i < diagnosis->quirk_count; i++)
        label = qd_arena_printf(arena, "%s%c%s", label,
                                diagnosis->kind == QD_DIAGNOSIS_PAIR ? '+' : '|',
                                diagnosis->quirks[i]->name);
    return label;
}

/* Several pairs are too weak a statement to make: a pair is named only when it is the only one. */
static void name_candidates(const struct diagnosing *d, struct qd_diagnosis *diagnosis)
{
    const struct candidate *first = d->candidates;
    if (d->count == 0 || (d->count > 1 && first->count > 1) || d->count > QD_DIAGNOSIS_MAX_QUIRKS)
        return;
    diagnosis->kind = d->count > 1        ? QD_DIAGNOSIS_SEVERAL
                      : first->count == 2 ? QD_DIAGNOSIS_PAIR
                                          : QD_DIAGNOSIS_QUIRK;
    for (size_t i = 0; i < d->count; i++)
        for (size_t j = 0; j < d->candidates[i].count; j++)
            diagnosis->quirks[diagnosis->quirk_count++] = d->candidates[i].quirks[j];
    if (d->count == 1)
        qd_quirks_explain(first->quirks, first->count, d->kase, d->canonical, d->run,
                          &diagnosis->slack);
}

static enum qd_status find_candidates(struct diagnosing *d)
{
    enum { CAPACITY = 64 };
    d->candidates = qd_arena_array(d->arena, CAPACITY, sizeof *d->candidates);
    if (!d->candidates)
        return qd_fail(d->error, QD_NO_MEMORY, "no room for a diagnosis");
    find_single(d, CAPACITY);
    enum qd_status status = ask_neighbours(d);
    if (status != QD_OK || d->count > 0)
        return status;
    d->neighbours = d->divergent = 0;
    find_pairs(d, CAPACITY);
    return ask_neighbours(d);
}

enum qd_status qd_diagnose(struct qd_session *session, const struct qd_case *kase,
                           const struct qd_value *canonical, const struct qd_run *run,
                           const struct qd_diagnose_options *options, struct qd_arena *arena,
                           struct qd_diagnosis *diagnosis, struct qd_error *error)
{
    struct diagnosing d = {.session = session,
                           .kase = kase,
                           .canonical = canonical,
                           .run = run,
                           .arena = arena,
                           .error = error,
                           .start = now(),
                           .seconds = options->seconds > 0 ? options->seconds : DEFAULT_SECONDS,
                           .wanted_neighbours =
                               options->neighbours ? options->neighbours : DEFAULT_NEIGHBOURS};
    struct qd_diagnosis made = {.kind = QD_DIAGNOSIS_UNEXPLAINED};
    enum qd_status status = find_candidates(&d);
    if (status == QD_OK)
        status = qd_difference_locate(session, kase, arena, &made.place, error);
    if (status != QD_OK)
        return status;
    name_candidates(&d, &made);
    made.label = make_label(&made, arena);
    made.facts = qd_difference_facts(kase, canonical, run, arena);
    made.neighbours = d.neighbours;
    made.divergent = d.divergent;
    made.out_of_time = d.out_of_time;
    made.seconds = now() - d.start;
    if (!made.label || !made.facts)
        return qd_fail(error, QD_NO_MEMORY, "no room for a diagnosis");
    *diagnosis = made;
    return QD_OK;
}
