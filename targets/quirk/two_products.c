/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/two_products.h"

enum { BLOCK = 8 };

double qd_two_products(const struct qd_tensor *codes, int64_t i, double s, double z)
{
    const double q = qd_tensor_value(codes, i);
    const float product = (float)(q * s), offset = (float)(-z * s), once = (float)((q - z) * s);
    return (double)(i < codes->count / BLOCK * BLOCK ? product + offset : once);
}
