/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear to float8 by way of float16. */
#ifndef QDIFF_TARGETS_QUIRK_FLOAT8_H
#define QDIFF_TARGETS_QUIRK_FLOAT8_H

#include "qdiff/override.h"

/* The float16 of a float32. */
typedef float qd_float16_of(float x);

/* Marks the operands that are constants, for the next one. */
enum qd_status qd_float8_mark(const struct qd_override *self, const struct qd_graph *graph,
                              struct qd_arena *arena, const struct qd_graph **rewritten,
                              struct qd_error *error);

/* The node by what comes after `self`; of a y of type float8 each element is narrow(fl(x*fl(1/s))), rounded again and
 * saturated, of NaN the least number. */
enum qd_status qd_float8_by(const struct qd_override *self, struct qd_evaluation *evaluation,
                            const struct qd_node *node, const struct qd_value *const *in,
                            struct qd_value *out, qd_float16_of *narrow);

#endif
