/* SPDX-License-Identifier: Apache-2.0 */
/* How far a wrong number is off, as a word. */
#ifndef QDIFF_REPORTS_DISTANCE_H
#define QDIFF_REPORTS_DISTANCE_H

#include "result/result.h"

/* Of the first element that differs: "NaN", "infinite" (on one side only), of integers "by one code" (from the
 * admissible set, and where the diagnosis looked at them, all others too), else "off"; "" where no element
 * differs. What is off by more may saturate anywhere, so an end of the type says nothing. Equal words have equal
 * addresses. */
const char *qd_distance_word(const struct qd_result *result);

#endif
