/* SPDX-License-Identifier: Apache-2.0 */
/* Causes for people, for TAP and as JSON. Each is written after qd_causes_find. */
#ifndef QDIFF_REPORTS_CAUSES_PRINT_H
#define QDIFF_REPORTS_CAUSES_PRINT_H

#include <stdio.h>

#include "causes/causes.h"
#include "result/tap.h"

/* So many lines of a table are read. */
enum { QD_CAUSES_SHOWN = 25 };

/* The failures as a table, one line a cause, the `most` largest; nothing if nothing failed. */
void qd_causes_print(const struct qd_causes *causes, size_t most, FILE *out);

/* A cause in full: name, counts, sentence, operators, issue, command. */
void qd_cause_print(const struct qd_cause *cause, FILE *out);

/* The failures as TAP comments, with the sentence and the command of each. */
void qd_causes_tap(const struct qd_causes *causes, struct qd_tap *tap);

/* An object a line, what is known included, with the ids of its cases. */
void qd_causes_write(const struct qd_causes *causes, FILE *out);

#endif
