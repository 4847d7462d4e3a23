/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-share-of-range": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/range.h"

static double number(enum qd_dtype codes, double q, double s, double z)
{
    struct qd_range_of_codes range = qd_range_of(codes, (float)s, (float)z);
    float share = ((float)q - (float)range.least) / (float)(range.greatest - range.least);
    float product = share * (range.high - range.low);
    return (double)(product + range.low);
}

QD_QUIRK_DEQUANTIZE_CODED(dequantized_by_share_of_range, number)
