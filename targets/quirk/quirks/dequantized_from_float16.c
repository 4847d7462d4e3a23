/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-from-float16": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_F16;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    float code = (float)qd_float_round(type, QD_NEAREST_EVEN, q);
    float zero = (float)qd_float_round(type, QD_NEAREST_EVEN, z);
    return (double)((code - zero) * (float)s);
}

QD_QUIRK_DEQUANTIZE(dequantized_from_float16, .is_concerned = is_concerned, .number = number)
