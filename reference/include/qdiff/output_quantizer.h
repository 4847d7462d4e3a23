/* SPDX-License-Identifier: Apache-2.0 */
/* From an exact number to a quantized code: rounding, zero point, range.
 *
 * Source: ONNX QLinearConv and QLinearMatMul ("saturate((x * x_scale * w_scale) / y_scale) + zero
 * point", round half to even); the switches are those of semantics.h. */
#ifndef QDIFF_OUTPUT_QUANTIZER_H
#define QDIFF_OUTPUT_QUANTIZER_H

#include "qdiff/exact.h"
#include "qdiff/value.h"

/* What codes are made of: the output's type and zero point, and the semantics. */
struct qd_output_quantizer {
    const struct qd_semantics *semantics;
    enum qd_dtype dtype;
    int64_t zero_point, min, max; /* min and max after the `range` switch */
};

struct qd_output_quantizer qd_output_quantizer_make(const struct qd_semantics *semantics,
                                                    enum qd_dtype dtype, int64_t zero_point);

/* A rounded integer plus the zero point, brought into range. */
int64_t qd_output_quantizer_finish(const struct qd_output_quantizer *quantizer, int64_t rounded);

/* The code of an exact number, and of a float (±Inf saturates; NaN by the nan_to_integer switch, 0
 * where unspecified). */
int64_t qd_output_quantizer_exact(const struct qd_output_quantizer *quantizer,
                                  struct qd_ratio real);
int64_t qd_output_quantizer_float(const struct qd_output_quantizer *quantizer, double real);
/* The code of a float that has the zero point in it already (the quirk "zero point before
 * rounding"); no NaN. */
int64_t qd_output_quantizer_sum(const struct qd_output_quantizer *quantizer, double sum);

/* Whether codes come in the order of the numbers that they are made of. */
bool qd_output_quantizer_is_monotone(const struct qd_output_quantizer *quantizer);

/* Whether a number rounded to this saturates, and so does all near it: no code has more than 16
 * bits, and it is beyond 2^18. */
bool qd_output_quantizer_saturates(const struct qd_output_quantizer *quantizer, int64_t rounded);

/* Whether every number within a 2^−19th of `real` has its canonical code, which then is *code: no
 * rounding edge lies near, or all saturate. At most 14 roundings up or down in float32 stay
 * within. */
bool qd_output_quantizer_settles(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                 struct qd_code *code);

#endif
