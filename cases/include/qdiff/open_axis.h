/* SPDX-License-Identifier: Apache-2.0 */
/* Cases whose model is not told the length of an axis, and runs with other lengths first. */
#ifndef QDIFF_OPEN_AXIS_H
#define QDIFF_OPEN_AXIS_H

#include "qdiff/case.h"
#include "qdiff/random.h"

#define QD_MAX_OTHER_LENGTHS 2

/* What an axis that is n long is long in the runs that come first: times * n + plus. */
struct qd_other_lengths {
    double work;    /* that each of them may cost the reference (answer.h) */
    bool turned;    /* instead, the axis and the next one change places */
    bool backwards; /* the second of the lengths comes first */
    size_t count;
    struct {
        int64_t times, plus;
    } at[QD_MAX_OTHER_LENGTHS];
};

/* Makes the case in which one axis of the first input that is read as numbers, or of all of them
 * that are as long there, has no number in the model: nor has any of the outputs. Which, and
 * whether of all, is up to `random`. Steps come first: the model runs with the first of the
 * lengths and with those of the others that are not the case's own and that the reference takes;
 * or, with `turned`, once with two neighbouring extents that have changed places (as many
 * elements in another shape), where there are two that differ and that is right.
 * Inputs, outputs, id and note are the case's; steps of its own it loses. *made says whether
 * there is one: not where the reference does not take the first length for any axis. NO_MEMORY,
 * LIMIT, and what qd_case_edit_begin says. */
enum qd_status qd_case_open_axis(const struct qd_case *kase, const struct qd_other_lengths *lengths,
                                 struct qd_random *random, struct qd_arena *arena, bool *made,
                                 struct qd_case *opened, struct qd_error *error);

/* Whether the reference takes the inputs of every step within that work. A node computes a tensor
 * without elements there only if one does with the case's: what a target makes of those is
 * another question. */
bool qd_case_steps_are_right(const struct qd_case *kase, double work, struct qd_arena *arena);

#endif
