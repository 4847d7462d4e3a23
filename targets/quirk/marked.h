/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes marked with the constants of the DequantizeLinear before them: how a quirk computes on codes what the graph
 * computes on numbers. Internal to the targets layer. */
#ifndef QDIFF_TARGETS_QUIRK_MARKED_H
#define QDIFF_TARGETS_QUIRK_MARKED_H

#include "qdiff/override.h"
#include "quirk/rewrite.h"

/* What one step is worth, and the code of 0. */
struct qd_steps {
    float scale, zero;
};

/* Whether operand i of a node is dequantized with one constant scale and at most one zero point, a constant; of any
 * codes, or of 8-bit codes alone; Reshape and Transpose may stand between. */
bool qd_rewrite_steps(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                      bool eight_bits, struct qd_steps *steps);

/* Whether operand i is an initializer, or dequantized from one; Identity may stand between. */
bool qd_rewrite_is_constant(const struct qd_rewrite *made, const struct qd_node *node, size_t i);

/* Writes some numbers into the name of the node, after `mark`. */
void qd_mark_numbers(struct qd_rewrite *made, const struct qd_node *node, const char *mark,
                     const float *numbers, size_t count);

/* What was written; false for a node that is not marked. */
bool qd_marked_numbers(const struct qd_node *node, const char *mark, float *numbers, size_t count);

/* The code that element i was dequantized from, as a number. */
float qd_code_before(const struct qd_tensor *numbers, int64_t i, struct qd_steps steps);

/* What two codes of float32 operands give, of a node marked with `numbers`: QD_MARKED_PAIR of them, then the quirk's
 * own. */
typedef float qd_of_codes(const float *numbers, float a, float b);
enum { QD_A_SCALE, QD_A_ZERO, QD_B_SCALE, QD_B_ZERO, QD_MARKED_PAIR };

/* Evaluates a node by what comes after `self`, and if it is marked, computes each element of its output anew: count is
 * at most QD_MOST_MARKED. The operands are broadcast. */
enum { QD_MOST_MARKED = 8 };
enum qd_status qd_evaluate_pair(const struct qd_override *self, struct qd_evaluation *evaluation,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out, const char *mark, size_t count,
                                qd_of_codes *f);

/* Marks a node of that operator whose operand 0 has steps of 8-bit codes with them: the scale, the zero point. */
void qd_mark_steps(struct qd_rewrite *made, const struct qd_node *node, const char *op_type,
                   const char *mark);

/* Evaluates a node by what comes after `self`. Whether its output is then to be computed anew: it is float32, and the
 * node is marked. */
bool qd_evaluate_steps(const struct qd_override *self, struct qd_evaluation *evaluation,
                       const struct qd_node *node, const struct qd_value *const *in,
                       struct qd_value *out, const char *mark, float *numbers, size_t count,
                       enum qd_status *status);

#endif
