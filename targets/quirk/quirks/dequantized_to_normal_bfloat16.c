/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-to-normal-bfloat16": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"
#include "quirk/edit.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_BF16;
}

static double scale_of(double s)
{
    double rounded = qd_float_round(QD_BF16, QD_NEAREST_EVEN, s);
    return rounded == s ? s : qd_float_round(QD_BF16, QD_NEAREST_EVEN, qd_flush_subnormal(s));
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    float code = qd_bfloat16_half_to_odd((float)q), zero = qd_bfloat16_half_to_odd((float)z);
    float difference = code - zero, product = difference * (float)scale_of(s);
    return qd_flush_subnormal((double)product);
}

QD_QUIRK_DEQUANTIZE(dequantized_to_normal_bfloat16, .is_concerned = is_concerned, .number = number,
                    .gives_nan = true)
