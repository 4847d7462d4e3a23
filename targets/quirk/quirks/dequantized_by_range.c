/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-range": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/range.h"

static double number(enum qd_dtype codes, double q, double s, double z)
{
    struct qd_range_of_codes range = qd_range_of(codes, (float)s, (float)z);
    float step = (range.high - range.low) / (float)(range.greatest - range.least);
    return (double)fmaf((float)q - (float)range.least, step, range.low);
}

QD_QUIRK_DEQUANTIZE_CODED(dequantized_by_range, number)
