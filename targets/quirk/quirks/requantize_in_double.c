/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "requantize-in-double": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/edit.h"

QD_QUIRK_EDIT(requantize_in_double, edit)
{
    edit->semantics.requantize = QD_ONE_SCALE;
    edit->semantics.zero_point_order = QD_ZERO_POINT_BEFORE_EXACT;
}
