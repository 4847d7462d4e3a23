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

/* Writes some numbers into the name of the node, after `mark`. */
void qd_mark_numbers(struct qd_rewrite *made, const struct qd_node *node, const char *mark,
                     const float *numbers, size_t count);

/* What was written; false for a node that is not marked. */
bool qd_marked_numbers(const struct qd_node *node, const char *mark, float *numbers, size_t count);

/* The code that element i was dequantized from, as a number. */
float qd_code_before(const struct qd_tensor *numbers, int64_t i, struct qd_steps steps);

/* Element i of a float32 output, which is a point henceforth; what is no finite number leaves it. */
void qd_set_float(struct qd_value *y, int64_t i, float number);

/* After the last qd_set_float(): nothing is left open. */
void qd_close_value(struct qd_value *y);

#endif
