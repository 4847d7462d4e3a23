/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours of a case: the same graph with other numbers. What explains one mismatch has to explain its neighbours
 * too, and two explanations are told apart by a neighbour on which they differ (reference/README.md, "Admissible sets";
 * the mutation core of the fuzzer draws numbers the same way). */
#ifndef QDIFF_NEIGHBOURS_H
#define QDIFF_NEIGHBOURS_H

#include "qdiff/case.h"

/* Neighbour number `number` of a case: types, shapes, attributes and nodes stay, the numbers change by a plan that
 * the number chooses: data alone (near the old ones, anywhere, or at the ends of the type), or the zero points or
 * the scales as well (a power of two near the old one, which makes ties; distinct per channel; up to 64 times
 * smaller, so that sums leave the range of their codes), or nothing but the scales by a unit in the last place,
 * which puts what was a tie next to one. Float data lie on halves of the first scales of the graph as a rule, of
 * blocks in a row each on its own. Tensors that are shapes, indices or bounds keep theirs, and so do scalars other
 * than parameters. The id is "<id>~<number>".
 *
 * Deterministic. The neighbour need not be valid (a bias whose accumulator overflows, say): evaluating it tells.
 * Errors: those of qd_case_edit_begin and qd_case_edit_finish. */
enum qd_status qd_neighbour(const struct qd_case *kase, uint64_t number, struct qd_arena *arena,
                            struct qd_case *neighbour, struct qd_error *error);

#endif
