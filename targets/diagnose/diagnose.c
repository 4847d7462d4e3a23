/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the quirks that explain why a target's numbers differ. */
#include "qdiff/diagnose.h"

#include <string.h>

#include "diagnose/facts.h"
#include "diagnose/locate.h"
#include "qdiff/clock.h"
#include "qdiff/element.h"
#include "qdiff/features.h"
#include "qdiff/neighbours.h"
#include "qdiff/suite.h"
#include "qdiff/trial.h"

static const char *const words[] = {
#define WORD(name, word, meaning) word,
    QD_DIAGNOSIS_LIST(WORD)
#undef WORD
};

const char *qd_diagnosis_word(enum qd_diagnosis_kind kind)
{
    return (unsigned)kind < QD_DIAGNOSIS_COUNT ? words[kind] : "unknown";
}

/* What a target may be an implementation of: the specification with these quirks. */
struct reading {
    const struct qd_quirk *const *quirks;
    size_t count;
    const struct qd_op *only; /* NULL, or the operator whose nodes alone have the one quirk */
};

enum { MOST_QUIRKS = 256 };

/* Quirks taken together that may be the explanation. */
struct candidate {
    const struct qd_quirk *quirks[2];
    size_t count;
    const struct qd_op *only; /* as in a reading */
    int64_t slack;            /* on the case */
    int64_t given;            /* wrong elements of the case that are its own value */
    int64_t inexact;  /* wrong elements in its set that are not its own value, over all trials */
    bool weak;        /* neither explains the case, nor is refuted */
    bool same;        /* each number of the case, specified or not, is its own */
    size_t divergent; /* wrong neighbours that it explains, and not all at the ends of the type */
    size_t silent;    /* neighbours of which most is unspecified under it */
    size_t excused;   /* wrong neighbours that it explains only together with another quirk */
    /* The orders in which a quirk explains each of those with it, by its place in the list. */
    uint8_t others[MOST_QUIRKS];
};

/* Two quirks need not give the same in both orders: of what the first does to a node the second sees the result. */
enum order { AFTER = 1, BEFORE = 2 };

/* So many of them speak for a pair of quirks, or for one in one operator alone: these can explain much by chance. */
#define PAIR_EVIDENCE 2

#define DEFAULT_SECONDS 1.0
#define DEFAULT_NEIGHBOURS 16
/* Neighbours looked at to tell candidates apart. */
#define MAX_NEIGHBOURS 200
/* Of them, those that are looked at before any other is run. */
#define FIRST_LOOK 32
#define MAX_CANDIDATES 64
/* Quirks that change a case, at most, whose pairs are tried. */
#define MAX_CHANGING 48

/* A candidate of which more than one in so many of the wrong elements lie in its set alone, and are not its own value,
 * gives way to one that gave all. */
#define INEXACT_SHARE 8
/* Cases of the suite kept that refute the single quirks: a pair has to explain them. */
#define MAX_REFUTING 4

/* Quirks kept that the target would show where it was right, and what is left says as little as that many do. */
#define MAX_STRUCK 8
#define FEW_LEFT 3

/* In this order they are tried. */
enum kind { SINGLE, PAIRS, LIMITED, KINDS };

struct qd_diagnosis_memo {
    struct {
        bool tried;
        size_t count, aside;
        struct candidate candidates[MAX_CANDIDATES];
    } found[KINDS];
};

/* A case, encoded. */
struct refuting {
    uint8_t *bytes;
    size_t size;
};

struct diagnosing {
    struct qd_session *session;
    const struct qd_case *kase;
    const struct qd_value *canonical;
    const struct qd_run *run;
    struct qd_comparison plain;     /* of the run with the canonical values */
    const struct qd_case *node;     /* the one that differs first, alone; NULL: none is known */
    struct qd_diagnosis_memo *memo; /* of this case and these outputs; or NULL */
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_features features; /* of the case */
    double start, seconds;
    size_t steps, most_steps; /* 0: as many as the time allows */
    size_t wanted_neighbours;
    struct candidate *candidates;
    size_t count;
    size_t neighbours, divergent;
    int64_t wrong;     /* elements, of the case and its neighbours */
    bool emptied;      /* a neighbour refuted all that was left of a kind, */
    uint64_t emptying; /* the last such: it is asked first of the next kind */
    size_t
        aside; /* quirks in whose sets the wrong elements of the case lie, that gave way to what gives them */
    struct candidate
        struck[MAX_STRUCK]; /* refuted by neighbours alone on which the target was right */
    size_t struck_count;
    size_t unlike; /* wrong cases that all candidates left were refuted by, and kept */
    struct refuting refuting[MAX_REFUTING]; /* the first cases, wrong or right, that refuted them */
    size_t refuting_count;
    bool others
        [MOST_QUIRKS]; /* quirks that explain one of these; if any, only their pairs are tried */
    struct qd_near_miss
        near; /* of the single quirks that were refuted, the one with the most evidence */
    bool out_of_time;
};

static struct reading reading_of(const struct candidate *c)
{
    return (struct reading){c->quirks, c->count, c->only};
}

/* Asked before each step: something is tried, or run. */
static bool in_time(struct diagnosing *d)
{
    bool spent = d->most_steps > 0 && ++d->steps > d->most_steps;
    d->out_of_time = d->out_of_time || spent || qd_clock_seconds() - d->start > d->seconds;
    return !d->out_of_time;
}

static bool same_tensor(const struct qd_tensor *a, const struct qd_tensor *b)
{
    return a->dtype == b->dtype && qd_tensor_same_shape(a, b) &&
           memcmp(a->data, b->data, qd_tensor_bytes(a)) == 0;
}

/* --- Does it explain? ------------------------------------------------------------------------- */

