/* SPDX-License-Identifier: Apache-2.0 */
/* An accumulator times two scales, divided by a third: the canonical code and the admissible ones,
 * as the specification leaves the order of evaluation open.
 *
 * Source: ONNX QLinearConv and QLinearMatMul ("saturate((x * x_scale * w_scale) / y_scale) + zero
 * point", round half to even); reference/README.md, "Admissible sets". */
#ifndef QDIFF_REFERENCE_REQUANTIZE_H
#define QDIFF_REFERENCE_REQUANTIZE_H

#include "qdiff/evaluate.h"
#include "quantize/orders.h"

/* acc·s_1·s_2/s_y, prepared once per (output channel, parameters). */
struct qd_requantizer {
    struct qd_output_quantizer quantizer;
    enum qd_dtype type; /* of the scales */
    double s1, s2, sy;
    int64_t
        bias; /* of the accumulator, which QD_ANY_ORDER may multiply by a rounded s_1·s_2 of its own; 0: none */
    struct qd_ratio factor; /* s_1·s_2/s_y */
    bool undefined; /* a scale is NaN or infinite, or s_y is 0: every element is unspecified */
    bool tame;      /* no order over- or underflows for any |acc| < 2^34: the fast path is sound */
    uint64_t multiplier;           /* if tame: ⌊factor·2^shift⌋, at least 2^61; else 0 */
    int shift;                     /* 1 to 126 */
    struct qd_operands magnitudes; /* of the scales */
    struct qd_enclosure in_f32[QD_FACTORS], in_type[QD_FACTORS]; /* formed in these types */
};

/* Scales are values of `type`: f32, f16 or bf16. */
struct qd_requantizer qd_requantizer_make(struct qd_output_quantizer quantizer, enum qd_dtype type,
                                          double s1, double s2, double sy);

/* The canonical code of acc·s_1·s_2/s_y and the union of QD_ORDERS_REQUANTIZE: every operation in
 * float32 or double; for f16 and bf16 scales in float32 or that type, and a mixture that over- or
 * underflows is dropped. Where an order of float32 scales does (QD_EXTREME_SCALE) the hull, of
 * double too. |acc| < 2^60. An accumulator beyond int32 is unspecified (the semantics' accumulator
 * switch has been applied before). */
struct qd_code qd_requantize(const struct qd_requantizer *requantizer, int64_t acc);

/* Stores qd_requantize's code of `acc` as element i of y, with its real number if the evaluation
 * keeps them. */
enum qd_status qd_requantize_into(const struct qd_evaluation *evaluation,
                                  const struct qd_requantizer *requantizer, int64_t acc,
                                  struct qd_value *y, int64_t i);

#endif
