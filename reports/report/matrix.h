/* SPDX-License-Identifier: Apache-2.0 */
/* Results counted by target and by operator, family, type, feature or tag. */
#ifndef QDIFF_REPORTS_MATRIX_H
#define QDIFF_REPORTS_MATRIX_H

#include "report/report.h"

/* QD_MATRIX(NAME, word): what the rows of a matrix are. */
#define QD_MATRIX_LIST(QD_MATRIX)   \
    QD_MATRIX(OPERATOR, "operator") \
    QD_MATRIX(FAMILY, "family")     \
    QD_MATRIX(TYPE, "type")         \
    QD_MATRIX(FEATURE, "feature")   \
    QD_MATRIX(TAG, "tag")

#define QD_MATRIX_ENUM(name, word) QD_MATRIX_##name,
enum qd_matrix_by { QD_MATRIX_LIST(QD_MATRIX_ENUM) QD_MATRIX_COUNT };
#undef QD_MATRIX_ENUM

const char *qd_matrix_word(enum qd_matrix_by by);

/* One row and column: results by kind and verdict (0 for kinds that have none). */
struct qd_matrix_cell {
    uint32_t counts[QD_RESULT_COUNT][QD_VERDICT_COUNT];
};

struct qd_matrix_row {
    const char *name;
    struct qd_matrix_cell *cells; /* one for each column of the report */
};

struct qd_matrix {
    size_t count, capacity;
    struct qd_matrix_row
        *rows; /* in order of first appearance, the results being in order of ids */
};

/* Counts the results that have a target. A case has several features and tags, and counts once for each.
 * Lives in the report's arena but for the rows, which are malloc's. NO_MEMORY only. */
enum qd_status qd_matrix_count(struct qd_report *report, enum qd_matrix_by by,
                               struct qd_matrix *matrix, struct qd_error *error);
void qd_matrix_clear(struct qd_matrix *matrix);

#endif