/* The case's values under quirks; NULL if it cannot be evaluated so. */
static struct qd_value *evaluate_under(struct reading reading, const struct qd_case *kase,
                                       struct qd_arena *arena)
{
    struct qd_semantics semantics;
    struct qd_error error = {.status = QD_OK};
    struct qd_value *values = qd_arena_array(arena, kase->graph->output_count, sizeof *values);
    enum qd_status status =
        reading.only ? qd_quirk_apply_to(reading.quirks[0], reading.only, arena, &semantics, &error)
                     : qd_quirks_apply(reading.quirks, reading.count, arena, &semantics, &error);
    if (!values || status != QD_OK ||
        qd_graph_evaluate(kase->graph, kase->inputs, &semantics, arena, values, &error) != QD_OK)
        return NULL;
    return values;
}

/* What a semantics has to say of a run. */
enum fit { REFUTED, SILENT, EXPLAINS };

/* What the target gave on a case, and what the reference says of it. */
struct answer {
    const struct qd_case *kase;
    const struct qd_value *canonical;
    const struct qd_run *run;
    const struct qd_comparison *plain;
};

/* What a semantics says of it, and the rest where it is not refuted. Of the wrong elements: how many are its own value,
 * and how many lie in its set alone. It says nothing of the others. */
struct view {
    struct qd_comparison comparison;
    int64_t given, inexact;
    bool same; /* each number, specified or not, is its own */
};

static void count_wrong(const struct qd_value *canonical, const struct qd_value *own,
                        const struct qd_tensor *have, struct view *view)
{
    for (int64_t i = 0; i < have->count; i++) {
        if (qd_element_of(canonical, have, i) != QD_ELEMENT_MISMATCHED)
            continue;
        enum qd_element element = qd_element_of(own, have, i);
        view->given += element == QD_ELEMENT_EXACT;
        view->inexact += element == QD_ELEMENT_ADMISSIBLE;
    }
}

static bool gives_all(const struct qd_value *own, const struct qd_tensor *have, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_tensor(&own[i].want, &have[i]))
            return false;
    return true;
}

static enum fit fit_of(struct reading reading, const struct answer *answer, struct qd_arena *owner,
                       struct view *view)
{
    const struct qd_case *kase = answer->kase;
    const size_t outputs = kase->graph->output_count;
    struct qd_arena arena;
    enum fit fit = REFUTED;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_value *values = evaluate_under(reading, kase, &arena);
    view->given = view->inexact = 0;
    view->same = false;
    if (values) {
        struct qd_comparison *under = &view->comparison;
        qd_compare(kase, values, answer->run, under);
        if (!qd_verdict_is_divergence(under->verdict))
            fit = 2 * under->compared >= answer->plain->compared ? EXPLAINS : SILENT;
        view->same = fit != REFUTED && gives_all(values, answer->run->outputs, outputs);
        bool wrong = fit != REFUTED && answer->plain->mismatched > 0;
        for (size_t i = 0; wrong && i < outputs; i++)
            count_wrong(&answer->canonical[i], &values[i], &answer->run->outputs[i], view);
    }
    qd_arena_clear_for(&arena, owner);
    return fit;
}

/* fit_of the case itself: an explanation speaks of the difference, since what is unspecified would fit any number. */
static enum fit fit_of_case(struct reading reading, const struct answer *answer,
                            struct qd_arena *owner, struct view *view)
{
    enum fit fit = fit_of(reading, answer, owner, view);
    bool tells = answer->plain->mismatched == 0 || view->given + view->inexact > 0;
    return fit == EXPLAINS && !tells ? SILENT : fit;
}

static bool occurs_before(const struct qd_graph *graph, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (graph->nodes[j].op == graph->nodes[i].op)
            return true;
    return false;
}

/* The operators of a graph that a quirk is about, each once, if they are several; NULL past the last. */
static const struct qd_op *one_of_several(const struct qd_quirk *quirk,
                                          const struct qd_graph *graph, size_t number)
{
    const struct qd_op *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct qd_node *node = &graph->nodes[i];
        if (!node->op || !qd_quirk_concerns_node(quirk, node) || occurs_before(graph, i))
            continue;
        found = count++ == number ? node->op : found;
    }
    return count > 1 ? found : NULL;
}

bool qd_quirks_explain(const struct qd_quirk *const *quirks, size_t count,
                       const struct qd_case *kase, const struct qd_value *canonical,
                       const struct qd_run *run, struct qd_arena *owner)
{
    struct qd_comparison plain;
    const struct answer answer = {kase, canonical, run, &plain};
    struct view view;
    const struct qd_op *op;
    struct reading reading = {quirks, count, NULL};
    qd_compare(kase, canonical, run, &plain);
    if (fit_of_case(reading, &answer, owner, &view) == EXPLAINS)
        return true;
    for (size_t i = 0; count == 1 && (op = one_of_several(quirks[0], kase->graph, i)); i++) {
        reading.only = op;
        if (fit_of_case(reading, &answer, owner, &view) == EXPLAINS)
            return true;
    }
    return false;
}

static bool same_values(const struct qd_value *a, const struct qd_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_tensor(&a[i].want, &b[i].want))
            return false;
    return true;
}

/* Of what the reference gives: nothing known, since it cannot be evaluated so, nothing other, or something. */
enum effect { UNKNOWN, NO_EFFECT, EFFECT };

static enum effect effect_of(struct reading reading, const struct qd_case *kase,
                             const struct qd_value *canonical, struct qd_arena *owner)
{
    enum effect effect = UNKNOWN;
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    const struct qd_value *values = evaluate_under(reading, kase, &arena);
    if (values)
        effect = same_values(values, canonical, kase->graph->output_count) ? NO_EFFECT : EFFECT;
    qd_arena_clear_for(&arena, owner);
    return effect;
}

static bool changes(const struct qd_quirk *quirk, const struct diagnosing *d)
{
    return effect_of((struct reading){&quirk, 1, NULL}, d->kase, d->canonical, d->arena) == EFFECT;
}

static struct answer own_answer(const struct diagnosing *d)
{
    return (struct answer){d->kase, d->canonical, d->run, &d->plain};
}

/* --- Candidates ------------------------------------------------------------------------------- */

