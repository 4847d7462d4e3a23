/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-share-of-range": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/range.h"

static double number(enum qd_dtype codes, double q, double s, double z)
{
    struct qd_range_of_codes range = qd_range_of(codes, (float)s, (float)z);
    return (double)qd_share_of_range(&range, (float)q);
}

QD_QUIRK_DEQUANTIZE_CODED(dequantized_by_share_of_range, number)
