/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "dequantized-from-two-products": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/dequantize.h"

static bool is_concerned(const struct qd_value *const *in, const struct qd_value *y)
{
    (void)in;
    return y->want.dtype == QD_F32;
}

QD_QUIRK_DEQUANTIZE(dequantized_from_two_products, .is_concerned = is_concerned,
                    .number = qd_from_two_products)
