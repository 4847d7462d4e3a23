/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "channels-round-away": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

enum { X, Y_SCALE };

QD_QUIRK_EDIT(channels_round_away, edit)
{
    if (edit->in[Y_SCALE]->want.count == 1)
        return;
    edit->semantics.rounding = QD_ROUND_HALF_AWAY;
    edit->semantics.division = QD_DIVISION_DIVIDE;
    edit->semantics.range = QD_RANGE_INT32_INDEFINITE;
}
