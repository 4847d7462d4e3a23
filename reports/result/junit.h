/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML, as Jenkins and GitLab read it: a suite for each target, a test for each case. What makes a run fail
 * is a failure or an error, what is known or skipped is skipped. */
#ifndef QDIFF_REPORTS_JUNIT_H
#define QDIFF_REPORTS_JUNIT_H

#include <stdio.h>

#include "result/result.h"

/* The tests of a target, as text. */
struct qd_junit_suite {
    char *name, *text;
    size_t size;
    size_t tests, failures, errors, skipped;
};

struct qd_junit {
    const char *path; /* NULL: nothing is written */
    size_t count, capacity;
    struct qd_junit_suite *suites; /* in order of their first result */
    bool lost;                     /* there was no memory for something */
};

/* Begins a file, borrowed; NULL: none is wanted, and all else does nothing. USAGE where it cannot be written, or
 * exists and is no JUnit file. */
enum qd_status qd_junit_begin(struct qd_junit *junit, const char *path, struct qd_error *error);

void qd_junit_result(struct qd_junit *junit, const struct qd_result *result);

/* A failure that is no result of a case: a stale expectation row, nothing compared. */
void qd_junit_failure(struct qd_junit *junit, const char *description);

/* Writes the file and gives all memory back. INTERNAL where that fails. */
enum qd_status qd_junit_end(struct qd_junit *junit, struct qd_error *error);

/* Text as XML, without what XML 1.0 has no place for; in an attribute also quotes and line ends are escaped. */
void qd_xml_text(FILE *out, const char *text, bool attribute);

#endif
