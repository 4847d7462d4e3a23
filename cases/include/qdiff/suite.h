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

/* One family of generated cases. Each lives in cases/families/<file>.c as `const struct qd_family qd_family_<file>`
 * and has one row in cases/include/qdiff/families.def. */
struct qd_family {
    const char *name;    /* first component of its cases' ids, e.g. "QLinearConv" */
    const char *meaning; /* one sentence */
    /* Generates the cases of `level` and below into `visit`. The same level always gives the same cases in the
     * same order. */
    enum qd_status (*generate)(enum qd_level level, qd_case_visitor *visit, void *context,
                               struct qd_error *error);
    /* The table of features behind the generated cases, and how many features at once the full level covers; NULL: none of
     * its own. */
    const struct qd_factor_table *table;
    unsigned strength;
};

const struct qd_family *qd_family_at(size_t i); /* NULL past the end */

struct qd_suite_options {
    enum qd_level level;
    const char
        *cases_dir; /* directory of encoded hand-written cases (*.qdcase, recursive), NULL: none */
};

/* Visits hand-written cases (sorted by id), then the families in list order. */
enum qd_status qd_suite_visit(const struct qd_suite_options *options, qd_case_visitor *visit,
                              void *context, struct qd_error *error);

/* The hand-written cases under a directory, by id: where their files are. Lives in the arena. */
struct qd_case_index;
enum qd_status qd_case_index_make(const char *cases_dir, struct qd_arena *arena,
                                  const struct qd_case_index **index, struct qd_error *error);
/* The file of the case with that id, NULL if there is none. */
const char *qd_case_index_find(const struct qd_case_index *index, const char *id);

const char *qd_level_word(enum qd_level level);
bool qd_level_find(const char *word, enum qd_level *level);

#endif