/* Whether it is one. */
static bool try_candidate(struct diagnosing *d, struct candidate candidate)
{
    const struct answer answer = own_answer(d);
    struct view view;
    if (d->count == MAX_CANDIDATES)
        return false;
    enum fit fit = fit_of_case(reading_of(&candidate), &answer, d->arena, &view);
    if (fit == REFUTED)
        return false;
    candidate.weak = fit == SILENT || (d->plain.mismatched > 0 && view.given == 0);
    candidate.slack = view.comparison.slack;
    candidate.same = view.same;
    candidate.given = view.given;
    candidate.inexact = view.inexact;
    d->candidates[d->count++] = candidate;
    return true;
}

static void find_single(struct diagnosing *d)
{
    const struct qd_quirk *quirk;
    for (size_t i = 0; (quirk = qd_quirk_at(i)) && in_time(d); i++)
        if (qd_quirk_concerns(quirk, d->kase->graph))
            try_candidate(d, (struct candidate){.quirks = {quirk}, .count = 1});
    if (d->out_of_time) /* what was not tried might fit as well */
        d->count = 0;
}

/* Kernels of one library differ: a quirk of one operator need not be one of the others. */
static void find_limited(struct diagnosing *d)
{
    const struct qd_quirk *quirk;
    const struct qd_op *op;
    for (size_t i = 0; (quirk = qd_quirk_at(i)) && in_time(d); i++)
        for (size_t j = 0; (op = one_of_several(quirk, d->kase->graph, j)) && in_time(d); j++)
            try_candidate(d, (struct candidate){.quirks = {quirk}, .count = 1, .only = op});
    if (d->out_of_time)
        d->count = 0;
}

static bool has_others(const struct diagnosing *d)
{
    for (size_t i = 0; i < MOST_QUIRKS; i++)
        if (d->others[i])
            return true;
    return false;
}

/* Whether the two may give something else the other way round. */
static bool have_order(const struct qd_quirk *a, const struct qd_quirk *b)
{
    const struct qd_override *x = a->override, *y = b->override;
    return x && y && ((x->node && y->node) || (x->graph && y->graph));
}

static void try_pair(struct diagnosing *d, const struct qd_quirk *a, const struct qd_quirk *b)
{
    bool fits = try_candidate(d, (struct candidate){.quirks = {a, b}, .count = 2});
    if (!fits && have_order(a, b))
        try_candidate(d, (struct candidate){.quirks = {b, a}, .count = 2});
}

static void find_pairs(struct diagnosing *d)
{
    const struct qd_quirk *changing[MAX_CHANGING], *quirk;
    bool other[MAX_CHANGING], guided = has_others(d);
    size_t count = 0;
    for (size_t i = 0; count < MAX_CHANGING && (quirk = qd_quirk_at(i)) && in_time(d); i++)
        if (qd_quirk_concerns(quirk, d->kase->graph) && changes(quirk, d)) {
            other[count] = i < MOST_QUIRKS && d->others[i];
            changing[count++] = quirk;
        }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && in_time(d); j++)
            if (!guided || other[i] || other[j])
                try_pair(d, changing[i], changing[j]);
    if (d->out_of_time)
        d->count = 0;
}

/* What it is silent about, neither explained nor refuted, may not outweigh what speaks for it. */
static bool is_strong(const struct candidate *c)
{
    return !c->weak && (c->silent == 0 || c->silent < c->divergent);
}

static size_t count_strong(const struct diagnosing *d)
{
    size_t strong = 0;
    for (size_t i = 0; i < d->count; i++)
        strong += is_strong(&d->candidates[i]);
    return strong;
}

/* What says nothing of the case gives way to what explains it, unless all its numbers are the target's. */
static void prefer_telling(struct diagnosing *d)
{
    size_t kept = 0;
    if (count_strong(d) == 0 || d->count == MAX_CANDIDATES) /* more of them may explain it */
        return;
    for (size_t i = 0; i < d->count; i++) {
        const struct candidate *c = &d->candidates[i];
        d->aside += c->weak && !c->same && c->inexact == d->plain.mismatched;
        if (!c->weak || c->same)
            d->candidates[kept++] = *c;
    }
    d->count = kept;
}

static void find(struct diagnosing *d, enum kind kind)
{
    static void (*const finders[KINDS])(struct diagnosing *) = {find_single, find_pairs,
                                                                find_limited};
    struct qd_diagnosis_memo *memo = d->memo;
    if (memo && memo->found[kind].tried) {
        d->count = memo->found[kind].count;
        d->aside = memo->found[kind].aside;
        memcpy(d->candidates, memo->found[kind].candidates, d->count * sizeof *d->candidates);
        return;
    }
    finders[kind](d);
    prefer_telling(d);
    if (!memo || d->out_of_time)
        return;
    memo->found[kind].tried = true;
    memo->found[kind].count = d->count;
    memo->found[kind].aside = d->aside;
    memcpy(memo->found[kind].candidates, d->candidates, d->count * sizeof *d->candidates);
}

/* The memo, or a new one; NULL where there is none to keep. */
static struct qd_diagnosis_memo *recall(struct qd_diagnosis_memo **kept, struct qd_arena *arena)
{
    if (kept && !*kept)
        *kept = qd_arena_alloc(arena, sizeof **kept);
    return kept ? *kept : NULL;
}

/* --- Neighbours ------------------------------------------------------------------------------- */

/* A neighbour that the reference takes, with the reference's answer, and the target's. */
struct neighbour {
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_trial trial;
};

static struct answer answer_of(const struct neighbour *neighbour)
{
    return (struct answer){&neighbour->kase, neighbour->evaluated.values, &neighbour->trial.run,
                           &neighbour->trial.comparison};
}

/* The reference's answer to neighbour->kase; false: it has none. */
static bool evaluate(struct neighbour *neighbour)
{
    return qd_case_evaluate(&neighbour->kase, &neighbour->arena, &neighbour->evaluated, NULL) ==
           QD_OK;
}

