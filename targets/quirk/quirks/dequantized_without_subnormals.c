/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-without-subnormals": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_F32;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float difference = (float)q - (float)z, scale = qd_flushed((float)s);
    float product = difference * scale;
    return qd_flush_subnormal((double)product);
}

QD_QUIRK_DEQUANTIZE(dequantized_without_subnormals, .is_concerned = is_concerned, .number = number)
