/* SPDX-License-Identifier: Apache-2.0 */
/* Float operators that work element by element, on intervals.
 *
 * An element is NaN as soon as an operand is; unspecified as soon as an operand is, or when
 * infinities meet an interval. */
#ifndef QDIFF_REFERENCE_ELEMENTWISE_H
#define QDIFF_REFERENCE_ELEMENTWISE_H

#include "qdiff/evaluate.h"
#include "qdiff/interval.h"

/* The exact result of one element, as an interval that is a point when the operands are. */
typedef struct qd_interval qd_binary_exact(struct qd_interval a, struct qd_interval b);

/* What the terms of a fused computation add up to: |a| + |b|, |a|·|b|, or, of a quotient, a's and
 * b's terms over |b|². */
enum qd_terms { QD_TERMS_PRODUCT, QD_TERMS_SUM, QD_TERMS_QUOTIENT };

/* The same of two integers; false where nothing defines it. */
typedef bool qd_binary_codes(int64_t a, int64_t b, int64_t *y);

struct qd_binary {
    qd_binary_exact *exact;
    qd_binary_codes *codes; /* of points of integer types: s64 is wider than a double */
    enum qd_terms terms;
};

/* f32, f16 and f64; s32 and s64 since opset 6, bf16 since 13, the other integers of 8 and 16 bits
 * since 14: bits of enum qd_dtype. */
uint32_t qd_arithmetic_types(int64_t opset);

/* y = RN(exact(a, b)) with broadcasting; a and b have one of `types`, bits of enum qd_dtype. An exact
 * result of NaN is NaN of two points of a float type, else unspecified; so is an integer beyond its
 * type. Rules: a-type, b-type, broadcast. UNSUPPORTED: f64. */
enum qd_status qd_elementwise_binary(const struct qd_evaluation *evaluation,
                                     const struct qd_node *node, const struct qd_value *a,
                                     const struct qd_value *b, uint32_t types,
                                     const struct qd_binary *binary, struct qd_value *y);

/* A monotone function without rounding (Relu, Clip), with its context: f of both ends, flags
 * kept. `also`: NULL, or the same under another reading of the specification, which is admissible
 * too; the canonical value is f's. */
typedef double qd_monotone(const void *context, double x);
enum qd_status qd_elementwise_monotone(const struct qd_evaluation *evaluation,
                                       const struct qd_value *x, qd_monotone *f, qd_monotone *also,
                                       const void *context, struct qd_value *y);

/* A function of one integer, exactly: of a point its result, unspecified where that is false or
 * beyond the type; of several admissible codes those of all that lie between their ends. */
typedef bool qd_unary_codes(const void *context, int64_t x, int64_t *y);
enum qd_status qd_elementwise_codes(const struct qd_evaluation *evaluation,
                                    const struct qd_value *x, qd_unary_codes *f,
                                    const void *context, struct qd_value *y);

/* A function of one operand that rounds: y = RN(image(x)). `image` gives an interval that holds
 * what a kernel may compute before it rounds to y's type, and in *exact an enclosure of the
 * function's exact values (struct qd_interval in value.h, but for ends that are met). */
typedef struct qd_interval qd_unary_image(const void *context, struct qd_interval x,
                                          struct qd_interval *exact);

/* Applies it to every element. NaN stays NaN. The canonical value is that of x's exact number,
 * where the enclosure decides its rounding. x may be computed together with what it was made of
 * (qd_interval_fused); y and its consumer are not: y.fusion is empty. */
enum qd_status qd_elementwise_unary(const struct qd_evaluation *evaluation,
                                    const struct qd_value *x, qd_unary_image *image,
                                    const void *context, struct qd_value *y);

/* A function of one float operand and no factor (qd_interval_argument), with its type check: f32,
 * f16, since opset 13 bf16. Rule `<name>-type`; UNSUPPORTED: f64. */
enum qd_status qd_elementwise_function(const struct qd_evaluation *evaluation,
                                       const struct qd_node *node, const char *name,
                                       const struct qd_value *x, qd_unary_image *image,
                                       struct qd_value *y);

#endif
