/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose last elements are rounded by other code than whole vectors. */
#ifndef QDIFF_TARGETS_QUIRK_TAIL_H
#define QDIFF_TARGETS_QUIRK_TAIL_H

#include "quirk/edit.h"

/* The elements of `vector` as far as whole vectors of `width` go, those of `tail` after them. */
enum qd_status qd_join_tail(struct qd_evaluation *evaluation, const struct qd_value *vector,
                            const struct qd_value *tail, int64_t width, struct qd_value *out);

#endif
