/* SPDX-License-Identifier: Apache-2.0 */
/* An accumulator times a few scales, in every order of multiplication: what the vendor's integer
 * matrix products end with.
 *
 * Source: reference/README.md, "Admissible sets": requantize one product. */
#ifndef QDIFF_REFERENCE_SCALED_PRODUCT_H
#define QDIFF_REFERENCE_SCALED_PRODUCT_H

#include "qdiff/interval.h"
#include "quantize/requantize.h"

#define QD_MAX_FACTORS 3

/* acc·factors[0]·…·factors[count − 1], and divided by `divisor` unless that is 0. All are values of
 * `type`: f32 or f16. */
struct qd_scaled_product {
    enum qd_dtype type;
    unsigned count; /* 1 to QD_MAX_FACTORS */
    double factors[QD_MAX_FACTORS];
    double divisor;
};

/* The canonical code of acc·Πfactors/divisor and the hull of every order: any bracketing of fl(acc)
 * and the factors, with the division anywhere but of the accumulator alone, each operation in
 * float32, rounded down and up; an order whose intermediate over- or underflows is dropped. type is
 * f32. A factor or divisor that is not finite, a divisor 0, |acc| beyond int32: unspecified. */
struct qd_code qd_scaled_product_code(const struct qd_output_quantizer *quantizer,
                                      const struct qd_scaled_product *product, int64_t acc);

/* An accumulator: the exact sum, and the least and the greatest that codes which are not known give. apart: no sum
 * lies between these two. */
struct qd_sums {
    int64_t exact, least, most;
    bool apart;
};

/* Stores acc·Πfactors (+ bias, when bias is not NULL: its element j) as element i of y, of the
 * product's type, for any accumulator of `sums`. The orders as above, rounded to nearest
 * at every step, and the exact product; then one rounding for the addition, or none between (fma);
 * f16 is also computed in float32 and rounded once. Of f32, up to two factors and one accumulator, or two that are
 * apart, these numbers and none between. */
enum qd_status qd_scaled_product_store(const struct qd_evaluation *evaluation,
                                       const struct qd_scaled_product *product, struct qd_sums sums,
                                       const struct qd_tensor *bias, int64_t j, struct qd_value *y,
                                       int64_t i);

#endif
