/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of generated cases whose scalar parameters are vectors of one element. */
#ifndef QDIFF_CASES_ONE_ELEMENT_H
#define QDIFF_CASES_ONE_ELEMENT_H

#include "qdiff/case.h"

/* Makes, of one case in eight (which ones is up to their ids), the twin in which scales, zero points and bounds of Clip
 * are [1] where they are scalars: of all of them, of the weight alone or of all but the weight. Everything else is the
 * same; the id's slug ends with "-one_element", the note names the case. *made says whether there is one: not of a case
 * without such a scalar, and not where the vendor's operator takes scalars alone. NO_MEMORY, LIMIT. */
enum qd_status qd_one_element_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                   struct qd_case *twin, struct qd_error *error);

#endif
