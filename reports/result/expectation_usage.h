/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of expectations were matched by a divergence and which were not, over everything that ran. */
#ifndef QDIFF_REPORTS_EXPECTATION_USAGE_H
#define QDIFF_REPORTS_EXPECTATION_USAGE_H

#include "result/result_json.h"

struct qd_row_entry {
    struct qd_unmatched_row row; /* text NULL: no part of the run found it unused */
    bool matched;                /* it was the first to expect some divergence */
    bool covered;                /* it expected some, perhaps after another row */
};

enum qd_row_state {
    QD_ROW_USED,
    QD_ROW_STALE,   /* it expects nothing that was seen */
    QD_ROW_SHADOWED /* whatever it expects, an earlier row expects as well, on every target */
};

struct qd_expectation_usage {
    struct qd_arena *arena; /* where the entries live */
    size_t count, capacity;
    struct qd_row_entry *entries;
};

/* Notes what a result says about rows. NO_MEMORY only. */
enum qd_status qd_expectation_usage_result(struct qd_expectation_usage *usage,
                                           const struct qd_result *result, struct qd_error *error);

/* Notes a row that was the first for nothing in a part of the run. NO_MEMORY only. */
enum qd_status qd_expectation_usage_unmatched(struct qd_expectation_usage *usage,
                                              const struct qd_unmatched_row *row,
                                              struct qd_error *error);

/* Puts the entries in order of target and line: what follows does not depend on how the run was divided. */
void qd_expectation_usage_sort(struct qd_expectation_usage *usage);

/* Whether entry i was the first for nothing on its target: what a results file has to say, for a merge to judge. */
bool qd_expectation_usage_is_unmatched(const struct qd_expectation_usage *usage, size_t i);

/* What entry i came to in all parts together. */
enum qd_row_state qd_expectation_usage_state(const struct qd_expectation_usage *usage, size_t i);

/* That as a sentence about the row, for people. `size` at least 256; returns text. */
const char *qd_expectation_usage_describe(const struct qd_expectation_usage *usage, size_t i,
                                          char *text, size_t size);

#endif
