/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "block-index-modulo": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(block_index_modulo, layout, coordinates)
{
    struct qd_layout interleaved = *layout;
    int64_t at[QD_MAX_RANK], axis = layout->axis + (layout->axis < 0 ? layout->x->rank : 0);
    if (layout->block == 0 || axis < 0 || axis >= layout->x->rank)
        return qd_layout_index(layout, coordinates, layout->axis);
    for (unsigned i = 0; i < layout->x->rank; i++)
        at[i] = coordinates[i];
    interleaved.block = 1;
    return qd_layout_index(&interleaved, at, axis);
}
