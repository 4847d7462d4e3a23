/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said about a difference that nothing explains. */
#ifndef QDIFF_TARGETS_DIAGNOSE_FACTS_H
#define QDIFF_TARGETS_DIAGNOSE_FACTS_H

#include "qdiff/compare.h"

/* One line, joined by "; ": how many elements differ and by how much, whether only at exact ties, in which indices of
 * which axis, whether only in the tail of rows that a vector kernel leaves over. NULL when out of memory. */
const char *qd_difference_facts(const struct qd_case *kase, const struct qd_value *canonical,
                                const struct qd_run *run, struct qd_arena *arena);

/* Whether every element that differs, and one does, is at an exact tie; false if that is not known. */
bool qd_difference_is_of_ties(const struct qd_case *kase, const struct qd_value *canonical,
                              const struct qd_run *run, struct qd_arena *arena);

#endif
