/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnosis: why a target's numbers differ.
 *
 * A quirk *explains* a case when every element of the target's outputs lies in the quirk's own admissible set (the
 * mismatching ones lie outside the canonical set by being mismatches). Elements that are unspecified under the quirk
 * (its sum leaves int32, for example) are ignored; at least half of the compared elements and at least one mismatching
 * element must be specified. A quirk that is silent about the case for that, or of whose own values no wrong element
 * is one, gives way to those that explain it, unless each number, specified or not, is its own, and is not named
 * alone. A quirk is *named* when it explains the case and every neighbour (neighbours.h) that was run on the target.
 * When several do, neighbours on which they differ are searched and run, a few before all others, then cases of the
 * same operator from the suite of which as much is known before the run (a target may have other kernels for constants
 * than for what comes at run time); quirks that gave the outputs bit for bit, but for a few elements, are preferred to
 * those in whose sets the outputs only lie. Nothing is named where time ended and the target was right on every
 * neighbour, unless it is wrong at exact ties alone; nor where time did not end, and of others the case lies in the
 * sets, unless a case of the suite shows what is left; nor what is silent on more neighbours than it explains. A wrong
 * neighbour that refutes them all may show another fault as well: a quirk stays if, with one other quirk, before or
 * after it, the same for all such neighbours, it explains them, and the two explain the case; from then on wherever it
 * needs it. What refutes the last of the single quirks is asked of pairs first. Where cases of the suite refute all
 * that is left and another quirk alone explains one of them, pairs with that one are tried: a pair that explains all
 * that was run is the name; where several do, or the time ends before, none is. Pairs of quirks that change the case
 * are tried too when no single quirk fits; a pair is named only when it explains two more wrong answers, of neighbours
 * or of cases of the suite with other shapes and attributes, in which not all that differs is at an end of its type;
 * so is a quirk that needs another one somewhere, and it explains those two alone. In a graph, the first node whose
 * output leaves the admissible set is looked for, with the values in between made outputs; if the difference vanishes
 * then, it comes from a fusion. Alone that node tells candidates apart, but not in a graph with DequantizeLinear, of
 * which targets make kernels of their own.
 *
 * Source: reference/README.md, sections "Words" and "Switches"; targets/quirk/README.md. */
#ifndef QDIFF_DIAGNOSE_H
#define QDIFF_DIAGNOSE_H

#include "qdiff/compare.h"
#include "qdiff/quirk.h"

/* QD_DIAGNOSIS(NAME, word, meaning) */
#define QD_DIAGNOSIS_LIST(QD_DIAGNOSIS)                                                        \
    QD_DIAGNOSIS(QUIRK, "quirk", "one quirk explains the case and its neighbours")             \
    QD_DIAGNOSIS(PAIR, "pair", "two quirks together do, and none alone")                       \
    QD_DIAGNOSIS(SEVERAL, "several", "several quirks do, and no neighbour distinguishes them") \
    QD_DIAGNOSIS(UNEXPLAINED, "unexplained", "no quirk of the list does")

#define QD_DIAGNOSIS_ENUM(name, word, meaning) QD_DIAGNOSIS_##name,
enum qd_diagnosis_kind { QD_DIAGNOSIS_LIST(QD_DIAGNOSIS_ENUM) QD_DIAGNOSIS_COUNT };
#undef QD_DIAGNOSIS_ENUM

const char *qd_diagnosis_word(enum qd_diagnosis_kind kind);

/* Which quirks fit the outputs of one case: another target that gives the same ones need not try them again. */
struct qd_diagnosis_memo;

struct qd_diagnose_options {
    double seconds;    /* wall time that one diagnosis may take; 0: 1 */
    size_t steps;      /* the same in tries and runs, on every machine alike; 0: no limit */
    size_t neighbours; /* run on the target at least, while there is time; 0: 14 */
    /* Where a memo is kept between diagnoses of one answer to a case, by the arena that they share; *memo is NULL
     * before the first one. NULL: nowhere. */
    struct qd_diagnosis_memo **memo;
};

/* At most so many quirks are named. */
#define QD_DIAGNOSIS_MAX_QUIRKS 8

/* A quirk that explains every element of the case, and not every neighbour: what it does not explain may be another
 * fault. Of several the one that explains the most wrong neighbours. It is evidence, and no name. */
struct qd_near_miss {
    const struct qd_quirk *quirk; /* NULL: there is none */
    int64_t elements;             /* of the case */
    size_t divergent; /* wrong neighbours that it explains, not only at the ends of the type */
    size_t neighbour; /* the first that it does not, from 1; 0: none was wrong when time ended */
};

/* Texts live in the arena given to qd_diagnose(). */
struct qd_diagnosis {
    enum qd_diagnosis_kind kind;
    const char
        *label; /* "zero-point-before-rounding", "a+b" (PAIR), "a|b" (SEVERAL), "unexplained" */
    size_t quirk_count; /* QUIRK 1, PAIR 2, SEVERAL more, UNEXPLAINED 0 */
    /* In the order of the list, which says nothing about which is meant. */
    const struct qd_quirk *quirks[QD_DIAGNOSIS_MAX_QUIRKS];
    const char *only;  /* QUIRK: the operator that alone has it, of several that could; else NULL */
    int64_t slack;     /* elements with more than one admissible value under what is named */
    size_t neighbours; /* that the target ran */
    size_t divergent;  /* of those, how many differed from the canonical set too */
    size_t excused;    /* QUIRK: of those, how many it explains only together with another one */
    size_t other_count; /* those of which each does with it; `others` are the first of the list */
    const struct qd_quirk *others[QD_DIAGNOSIS_MAX_QUIRKS];
    size_t unlike; /* other cases, wrong in a way that nothing named explains */
    const char *
        place; /* a graph: the first node that leaves the admissible set, or the fusion; "" otherwise */
    const char
        *facts; /* which elements differ, by how much, at ties, in which channels, at which edges */
    struct qd_near_miss near; /* where nothing is named */
    bool out_of_time;         /* candidates or neighbours were left untried */
    double seconds;
};

/* What the quirks named compute: of one its sentence, of more "a: ... Or b: ...", of a PAIR "a: ... And b: ..."; and
 * where they were seen. "" where nothing is named; NULL without memory. */
const char *qd_diagnosis_effect(const struct qd_diagnosis *diagnosis, struct qd_arena *arena);
const char *qd_diagnosis_seen(const struct qd_diagnosis *diagnosis, struct qd_arena *arena);

/* Whether the semantics under `quirks`, or under the only one of them in one operator of the graph alone, explains
 * these outputs (run->outcome OUTPUTS) of the case. `canonical` are the reference's values. Evaluation failing under
 * them is a no, but `owner`, which may be NULL, is starved if the machine had no memory for it. */
bool qd_quirks_explain(const struct qd_quirk *const *quirks, size_t count,
                       const struct qd_case *kase, const struct qd_value *canonical,
                       const struct qd_run *run, struct qd_arena *owner);

/* Explains a VALUE divergence of the case on the session's target: `run` gave OUTPUTS, `canonical` the reference's
 * values. Runs neighbours on the session. Errors of the session (UNUSABLE, NO_MEMORY ...); a neighbour that the target
 * does not take or that is not valid is skipped. */
enum qd_status qd_diagnose(struct qd_session *session, const struct qd_case *kase,
                           const struct qd_value *canonical, const struct qd_run *run,
                           const struct qd_diagnose_options *options, struct qd_arena *arena,
                           struct qd_diagnosis *diagnosis, struct qd_error *error);

#endif
