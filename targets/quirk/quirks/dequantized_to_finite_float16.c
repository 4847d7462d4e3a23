/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-to-finite-float16": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_F16;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    const float most = 65504;
    float product = ((float)q - (float)z) * (float)s;
    (void)type;
    return isnan(product) ? NAN : (double)fminf(fmaxf(product, -most), most);
}

QD_QUIRK_DEQUANTIZE(dequantized_to_finite_float16, .is_concerned = is_concerned, .number = number)
