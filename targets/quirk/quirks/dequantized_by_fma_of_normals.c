/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-fma-of-normals": targets/include/qdiff/quirks.def says what it is. */
#include <float.h>
#include <math.h>

#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    return y->want.dtype == QD_F32 && qd_dtype_info(in[0]->want.dtype)->bits <= 16;
}

static double without_subnormal(double x)
{
    return fabs(x) < (double)FLT_MIN ? 0 : x;
}

/* fma(q, s, -RN(z*s)), or RN(q*s) without a zero point: q*s has at most 40 bits and is exact in double. */
static double number(enum qd_dtype type, double q, double s, double z)
{
    double offset = without_subnormal(qd_float_round(type, QD_NEAREST_EVEN, -z * s));
    double product = q * without_subnormal(s);
    return qd_float_round(type, QD_NEAREST_EVEN, z == 0 ? product : product + offset);
}

QD_QUIRK_DEQUANTIZE(dequantized_by_fma_of_normals, .is_concerned = is_concerned, .number = number,
                    .gives_nan = true)
