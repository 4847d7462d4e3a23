/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of means whose padding counts as elements of the mean. */
#ifndef QDIFF_TARGETS_QUIRK_COUNTED_H
#define QDIFF_TARGETS_QUIRK_COUNTED_H

#include "quirk/geometry.h"

/* The geometry of an average pool by the specification's rules; false when there is nothing to change (also with the
 * channels last): what is wrong with the node is for its operator to say. */
bool qd_average_shape_read(struct qd_edit *edit, struct qd_conv_shape *shape);

/* Makes `begin` and `end` elements of padding on each spatial axis elements of x, of the value 0, which count; `rest`
 * more come after them and do not. Changes nothing where the output would have another shape. */
void qd_edit_count_padding(struct qd_edit *edit, const struct qd_conv_shape *shape,
                           const int64_t *begin, const int64_t *end, const int64_t *rest);

#endif
