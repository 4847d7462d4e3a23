/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations: the known divergences of a target, as rows of tab-separated text.
 *
 *   case or op pattern | features | settings | class or quirk | version range | CPU condition | issue URL | reason
 *
 * Grammar in targets/README.md, section "Expectations". A row that names a case by its id, without a pattern, may not
 * select a passing one (which is then *fixed*); a row whose settings, version or CPU condition does not hold is
 * inactive; a row that was active, whose cases all ran, and that matched no divergence is stale. */
#ifndef QDIFF_EXPECTATIONS_H
#define QDIFF_EXPECTATIONS_H

#include "qdiff/compare.h"
#include "qdiff/features.h"

struct qd_expectations;

/* Parses a file's text. USAGE names line and field. */
enum qd_status qd_expectations_parse(const char *path, const char *text, size_t size,
                                     struct qd_arena *arena, struct qd_expectations **expectations,
                                     struct qd_error *error);

/* The same of a file of at most 16 MiB. IO, LIMIT. */
enum qd_status qd_expectations_read(const char *path, struct qd_arena *arena,
                                    struct qd_expectations **expectations, struct qd_error *error);

/* The path it was read from, NULL of NULL; borrowed. */
const char *qd_expectations_path(const struct qd_expectations *expectations);

/* The file of the known divergences that come with a built-in target, by its name; *path is NULL if there is none. */
enum qd_status qd_expectations_shipped(const char *name, struct qd_arena *arena, const char **path,
                                       struct qd_error *error);

/* Tells which rows are active for this target on this machine. */
enum qd_status qd_expectations_activate(struct qd_expectations *expectations,
                                        const struct qd_target_info *info, struct qd_error *error);

/* Reads a file and activates its rows. *expectations is set only on success; errors of both. */
enum qd_status qd_expectations_open(const char *path, const struct qd_target_info *info,
                                    struct qd_arena *arena, struct qd_expectations **expectations,
                                    struct qd_error *error);

/* Lines of an expectations file, ascending, each once. */
#define QD_MOST_COVERING 16
struct qd_row_lines {
    size_t count; /* beyond QD_MOST_COVERING the last ones are not told */
    size_t lines[QD_MOST_COVERING];
};

/* Adds a line. */
void qd_row_lines_add(struct qd_row_lines *lines, size_t line);

struct qd_expectation {
    const char *issue, *reason; /* borrowed */
    const char
        *quirks; /* "a+b": the row covers what they explain and nothing else; "" if it names none */
    size_t row;  /* line number */
    bool by_chance; /* of class nondeterministic: two runs may agree now and then */
};

/* Whether the quirks of a row explain an answer, as it was found before. */
struct qd_known_fit;

/* A case that ran on a target, and what was learned. */
struct qd_evidence {
    const struct qd_case *kase;
    const struct qd_features *features;
    enum qd_verdict verdict;
    /* Of a VALUE divergence: the reference's values and the run's outputs, for rows that name a quirk (diagnose.h,
     * qd_quirks_explain); NULL: such rows do not match. */
    const struct qd_value *canonical;
    const struct qd_run *run;
    /* What rows of the form class:words look for: the target's words, a finding's text, the rule of ACCEPTS_INVALID;
     * NULL: such rows do not match. */
    const char *words;
    /* Starved afterwards if the machine had no memory to see whether a row matches; or NULL. */
    struct qd_arena *arena;
    /* Where it is kept, in the arena, which quirks explain these outputs: the rows of another target that gives the
     * same answer to the case need not try them again. *fits is NULL before the first; NULL: nowhere. */
    struct qd_known_fit **fits;
};

/* The first row that expects this verdict of this case, NULL if none; marks it used. All rows that do are added to
 * *covering, unless it is NULL. When the verdict is no divergence, *unexpected is the first active row that selects
 * this case by its id without a glob (an unexpected pass), else NULL. */
const struct qd_expectation *qd_expectations_match(struct qd_expectations *expectations,
                                                   const struct qd_evidence *evidence,
                                                   const struct qd_expectation **unexpected,
                                                   struct qd_row_lines *covering);

/* What a row says that `qdiff expectations --write` writes; fields as in the grammar. */
struct qd_row_draft {
    const char *pattern, *features, *settings, *class, *versions;
    const char *reason; /* any text, made one field; "" becomes "not explained yet" */
};

/* A pattern that matches this id, operator or rule and nothing else, after a prefix such as "op:". NULL when out of
 * memory. */
const char *qd_expectations_pattern(const char *prefix, const char *text, struct qd_arena *arena);

/* The row with its line end; the issue is "-". A version that is none becomes "*", and so do settings that are none.
 * NO_MEMORY. */
enum qd_status qd_expectations_row(const struct qd_row_draft *draft, struct qd_arena *arena,
                                   const char **text, struct qd_error *error);

/* Remembers which rows, active or not, select this case. True: each has selected one by now. */
bool qd_expectations_mark_selected(struct qd_expectations *expectations, const struct qd_case *kase,
                                   const struct qd_features *features);

/* The patterns over ids of the rows that have selected no case yet, in the arena. False if one of them may select cases
 * of any id, or without memory. */
bool qd_expectations_pending(const struct qd_expectations *expectations, struct qd_arena *arena,
                             const char ***patterns, size_t *count);

/* Visits, as USAGE that names file, line and field, the rows that selected none of the cases offered. */
void qd_expectations_unused(const struct qd_expectations *expectations,
                            void (*visit)(void *context, const struct qd_error *error),
                            void *context);

/* Row i of the file, from 0, as an audit sees it. */
struct qd_expectation_view {
    size_t line;
    const char *text;        /* the line */
    enum qd_verdict verdict; /* its class */
    const char *quirks;      /* "a+b"; "" if it names none */
    bool names_words;
    bool is_fuzz; /* for a fuzzer's cases only */
};

/* False past the end. */
bool qd_expectations_view(const struct qd_expectations *expectations, size_t i,
                          struct qd_expectation_view *view);

/* Whether row i is active and selects a case of the suite, by its id, operator and features. */
bool qd_expectations_selects(const struct qd_expectations *expectations, size_t i, const char *id,
                             const char *op, const struct qd_features *features);

/* True if an active row of this class is about the case. What one of crash is about may end its process, what one of
 * state-leak is about may damage it. */
bool qd_expectations_expect(const struct qd_expectations *expectations, enum qd_verdict verdict,
                            const struct qd_case *kase, const struct qd_features *features);

/* Visits the active rows that were the first for no divergence: stale, or shadowed by earlier rows, if every case that
 * they could match ran. */
void qd_expectations_stale(const struct qd_expectations *expectations,
                           void (*visit)(void *context, const struct qd_expectation *row,
                                         const char *text),
                           void *context);

#endif
