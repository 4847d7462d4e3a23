/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "axis-ignored": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/regroup.h"

QD_QUIRK_REGROUP(axis_ignored, layout, coordinates)
{
    (void)layout, (void)coordinates;
    return 0;
}
