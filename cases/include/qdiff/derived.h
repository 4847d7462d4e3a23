/* SPDX-License-Identifier: Apache-2.0 */
/* Cases made of each operator's row alone, so that no factor depends on somebody having thought
 * of it.
 *
 * Of the row (operands with their roles, attributes, form) come factors with levels: types,
 * extents, ranks, presence, binding, zero points, granularity, attributes, opset. A covering
 * array of them makes the cases. What does not go together is learned from the reference's
 * refusals: a smallest set of levels that it refuses is a hole, and the rule that it named is
 * the excuse. Learning takes minutes, so its rows are kept in derived/rows.def, which the suite
 * reads. There a row is marked if its case is of the smoke level: what that level does not notice
 * without it was chosen by `qdiff self-test --contract --write`. */
#ifndef QDIFF_DERIVED_H
#define QDIFF_DERIVED_H

#include <stdio.h>

#include "qdiff/suite.h"

struct qd_derived;

/* One level that is not the base one. */
struct qd_derived_choice {
    const char *factor, *level;
};

/* A smallest set of levels that no case has together. */
struct qd_derived_hole {
    size_t count;
    struct qd_derived_choice choices[QD_COVERING_MAX_FACTORS];
    const char *excuse; /* the rule or the sentence with which the reference refuses */
};

/* What the cases of an operator cover. */
struct qd_derived_cover {
    const char *domain, *op_type;
    unsigned factor_count;
    const struct qd_factor *factors;
    const size_t *level_cases[QD_COVERING_MAX_FACTORS]; /* [factor][level]: cases that have it */
    size_t cases;
    size_t pairs, pairs_covered, pairs_excused; /* of levels of two factors */
    size_t hole_count;
    const struct qd_derived_hole *holes;
    size_t probes;      /* cases tried on the way */
    uint32_t signature; /* of the factors that the rows are of */
    const char *
        rows; /* the base and the rows: a word each, with a digit for each level and for the types of outputs;
                         * after it a blank, '*' if the case is of the smoke level, '+' if of the exhaustive one */
};

/* Learns the rows of operator `op` of the list (qd_op_at) and says what they cover, in the
 * arena; takes seconds. False *known past the list's end. The statuses of the reference other
 * than a refusal; NO_MEMORY. */
enum qd_status qd_derived_cover(size_t op, struct qd_arena *arena, struct qd_derived_cover *cover,
                                bool *known, struct qd_error *error);

/* The rows of the operator in derived/rows.def; false if it has none. Of *cover domain, op_type,
 * signature and rows are set. */
bool qd_derived_shipped(size_t op, struct qd_derived_cover *cover);

/* Its cases are those of the rows: what the suite makes of them as twins is not among them. */
extern const struct qd_family qd_family_derived;

/* The tag of cases with a level that meets no others: sizes, ranks and opsets that few targets are made for.
 * They are of the full level. */
#define QD_DERIVED_TAG_ALONE "alone"

/* Whether the case has that tag. */
bool qd_derived_meets_none(const struct qd_case *kase);

/* Whether the case with that id is to be of the smoke level. */
typedef bool qd_derived_takes(const void *context, const char *id);

/* The same with more rows of the smoke level: those that takes(context, id) is true for are added. The rows live in
 * the arena.
 * INTERNAL: there are none of the operator's present factors. NO_MEMORY; what making a case fails with. */
enum qd_status qd_derived_mark(size_t op, qd_derived_takes *takes, const void *context,
                               struct qd_arena *arena, struct qd_derived_cover *cover,
                               struct qd_error *error);

/* Writes the start of derived/rows.def. */
void qd_derived_write_head(FILE *out);

/* Writes its entry of derived/rows.def. */
void qd_derived_write(const struct qd_derived_cover *cover, FILE *out);

#endif
