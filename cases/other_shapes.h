/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of generated cases whose model is not told a shape. */
#ifndef QDIFF_CASES_OTHER_SHAPES_H
#define QDIFF_CASES_OTHER_SHAPES_H

#include "qdiff/case.h"

/* Makes, of one case in eight (which ones is up to their ids), the twin in which one axis of the first input that is
 * read as numbers, or of all of them that are as long there, has no number in the model: nor has any of the outputs.
 * Steps come first: the model runs with more than twice as many along the axis and, if there are several and that is
 * right, with one, in either order; in some cases two neighbouring axes are open and have changed places before.
 * Inputs and outputs are the case's. The id ends with "-after_other_shapes" and the hash of the case, which the note
 * names. *made says whether there is one: not where the model is right for no greater number. NO_MEMORY, LIMIT. */
enum qd_status qd_other_shapes_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                    struct qd_case *twin, struct qd_error *error);

/* The words that ids of such twins end with, NULL past the last. */
const char *qd_other_shapes_word(size_t i);

#endif
