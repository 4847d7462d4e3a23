/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases cover: per operator its rules, and its types at every opset. */
#ifndef QDIFF_REPORTS_COVERAGE_H
#define QDIFF_REPORTS_COVERAGE_H

#include <stdio.h>

#include "digest/digest_map.h"
#include "qdiff/evaluate.h"
#include "select/selection.h"

/* One combination of types of one operator. */
struct qd_coverage_row {
    const struct qd_op *op;
    char *types; /* "u8 f32 u8 -> f32"; "-" for an absent input */
    size_t cases[QD_MAX_OPSET + 1];
    uint8_t *sample; /* an encoded case that has it */
    size_t sample_size, sample_nodes;
};

struct qd_coverage {
    size_t count, capacity;
    struct qd_coverage_row *rows;
    struct qd_digest_map index; /* of rows, by operator and types */
    struct qd_digest_map rules; /* of must-reject cases: how many */
};

/* Counts a case; an empty coverage is all zero. The arena is for what is needed meanwhile. A valid case that the
 * reference cannot evaluate, and NO_MEMORY, fail. */
enum qd_status qd_coverage_add(struct qd_coverage *coverage, const struct qd_case *kase,
                               struct qd_arena *arena, struct qd_error *error);

/* Prints, per family of generated cases, its feature table: rows, and the share of the possible combinations of
 * features that they hold, counted. */
enum qd_status qd_coverage_print_tables(bool markdown, FILE *out, struct qd_error *error);

/* Prints the operators that --op asks for, as text or Markdown. An empty cell says why: the rule or sentence by which
 * the reference refuses these types at that opset, or "hole". */
enum qd_status qd_coverage_print(const struct qd_coverage *coverage,
                                 const struct qd_selection *selection, bool markdown, FILE *out,
                                 struct qd_error *error);

/* The same as JSON: an array with an object for each operator, {"op", "rules", "uncovered": [rule], "types": [[types,
 * opsets]]}, the opsets as in the specification. */
enum qd_status qd_coverage_write(const struct qd_coverage *coverage, FILE *out,
                                 struct qd_error *error);
void qd_coverage_clear(struct qd_coverage *coverage);

#endif
