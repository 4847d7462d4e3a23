/* SPDX-License-Identifier: Apache-2.0 */
/* Honest counts of cases: by operator, family and level; what is identical
 * counts once, a must-reject case by its rule. */
#ifndef QDIFF_REPORTS_CASE_COUNTS_H
#define QDIFF_REPORTS_CASE_COUNTS_H

#include <stdio.h>

#include "select/levels.h"

/* Cases of one operator or family. */
struct qd_case_counts_row {
    char *name;
    size_t valid
        [QD_LEVEL_COUNT]; /* by the lowest level that has them; no two with the same model and inputs */
    size_t rules;         /* distinct rules of must-reject cases */
};

struct qd_case_counts_table {
    size_t count;
    struct qd_case_counts_row *rows;
};

struct qd_case_counts {
    struct qd_case_counts_table ops, families;
    struct qd_case_counts_row total;
    size_t cases;      /* all that were offered */
    size_t duplicates; /* valid ones left out of the rows: another has the same model and inputs */
    size_t must_reject, regressions, issues; /* issues: distinct ones of regressions */
    struct qd_digest_map seen;
};

/* Counts a case; an empty counts is all zero. NO_MEMORY. */
enum qd_status qd_case_counts_add(struct qd_case_counts *counts, const struct qd_case *kase,
                                  enum qd_level level, struct qd_error *error);
/* The levels up to `top` as columns; JSON: one object on one line. */
void qd_case_counts_print(const struct qd_case_counts *counts, enum qd_level top, FILE *out);
void qd_case_counts_write(const struct qd_case_counts *counts, enum qd_level top, FILE *out);
void qd_case_counts_clear(struct qd_case_counts *counts);

#endif
