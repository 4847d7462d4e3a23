/* SPDX-License-Identifier: Apache-2.0 */
/* A trial: one case on one target, from the question to the verdict. Every command, both fuzz harnesses and the reducer
 * judge by this function.
 *
 *   can it? -> run -> compare -> (its valid twin) -> (expectation rows) -> (diagnosis)
 *
 * The steps in brackets are options. What a target is asked depends on its role (subject.h). */
#ifndef QDIFF_TRIAL_H
#define QDIFF_TRIAL_H

#include "qdiff/citation.h"
#include "qdiff/diagnose.h"
#include "qdiff/evaluated.h"
#include "qdiff/quantizer_check.h"
#include "qdiff/subject.h"

/* One thing that is wrong with an answer. A kernel target's has one at
 * most; a quantizer's as many as the checks find. */
struct qd_divergence {
    enum qd_verdict class;
    const char *
        words; /* what rows match: the target's own words, the finding, or the rule that it should have refused by */
    const struct qd_expectation *row; /* that expects it, NULL if none does or no rows were asked */
    struct qd_citation citation;      /* the clause that it breaks */
};

/* What follows from a case and a wrong answer to it, whichever target gives it: where targets give the same one, one
 * after the other, it is worked out for the first. All zero before a case; it is about the last wrong answer, and
 * points into the arena that the trials share. */
struct qd_answer_memo {
    const struct qd_tensor *outputs;  /* the answer; NULL: there was none yet */
    struct qd_comparison comparison;  /* with the clause: of the element that the clause is about */
    struct qd_citation citation;      /* clause NULL: not known yet */
    struct qd_known_fit *fits;        /* of rows' quirks (expectations.h) */
    struct qd_diagnosis_memo *quirks; /* of all quirks (diagnose.h) */
    const char *real; /* the exact number there, as a result has it; NULL: not known yet */
};

struct qd_trial {
    const char *skip; /* why nothing was learned, NULL if something was; then only this is set */
    bool
        declared; /* with `skip`: the target declares the case, and declined it when it was asked */

    struct qd_run run;           /* what the target did; a quantizer's has no outputs */
    struct qd_answer_memo *memo; /* of these outputs, if they are wrong; NULL: none is kept */
    struct qd_comparison
        comparison; /* verdict: of the gravest divergence that no row expects, else of the gravest */

    size_t divergence_count; /* at least 1 if the verdict is a divergence, else 0 */
    struct qd_divergence *divergences;
    bool known;                       /* there are some, and a row expects each */
    const struct qd_expectation *row; /* of the verdict; NULL if none */
    struct qd_citation
        citation; /* of the verdict; severity NONE and clause "" if nothing diverges */
    bool
        fails; /* a divergence that no row expects is more than advisory, or any at all if the options are strict */
    struct qd_row_lines matched;             /* rows that are the first to expect a divergence */
    struct qd_row_lines covering;            /* every row that expects one of the divergences */
    const struct qd_expectation *unexpected; /* nothing diverges, and this row says that it would */

    const struct qd_diagnosis
        *diagnosis; /* of an unexpected VALUE (or any), NULL if not asked for */
    const struct qd_quantizer_report *report; /* of a quantizer that gave an answer, else NULL */
};

struct qd_twins;

struct qd_trial_options {
    struct qd_twins *twins; /* whether a refusal means something (valid_twin.h); NULL: it does */
    const struct qd_diagnose_options *diagnose; /* NULL: no diagnosis */
    bool strict;                                /* advisory divergences fail as well */
    bool diagnose_known;                        /* also what a row expects */
    struct qd_answer_memo *memo;                /* kept from target to target; NULL: none is */
};

/* Runs the case on the target and judges the answer, by subject->expectations if there are any. Texts live in the arena
 * or are borrowed from target and case. UNUSABLE: the target says so, or cannot be started again; LIMIT: too large to
 * transfer; IO; NO_MEMORY; of a quantizer's case INVALID, UNSUPPORTED or MALFORMED where the reference has no say. */
enum qd_status qd_trial_run(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                            const struct qd_trial_options *options, struct qd_arena *arena,
                            struct qd_trial *trial, struct qd_error *error);

/* Looks each divergence of the trial up in the rows, which the trial did not do if its subject has none. */
void qd_trial_expect(struct qd_expectations *expectations, const struct qd_evaluated *evaluated,
                     struct qd_arena *arena, struct qd_trial *trial);

/* The first part of it for a kernel target that is open as a session: can it, run, compare. */
enum qd_status qd_trial_ask(struct qd_session *session, const struct qd_evaluated *evaluated,
                            struct qd_arena *arena, struct qd_trial *trial, struct qd_error *error);

#endif
