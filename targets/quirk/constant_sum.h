/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and differences of a constant and a number that is dequantized, computed on its codes. */
#ifndef QDIFF_TARGETS_QUIRK_CONSTANT_SUM_H
#define QDIFF_TARGETS_QUIRK_CONSTANT_SUM_H

#include "quirk/marked.h"

/* Marks an Add or a Sub of which one operand is an initializer or dequantized from one, and the other one from codes
 * that are not constant; of any codes, or of 8-bit codes alone. */
void qd_mark_constant_sum(struct qd_rewrite *made, const struct qd_node *node, const char *mark,
                          bool eight_bits);

/* (code - z) * s + c: code and z have the sign of their operand in the sum, and c that of the constant. */
typedef float qd_sum_with_constant(float code, float z, float s, float c);

/* Evaluates a node by what comes after `self`, and each element of a marked one anew by f(). */
enum qd_status qd_evaluate_constant_sum(const struct qd_override *self,
                                        struct qd_evaluation *evaluation,
                                        const struct qd_node *node,
                                        const struct qd_value *const *in, struct qd_value *out,
                                        const char *mark, qd_sum_with_constant *f);

#endif
