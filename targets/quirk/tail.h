/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose last elements are rounded by other code than whole vectors. */
#ifndef QDIFF_TARGETS_QUIRK_TAIL_H
#define QDIFF_TARGETS_QUIRK_TAIL_H

#include "quirk/edit.h"

/* Evaluates a node with ties away from zero after the last whole vector of `width` elements. */
enum qd_status qd_round_tail_away(const struct qd_override *self, struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const struct qd_value *const *in,
                                  int64_t width, struct qd_value *out);

#endif
