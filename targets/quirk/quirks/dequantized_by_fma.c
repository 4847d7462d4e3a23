/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-fma": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/dequantize.h"

enum { X, X_SCALE, X_ZERO_POINT };

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    return in[X_ZERO_POINT] && y->want.dtype == QD_F32 && qd_dtype_is_integer(in[X]->want.dtype) &&
           qd_dtype_info(in[X]->want.dtype)->bits <= 16;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    double made = qd_by_fma(type, q, s, z);
    return isfinite(made) ? made : (double)NAN;
}

QD_QUIRK_DEQUANTIZE(dequantized_by_fma, .is_concerned = is_concerned, .number = number)
