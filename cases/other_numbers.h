/* SPDX-License-Identifier: Apache-2.0 */
/* What the makers of twins ask and change about the constants and inputs of a case. Internal to the cases layer. */
#ifndef QDIFF_CASES_OTHER_NUMBERS_H
#define QDIFF_CASES_OTHER_NUMBERS_H

#include "qdiff/arena.h"
#include "qdiff/evaluate.h"

/* Whether an operand holds numbers to compute with: data or a weight. */
bool qd_role_is_number(enum qd_role role);

/* Whether every operand that the value is, also behind an Identity, is one. */
bool qd_is_read_as_numbers(const struct qd_graph *graph, int value);

/* A scale (role SCALE) twice as large, or a zero point one off. False: out of memory. */
bool qd_other_parameter(enum qd_role role, const struct qd_tensor *tensor, struct qd_arena *arena,
                        struct qd_tensor *changed);

#endif
