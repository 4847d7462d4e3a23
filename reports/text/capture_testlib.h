/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that write to memory, for tests of writers. */
#ifndef QDIFF_REPORTS_CAPTURE_TESTLIB_H
#define QDIFF_REPORTS_CAPTURE_TESTLIB_H

#include <stdio.h>

struct qd_capture {
    FILE *out;
    char *text; /* valid after qd_capture_text */
    size_t size;
};

void qd_capture_begin(struct qd_capture *capture);

/* What was written so far. */
const char *qd_capture_text(struct qd_capture *capture);

void qd_capture_end(struct qd_capture *capture);

#endif
