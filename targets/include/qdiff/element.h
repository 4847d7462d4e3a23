/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of one output element. */
#ifndef QDIFF_ELEMENT_H
#define QDIFF_ELEMENT_H

#include "qdiff/value.h"

enum qd_element {
    QD_ELEMENT_UNSPECIFIED,
    QD_ELEMENT_EXACT,
    QD_ELEMENT_ADMISSIBLE,
    QD_ELEMENT_MISMATCHED
};

/* What element i of `have` is; `seen` is qd_value_observe(value, i). */
enum qd_element qd_element_judge(const struct qd_value *value, const struct qd_observation *seen,
                                 const struct qd_tensor *have, int64_t i);

/* The same, of an observation that nothing else is asked of. */
enum qd_element qd_element_of(const struct qd_value *value, const struct qd_tensor *have,
                              int64_t i);

#endif
