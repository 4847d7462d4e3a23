/* SPDX-License-Identifier: Apache-2.0 */
/* A reduced finding as files for people: text case, report, script. */
#ifndef QDIFF_REPORTS_FINDING_REPORT_H
#define QDIFF_REPORTS_FINDING_REPORT_H

#include <stdio.h>

#include "qdiff/reducer.h"

struct qd_finding_report {
    const struct qd_reduced *reduced;
    const char *from;   /* id of the case it was reduced from */
    const char *target; /* "ort@1.26.0[opt=none,threads=1]" */
};

/* Lines: what it is, want and have, diagnosis, the target's words, how it was reduced. */
void qd_finding_describe(FILE *out, const struct qd_finding_report *report, struct qd_arena *arena);

/* The case as text with that as comment; a Markdown page. IO, NO_MEMORY. */
enum qd_status qd_finding_write_text(const struct qd_finding_report *report, const char *path,
                                     struct qd_arena *arena, struct qd_error *error);
enum qd_status qd_finding_write_page(const struct qd_finding_report *report, const char *path,
                                     bool has_script, struct qd_arena *arena,
                                     struct qd_error *error);

/* Everything into a directory: model.onnx, qdiff.pb and test_data_set_0/ as export makes them, case.qdcase,
 * case.textproto, report.md and, for ONNX Runtime, reproduce.py. *script: "" or why there
 * is none. USAGE: a directory that holds something else. */
enum qd_status qd_finding_write_bundle(const struct qd_finding_report *report, const char *path,
                                       struct qd_arena *arena, const char **script,
                                       struct qd_error *error);

#endif
