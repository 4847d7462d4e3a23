/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-from-odd-bfloat16": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_BF16;
}

static double number(enum qd_dtype type, double q, double s, double z)
{
    (void)type;
    return (double)qd_product_of_odd_bfloat16(q, s, z);
}

QD_QUIRK_DEQUANTIZE(dequantized_from_odd_bfloat16, .is_concerned = is_concerned, .number = number)
