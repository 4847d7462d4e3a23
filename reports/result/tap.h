/* SPDX-License-Identifier: Apache-2.0 */
/* TAP 13, as Debian 12's prove reads it: a point per case and target, YAML blocks for what differs. */
#ifndef QDIFF_REPORTS_TAP_H
#define QDIFF_REPORTS_TAP_H

#include <stdio.h>

#include "result/result.h"

struct qd_tap {
    FILE *out;
    size_t points; /* written so far */
};

void qd_tap_begin(struct qd_tap *tap, FILE *out);

/* "# text"; a line of its own. */
void qd_tap_comment(struct qd_tap *tap, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The point of a result: ok, ok # SKIP reason, not ok # TODO issue, or not ok with what differs. */
void qd_tap_result(struct qd_tap *tap, const struct qd_result *result);

/* What TAP says of a result that is not ok, as YAML. */
void qd_tap_block(FILE *out, const struct qd_result *result);

/* A point that is no result of a case. */
void qd_tap_point(struct qd_tap *tap, bool ok, const char *description);

/* The same, skipped for a reason if that is not "". */
void qd_tap_check(struct qd_tap *tap, bool ok, const char *description, const char *skipped);

/* "Bail out!": nothing after this can be believed. */
void qd_tap_bail_out(struct qd_tap *tap, const char *text);

/* The plan. */
void qd_tap_end(struct qd_tap *tap);

#endif
