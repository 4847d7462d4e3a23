/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of two operands, element by element: Equal, Less, Greater. */
#ifndef QDIFF_REFERENCE_COMPARISON_H
#define QDIFF_REFERENCE_COMPARISON_H

#include "qdiff/evaluate.h"

enum qd_relation { QD_IS_EQUAL, QD_IS_LESS, QD_IS_GREATER };

/* y = bool, A related to B, shapes broadcast. Of intervals both answers are admissible where numbers in them decide
 * either way. A comparison with NaN is false (IEEE 754). `types`: what the opset takes (QD_TYPE_BIT); f64 among them is
 * UNSUPPORTED, and so is broadcasting before opset 7. Rules A-type, B-type, broadcast. */
enum qd_status qd_compare_operands(const struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   uint32_t types, enum qd_relation relation, struct qd_value *y);

/* The types of numbers that comparisons take when they take all of them: integers of 8 bits and more, floats, since
 * opset 13 bfloat16. */
uint32_t qd_comparison_types(int64_t opset);

#endif
