/* SPDX-License-Identifier: Apache-2.0 */
/* A result as one line of JSON, and back. Fields: reports/README.md, "Results files". */
#ifndef QDIFF_REPORTS_RESULT_JSON_H
#define QDIFF_REPORTS_RESULT_JSON_H

#include <stdio.h>

#include "result/result.h"

/* An expectation row that selected cases of this run and matched no divergence among them. */
struct qd_unmatched_row {
    const char *target, *text, *issue;
    size_t row;
};

/* What a line of a results file is. */
enum qd_result_record_kind { QD_RECORD_HEADER, QD_RECORD_RESULT, QD_RECORD_ROW, QD_RECORD_SUMMARY };

struct qd_result_record {
    enum qd_result_record_kind kind;
    struct qd_result result;     /* RESULT */
    struct qd_unmatched_row row; /* ROW */
    bool complete;               /* SUMMARY: the run was not cut short */
};

void qd_result_write(FILE *out, const struct qd_result *result);
void qd_unmatched_row_write(FILE *out, const struct qd_unmatched_row *row);

/* Decodes a line; strings live in the arena. MALFORMED names the field. Of a header only its kind is read. */
enum qd_status qd_result_record_decode(const char *line, size_t length, struct qd_arena *arena,
                                       struct qd_result_record *record, struct qd_error *error);

#endif
