/* SPDX-License-Identifier: Apache-2.0 */
/* BatchNormalization after DequantizeLinear, with constants, as few operations on the codes. */
#ifndef QDIFF_TARGETS_QUIRK_NORMALIZED_H
#define QDIFF_TARGETS_QUIRK_NORMALIZED_H

#include "qdiff/override.h"

/* Of one channel; root: of the variance and epsilon. */
struct qd_normalized {
    float x_scale, zero, scale, bias, mean, root;
};

/* What the code q becomes. */
typedef float qd_normalize_code(const struct qd_normalized *channel, float q);

/* Marks the nodes that are concerned with their scale and zero point: an override's graph. */
enum qd_status qd_mark_normalized(const struct qd_override *self, const struct qd_graph *graph,
                                  struct qd_arena *arena, const struct qd_graph **rewritten,
                                  struct qd_error *error);

/* The node evaluated by what comes after `self`; if it is marked, each number anew. */
enum qd_status qd_normalize_codes(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  qd_normalize_code *code, struct qd_value *out);

#endif
