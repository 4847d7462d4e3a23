/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and zero point multiplied by the scale apart. */
#ifndef QDIFF_TARGETS_QUIRK_TWO_PRODUCTS_H
#define QDIFF_TARGETS_QUIRK_TWO_PRODUCTS_H

#include "qdiff/tensor.h"

/* In whole blocks of 8, RN(RN(q * s) + RN(-z * s)) in float32; (q - z) * s, rounded once, after them. */
double qd_two_products(const struct qd_tensor *codes, int64_t i, double s, double z);

#endif
