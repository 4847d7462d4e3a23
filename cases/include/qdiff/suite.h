/* SPDX-License-Identifier: Apache-2.0 */
/* The suite: every hand-written and generated case, in a deterministic order. */
#ifndef QDIFF_SUITE_H
#define QDIFF_SUITE_H

#include "qdiff/case.h"
#include "qdiff/covering.h"

enum qd_level { QD_LEVEL_SMOKE, QD_LEVEL_FULL, QD_LEVEL_EXHAUSTIVE, QD_LEVEL_COUNT };

/* What a visitor answers. */
enum qd_visit { QD_VISIT_GO_ON, QD_VISIT_STOP };

/* Called with each case; it lives only during the call. */
typedef enum qd_visit qd_case_visitor(void *context, const struct qd_case *kase);

/* Whether a value family says something about a row, and a further draw (> 0) something new. */
typedef bool qd_family_filter(const uint8_t *row, size_t values, uint64_t draw);

/* Makes the case of a row, a value family and a draw of numbers. */
typedef enum qd_status qd_family_maker(const uint8_t *row, size_t values, uint64_t draw,
                                       struct qd_arena *arena, struct qd_case *kase,
                                       struct qd_error *error);

/* One family of generated cases: rows of a table of features, times families of values, times draws of numbers. Each
 * lives in cases/families/<file>.c as `const struct qd_family qd_family_<file>`
 * and has one row in cases/include/qdiff/families.def.
 *
 * smoke: pairs of features, with the value families in turn; full: combinations of `strength` with all of them;
 * exhaustive: eight draws. With a stride smoke is every such row of full instead. */
struct qd_family {
    const char *name;                    /* first component of its cases' ids, e.g. "QLinearConv" */
    const char *meaning;                 /* one sentence */
    const struct qd_factor_table *table; /* NULL: none of its own */
    unsigned strength;
    size_t values;
    size_t smoke_stride;       /* 0: none */
    qd_family_filter *applies; /* NULL: every value family to every row; with a stride always */
    qd_family_maker *make;
    /* At full, for u8 and s8: one case with every zero point and every value that matters. NULL: none. */
    enum qd_status (*sweep)(enum qd_dtype codes, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error);
    /* What qd_family_generate() does instead of all that; NULL: nothing. */
    enum qd_status (*generate)(enum qd_level level, qd_case_visitor *visit, void *context,
                               struct qd_error *error);
    /* Instead of that, where each operator is a part of its own: the cases of the i-th. */
    enum qd_status (*generate_op)(size_t i, enum qd_level level, qd_case_visitor *visit,
                                  void *context, struct qd_error *error);
};

/* Generates the cases of `level` and below into `visit`. The same level always gives the same cases in the same order.
 * The statuses of qd_covering_make() and of what makes the cases. */
enum qd_status qd_family_generate(const struct qd_family *family, enum qd_level level,
                                  qd_case_visitor *visit, void *context, struct qd_error *error);

const struct qd_family *qd_family_at(size_t i); /* NULL past the end */

/* Whether an id is that of a case of the family or part `name`: it begins with the name and a slash. */
bool qd_family_has_id(const char *name, const char *id);

/* Whether cases of a part are asked for: a family, by its name, or one operator of it, as "derived/Cast". The ids of
 * its cases begin with that and a slash; they are the same whatever other parts are generated. */
typedef bool qd_part_wanted(const void *context, const char *part);

/* Called before each part that is wanted, before the valid hand-written cases, and before those of each operator that
 * have to be refused: false passes it over. */
typedef bool qd_part_entered(void *context);

struct qd_suite_options {
    enum qd_level level;
    const char
        *cases_dir; /* directory of encoded hand-written cases (*.qdcase, recursive), NULL: none */
    qd_part_wanted *wanted; /* others are not generated; NULL: all are wanted */
    const void *wanted_context;
    qd_part_entered *enter; /* NULL: all are entered */
    void *enter_context;
};

/* Visits the valid hand-written cases (sorted by id), then the families in list order, then the cases that have to be
 * refused, last because they may damage the process of a target that takes them. After one generated case in eight,
 * if it has scalar parameters, its twin with vectors of one element (feature one-element-vector), after one in eight
 * the twin that comes after steps (feature after-steps), after one in eight the one whose model is told no shape
 * (feature open-shape), and from the full level on, wherever that meets something new, its twin with a rewritten
 * graph. */
enum qd_status qd_suite_visit(const struct qd_suite_options *options, qd_case_visitor *visit,
                              void *context, struct qd_error *error);

/* Of the id of a twin that comes after steps, that of the case without them; of one with a rewritten graph, that of the
 * case as it was written, but for the hash at its end. False, and `base` is "", if the id is not such a one or longer
 * than fits. */
bool qd_case_id_of_base(const char *id, char *base, size_t size);

/* The id of the case that a twin was made of, which its note says; NULL for what is no twin. */
const char *qd_case_base(const struct qd_case *kase);

/* The hand-written cases under a directory, by id: where their files are. Lives in the arena. */
struct qd_case_index;
enum qd_status qd_case_index_make(const char *cases_dir, struct qd_arena *arena,
                                  const struct qd_case_index **index, struct qd_error *error);
/* The file of the case with that id, NULL if there is none. */
const char *qd_case_index_find(const struct qd_case_index *index, const char *id);

const char *qd_level_word(enum qd_level level);
bool qd_level_find(const char *word, enum qd_level *level);

#endif