/* Whether two candidates give different outputs there. */
static bool tells_apart(const struct diagnosing *d, struct neighbour *neighbour)
{
    const struct qd_value *first = NULL;
    for (size_t i = 0; i < d->count; i++) {
        const struct candidate *c = &d->candidates[i];
        const struct qd_value *values =
            evaluate_under(reading_of(c), &neighbour->kase, &neighbour->arena);
        if (i > 0 &&
            (!values || !first || !same_values(values, first, neighbour->kase.graph->output_count)))
            return values || first;
        first = values;
    }
    return false;
}

/* Whether two quirks explain this neighbour, and say nothing else of the case: the target has both. */
static bool both_explain(struct diagnosing *d, struct reading both,
                         const struct neighbour *neighbour)
{
    const struct answer there = answer_of(neighbour), own = own_answer(d);
    struct view view;
    return fit_of(both, &there, d->arena, &view) == EXPLAINS &&
           fit_of(both, &own, d->arena, &view) == EXPLAINS;
}

/* In which of `orders` a quirk explains this neighbour together with another one. */
static uint8_t orders_that_explain(struct diagnosing *d, const struct qd_quirk *quirk,
                                   const struct qd_quirk *other, uint8_t orders,
                                   const struct neighbour *neighbour)
{
    const struct qd_quirk *const after[] = {quirk, other}, *const before[] = {other, quirk};
    uint8_t explain = 0;
    if (orders & AFTER && both_explain(d, (struct reading){after, 2, NULL}, neighbour))
        explain |= AFTER;
    if (orders & BEFORE && both_explain(d, (struct reading){before, 2, NULL}, neighbour))
        explain |= BEFORE;
    return explain;
}

/* Whether a quirk explains this neighbour if the target has one more quirk, the same one wherever it needs one. */
static bool is_excused(struct diagnosing *d, struct candidate *c, const struct neighbour *neighbour)
{
    const struct qd_quirk *quirk = c->quirks[0], *other;
    bool some = false;
    if (c->count != 1 || c->only || c->weak)
        return false;
    for (size_t i = 0; i < MOST_QUIRKS && (other = qd_quirk_at(i)) && in_time(d); i++) {
        uint8_t orders = c->excused > 0 ? c->others[i] : AFTER | BEFORE;
        bool possible = other != quirk && qd_quirk_concerns(other, neighbour->kase.graph);
        c->others[i] = possible ? orders_that_explain(d, quirk, other, orders, neighbour) : 0;
        some = some || c->others[i];
    }
    c->excused += some;
    return some;
}

/* A quirk that explains the case and not this neighbour, which may show another fault as well. */
static void note_refuted(struct diagnosing *d, const struct candidate *c)
{
    if (c->count != 1 || c->only || c->weak || (d->near.quirk && c->divergent <= d->near.divergent))
        return;
    d->near = (struct qd_near_miss){.quirk = c->quirks[0],
                                    .elements = d->plain.compared,
                                    .divergent = c->divergent,
                                    .neighbour = d->neighbours};
}

/* Whether element i is a wrong code in the middle of its type: a saturated one says little of what came before. */
static bool is_telling(const struct qd_value *value, const struct qd_tensor *have, int64_t i)
{
    const struct qd_dtype_info *info = qd_dtype_info(have->dtype);
    struct qd_observation seen = qd_value_observe(value, i);
    double x = qd_tensor_value(have, i);
    bool end = info->kind != QD_CLASS_FLOAT && (x == (double)info->min || x == (double)info->max);
    return !end && !seen.unspecified && !qd_observation_admits(&seen, x);
}

static bool has_telling(const struct neighbour *neighbour)
{
    const struct qd_run *run = &neighbour->trial.run;
    size_t outputs = neighbour->kase.graph->output_count;
    for (size_t o = 0; run->outputs && o < outputs; o++)
        for (int64_t i = 0; i < run->outputs[o].count; i++)
            if (is_telling(&neighbour->evaluated.values[o], &run->outputs[o], i))
                return true;
    return false;
}

/* Of the first `count` candidates, all refuted by a wrong neighbour, those that it refutes by another fault alone. None
 * if the time runs out: what was not tried might excuse another one as well. */
static size_t excuse(struct diagnosing *d, const struct neighbour *neighbour, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct candidate c = d->candidates[i];
        if (is_excused(d, &c, neighbour))
            d->candidates[kept++] = c;
    }
    return d->out_of_time ? 0 : kept;
}

/* Where the target was right a quirk may not have been run: it has other kernels, too. */
static void strike(struct diagnosing *d, const struct candidate *c)
{
    if (c->count == 1 && !c->only && !c->weak && d->struck_count < MAX_STRUCK)
        d->struck[d->struck_count++] = *c;
}

/* Of those only what explains a wrong neighbour. */
static void sift_struck(struct diagnosing *d, const struct answer *answer)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->struck_count; i++) {
        struct view view;
        if (fit_of(reading_of(&d->struck[i]), answer, d->arena, &view) != REFUTED)
            d->struck[kept++] = d->struck[i];
    }
    d->struck_count = kept;
}

static bool some_gives_less(const struct diagnosing *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->candidates[i].given < d->plain.mismatched)
            return true;
    return false;
}

/* The type to compute in that a node asks for; 0: none. */
static int64_t precision_of(const struct qd_node *node)
{
    int64_t precision = 0;
    struct qd_error error;
    return qd_node_int(node, "precision", 0, &precision, &error) == QD_OK ? precision : 0;
}

static bool same_node_types(const struct qd_case *a, const struct qd_case *b, size_t i)
{
    const struct qd_node *x = &a->graph->nodes[i], *y = &b->graph->nodes[i];
    bool same = x->op == y->op && precision_of(x) == precision_of(y);
    for (size_t k = 0; same && k < x->input_count && k < y->input_count; k++)
        same = x->inputs[k] == QD_NO_VALUE || y->inputs[k] == QD_NO_VALUE ||
               qd_node_dtype(a, x, x->inputs[k]) == qd_node_dtype(b, y, y->inputs[k]);
    return same;
}

/* Whether they have the same operators, of operands of the same types. */
static bool same_operand_types(const struct qd_case *a, const struct qd_case *b)
{
    bool same = a->graph->node_count == b->graph->node_count;
    for (size_t i = 0; same && i < a->graph->node_count; i++)
        same = same_node_types(a, b, i);
    return same;
}

