/* SPDX-License-Identifier: Apache-2.0 */
/* What one case on one target came to: the record that TAP, results files and summaries are made of. */
#ifndef QDIFF_REPORTS_RESULT_H
#define QDIFF_REPORTS_RESULT_H

#include "qdiff/compare.h"
#include "qdiff/expectations.h"

/* QD_RESULT(NAME, word, meaning, what to do next) */
#define QD_RESULT_LIST(QD_RESULT)                                                                 \
    QD_RESULT(PASS, "pass", "no divergence", "nothing to do")                                     \
    QD_RESULT(FAIL, "fail", "a divergence that no expectation row covers",                        \
              "fix the target, or accept it: qdiff expectations --write FILE --target T")         \
    QD_RESULT(KNOWN, "known", "a divergence that an expectation row covers",                      \
              "nothing; TAP prints it as TODO with the row's issue")                              \
    QD_RESULT(ADVISORY, "advisory", "a divergence that no sentence of the specification forbids", \
              "nothing, or count it as a failure: --strict")                                      \
    QD_RESULT(FIXED, "fixed", "no divergence, although an expectation row names this case",       \
              "delete the row, or limit its versions")                                            \
    QD_RESULT(SKIP, "skip", "not run, for the reason given",                                      \
              "nothing, unless the target should support the case")                               \
    QD_RESULT(BAD_INPUT, "bad-input", "a case file that cannot be read or breaks a rule",         \
              "correct the file; the error names the place in it")                                \
    QD_RESULT(BROKEN, "broken", "a failure of qdiff itself",                                      \
              "report it, with the output of qdiff version and the case")

#define QD_RESULT_ENUM(name, word, meaning, next) QD_RESULT_##name,
enum qd_result_kind { QD_RESULT_LIST(QD_RESULT_ENUM) QD_RESULT_COUNT };
#undef QD_RESULT_ENUM

struct qd_parameter {
    const char *name, *value;
};

/* All strings are borrowed; "" where there is nothing to say. */
struct qd_result {
    const char *id, *op, *tags; /* tags: "tie,saturation" */
    const char *target;         /* "ort@1.31.1[opt=all]"; "" for an input that no target saw */
    enum qd_result_kind kind;
    const char *why;                 /* SKIP: reason; BAD_INPUT, BROKEN: the error */
    struct qd_comparison comparison; /* not for SKIP, BAD_INPUT, BROKEN */
    size_t row;                      /* KNOWN, FIXED: line of the expectations file */
    const char *issue, *reason;      /* of that row */
    /* Of a divergence: lines of the rows that are the first to expect it or
     * a part of it, and of all that do, "12,40". */
    const char *matched, *covering;

    const char *stage;  /* "load" or "run": where it was refused, as it should be or not, or died */
    const char *rule;   /* of a must-reject case: what it breaks */
    const char *sample; /* of a part of the outputs that was judged: which */
    const char
        *features; /* of a kernel's case: "bias,groups"; causes compare failures with passes */

    /* Of divergences only. */
    enum qd_severity severity;
    const char *clause;                /* what it breaks (qdiff/citation.h) */
    const char *message;               /* the target's own words */
    int signal;                        /* that killed it, 0 if none */
    const char *output, *element;      /* "y u8[1,2,3,3]" and "[0, 1, 2, 2]" */
    const char *want, *have, *lo, *hi; /* the first mismatching element, as numbers */
    const char *real;    /* the exact number that `want` was rounded from, without the zero point */
    const char *answers; /* what was given at every element that is not canonical (answers.h) */

    /* Of a failed value divergence that was diagnosed (qdiff/diagnose.h). */
    const char *diagnosis;     /* "zero-point-before-rounding", "a+b", "a|b", "unexplained" */
    const char *effect, *seen; /* of the quirk: its equation, its public ids */
    const char *evidence;      /* how many neighbours were run */
    const char *place;         /* where in the graph */
    const char *facts;         /* which elements differ, and how */

    size_t parameter_count;
    const struct qd_parameter *parameters; /* attributes and inputs of the principal node */
};

/* The strings that may be absent. */
#define QD_RESULT_STRINGS(STRING) \
    STRING(tags)                  \
    STRING(why)                   \
    STRING(issue)                 \
    STRING(reason)                \
    STRING(matched)               \
    STRING(covering)              \
    STRING(clause)                \
    STRING(message)               \
    STRING(stage)                 \
    STRING(features)              \
    STRING(rule)                  \
    STRING(sample)                \
    STRING(output)                \
    STRING(element)               \
    STRING(want)                  \
    STRING(have)                  \
    STRING(lo)                    \
    STRING(hi)                    \
    STRING(real)                  \
    STRING(answers)               \
    STRING(diagnosis)             \
    STRING(effect)                \
    STRING(seen)                  \
    STRING(evidence)              \
    STRING(place)                 \
    STRING(facts)

/* A result with no strings but these. */
struct qd_result qd_result_init(const char *id, const char *op, const char *target,
                                enum qd_result_kind kind);

const char *qd_result_word(enum qd_result_kind kind);
const char *qd_result_meaning(enum qd_result_kind kind);
const char *qd_result_next(enum qd_result_kind kind); /* what to do next */
bool qd_result_find(const char *word, enum qd_result_kind *kind);

/* Whether something is to be looked at: not a pass, a skip, or a divergence that is known or advisory. */
bool qd_result_is_unexpected(enum qd_result_kind kind);

/* Whether the result has a comparison whose counts mean something. */
bool qd_result_has_comparison(const struct qd_result *result);

/* Whether something was learned about the target: neither skipped nor wholly unspecified. */
bool qd_result_is_comparison(const struct qd_result *result);

#endif
