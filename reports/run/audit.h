/* SPDX-License-Identifier: Apache-2.0 */
/* An audit of expectation rows: what each selects, what of that it matches, and how much that differs. A row that
 * selects much and matches little hides the next bug.
 *
 * A row is narrow if it names a quirk or a pattern of the message. Any other has to match nine tenths of the
 * comparisons that it selects, and, if its class is wrong-value, at most QD_AUDIT_MOST comparisons. */
#ifndef QDIFF_REPORTS_AUDIT_H
#define QDIFF_REPORTS_AUDIT_H

#include <stdio.h>

#include "run/gate.h"

enum { QD_AUDIT_MOST = 50, QD_AUDIT_SHOWN = 64 };

/* Distinct texts, counted up to QD_AUDIT_SHOWN. */
struct qd_audit_words {
    size_t count;
    const char *items[QD_AUDIT_SHOWN];
};

struct qd_audit_row {
    struct qd_expectation_view view;
    size_t selected, matched;                  /* comparisons */
    int64_t elements;                          /* compared, of what is selected */
    struct qd_audit_words messages, diagnoses; /* of what is matched */
};

struct qd_audit {
    struct qd_arena *arena;
    const char *path;
    size_t target_count;
    const char **targets;                        /* ids */
    const struct qd_expectations **expectations; /* of each, as it is active there */
    size_t row_count;
    struct qd_audit_row *rows;
    size_t broken, comparisons;
    struct qd_error error; /* why it said stop */
};

/* Begins with targets that are open with one expectations file, which may be closed afterwards. The arena outlives
 * the audit. NO_MEMORY. */
enum qd_status qd_audit_begin(struct qd_audit *audit, const struct qd_gate_targets *targets,
                              struct qd_arena *arena, struct qd_error *error);

/* The sink for a run whose known divergences are diagnosed, too. */
struct qd_sink qd_audit_sink(struct qd_audit *audit);

/* NULL if the row is narrow, or selects nothing, else what is wrong with it, in text. `size` at least 128. */
const char *qd_audit_offence(const struct qd_audit_row *row, char *text, size_t size);

/* The table of rows that selected something, and what offends. Returns how many rows do. */
size_t qd_audit_print(const struct qd_audit *audit, FILE *out);

#endif