/* Whether a quirk that is the reference on types as the neighbour's, with which the target has another fault, gives all
 * that is wrong in the case, and in the sets of others some of it only lies: then the neighbour says nothing of it. */
static bool is_of_own_types(const struct diagnosing *d, const struct candidate *c,
                            const struct neighbour *neighbour)
{
    return c->given == d->plain.mismatched && some_gives_less(d) &&
           !same_operand_types(d->kase, &neighbour->kase) &&
           effect_of(reading_of(c), &neighbour->kase, neighbour->evaluated.values, d->arena) ==
               NO_EFFECT;
}

/* Keeps the candidates that explain what the target gave. */
static void sift(struct diagnosing *d, const struct neighbour *neighbour)
{
    size_t kept = 0, count = d->count;
    const struct answer answer = answer_of(neighbour);
    const struct qd_comparison *comparison = &neighbour->trial.comparison;
    bool wrong = qd_verdict_is_divergence(comparison->verdict);
    bool telling = wrong && has_telling(neighbour);
    d->neighbours++;
    d->divergent += wrong;
    d->wrong += comparison->mismatched;
    if (comparison->compared == 0)
        return;
    if (wrong)
        sift_struck(d, &answer);
    for (size_t i = 0; i < count; i++) {
        struct candidate c = d->candidates[i];
        struct view view;
        enum fit fit = fit_of(reading_of(&c), &answer, d->arena, &view);
        if (fit == REFUTED && wrong &&
            ((c.excused > 0 && is_excused(d, &c, neighbour)) ||
             is_of_own_types(d, &c, neighbour))) {
            d->candidates[kept++] = c;
            continue;
        }
        if (fit == REFUTED) {
            if (!wrong)
                strike(d, &c);
            note_refuted(d, &c);
            continue;
        }
        c.silent += fit == SILENT;
        c.inexact += view.inexact;
        c.divergent += telling && fit == EXPLAINS;
        d->candidates[kept++] = c;
    }
    d->count = kept > 0 || !wrong ? kept : excuse(d, neighbour, count);
}

/* Runs the neighbour on the target. *ran: it gave outputs. */
static enum qd_status run_neighbour(struct diagnosing *d, struct neighbour *neighbour, bool *ran)
{
    struct qd_trial *trial = &neighbour->trial;
    enum qd_status status =
        qd_trial_ask(d->session, &neighbour->evaluated, &neighbour->arena, trial, d->error);
    *ran = status == QD_OK && !trial->skip && trial->run.outcome == QD_OUTCOME_OUTPUTS;
    return status;
}

typedef void taker(struct diagnosing *, const struct neighbour *);

/* Runs neighbour `number` of `kase`, or only if it tells the candidates apart. *ran: it gave outputs, and `take` has
 * seen them. */
static enum qd_status ask_neighbour_of(struct diagnosing *d, const struct qd_case *kase,
                                       uint64_t number, bool if_telling, taker *take, bool *ran)
{
    struct neighbour neighbour;
    struct qd_error error = {.status = QD_OK};
    enum qd_status status = QD_OK;
    qd_arena_init(&neighbour.arena, QD_ARENA_DEFAULT_BUDGET);
    *ran = false;
    if (qd_neighbour(kase, number, &neighbour.arena, &neighbour.kase, &error) == QD_OK &&
        evaluate(&neighbour) && (!if_telling || tells_apart(d, &neighbour)))
        status = run_neighbour(d, &neighbour, ran);
    if (*ran)
        take(d, &neighbour);
    qd_arena_clear_for(&neighbour.arena, d->arena);
    return status;
}

static enum qd_status ask_neighbour(struct diagnosing *d, uint64_t number, bool if_telling,
                                    bool *ran)
{
    size_t before = d->count;
    enum qd_status status = ask_neighbour_of(d, d->kase, number, if_telling, sift, ran);
    if (d->count == 0 && before > 0) {
        d->emptied = true;
        d->emptying = number;
    }
    return status;
}

/* The one that refuted all candidates of the kind before: those of this kind have to explain it, too. */
static enum qd_status ask_emptying(struct diagnosing *d, bool *asked)
{
    bool known = d->emptied && d->count > 0 && in_time(d);
    return known ? ask_neighbour(d, d->emptying, false, &asked[d->emptying]) : QD_OK;
}

/* First those of a few that tell several candidates apart: where a run takes long, others leave no time for them. What
 * is like none of several, twice as many show. */
static enum qd_status ask_neighbours(struct diagnosing *d)
{
    bool asked[MAX_NEIGHBOURS] = {false};
    enum qd_status status = ask_emptying(d, asked);
    for (uint64_t number = 0; status == QD_OK && number < FIRST_LOOK && d->count > 1 && in_time(d);
         number++)
        if (!asked[number])
            status = ask_neighbour(d, number, true, &asked[number]);
    for (uint64_t number = 0; status == QD_OK && number < MAX_NEIGHBOURS && d->count > 0;
         number++) {
        size_t wanted = d->count > 1 ? 2 * d->wanted_neighbours : d->wanted_neighbours;
        bool settled = d->neighbours >= wanted, ran;
        if (asked[number])
            continue;
        if ((settled && d->count == 1) || !in_time(d))
            break;
        status = ask_neighbour(d, number, settled, &ran);
    }
    return status;
}

/* --- Other structures --------------------------------------------------------------------------- */

/* Cases of the suite on which the candidates left differ: what a neighbour with the same shapes cannot tell apart (two
 * axes of which one is missing, a group of one channel), another shape can. */
/* Which cases are asked: of the types of the one that is diagnosed, or not. */
enum asked { OF_ANY_TYPES, OF_SAME_TYPES, OF_OTHER_TYPES };

struct search {
    struct diagnosing *d;
    enum qd_status status;
    enum asked types;
};

/* Whether what the target does there may be taken for what it does on the case itself: it may have one kernel for
 * constants and another for what comes at run time. */
