/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of must-reject cases, cases/reject/<Operator>.reject: a row is a valid twin and what is changed in it.
 *
 *   # a comment
 *   bias-shape/one-long | valid-per-channel | dims B [5] | QLinearConv-10, inputs: the bias has one element per filter
 *
 * 1. the rest of the id, reject/<Operator>/bias-shape/one-long; its first word
 * is the rule that is broken, of the twin's operator
 * 2. the twin, cases/reject/<Operator>/valid-per-channel.textproto
 * 3. edits, separated by ";" (reject_edit.h)
 * 4. the clause of the specification */
#ifndef QDIFF_CASES_REJECT_TABLE_H
#define QDIFF_CASES_REJECT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/arena.h"
#include "qdiff/status.h"

struct qd_reject_row {
    size_t line; /* in its file, from 1 */
    const char *name, *twin, *edits, *clause;
};

/* The rows of a table, in the arena with their texts. INVALID: a line that is no row, or a name twice; MALFORMED: a
 * NUL; NO_MEMORY. The error begins with the line's number. */
enum qd_status qd_reject_read(const char *text, size_t size, struct qd_arena *arena,
                              const struct qd_reject_row **rows, size_t *count,
                              struct qd_error *error);

/* The id of a row's case, and of its twin. NULL: no room. */
char *qd_reject_id(const char *table, const char *name, struct qd_arena *arena);

/* The case of a row as a serialised qdiff.Case, which decodes. `table` is the file's name without ".reject", `twin` the
 * twin's qdiff.Case. INVALID: the twin is no valid case, an edit does not fit it, or what comes out is no case; LIMIT,
 * UNSUPPORTED, MALFORMED as of qd_case_decode, NO_MEMORY. */
enum qd_status qd_reject_make(const char *table, const struct qd_reject_row *row,
                              const uint8_t *twin, size_t twin_size, struct qd_arena *arena,
                              uint8_t **bytes, size_t *size, struct qd_error *error);

#endif
