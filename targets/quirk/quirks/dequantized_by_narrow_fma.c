/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-by-narrow-fma": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"
#include "quirk/edit.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    enum qd_dtype type = y->want.dtype;
    (void)in;
    return type == QD_F16 || type == QD_BF16;
}

static double narrow(enum qd_dtype type, double x)
{
    return type == QD_BF16 ? (double)qd_bfloat16_half_to_odd((float)x)
                           : qd_float_round(QD_F16, QD_NEAREST_EVEN, x);
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    double code = type == QD_BF16 ? narrow(type, q) : q, scale = narrow(type, s);
    double zero = narrow(type, z);
    double offset = zero == 0 ? 0 : narrow(type, (double)(float)(zero * scale));
    double made = (double)(float)(code * scale - offset);
    return type == QD_BF16 ? qd_flush_subnormal(made) : made;
}

QD_QUIRK_DEQUANTIZE(dequantized_by_narrow_fma, .is_concerned = is_concerned, .number = number,
                    .gives_nan = true)