static bool is_alike(const struct search *search, const struct qd_case *kase)
{
    const struct qd_features *own = &search->d->features;
    struct qd_features other;
    qd_case_features(kase, &other);
    bool same = qd_features_same_types(own, &other);
    return qd_features_same_known(own, &other) &&
           (search->types == OF_ANY_TYPES || same == (search->types == OF_SAME_TYPES));
}

static void keep_refuting(struct diagnosing *d, const struct qd_case *kase)
{
    struct refuting *kept = &d->refuting[d->refuting_count];
    struct qd_error error;
    d->refuting_count += d->refuting_count < MAX_REFUTING &&
                         qd_case_encode(kase, d->arena, &kept->bytes, &kept->size, &error) == QD_OK;
}

/* A case there may show other faults of the target, or, answered rightly, that its fault is not one of all shapes: then
 * it says nothing about the candidates. */
static void sift_unless_none(struct diagnosing *d, const struct neighbour *neighbour)
{
    size_t before = d->count, neighbours = d->neighbours, divergent = d->divergent;
    int64_t wrong = d->wrong;
    struct candidate kept[MAX_CANDIDATES];
    memcpy(kept, d->candidates, before * sizeof *kept);
    sift(d, neighbour);
    if (d->count == 0) {
        memcpy(d->candidates, kept, before * sizeof *kept);
        d->count = before;
        d->neighbours = neighbours;
        d->divergent = divergent;
        d->wrong = wrong;
        d->unlike += qd_verdict_is_divergence(neighbour->trial.comparison.verdict);
        keep_refuting(d, &neighbour->kase);
    }
}

/* Whether the candidate that is left would be wrong there. */
static bool shows(const struct diagnosing *d, struct neighbour *neighbour)
{
    return effect_of(reading_of(&d->candidates[0]), &neighbour->kase, neighbour->evaluated.values,
                     d->arena) == EFFECT;
}

/* Runs a case where it is `worth` it (NULL: anyhow), and takes what it shows with `take`. */
static enum qd_status ask_about(struct diagnosing *d, const struct qd_case *kase,
                                bool (*worth)(const struct diagnosing *, struct neighbour *),
                                taker *take)
{
    struct neighbour other = {.kase = *kase};
    enum qd_status status = QD_OK;
    bool ran = false;
    qd_arena_init(&other.arena, QD_ARENA_DEFAULT_BUDGET);
    if (evaluate(&other) && (!worth || worth(d, &other)))
        status = run_neighbour(d, &other, &ran);
    if (ran)
        take(d, &other);
    qd_arena_clear_for(&other.arena, d->arena);
    return status;
}

/* The same for a case of the operator's with other shapes and attributes. */
static void ask_other(struct search *search, const struct qd_case *kase,
                      bool (*worth)(const struct diagnosing *, struct neighbour *), taker *take)
{
    if (kase->expect == QD_EXPECT_VALID && strcmp(kase->op, search->d->kase->op) == 0)
        search->status = ask_about(search->d, kase, worth, take);
}

