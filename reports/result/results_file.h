/* SPDX-License-Identifier: Apache-2.0 */
/* Reading results files. */
#ifndef QDIFF_REPORTS_RESULTS_FILE_H
#define QDIFF_REPORTS_RESULTS_FILE_H

#include "result/header.h"
#include "result/result_json.h"

/* Called in the order of the file; what they are given lives only during the call. A failure ends the reading. */
struct qd_results_reader {
    enum qd_status (*header)(void *context, const char *line, const struct qd_header *header,
                             struct qd_error *error);
    enum qd_status (*result)(void *context, const struct qd_result *result, struct qd_error *error);
    enum qd_status (*row)(void *context, const struct qd_unmatched_row *row,
                          struct qd_error *error);
    void *context;
};

/* Reads a file. *complete tells whether it ends with the summary of a run that was not cut short; a last line
 * without its end is what a killed process leaves, and is passed over. IO, MALFORMED with file and line. */
enum qd_status qd_results_read(const char *path, const struct qd_results_reader *reader,
                               bool *complete, struct qd_error *error);

#endif