/* As evidence for the candidate that is left. */
static enum qd_visit ask_for_more(void *context, const struct qd_case *kase)
{
    struct search *search = context;
    struct diagnosing *d = search->d;
    ask_other(search, kase, shows, sift);
    bool go_on = search->status == QD_OK && d->count == 1 &&
                 d->candidates[0].divergent < PAIR_EVIDENCE && in_time(d);
    return go_on ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit ask_case(void *context, const struct qd_case *kase)
{
    struct search *search = context;
    struct diagnosing *d = search->d;
    if (is_alike(search, kase))
        ask_other(search, kase, tells_apart, sift_unless_none);
    bool go_on = search->status == QD_OK && d->count > 1 && in_time(d);
    return go_on ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

/* The family that the case comes from, or the one named after its operator; NULL if there is none. */
static const struct qd_family *family_of(const struct qd_case *kase)
{
    const struct qd_family *family, *by_op = NULL;
    const char *op = kase->op, *colon = strchr(op, ':');
    for (size_t i = 0; (family = qd_family_at(i)); i++) {
        if (qd_family_has_id(family->name, kase->id))
            return family;
        if (strcmp(family->name, colon ? colon + 1 : op) == 0)
            by_op = family;
    }
    return by_op;
}

static enum qd_status ask_family(struct diagnosing *d, qd_case_visitor *ask, enum qd_level level,
                                 enum asked types)
{
    const struct qd_family *family = family_of(d->kase);
    struct search search = {d, QD_OK, types};
    if (!family || !in_time(d))
        return QD_OK;
    enum qd_status status = qd_family_generate(family, level, ask, &search, d->error);
    return search.status != QD_OK ? search.status : status;
}

static enum qd_status ask_suite(struct diagnosing *d)
{
    static const struct {
        enum qd_level level;
        enum asked types;
    } rounds[] = {{QD_LEVEL_SMOKE, OF_SAME_TYPES},
                  {QD_LEVEL_SMOKE, OF_OTHER_TYPES},
                  {QD_LEVEL_FULL, OF_ANY_TYPES}};
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && d->count > 1 && i < sizeof rounds / sizeof *rounds; i++)
        status = ask_family(d, ask_case, rounds[i].level, rounds[i].types);
    return status;
}

/* What the neighbours alone do not show, with the shapes and attributes that they share. */
static enum qd_status ask_suite_for_more(struct diagnosing *d)
{
    bool enough = d->count != 1 || d->candidates[0].divergent >= PAIR_EVIDENCE;
    return enough ? QD_OK : ask_family(d, ask_for_more, QD_LEVEL_SMOKE, OF_ANY_TYPES);
}

/* --- The node at fault -------------------------------------------------------------------------- */

/* Of dequantized codes targets make one kernel of what stands before it: it may do something else alone. */
static bool may_be_fused(const struct diagnosing *d)
{
    const struct qd_graph *graph = d->kase->graph;
    for (size_t i = 0; i < graph->node_count; i++)
        if (strcmp(graph->nodes[i].op_type, "DequantizeLinear") == 0)
            return true;
    return false;
}

/* Neighbours of the node that differs first, alone: what tells candidates apart at its inputs, the nodes before it need
 * not give. Only where alone it shows the fault, as the candidates say: the target may have another kernel for it. */
static enum qd_status ask_node(struct diagnosing *d)
{
    size_t divergent = d->divergent;
    if (!d->node || d->count < 2 || may_be_fused(d) || !in_time(d))
        return QD_OK;
    enum qd_status status = ask_about(d, d->node, NULL, sift_unless_none);
    if (d->divergent == divergent)
        return status;
    for (uint64_t number = 0; status == QD_OK && number < FIRST_LOOK && d->count > 1 && in_time(d);
         number++) {
        bool ran;
        status = ask_neighbour_of(d, d->node, number, true, sift_unless_none, &ran);
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

const char *qd_diagnosis_effect(const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    const char *between = diagnosis->kind == QD_DIAGNOSIS_PAIR ? " And " : " Or ", *made = "";
    if (diagnosis->quirk_count == 1)
        return diagnosis->quirks[0]->effect;
    for (size_t i = 0; made && i < diagnosis->quirk_count; i++)
        made = qd_arena_printf(arena, "%s%s%s: %s", made, i > 0 ? between : "",
                               diagnosis->quirks[i]->name, diagnosis->quirks[i]->effect);
    return made;
}

const char *qd_diagnosis_seen(const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    const char *made = "";
    for (size_t i = 0; made && i < diagnosis->quirk_count; i++)
        made =
            qd_arena_printf(arena, "%s%s%s", made, i > 0 ? ", " : "", diagnosis->quirks[i]->seen);
    return made;
}

static bool needs_evidence(const struct candidate *c)
{
    return c->count > 1 || c->only || c->excused > 0;
}

static bool lacks_evidence(const struct candidate *c)
{
    return needs_evidence(c) && c->divergent < PAIR_EVIDENCE;
}

/* Those that each excuse it. */
static void name_others(const struct candidate *c, struct qd_diagnosis *diagnosis)
{
    size_t count = 0;
    for (size_t i = 0; c->excused > 0 && i < MOST_QUIRKS; i++) {
        if (c->others[i] && count < QD_DIAGNOSIS_MAX_QUIRKS)
            diagnosis->others[count] = qd_quirk_at(i);
        count += c->others[i] != 0;
    }
    diagnosis->other_count = count;
}

/* Several pairs are too weak a statement to make: a pair is named only when it
 * is the only one. So is what nothing speaks for, and one whose sets alone fit. */
static void name_candidates(const struct diagnosing *d, struct qd_diagnosis *diagnosis)
{
    const struct candidate *first = d->candidates;
    if (count_strong(d) == 0 || (d->count > 1 && needs_evidence(first)) || lacks_evidence(first) ||
        d->count > QD_DIAGNOSIS_MAX_QUIRKS || (d->count == 1 && first->given == 0))
        return;
    diagnosis->kind = d->count > 1        ? QD_DIAGNOSIS_SEVERAL
                      : first->count == 2 ? QD_DIAGNOSIS_PAIR
                                          : QD_DIAGNOSIS_QUIRK;
    for (size_t i = 0; i < d->count; i++)
        for (size_t j = 0; j < d->candidates[i].count; j++)
            diagnosis->quirks[diagnosis->quirk_count++] = d->candidates[i].quirks[j];
    diagnosis->slack = d->count == 1 ? first->slack : 0;
    diagnosis->excused = first->excused;
    name_others(first, diagnosis);
}

/* Of candidates none of which was silent, those that gave the outputs of the trials bit for bit, if there are any: a
 * set that float orders leave open fits more than one answer. A few elements of many are no such set. */
static void prefer_exact(struct diagnosing *d)
{
    size_t exact = 0;
    if (count_strong(d) < d->count)
        return;
    for (size_t i = 0; i < d->count; i++) {
        struct candidate c = d->candidates[i];
        if (INEXACT_SHARE * c.inexact > d->wrong)
            continue;
        d->candidates[i] = d->candidates[exact];
        d->candidates[exact++] = c;
    }
    d->count = exact > 0 ? exact : d->count;
}

/* Whether the case alone speaks for the one that is left, and not against others, in whose sets its elements lie. */
static bool rests_on_case(const struct diagnosing *d)
{
    return d->count == 1 && d->aside > 0 && d->divergent == 0;
}

/* The target was right on every neighbour, and time ended or nothing else was found that speaks for what is left: its
 * fault is one of few numbers, which many quirks explain that move numbers a little. What is left is no name; of ties
 * alone it is one, since such quirks do not end there. */
static void withdraw_untold(struct diagnosing *d)
{
    const struct candidate *first = d->candidates;
    if ((!d->out_of_time && !rests_on_case(d)) || d->neighbours == 0 || d->divergent > 0 ||
        count_strong(d) == 0 || qd_difference_is_of_ties(d->kase, d->canonical, d->run, d->arena))
        return;
    if (!needs_evidence(first))
        d->near = (struct qd_near_miss){.quirk = first->quirks[0], .elements = d->plain.compared};
    d->count = 0;
}

/* Ties alone are wrong, time ended, and several are left: what was struck by right neighbours may be as true. */
static void take_struck(struct diagnosing *d)
{
    if (!d->out_of_time || d->count < FEW_LEFT ||
        !qd_difference_is_of_ties(d->kase, d->canonical, d->run, d->arena))
        return;
    for (size_t i = 0; i < d->struck_count && d->count < MAX_CANDIDATES; i++)
        d->candidates[d->count++] = d->struck[i];
}

static bool named(const struct diagnosing *d)
{
    return d->count == 1 && count_strong(d) == 1 && d->candidates[0].divergent >= PAIR_EVIDENCE;
}

static void start_again(struct diagnosing *d)
{
    d->count = d->neighbours = d->divergent = d->unlike = d->aside = d->struck_count = 0;
    d->wrong = d->plain.mismatched;
}

/* Other candidates, and evidence for the one that is left. */
static enum qd_status look_further(struct diagnosing *d, enum kind kind)
{
    start_again(d);
    find(d, kind);
    enum qd_status status = ask_neighbours(d);
    return status == QD_OK ? ask_suite_for_more(d) : status;
}

/* Takes what a case that refuted the single quirks shows. */
static enum qd_status ask_again(struct diagnosing *d, const struct refuting *kept, taker *take)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_error error;
    enum qd_status status = QD_OK;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_decode(kept->bytes, kept->size, &arena, &kase, &error) == QD_OK)
        status = ask_about(d, &kase, NULL, take);
    qd_arena_clear_for(&arena, d->arena);
    return status;
}

static enum qd_status ask_all_again(struct diagnosing *d, taker *take)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < d->refuting_count && in_time(d); i++)
        status = ask_again(d, &d->refuting[i], take);
    return status;
}

/* The quirks that alone explain this case: the target has them there. */
static void note_others(struct diagnosing *d, const struct neighbour *neighbour)
{
    const struct answer answer = answer_of(neighbour);
    const struct qd_quirk *quirk;
    for (size_t i = 0; i < MOST_QUIRKS && (quirk = qd_quirk_at(i)) && in_time(d); i++) {
        const struct reading alone = {&quirk, 1, NULL};
        struct view view;
        d->others[i] = d->others[i] || (qd_quirk_concerns(quirk, neighbour->kase.graph) &&
                                        fit_of(alone, &answer, d->arena, &view) == EXPLAINS);
    }
}

/* Pairs with such a quirk that explain all of it. */
static enum qd_status find_reconciling(struct diagnosing *d)
{
    start_again(d);
    find_pairs(d);
    enum qd_status status = ask_neighbours(d);
    if (status == QD_OK)
        status = ask_all_again(d, sift);
    if (status == QD_OK)
        status = ask_suite(d);
    return status == QD_OK ? ask_suite_for_more(d) : status;
}

/* Cases of the suite refute the single quirks that are left. They may show other faults; but where another quirk alone
 * explains one of them, and with a second one all that was run, that is the better name. If several pairs do, or the
 * time runs out before that is known, none is. */
static enum qd_status doubt(struct diagnosing *d)
{
    struct candidate *kept = qd_arena_array(d->arena, d->count, sizeof *kept);
    if (!kept)
        return qd_fail(d->error, QD_NO_MEMORY, "no room for a diagnosis");
    memcpy(kept, d->candidates, d->count * sizeof *kept);
    enum qd_status status = ask_all_again(d, note_others);
    if (status != QD_OK || (!has_others(d) && !d->out_of_time))
        return status;
    const struct diagnosing before = *d;
    status = find_reconciling(d);
    bool late = d->out_of_time;
    if (status != QD_OK || (named(d) && !late))
        return status;
    bool open = late || d->count > 0;
    *d = before;
    d->out_of_time = late;
    memcpy(d->candidates, kept, before.count * sizeof *kept);
    if (open) {
        note_refuted(d, &d->candidates[0]);
        d->count = 0;
    }
    return status;
}

static enum qd_status find_candidates(struct diagnosing *d)
{
    d->candidates = qd_arena_array(d->arena, MAX_CANDIDATES, sizeof *d->candidates);
    if (!d->candidates)
        return qd_fail(d->error, QD_NO_MEMORY, "no room for a diagnosis");
    find(d, SINGLE);
    enum qd_status status = ask_neighbours(d);
    if (status == QD_OK)
        status = ask_node(d);
    if (status == QD_OK)
        status = ask_suite(d);
    prefer_exact(d);
    if (status == QD_OK && d->count == 1 && (lacks_evidence(&d->candidates[0]) || rests_on_case(d)))
        status = ask_suite_for_more(d);
    if (status != QD_OK || (count_strong(d) > 0 && !lacks_evidence(&d->candidates[0])))
        return status == QD_OK && d->refuting_count > 0 ? doubt(d) : status;
    size_t neighbours = d->neighbours, divergent = d->divergent;
    status = look_further(d, PAIRS);
    if (status == QD_OK && !named(d) && in_time(d))
        status = look_further(d, LIMITED);
    if (d->count == 0) { /* the evidence is that of the quirks alone */
        d->neighbours = neighbours;
        d->divergent = divergent;
    }
    return status;
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
                           .memo = recall(options->memo, arena),
                           .arena = arena,
                           .error = error,
                           .seconds = options->seconds > 0 ? options->seconds : DEFAULT_SECONDS,
                           .most_steps = options->steps,
                           .wanted_neighbours =
                               options->neighbours ? options->neighbours : DEFAULT_NEIGHBOURS};
    struct qd_diagnosis made = {.kind = QD_DIAGNOSIS_UNEXPLAINED};
    qd_compare(kase, canonical, run, &d.plain);
    d.wrong = d.plain.mismatched;
    qd_case_features(kase, &d.features);
    struct qd_difference_place place;
    enum qd_status status = qd_difference_locate(session, kase, arena, &place, error);
    made.place = place.text;
    d.node = place.node;
    d.start = qd_clock_seconds();
    if (status == QD_OK)
        status = find_candidates(&d);
    if (status == QD_OK && arena->starved) /* what could not be evaluated is not refuted */
        status = qd_fail(error, QD_NO_MEMORY, "no memory for a diagnosis");
    if (status != QD_OK)
        return status;
    withdraw_untold(&d);
    take_struck(&d);
    name_candidates(&d, &made);
    if (made.quirk_count == 1 && d.candidates[0].only)
        made.only = d.candidates[0].only->name;
    made.label = make_label(&made, arena);
    made.facts = qd_difference_facts(kase, canonical, run, arena);
    made.neighbours = d.neighbours;
    made.divergent = d.divergent;
    made.unlike = made.quirk_count > 0 ? d.unlike : 0;
    if (made.quirk_count == 0)
        made.near = d.near;
    made.out_of_time = d.out_of_time;
    made.seconds = qd_clock_seconds() - d.start;
    if (!made.label || !made.facts)
        return qd_fail(error, QD_NO_MEMORY, "no room for a diagnosis");
    *diagnosis = made;
    return QD_OK;
}
